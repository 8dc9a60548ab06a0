/* The table of `whatif`: its figures, and the table as text, CSV and JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "base/words.h"
#include "dbg/whatif.h"
#include "obs/report/json_put.h"

/* --- figures --- */

double whatif_ipc(const struct whatif_row *r)
{
	return r->news.cycle ? (double)r->news.insts / (double)r->news.cycle : NAN;
}

/* Has every row that was run come to the end of its run? Then cycles say which is faster, whatever was executed. */
static bool all_finished(const struct whatif *w)
{
	for (u32 i = 0; i < w->nrows; i++)
		if (w->row[i].state == ROW_DONE && w->row[i].news.stop != SS_FINISHED)
			return false;
	return true;
}

/* The more the faster: from the present cycle on, or from cycle 0. */
static double pace_of(const struct whatif *w, const struct whatif_row *r, bool here)
{
	const double cycles = (double)(r->news.cycle - (here ? w->from : 0));
	const double insts = (double)(r->news.insts - (here ? r->news.insts_at : 0));
	if (r->state != ROW_DONE || !(cycles > 0) || (here && r->from_zero))
		return NAN;
	return (all_finished(w) ? 1 : insts) / cycles;
}

double whatif_speed(const struct whatif *w, u32 row, bool here)
{
	const double as_it_is = pace_of(w, &w->row[0], here);
	return as_it_is > 0 ? pace_of(w, &w->row[row], here) / as_it_is : NAN;
}

s32 whatif_best(const struct whatif *w)
{
	s32 best = -1;
	for (u32 i = 0; i < w->nrows; i++) {
		const double pace = pace_of(w, &w->row[i], false);
		if (!isnan(pace) && (best < 0 || pace > pace_of(w, &w->row[best], false)))
			best = (s32)i;
	}
	return best;
}

const char *whatif_hash(const struct whatif_row *r, char text[17])
{
	snprintf(text, 17, "%016llx", (unsigned long long)r->news.hash);
	return text;
}

/* --- as text --- */

_Static_assert(WHATIF_KEYS + WHATIF_FIGURES + 8 <= GRID_COLUMNS, "a row of the table");

static void put_number(struct grid *g, u32 row, u32 column, const char *format, double v)
{
	char text[64];
	snprintf(text, sizeof text, format, v);
	grid_put(g, row, column, "%s", isnan(v) ? "-" : text);
}

static void put_count(struct grid *g, u32 row, u32 column, u64 v)
{
	char text[GROUPED_MAX];
	grid_put(g, row, column, "%s", grouped(v, text));
}

/* Has it come to figures at all? One that failed at a fault has; one that was refused has not. */
static bool has_figures(const struct whatif_row *r)
{
	return r->news.final && r->news.stop != SS_HOST_ERROR;
}

static void titles(const struct whatif *w, struct grid *g)
{
	static const char *const fixed[] = {"cycle", "warp insts", "IPC", "speed", "from here"};
	u32 c = 0;
	grid_put(g, 0, c++, "row");
	for (u32 k = 0; k < w->nkeys; k++) {
		g->left[c] = true;
		grid_put(g, 0, c++, "%s", w->key[k]->key);
	}
	for (u32 i = 0; i < ARRAY_LEN(fixed) - !w->from; i++)
		grid_put(g, 0, c++, "%s", fixed[i]);
	for (u32 i = 0; i < w->nfigures; i++)
		grid_put(g, 0, c++, "%s", w->figure[i].name);
	if (w->hashes)
		grid_put(g, 0, c++, "hash");
}

static void fill_row(const struct whatif *w, struct grid *g, u32 row)
{
	const struct whatif_row *r = &w->row[row];
	const u32 at = row + 1;
	char number[32], hash[17];
	u32 c = 0;
	snprintf(number, sizeof number, "%s%u", (s32)row == whatif_best(w) ? "*" : "", row);
	grid_put(g, at, c++, "%s", number);
	for (u32 k = 0; k < w->nkeys; k++)
		grid_put(g, at, c++, "%s", r->value[k]);
	if (!has_figures(r)) {
		while (c < g->columns)
			grid_put(g, at, c++, "-");
		return;
	}
	put_count(g, at, c++, r->news.cycle);
	put_count(g, at, c++, r->news.insts);
	put_number(g, at, c++, "%.3f", whatif_ipc(r));
	put_number(g, at, c++, "%.3f", whatif_speed(w, row, false));
	if (w->from)
		put_number(g, at, c++, "%.3f", whatif_speed(w, row, true));
	for (u32 i = 0; i < w->nfigures; i++)
		if (r->news.value[i].real)
			put_number(g, at, c++, "%.4g", r->news.value[i].d);
		else
			put_count(g, at, c++, r->news.value[i].u);
	if (w->hashes)
		grid_put(g, at, c++, "%s", whatif_hash(r, hash));
}

