/* record: events as JSON lines */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"

static void stop(struct debugger *d)
{
	d->record_mask = 0;
	d->record = NULL;
	debugger_resubscribe(d);
}

void record_release(struct debugger *d)
{
	if (d->record)
		fclose(d->record);
	d->record = NULL;
}

static void place(FILE *f, const char *key, s32 value)
{
	if (value >= 0)
		fprintf(f, ",\"%s\":%d", key, value);
}

void record_event(struct debugger *d, const struct event *ev)
{
	FILE *f = d->record;
	const struct event_desc *x = &event_descs[ev->type];
	struct sim_history_info h;
	sim_history_info(d->s->sim, &h);
	if (h.on && ev->cycle < h.frontier && sim_cycle(d->s->sim) < h.frontier)
		return; /* it has been written when it happened first */
	fprintf(f, "{\"cycle\":%" PRIu64 ",\"event\":\"%s\"", ev->cycle, x->name);
	place(f, "sm", ev->sm);
	place(f, "kernel", ev->kernel);
	place(f, "cta", ev->cta);
	place(f, "warp", ev->warp);
	for (u32 i = 0; i < 4; i++)
		if (*x->arg[i])
			fprintf(f, ",\"%s\":%" PRIu64, x->arg[i], ev->arg[i]);
	fputs("}\n", f);
	d->recorded++;
}

static bool start(struct debugger *d, const char *args, struct err *e)
{
	char file[512], word[64];
	u64 mask = 0;
	args = next_word(args, file, sizeof(file));
	if (!args)
		return err_set(e, "record start: a file is expected");
	while ((args = next_word(args, word, sizeof(word)))) {
		int t = event_find(word);
		if (t < 0)
			return err_set(e, "record start: there is no event '%s' (`info events` lists them)", word);
		mask |= BIT(t);
	}
	if (d->record)
		return err_set(e, "record start: a recording is under way (`record stop` ends it)");
	d->record = fopen(file, "w");
	if (!d->record)
		return err_set(e, "record start: %s: %s", file, strerror(errno));
	d->record_mask = mask ? mask : bit_range(EV_COUNT);
	d->recorded = 0;
	debugger_resubscribe(d);
	return true;
}

bool cmd_record(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char word[16];
	const char *rest = next_word(args, word, sizeof(word));
	if (rest && !strcmp(word, "start"))
		return start(d, rest, e);
	if (!rest || strcmp(word, "stop") || *rest)
		return err_set(e, "record: `record start FILE [EVENT...]` or `record stop` is expected");
	if (!d->record)
		return err_set(e, "record stop: nothing is being recorded");
	bool failed = ferror(d->record) | fclose(d->record);
	stop(d);
	strbuf_addf(out, "%" PRIu64 " events recorded\n", d->recorded);
	return !failed || err_set(e, "record stop: the file could not be written in full: %s", strerror(errno));
}
