/* scope, diff: which part of the run figures are of, and two parts of it side by side. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/deltas.h"
#include "dbg/rival.h"
#include "dbg/scope.h"
#include "obs/stats/stats.h"

#define ROWS_SHOWN 20u

static void tell(const struct debugger *d, struct strbuf *out)
{
	const u32 before = (u32)out->len;
	strbuf_adds(out, "Figures are of ");
	scope_text(d, false, out);
	strbuf_adds(out, out->len > before + strlen("Figures are of ") ? ".\n" : "the whole run.\n");
}

static const char *const expected = "two cycles, one cycle (to where the machine is), `kernel N`, `program NAME`, "
                                    "`since last` or `off` is expected";

/* A cycle as a number, or "now". */
static bool is_cycle(struct debugger *d, const char *word, u64 *cycle)
{
	if (!strcmp(word, "now")) {
		*cycle = sim_cycle(d->s->sim);
		return true;
	}
	return word_number(word, cycle);
}

struct part {
	enum scope_kind kind; /* SCOPE_CYCLES, SCOPE_LAUNCH or SCOPE_PROGRAM */
	u64 from, to;         /* cycles, to NEVER: as far as the machine is; from: a launch */
	char program[64];
};

/* One part of the run in front of *args, which then is what follows. */
static bool take_part(struct debugger *d, const char **args, const char *command, struct part *p, struct err *e)
{
	char word[64], second[64] = "";
	const char *rest = next_word(*args, word, sizeof word),
	           *behind = rest ? next_word(rest, second, sizeof second) : NULL;
	*p = (struct part){.kind = SCOPE_CYCLES, .to = NEVER};
	if (!rest)
		return err_set(e, "%s: %s", command, expected);
	if (!strcmp(word, "kernel") || !strcmp(word, "program")) {
		p->kind = *word == 'k' ? SCOPE_LAUNCH : SCOPE_PROGRAM;
		const bool kernel = p->kind == SCOPE_LAUNCH;
		if (!behind || (kernel && (!word_number(second, &p->from) || p->from > UINT32_MAX)))
			return err_set(e, "%s %s: %s is expected", command, word,
			               kernel ? "the number of a launch (`info launches`)" : "a program's name");
		snprintf(p->program, sizeof p->program, "%s", second);
		*args = behind;
		return true;
	}
	if (!is_cycle(d, word, &p->from))
		return err_set(e, "%s: %s, not '%.40s'", command, expected, word);
	*args = behind && is_cycle(d, second, &p->to) ? behind : rest;
	return true;
}

static bool show_part(struct debugger *d, const struct part *p, struct err *e)
{
	if (p->kind == SCOPE_LAUNCH)
		return scope_launch(d, (u32)p->from, e);
	if (p->kind == SCOPE_PROGRAM)
		return scope_program(d, p->program, e);
	return scope_cycles(d, p->from, p->to, e);
}

bool cmd_scope(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct part p;
	if (d->run.in_run)
		return err_set(e, "scope: the machine is running");
	if (!strcmp(args, "off")) {
		scope_end(d);
	} else if (!strncmp(args, "since", 5)) {
		if (strcmp(skip_blanks(args + 5), "last") != 0)
			return err_set(e, "scope since: `last` is expected");
		scope_since_last(d);
	} else if (*args) {
		if (!take_part(d, &args, "scope", &p, e) || !arg_none(args, "scope", e) || !show_part(d, &p, e))
			return false;
	}
	rival_scope(d);
	tell(d, out);
	return true;
}

/* --- diff --- */

/* What was counted in a part of the run, and what it is called. */
static struct stats *part_stats(struct debugger *d, const struct part *p, struct strbuf *name, struct err *e)
{
	if (!show_part(d, p, e))
		return NULL;
	scope_text(d, false, name);
	const struct run_info run = {.workload = d->s->name, .check = "none", .check_message = "", .stop = ""};
	return stats_gather_counters(dbg_gpu(d), &run);
}

bool cmd_diff(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct strbuf name[2] = {STRBUF_INIT, STRBUF_INIT};
	struct stats *side[2] = {NULL, NULL};
	struct dbg_scope was;
	struct part p[2];
	if (d->run.in_run)
		return err_set(e, "diff: the machine is running");
	if (!take_part(d, &args, "diff", &p[0], e) || !take_part(d, &args, "diff", &p[1], e) || !arg_none(args, "diff", e))
		return false;
	scope_keep(d, &was);
	bool ok = (side[0] = part_stats(d, &p[0], &name[0], e)) && (side[1] = part_stats(d, &p[1], &name[1], e));
	scope_bring_back(d, &was);
	if (ok) {
		strbuf_addf(out, "A  %s\nB  %s\n", strbuf_str(&name[0]), strbuf_str(&name[1]));
		const u32 more = deltas_table(side[0], side[1], ROWS_SHOWN, out);
		if (more)
			strbuf_addf(out, "%u more figures differ less.\n", more);
	}
	for (u32 i = 0; i < 2; i++) {
		stats_free(side[i]);
		strbuf_release(&name[i]);
	}
	return ok;
}