/* What stands behind a row: which it is, and why it has no figures, or not those that were asked for. */
static void remark(const struct whatif *w, u32 row, struct strbuf *out)
{
	const struct whatif_row *r = &w->row[row];
	const char *between = "";
	if (!row) {
		strbuf_addf(out, "%sas it is", between);
		between = ", ";
	}
	if (r->from_zero) {
		strbuf_addf(out, "%sfrom cycle 0 (%s)", between, r->fixed_key);
		between = ", ";
	}
	if (r->state == ROW_DONE && r->news.stop == SS_FINISHED && !r->news.forked)
		strbuf_addf(out, "%sit ended before cycle %llu", between, (unsigned long long)w->from);
	else if (r->state == ROW_DONE && r->news.stop == SS_FINISHED && w->until != NEVER)
		strbuf_addf(out, "%sfinished", between);
	if (r->state == ROW_FAILED)
		strbuf_addf(out, "%sFAILED: %.*s", between, (int)strcspn(r->why, "\n"), r->why);
}

static bool any_from_zero(const struct whatif *w)
{
	for (u32 i = 0; i < w->nrows; i++)
		if (w->row[i].from_zero)
			return true;
	return false;
}

static void legend(const struct whatif *w, struct strbuf *out)
{
	if (whatif_best(w) >= 0)
		strbuf_addf(out, "* is the fastest. speed: %s against row 0",
		            all_finished(w) ? "cycles of the run" : "warp instructions per cycle");
	if (whatif_best(w) >= 0 && w->from)
		strbuf_addf(out, "; from here: the same from cycle %llu on", (unsigned long long)w->from);
	if (whatif_best(w) >= 0)
		strbuf_adds(out, ".\n");
	if (any_from_zero(w) && w->from)
		strbuf_addf(out,
		            "from cycle 0 (KEY): KEY cannot change now, so it holds from the start of the run; what `set` can "
		            "change changes at cycle %llu, as in the other rows.\n",
		            (unsigned long long)w->from);
}

static void put_remarks(const struct whatif *w, struct grid *g)
{
	const u32 column = g->columns;
	g->left[column] = true;
	for (u32 i = 0; i < w->nrows; i++) {
		struct strbuf text = STRBUF_INIT;
		remark(w, i, &text);
		grid_put(g, i + 1, column, "%s", strbuf_str(&text));
		strbuf_release(&text);
	}
}

void whatif_table(const struct whatif *w, struct strbuf *out)
{
	struct grid g = {0};
	char until[60] = "to the end";
	if (w->until != NEVER)
		snprintf(until, sizeof until, "to cycle %llu", (unsigned long long)w->until);
	strbuf_addf(out, "%s%s from cycle %llu %s\n", w->interrupted ? "Interrupted. " : "", w->program,
	            (unsigned long long)w->from, until);
	titles(w, &g);
	for (u32 i = 0; i < w->nrows; i++)
		fill_row(w, &g, i);
	put_remarks(w, &g);
	grid_print(&g, out);
	legend(w, out);
	grid_release(&g);
}

/* --- as files --- */

const char *whatif_word(const struct whatif_row *r)
{
	return r->state == ROW_FAILED ? "failed" : r->news.stop == SS_FINISHED ? "finished" : "cycle";
}

static void csv_text(const char *s, struct strbuf *out)
{
	strbuf_addc(out, '"');
	for (; *s; s++)
		strbuf_addf(out, *s == '"' ? "\"%c" : "%c", *s);
	strbuf_addc(out, '"');
}

static void csv_real(double v, struct strbuf *out)
{
	strbuf_addc(out, ',');
	if (isfinite(v))
		strbuf_addf(out, "%.10g", v);
}

