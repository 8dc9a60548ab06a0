/* record: events as JSON lines in a file that follows the machine's history. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dbg/once.h"
#include "dbg/record.h"
#include "obs/record/tape.h"

struct recording {
	event_set mask;
	struct tape *tape;
	bool cuts; /* history may fork: a pipe or device cannot take back what it was given */
	u64 last;  /* clock of the last entry ever */
	struct once once;
	u64 written;
};

bool record_stop(struct debugger *d, struct err *e)
{
	struct recording *r = d->record;
	bool ok = tape_close(r->tape, e);
	free(r);
	d->record = NULL;
	return ok;
}

bool record_end(struct debugger *d, struct err *e)
{
	struct err why = {0};
	return !d->record || record_stop(d, &why) || err_set(e, "record: %s", why.msg);
}

static void place(struct strbuf *out, const char *key, s32 value)
{
	if (value >= 0)
		strbuf_addf(out, ",\"%s\":%d", key, value);
}

void record_event(struct debugger *d, const struct event *ev)
{
	struct recording *r = d->record;
	const struct event_desc *x = &event_descs[ev->type];
	struct strbuf line = STRBUF_INIT;
	if (d->s->replaying || !once_take(&r->once, ev->cycle))
		return;
	r->last = ev->cycle + 1; /* the cycle is over when its events are known, those of its turns too */
	r->written++;
	strbuf_addf(&line, "{\"cycle\":%" PRIu64 ",\"event\":\"%s\"", ev->cycle, x->name);
	place(&line, "sm", ev->sm);
	place(&line, "kernel", ev->kernel);
	place(&line, "cta", ev->cta);
	place(&line, "warp", ev->warp);
	for (u32 i = 0; i < EVENT_ARGS; i++)
		if (*x->arg[i])
			strbuf_addf(&line, ",\"%s\":%" PRIu64, x->arg[i], ev->arg[i]);
	for (u32 i = 0; i < EVENT_ARGS; i++) {
		const char *word = *x->arg[i] ? event_arg_name((enum event_type)ev->type, i, ev->arg[i]) : NULL;
		if (word)
			strbuf_addf(&line, ",\"%s_name\":\"%s\"", x->arg[i], word);
	}
	strbuf_adds(&line, "}\n");
	tape_add(r->tape, r->last, &line, NULL);
	strbuf_release(&line);
}

static void undone(void *ctx, const void *record, u64 began)
{
	struct recording *r = ctx;
	r->written--;
}

void record_forked(struct debugger *d)
{
	struct recording *r = d->record;
	u64 now = sim_cycle(d->s->sim);
	if (r)
		once_forked(&r->once, now);
	if (r && r->cuts && r->last > now)
		tape_cut(r->tape, now, undone, r);
}

void record_moved(struct debugger *d)
{
	struct recording *r = d->record;
	if (r)
		once_moved(&r->once);
}

void record_restarted(struct debugger *d)
{
	struct recording *r = d->record;
	if (r)
		r->once = (struct once){0};
}

u64 record_written(const struct debugger *d)
{
	return d->record->written;
}

bool record_start(struct debugger *d, const char *file, event_set mask, struct err *e)
{
	struct stat st;
	struct recording *r = xcalloc(1, sizeof *r);
	r->cuts = stat(file, &st) || S_ISREG(st.st_mode);
	r->tape = tape_open(file, "record", "", r->cuts ? 0 : TAPE_NO_CUT, e);
	if (!r->tape) {
		free(r);
		return false;
	}
	r->once.upto = r->once.next = sim_cycle(d->s->sim); /* what lies before the recording is not written */
	d->record = r;
	r->mask = mask;
	return true;
}

event_set record_mask(const struct debugger *d)
{
	return d->record ? d->record->mask : 0;
}
