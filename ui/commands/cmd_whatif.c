/* whatif: the present cycle under several settings (dbg/whatif.h) */
#include "dbg/whatif.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"

static bool last_table(struct debugger *d, struct err *e)
{
	return d->whatif ||
	       err_set(e, "whatif: KEY=VALUE[,VALUE...] is expected, as in whatif warp-sched=lrr,gto for 20000");
}

/* whatif compare ROW: the row's machine beside this one. */
static bool beside(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	u64 row = 0;
	if (!last_table(d, e) || !arg_number(args, "whatif compare", d->whatif->nrows - 1, &row, e))
		return false;
	struct whatif *w = d->whatif;
	struct strbuf options = STRBUF_INIT;
	if (!row)
		return err_set(e, "whatif compare: the number of a row is expected, from 1 to %u; row 0 is this machine",
		               w->nrows - 1);
	whatif_options(w, (u32)row, &options);
	const bool ok = rival_open(d, strbuf_str(&options), LOCKSTEP_CYCLES, out, e);
	if (ok && w->from)
		strbuf_addf(out, "B has these settings from cycle 0%s.\n",
		            w->row[row].from_zero && w->nkeys == 1 ? "" : "; in the table what `set` can change changed later");
	strbuf_release(&options);
	return ok;
}

/* "... from CYCLE ...": the rest of the line, and the cycle. False with *e: there is no number behind it. */
static bool take_from(const char *args, struct strbuf *rest, bool *from, u64 *cycle, struct err *e)
{
	char word[2048];
	*from = false;
	while ((args = next_word(args, word, sizeof word))) {
		if (strcmp(word, "from") != 0) {
			strbuf_addf(rest, "%s%s", rest->len ? " " : "", word);
			continue;
		}
		args = next_word(args, word, sizeof word);
		if (!args || *from || !word_number(word, cycle))
			return err_set(e, "whatif: from: a cycle is expected behind it, once");
		*from = true;
	}
	return true;
}

/* With "from CYCLE" the debugger waits for the rows: the machine stands elsewhere meanwhile. *mine: it was there. */
static bool from_cycle(struct debugger *d, const char *args, bool *mine, struct strbuf *out, struct err *e)
{
	struct strbuf rest = STRBUF_INIT;
	u64 cycle = 0;
	bool ok = take_from(args, &rest, mine, &cycle, e);
	if (ok && *mine) {
		ok = whatif_elsewhere(d, cycle, strbuf_str(&rest), e);
		if (ok)
			whatif_table(d->whatif, out);
	}
	*mine |= !ok;
	strbuf_release(&rest);
	return ok;
}

bool cmd_whatif(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char word[16];
	const char *rest = next_word(args, word, sizeof word);
	if (!rest) {
		if (last_table(d, e))
			whatif_table(d->whatif, out);
		return d->whatif;
	}
	if (!strcmp(word, "compare"))
		return beside(d, rest, out, e);
	if (d->run.goal.kind != GOAL_NONE)
		return err_set(e, "whatif: a run is under way");
	bool elsewhere;
	const bool ok = from_cycle(d, args, &elsewhere, out, e);
	if (elsewhere)
		return ok;
	struct whatif *w = whatif_open(d, args, e);
	if (!w)
		return false;
	whatif_free(d->whatif);
	d->whatif = w;
	if (!whatif_running(d)) /* no row could begin */
		whatif_table(w, out);
	return true;
}

/* --- completion --- */

typedef void offer_fn(void *ctx, const char *text);
struct offering {
	offer_fn *fn;
	void *ctx;
	const char *head; /* of the word: what stays in front of the part that is completed */
	bool bare;        /* figures without their "gpu." */
};

static void offer_behind(const struct offering *o, const char *text, size_t n)
{
	struct strbuf all = STRBUF_INIT;
	strbuf_addf(&all, "%s%.*s", o->head, (int)n, text);
	o->fn(o->ctx, strbuf_str(&all));
	strbuf_release(&all);
}

static void offer_figure(void *ctx, const char *path)
{
	const struct offering *o = ctx;
	const char *text = path + (o->bare ? strlen("gpu.") : 0);
	offer_behind(o, text, strlen(text));
}

static void offer_figures(struct debugger *d, struct offering *o, const char *part)
{
	struct strbuf path = STRBUF_INIT;
	o->bare = strncmp(part, "gpu.", 4) != 0;
	strbuf_addf(&path, "%s%s", o->bare ? "gpu." : "", part);
	probe_complete(dbg_gpu(d), strbuf_str(&path), offer_figure, o);
	strbuf_release(&path);
}

static void offer_values(const struct conf_key *k, const struct offering *o)
{
	const enum policy_kind kind = policy_kind_of(k->key);
	const struct policy *p;
	for (u32 i = 0; kind != POLICY_KINDS && (p = sim_policy(kind, i)); i++)
		offer_behind(o, p->name, strlen(p->name));
	for (const char *v = k->kind == CONF_ENUM ? k->values : NULL; v;) {
		const size_t n = strcspn(v, "|");
		offer_behind(o, v, n);
		v = v[n] ? v + n + 1 : NULL;
	}
	if (k->kind == CONF_BOOL) {
		offer_behind(o, "true", 4);
		offer_behind(o, "false", 5);
	}
}

static void offer_first(offer_fn *fn, void *ctx, bool first)
{
	static const char *const words[] = {"for", "to", "from", "print", "jobs"};
	for (u32 i = 0; i < conf_nkeys; i++) {
		char text[100];
		snprintf(text, sizeof text, "%s=", conf_keys[i].key);
		fn(ctx, text);
	}
	for (u32 i = 0; i < ARRAY_LEN(words) && !first; i++)
		fn(ctx, words[i]);
	if (first)
		fn(ctx, "compare");
}

void whatif_complete(struct debugger *d, const char *word, const char *before, offer_fn *fn, void *ctx)
{
	char last[64] = "";
	for (const char *p = before; (p = next_word(p, last, sizeof last));)
		;
	const char *eq = strchr(word, '='), *comma = strrchr(word, ','), *part = comma ? comma + 1 : eq ? eq + 1 : word;
	char *head = xstrndup(word, (size_t)(part - word)), *key = xstrndup(word, eq ? (size_t)(eq - word) : 0);
	struct offering o = {.fn = fn, .ctx = ctx, .head = head};
	const struct conf_key *k = conf_find(key);
	if (!strcmp(last, "print"))
		offer_figures(d, &o, part);
	else if (k)
		offer_values(k, &o);
	else if (strcmp(last, "for") && strcmp(last, "to") && strcmp(last, "from") && strcmp(last, "jobs") &&
	         strcmp(last, "compare"))
		offer_first(fn, ctx, !*before);
	free(head);
	free(key);
}