static void csv_row(const struct whatif *w, u32 row, struct strbuf *out)
{
	char hash[17];
	const struct whatif_row *r = &w->row[row];
	strbuf_addf(out, "%u", row);
	for (u32 k = 0; k < w->nkeys; k++) {
		strbuf_addc(out, ',');
		csv_text(r->value[k], out);
	}
	strbuf_addf(out, ",%s,%d", whatif_word(r), r->from_zero);
	if (has_figures(r))
		strbuf_addf(out, ",%llu,%llu", (unsigned long long)r->news.cycle, (unsigned long long)r->news.insts);
	else
		strbuf_adds(out, ",,");
	csv_real(has_figures(r) ? whatif_ipc(r) : NAN, out);
	csv_real(whatif_speed(w, row, false), out);
	csv_real(whatif_speed(w, row, true), out);
	for (u32 i = 0; i < w->nfigures; i++)
		csv_real(!has_figures(r) ? NAN : r->news.value[i].real ? r->news.value[i].d : (double)r->news.value[i].u, out);
	if (w->hashes)
		strbuf_addf(out, ",%s", has_figures(r) ? whatif_hash(r, hash) : "");
	strbuf_addc(out, ',');
	csv_text(r->state == ROW_FAILED ? r->why : "", out);
	strbuf_addc(out, '\n');
}

void whatif_csv(const struct whatif *w, struct strbuf *out)
{
	strbuf_adds(out, "row");
	for (u32 k = 0; k < w->nkeys; k++)
		strbuf_addf(out, ",%s", w->key[k]->key);
	strbuf_adds(out, ",stop,from_zero,cycle,warp_insts,ipc,speed,speed_from_here");
	for (u32 i = 0; i < w->nfigures; i++)
		strbuf_addf(out, ",%s", w->figure[i].name);
	strbuf_adds(out, w->hashes ? ",hash,why\n" : ",why\n");
	for (u32 i = 0; i < w->nrows; i++)
		csv_row(w, i, out);
}

static json_t *json_row(const struct whatif *w, u32 row)
{
	const struct whatif_row *r = &w->row[row];
	char hash[17];
	json_t *o = json_object(), *settings = json_object(), *figures = json_object();
	for (u32 k = 0; k < w->nkeys; k++)
		put(settings, w->key[k]->key, text(r->value[k]));
	put(o, "settings", settings);
	put(o, "stop", text(whatif_word(r)));
	put(o, "from_zero", json_boolean(r->from_zero));
	if (r->state == ROW_FAILED)
		put(o, "why", text(r->why));
	if (!has_figures(r)) {
		json_decref(figures);
		return o;
	}
	put(o, "cycle", number(r->news.cycle));
	put(o, "warp_insts", number(r->news.insts));
	put(o, "ipc", real(whatif_ipc(r)));
	put(o, "speed", real(whatif_speed(w, row, false)));
	put(o, "speed_from_here", real(whatif_speed(w, row, true)));
	for (u32 i = 0; i < w->nfigures; i++)
		put(figures, w->figure[i].name, r->news.value[i].real ? real(r->news.value[i].d) : number(r->news.value[i].u));
	if (w->hashes)
		put(o, "hash", text(whatif_hash(r, hash)));
	put(o, "figures", figures);
	return o;
}

void whatif_json(const struct whatif *w, struct strbuf *out)
{
	json_t *all = json_object(), *rows = json_array();
	put(all, "program", text(w->program));
	put(all, "from", number(w->from));
	put(all, "to", w->until == NEVER ? json_null() : number(w->until));
	put(all, "best", whatif_best(w) < 0 ? json_null() : number((u64)whatif_best(w)));
	for (u32 i = 0; i < w->nrows; i++)
		json_array_append_new(rows, json_row(w, i));
	put(all, "rows", rows);
	char *all_text = json_dumps(all, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
	strbuf_addf(out, "%s\n", all_text ? all_text : "{}");
	free(all_text);
	json_decref(all);
}

void whatif_options(const struct whatif *w, u32 row, struct strbuf *out)
{
	for (u32 k = 0; k < w->nkeys; k++) {
		const char *value = w->row[row].value[k];
		const char *quote = strpbrk(value, " \t'\"\\") ? "'" : "";
		if (strcmp(value, w->row[0].value[k]))
			strbuf_addf(out, "%s--set %s%s=%s%s", out->len ? " " : "", quote, w->key[k]->key, value, quote);
	}
}
