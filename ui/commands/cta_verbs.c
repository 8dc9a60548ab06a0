/* A verb changes the machine as `set` does: it is a turn of the history, which `undo` takes back. */
#include "commands/cta_verbs.h"

#include <string.h>

#include "cta/resume.h"
#include "dbg/travel.h"
#include "obs/name/coordinates.h"

static const struct {
	const char *name, *said; /* said: what has become of it */
} verbs[CTA_VERBS] = {
    [CTA_PAUSE] = {"pause", "is paused"},
    [CTA_RESUME] = {"resume", "goes on"},
    [CTA_HALT] = {"halt", "is halted"},
    [CTA_DROP] = {"drop", "begins again"},
    [CTA_SAVE] = {"save", "is saved, its place is free (`restore cta` brings it back)"},
    [CTA_RESTORE] = {"restore", "goes on where there is room"},
};

static bool number_of(const char *word, const char *what, u64 max, u64 *out, struct err *e)
{
	return *word ? arg_number(word, what, max, out, e) : err_set(e, "%s: a number is expected", what);
}

/* One word behind `cta`: a number or X,Y,Z, kernel=K, sm=S. */
static bool take_word(const char *word, const char *what, struct cta_order *o, struct coordinates *named, struct err *e)
{
	u64 n = 0;
	if (!strncmp(word, "kernel=", 7) && number_of(word + 7, what, UINT32_MAX - 1, &n, e))
		o->launch = (u32)n;
	else if (!e->set && o->verb == CTA_RESTORE && !strncmp(word, "sm=", 3) &&
	         number_of(word + 3, what, UINT32_MAX - 1, &n, e))
		o->sm = (u32)n;
	else if (!e->set && !named->parts && coordinates_read(word, named))
		return true;
	else if (!e->set)
		return err_set(e, "%s: '%.40s' is not understood (`help %s`)", what, word, what);
	return !e->set;
}

/* The CTA's number in the launch that is meant, of which the order itself says whether there is one. */
static bool named_cta(struct debugger *d, const char *what, const struct coordinates *c, struct cta_order *o,
                      struct err *e)
{
	if (c->parts > 1 && o->launch < gpu_num_kernels(dbg_gpu(d))) {
		const struct dim3 grid = gpu_launched(dbg_gpu(d), o->launch)->grid;
		if (!coordinates_inside(c, grid))
			return err_set(e, "%s: the grid of launch %u has %u x %u x %u CTAs", what, o->launch, grid.x, grid.y,
			               grid.z);
		o->id = coordinates_linear(c, grid);
		return true;
	}
	o->id = c->at[0];
	return true;
}

static bool take_order(struct debugger *d, const char *args, struct cta_order *o, struct err *e)
{
	char word[64];
	const char *what = verbs[o->verb].name, *rest = next_word(args, word, sizeof word);
	struct coordinates named = {0};
	if (!rest || strcmp(word, "cta") != 0)
		return err_set(e, "%s: `%s cta [N] [kernel=K]` is expected", what, what);
	o->sm = SM_ANY;
	o->launch = d->focus.kernel >= 0 ? (u32)d->focus.kernel : 0;
	while ((rest = next_word(rest, word, sizeof word))) {
		if (o->verb == CTA_HALT && !strcmp(word, "for")) {
			if (!number_of(rest, what, UINT64_MAX, &o->cycles, e))
				return false;
			break;
		}
		if (!take_word(word, what, o, &named, e))
			return false;
	}
	if (o->verb == CTA_HALT && !o->cycles)
		return err_set(e, "halt: for how long? `halt cta [N] for CYCLES`");
	if (named.parts)
		return named_cta(d, what, &named, o, e);
	if (d->focus.cta < 0)
		return err_set(e, "%s: no CTA is focused: `%s cta N`", what, what);
	o->id = (u64)d->focus.cta;
	return true;
}

bool order_cta(struct debugger *d, enum cta_verb verb, const char *args, struct strbuf *out, struct err *e)
{
	struct cta_order o = {.verb = verb};
	if (!take_order(d, args, &o, e))
		return false;
	if (!gpu_may_order_cta(dbg_gpu(d), &o, e)) {
		err_prefix(e, "%s: ", verbs[verb].name);
		return false;
	}
	if (!change_begins(d, e)) /* a mistake forks nothing */
		return false;
	bool ok = gpu_order_cta(dbg_gpu(d), &o, e);
	session_changed(d->s);
	debugger_refresh_focus(d);
	if (ok) {
		d->run.rest = DBG_STOPPED; /* what stood still may go on: there is no fault, or it had been refused */
		strbuf_addf(out, "CTA %llu of launch %u %s", (unsigned long long)o.id, o.launch, verbs[verb].said);
		if (verb == CTA_HALT)
			strbuf_addf(out, " for %llu cycles", (unsigned long long)o.cycles);
		strbuf_adds(out, ".\n");
	}
	return ok;
}

bool cmd_pause(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	return order_cta(d, CTA_PAUSE, args, out, e);
}

bool cmd_resume(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	return order_cta(d, CTA_RESUME, args, out, e);
}

bool cmd_halt(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	return order_cta(d, CTA_HALT, args, out, e);
}

bool cmd_drop(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	return order_cta(d, CTA_DROP, args, out, e);
}

bool cmd_restore(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	return order_cta(d, CTA_RESTORE, args, out, e);
}
