/* diagnose: why the run so far, or a launch, is slow (dbg/diagnose.h). */
#include <stdlib.h>
#include <string.h>

#include "base/wrap.h"
#include "commands/commands.h"
#include "dbg/diagnose.h"
#include "session/rules.h"
#include "session/script_head.h"

#define SHOWN 6 /* findings of the usual answer */

/* Without a launch: is it of what figures are of now? */
static bool is_of_scope(struct debugger *d, const struct diagnosis *of)
{
	u64 from, to;
	gpu_counted_range(dbg_gpu(d), &from, &to);
	return of->launch >= 0 || (of->from == from && of->to == to);
}

/* The last diagnosis, if the machine is where it was made and it is of the same part of the run; else a new one. */
static bool renew(struct debugger *d, s32 launch, struct err *e)
{
	const struct sim_place here = sim_place(d->s->sim);
	struct last_diagnosis *last = &d->diagnosed;
	if (last->is && last->is->launch == launch && is_of_scope(d, last->is) && last->generation == d->bound.generation &&
	    !sim_place_order(last->at, here))
		return true;
	struct diagnosis *new = diagnose_launch(d, launch, e);
	if (!new)
		return false;
	diagnosis_free(last->is);
	*last = (struct last_diagnosis){.is = new, .at = here, .generation = d->bound.generation};
	return true;
}

static s32 last_launch(const struct debugger *d)
{
	const struct last_diagnosis *last = &d->diagnosed;
	return last->is && last->generation == d->bound.generation ? last->is->launch : -1;
}

static bool numbered(struct debugger *d, const char *args, u32 *i, struct err *e)
{
	u64 n = 0;
	const u32 all = d->diagnosed.is->n;
	if (!arg_number(args, "diagnose", UINT32_MAX, &n, e))
		return false;
	*i = (u32)n - 1;
	if (!all)
		return err_set(e, "diagnose: there is no finding");
	return (n && n <= all) || err_set(e, "diagnose: the number of a finding is expected, from 1 to %u", all);
}

static void list_rules(struct debugger *d, struct strbuf *out)
{
	struct rule_files all = rules_find(d->s->data_dir);
	for (u32 i = 0; i < all.n; i++) {
		struct strbuf head = STRBUF_INIT;
		script_head(all.rule[i].path, &head);
		strbuf_addf(out, "%-16s  ", all.rule[i].name);
		strbuf_add(&head, "", 1);
		head.buf[strcspn(head.buf, "\n")] = 0;
		text_wrap(head.buf, 18, WRAP_WIDTH, out);
		strbuf_release(&head);
	}
	rules_release(&all);
}

static bool verify(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (d->run.goal.kind != GOAL_NONE)
		return err_set(e, "diagnose verify: a run is under way");
	if (!renew(d, last_launch(d), e))
		return false;
	const struct diagnosis *of = d->diagnosed.is;
	u32 i = 0;
	if (*args)
		return numbered(d, args, &i, e) && diagnosis_verify(d, of, i, out, e);
	for (; i < of->n && i < SHOWN && diagnosis_percent(of, &of->finding[i]) >= 1; i++)
		if (!diagnosis_verify(d, of, i, out, e))
			return false;
	if (!i)
		strbuf_adds(out, "There is no finding that is worth a test.\n");
	return true;
}

static bool at_length(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	u32 i;
	if (!renew(d, last_launch(d), e) || !numbered(d, args, &i, e))
		return false;
	diagnosis_finding_text(d->diagnosed.is, i, out);
	return true;
}

static bool report(struct debugger *d, s32 launch, u32 most, struct strbuf *out, struct err *e)
{
	if (!renew(d, launch, e))
		return false;
	take_output(d, out); /* what rules have printed */
	diagnosis_text(d->diagnosed.is, most, out);
	return true;
}

static bool of_launch(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	u32 launch;
	return arg_launch(d, "diagnose kernel", args, &launch, e) && report(d, (s32)launch, SHOWN, out, e);
}

bool cmd_diagnose(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char word[32];
	u64 n;
	const char *rest = next_word(args, word, sizeof word);
	if (d->run.in_run || lua_dbg_in_callback(d))
		return err_set(e, "diagnose: the machine is running");
	if (!rest)
		return report(d, -1, SHOWN, out, e);
	if (!strcmp(word, "verify"))
		return verify(d, rest, out, e);
	if (!strcmp(word, "kernel"))
		return of_launch(d, rest, out, e);
	if (word_number(word, &n))
		return at_length(d, args, out, e);
	if (!arg_none(rest, "diagnose", e))
		return false;
	if (!strcmp(word, "all"))
		return report(d, last_launch(d), UINT32_MAX, out, e);
	if (strcmp(word, "rules") != 0)
		return err_set(
		    e, "diagnose: nothing, all, a finding's number, kernel [N], verify [N] or rules is expected, not '%s'",
		    word);
	list_rules(d, out);
	return true;
}
