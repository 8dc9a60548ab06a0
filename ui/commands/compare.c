/* compare: a second machine beside the debugger's (rival.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/deltas.h"
#include "obs/compare/report_compare.h"

#define ROWS_SHOWN 16

static void side_line(const struct session *s, char name, struct strbuf *out)
{
	struct gpu *g = sim_gpu(s->sim);
	const struct conf *c = gpu_conf(g);
	u64 cycles = gpu_cycle(g), insts = lockstep_position(s->sim, LOCKSTEP_INSTS);
	strbuf_addf(out, "%c  %s  %s/%s  cycle %llu  IPC %.3f\n", name, c->machine, c->warp_sched, c->cta_sched,
	            (unsigned long long)cycles, cycles ? (double)insts / (double)cycles : 0.0);
}

static void table(struct debugger *d, struct strbuf *out)
{
	struct stats *a = rival_stats(d, false), *b = rival_stats(d, true);
	const u32 more = deltas_table(a, b, ROWS_SHOWN, out);
	if (more)
		strbuf_addf(out, "%u more: view 9\n", more);
	stats_free(a);
	stats_free(b);
}

static void status(struct debugger *d, struct strbuf *out)
{
	struct rival *r = d->rival;
	strbuf_addf(out, "B: %s, in lock step by %s\n", r->text, lockstep_names[r->by]);
	if (!r->s) {
		strbuf_addf(out, "B is gone: %s\n", r->err.msg);
		return;
	}
	side_line(d->s, 'A', out);
	side_line(r->s, 'B', out);
	if (r->ended)
		strbuf_addf(out, "   %s%s%s\n", session_stop_text(r->why), r->s->check == CHECK_FAIL ? ", check FAILED: " : "",
		            r->s->check == CHECK_FAIL ? strbuf_str(&r->s->check_message) : "");
	rival_divergence_line(d, out);
	strbuf_addc(out, '\n');
	for (u32 i = 0; i < 2 && r->first.found; i++) {
		strbuf_addf(out, " %c  ", "AB"[i]);
		rival_decision_line(d, i, out);
		strbuf_addf(out, "%s%s\n", *r->reason[i] ? "\n    before: " : "", r->reason[i]);
	}
	table(d, out);
}

/* "by WORD" in front of the options. */
static bool take_by(const char **args, enum lockstep_by *by, struct err *e)
{
	char word[32];
	const char *rest = next_word(*args, word, sizeof word);
	if (!rest || strcmp(word, "by"))
		return true;
	rest = next_word(rest, word, sizeof word);
	for (u32 i = 0; rest && i < LOCKSTEP_COUNT; i++)
		if (!strcmp(word, lockstep_names[i])) {
			*by = (enum lockstep_by)i;
			*args = rest;
			return true;
		}
	return err_set(e, "compare by: cycles, insts or ctas is expected%s%s", rest ? ", not " : "", rest ? word : "");
}

bool cmd_compare(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	enum lockstep_by by = d->rival ? d->rival->by : LOCKSTEP_CYCLES;
	bool only_by = !strncmp(args, "by", 2) && d->rival;
	if (!*args && !d->rival)
		return err_set(e, "compare: the options of a second machine are expected, as in compare --warp-sched lrr");
	if (!strcmp(args, "off")) {
		if (!d->rival)
			return err_set(e, "compare off: there is no second machine");
		rival_close(d);
		return true;
	}
	if (*args && !take_by(&args, &by, e))
		return false;
	if (!*args && !only_by && d->rival) {
		status(d, out);
		return true;
	}
	if (d->run.in_run)
		return err_set(e, "the machine is running");
	char *text = xstrdup(*args || !d->rival ? args : d->rival->text); /* the old one goes */
	bool ok = (*text || err_set(e, "compare: the options of the second machine are expected")) &&
	          rival_open(d, text, by, out, e);
	free(text);
	return ok;
}
