#include "cli/analyze/analyze.h"

#include <jansson.h>
#include <string.h>

#include "base/words.h"

static const char *const keys[DEP_KINDS] = {"self",           "ghost",       "other_cta",
                                            "other_same_cta", "other_older", "other_host"};

static u64 total(const u64 words[DEP_KINDS])
{
	return words[DEP_SELF] + words[DEP_GHOST] + dep_other(words);
}

static const char *producer(const struct dep_pair *p)
{
	return p->producer ? func_label(p->producer) : "the host";
}

/* --- text --------------------------------------------------------------------------------------------------------- */
static void share(u64 part, u64 of, struct strbuf *out)
{
	strbuf_addf(out, " %7.1f", of ? 100.0 * (double)part / (double)of : 0.0);
}

static void row(const char *from, const char *to, const u64 words[DEP_KINDS], struct strbuf *out)
{
	char n[GROUPED_MAX];
	u64 all = total(words);
	strbuf_addf(out, "%-22.22s %-22.22s %15s", from, to, grouped(all, n));
	share(words[DEP_SELF], all, out);
	share(words[DEP_GHOST], all, out);
	share(dep_other(words), all, out);
	strbuf_adds(out, "  |");
	for (enum dep_kind k = DEP_CTA; k < DEP_KINDS; k++)
		share(words[k], all, out);
	strbuf_addc(out, '\n');
}

static void count(u64 n, const char *what, struct strbuf *out)
{
	char text[GROUPED_MAX];
	if (n)
		strbuf_addf(out, "%s words %s\n", grouped(n, text), what);
}

void dependencies_text(const struct dependencies *d, const char *program, struct strbuf *out)
{
	struct dep_totals t = dependencies_totals(d);
	const struct dep_pair *p;
	u32 n = dependencies_pairs(d, &p);
	char launches[GROUPED_MAX];
	strbuf_addf(out,
	            "%s: %s launch%s; words read that kernels before, or the host since the first one, have written\n\n",
	            program, grouped(t.launches, launches), t.launches == 1 ? "" : "es");
	strbuf_addf(out, "%-22s %-22s %15s %7s %7s %7s  | %7s %7s %7s %7s\n", "written by", "read by", "words", "self %",
	            "ghost %", "other %", "CTA", "older", "older", "host");
	strbuf_addf(out, "%85s  | %7s %7s %7s\n", "", "", "same", "other");
	for (u32 i = 0; i < n; i++)
		row(producer(&p[i]), func_label(p[i].consumer), p[i].words, out);
	row("all", "", t.words, out);
	strbuf_addc(out, '\n');
	count(t.input, "not counted: nobody has written them since the first kernel began", out);
	count(t.within, "not counted: written in the launch that reads them", out);
	count(t.repeats, "counted, though their thread may have read them before (no room to know)", out);
	count(t.forgotten, "written without a note of their writer (no room)", out);
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */
static json_t *words_json(const u64 words[DEP_KINDS])
{
	json_t *o = json_object();
	u64 all = total(words);
	const u64 three[] = {words[DEP_SELF], words[DEP_GHOST], dep_other(words)};
	static const char *const shares[] = {"self_share", "ghost_share", "other_share"};
	json_object_set_new(o, "words", json_integer((json_int_t)all));
	for (u32 k = 0; k < DEP_KINDS; k++)
		json_object_set_new(o, keys[k], json_integer((json_int_t)words[k]));
	for (u32 k = 0; k < 3; k++)
		json_object_set_new(o, shares[k], all ? json_real((double)three[k] / (double)all) : json_null());
	return o;
}

void dependencies_json(const struct dependencies *d, const char *program, const char *why, struct strbuf *out)
{
	struct dep_totals t = dependencies_totals(d);
	const struct dep_pair *p;
	u32 n = dependencies_pairs(d, &p);
	json_t *o = json_object(), *pairs = json_array();
	json_object_set_new(o, "program", json_string(program));
	json_object_set_new(o, "stop", json_string(why));
	json_object_set_new(o, "launches", json_integer((json_int_t)t.launches));
	for (u32 i = 0; i < n; i++) {
		json_t *row = words_json(p[i].words);
		json_object_set_new(row, "producer", p[i].producer ? json_string(func_label(p[i].producer)) : json_null());
		json_object_set_new(row, "consumer", json_string(func_label(p[i].consumer)));
		json_array_append_new(pairs, row);
	}
	json_object_set_new(o, "pairs", pairs);
	json_object_set_new(o, "all", words_json(t.words));
	json_object_set_new(o, "input", json_integer((json_int_t)t.input));
	json_object_set_new(o, "within", json_integer((json_int_t)t.within));
	json_object_set_new(o, "repeats", json_integer((json_int_t)t.repeats));
	json_object_set_new(o, "forgotten", json_integer((json_int_t)t.forgotten));
	char *text = json_dumps(o, JSON_INDENT(2));
	strbuf_adds(out, text);
	strbuf_addc(out, '\n');
	free(text);
	json_decref(o);
}
