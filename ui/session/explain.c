#include "session/explain.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "obs/break/break.h"
#include "obs/stats/stats.h"
#include "probe/hops.h"
#include "probe/line_counters.h"
#include "session/neighbours.h"

/* --- the tables --- */

typedef void each_fn(void *ctx, const struct explanation *x);

static void each_counter(each_fn *fn, void *ctx)
{
	for (u32 i = 0; i < counter_ndescs; i++) {
		const struct counter_desc *d = &counter_descs[i];
		struct explanation x = {.kind = "counter", .unit = d->unit, .text = d->help, .source = ""};
		snprintf(x.name, sizeof x.name, "%s.%s", counter_group_names[d->group], d->name);
		fn(ctx, &x);
	}
}

static void each_rate(each_fn *fn, void *ctx)
{
	for (u32 i = 0; i < rate_ndescs; i++) {
		const struct rate_desc *d = &rate_descs[i];
		struct explanation x = {.kind = "rate", .unit = d->unit, .text = d->help, .source = ""};
		snprintf(x.name, sizeof x.name, "%s.%s", counter_group_names[d->group], d->name);
		fn(ctx, &x);
	}
}

static void each_line_counter(each_fn *fn, void *ctx)
{
	for (u32 i = 0; i < LC_COUNT; i++) {
		const struct line_counter_desc *d = &line_counter_descs[i];
		struct explanation x = {.kind = "line counter", .unit = d->unit, .text = d->help, .source = ""};
		snprintf(x.name, sizeof x.name, "line.%s", d->name);
		fn(ctx, &x);
	}
}

static void each_hop(each_fn *fn, void *ctx)
{
	for (u32 i = 0; i < HOP_COUNT; i++) {
		struct explanation x = {.kind = "hop", .unit = "cycles", .text = hop_descs[i].help, .source = ""};
		snprintf(x.name, sizeof x.name, "hop.%s", hop_descs[i].name);
		fn(ctx, &x);
	}
}

static void each_event(each_fn *fn, void *ctx)
{
	for (u32 i = 0; i < EV_COUNT; i++) {
		const struct event_desc *d = &event_descs[i];
		struct explanation x = {.kind = "event", .unit = "", .text = d->help, .source = ""};
		snprintf(x.name, sizeof x.name, "%s", d->name);
		for (u32 a = 0; a < EVENT_ARGS && *d->arg[a]; a++)
			snprintf(x.detail + strlen(x.detail), sizeof x.detail - strlen(x.detail), "%s%s",
			         a ? ", " : "arguments: ", d->arg[a]);
		fn(ctx, &x);
	}
}

/* "memory (0), barrier (1)" */
static void words_of(enum event_type t, u32 arg, char *out, size_t n)
{
	size_t at = 0;
	const char *word;
	*out = 0;
	for (u64 v = 0; event_arg_words(t, arg) && v < EVENT_WORDS_MAX && at < n; v++)
		if ((word = event_arg_name(t, arg, v)))
			at +=
			    (size_t)snprintf(out + at, n - at, "%s%s (%llu)", at ? ", " : "values: ", word, (unsigned long long)v);
}

static void each_event_arg(each_fn *fn, void *ctx)
{
	for (u32 i = 0; i < EV_COUNT; i++)
		for (u32 a = 0; a < EVENT_ARGS && *event_descs[i].arg[a]; a++) {
			struct explanation x = {.kind = "event argument", .unit = "", .text = event_descs[i].help, .source = ""};
			snprintf(x.name, sizeof x.name, "%s.%s", event_descs[i].name, event_descs[i].arg[a]);
			words_of((enum event_type)i, a, x.detail, sizeof x.detail);
			fn(ctx, &x);
		}
}

static void each_stall(each_fn *fn, void *ctx)
{
	for (u32 i = 0; i < ST_COUNT; i++) {
		const struct stall_desc *d = &stall_descs[i];
		struct explanation x = {.kind = "stall reason", .unit = "slots", .text = d->help, .source = ""};
		snprintf(x.name, sizeof x.name, "%s", d->name[TAX_BASE]);
		for (u32 t = TAX_BASE + 1; t < TAX_COUNT; t++)
			snprintf(x.detail + strlen(x.detail), sizeof x.detail - strlen(x.detail), "%s%s: %s",
			         t > TAX_BASE + 1 ? ", " : "counted as ", taxonomy_names[t], d->name[t]);
		fn(ctx, &x);
	}
}

/* What comes with the name, and the hardware it adds to the default machine. */
static void policy_detail(const struct policy *p, char *out, size_t n)
{
	struct strbuf text = STRBUF_INIT;
	struct conf c;
	conf_defaults(&c);
	if (p->implies)
		strbuf_addf(&text, "implies %s, unless set otherwise; ", p->implies);
	sim_policy_storage(&c, p, &text);
	size_t at = 0;
	for (const char *from = strbuf_str(&text); *from && at + 2 < n; from++) {
		out[at++] = *from == '\n' ? ';' : *from;
		if (*from == '\n')
			out[at++] = ' ';
	}
	while (at && strchr("; ", out[at - 1]))
		at--;
	out[at] = 0;
	strbuf_release(&text);
}

static void each_policy(each_fn *fn, void *ctx)
{
	char kind[40];
	const struct policy *p;
	for (u32 k = 0; k < POLICY_KINDS; k++)
		for (u32 i = 0; (p = sim_policy(k, i)); i++) {
			snprintf(kind, sizeof kind, "%s policy", policy_kinds[k].name);
			struct explanation x = {.kind = kind, .unit = "", .text = p->help, .source = p->source};
			snprintf(x.name, sizeof x.name, "%s", p->name);
			policy_detail(p, x.detail, sizeof x.detail);
			fn(ctx, &x);
		}
}

static void key_detail(const struct conf_key *k, char *out, size_t n)
{
	if (k->kind == CONF_ENUM)
		snprintf(out, n, "one of %s; default %s", k->values, k->def_str);
	else if (k->kind == CONF_STR)
		snprintf(out, n, "text; default %s", k->def_str);
	else if (k->kind == CONF_BOOL)
		snprintf(out, n, "true or false; default %s", k->def != 0 ? "true" : "false");
	else
		snprintf(out, n, "%.10g to %.10g; default %.10g", k->min, k->max, k->def);
}

static void each_key(each_fn *fn, void *ctx)
{
	for (u32 i = 0; i < conf_nkeys; i++) {
		const struct conf_key *k = &conf_keys[i];
		struct explanation x = {.kind = "config key", .unit = k->unit, .text = k->help, .source = ""};
		snprintf(x.name, sizeof x.name, "%s", k->key);
		key_detail(k, x.detail, sizeof x.detail);
		fn(ctx, &x);
	}
}

static void each_opcode(each_fn *fn, void *ctx)
{
	for (u32 i = 0; i < OP_COUNT; i++) {
		struct explanation x = {.kind = "opcode", .unit = "", .text = opcode_descs[i].help, .source = ""};
		snprintf(x.name, sizeof x.name, "%s", opcode_descs[i].name);
		fn(ctx, &x);
	}
}

static void each_concept(each_fn *fn, void *ctx)
{
	static const struct {
		const char *name, *words, *unit, *text;
	} concepts[] = {
#define C(name, words, unit, text) {name, words, unit, text},
#include "session/concepts.def"
#undef C
	};
	for (u32 i = 0; i < ARRAY_LEN(concepts); i++) {
		struct explanation x = {.kind = "concept",
		                        .unit = concepts[i].unit,
		                        .text = concepts[i].text,
		                        .source = "",
		                        .words = concepts[i].words};
		snprintf(x.name, sizeof x.name, "%s", concepts[i].name);
		fn(ctx, &x);
	}
}

void explain_each(const char *kind, each_fn *fn, void *ctx)
{
	static const struct {
		const char *kind;
		void (*each)(each_fn *, void *);
	} tables[] = {{"concept", each_concept},
	              {"counter", each_counter},
	              {"rate", each_rate},
	              {"line counter", each_line_counter},
	              {"hop", each_hop},
	              {"event", each_event},
	              {"event argument", each_event_arg},
	              {"stall reason", each_stall},
	              {"policy", each_policy},
	              {"config key", each_key},
	              {"opcode", each_opcode}};
	for (u32 i = 0; i < ARRAY_LEN(tables); i++)
		if (!kind || !strcmp(kind, tables[i].kind))
			tables[i].each(fn, ctx);
}

/* --- one name --- */

struct search {
	const char *name;
	bool json;
	struct strbuf *out;
	json_t *array;
	u32 found;
	bool stem;    /* name is the beginning of a word */
	char **names; /* everything there is, for "did you mean" */
	u32 nnames;
};

static bool same_name(const char *full, const char *word)
{
	const char *dot = strchr(full, '.');
	if (!strcasecmp(full, word) || (dot && !strcasecmp(dot + 1, word)))
		return true;
	/* Blanks of stall reasons may be typed as underscores. */
	size_t i = 0;
	while (full[i] && (full[i] == word[i] || (full[i] == ' ' && word[i] == '_')))
		i++;
	return !full[i] && !word[i];
}

/* One of its other words. */
static bool other_word(const struct explanation *x, const char *word)
{
	const size_t n = strlen(word);
	for (const char *w = x->words; w && *w; w += strcspn(w, ","), w += *w == ',')
		if (strcspn(w, ",") == n && !strncasecmp(w, word, n))
			return true;
	return false;
}

/* Does its name or one of its other words begin so, with an ending at most behind it? */
static bool begins(const struct explanation *x, const char *stem)
{
	const size_t n = strlen(stem);
	if (!strncasecmp(x->name, stem, n) && strlen(x->name) <= n + 3)
		return true;
	for (const char *w = x->words; w && *w; w += strcspn(w, ","), w += *w == ',')
		if (!strncasecmp(w, stem, n) && strcspn(w, ",") <= n + 3)
			return true;
	return false;
}

static void add_text(struct strbuf *out, const struct explanation *x)
{
	strbuf_addf(out, "%s  (%s%s%s)\n  %s\n", x->name, x->kind, *x->unit ? ", in " : "", x->unit, x->text);
	if (*x->detail)
		strbuf_addf(out, "  %s\n", x->detail);
	if (*x->source)
		strbuf_addf(out, "  source: %s\n", x->source);
}

static void remember(struct search *s, const char *name)
{
	s->names = xrealloc(s->names, (s->nnames + 1) * sizeof *s->names);
	s->names[s->nnames++] = xstrdup(name);
}

static void add_json(struct search *s, const struct explanation *x)
{
	json_array_append_new(s->array, json_pack("{s:s,s:s,s:s,s:s,s:s,s:s}", "kind", x->kind, "name", x->name, "unit",
	                                          x->unit, "text", x->text, "detail", x->detail, "source", x->source));
}

static void visit(void *ctx, const struct explanation *x)
{
	struct search *s = ctx;
	const char *dot = strchr(x->name, '.');
	remember(s, x->name);
	if (dot)
		remember(s, dot + 1); /* "hit_rate" is a name that may be mistyped too */
	if (!same_name(x->name, s->name) && !other_word(x, s->name) && !(s->stem && begins(x, s->name)))
		return;
	s->found++;
	if (s->json)
		add_json(s, x);
	else
		add_text(s->out, x);
}

/* What somebody may have meant whose word is no name: names that have it, then what has it in its text. */
#define RELATED_MAX 10 /* named in an error; where they are the answer, all of them */

struct related {
	struct search *s;
	bool in_text; /* this turn: the texts of what does not have it in its name */
	bool whole;   /* a line each, into the answer */
	u32 n;
	struct strbuf names;
};

static void visit_related(void *ctx, const struct explanation *x)
{
	struct related *r = ctx;
	const char *word = r->s->name;
	bool named = strcasestr(x->name, word);
	if (r->in_text ? named || !strcasestr(x->text, word) : !named)
		return;
	r->n++;
	if (!r->whole && r->n <= RELATED_MAX)
		strbuf_addf(&r->names, "%s%s", r->n > 1 ? ", " : "", x->name);
	else if (r->whole && r->s->json)
		add_json(r->s, x);
	else if (r->whole)
		strbuf_addf(r->s->out, "  %-26s %s\n", x->name, x->kind);
}

static u32 each_related(struct search *s, bool whole, struct related *r)
{
	*r = (struct related){.s = s, .whole = whole, .names = STRBUF_INIT};
	for (int turn = 0; turn < 2 && strlen(s->name) > 1; turn++) {
		r->in_text = turn;
		explain_each(NULL, visit_related, r);
	}
	return r->n;
}

/* A word that is no name and near to none, but in names or texts: those are the answer. True: there are some. */
static bool show_related(struct search *s)
{
	struct related r;
	if (conf_nearest(s->name, (const char *const *)s->names, s->nnames))
		return false;
	const u32 n = each_related(s, false, &r);
	strbuf_release(&r.names);
	if (n && !s->json)
		strbuf_addf(s->out, "nothing is called '%s'; with it in name or text (`explain NAME` tells of one):\n",
		            s->name);
	if (n)
		each_related(s, true, &r);
	return n;
}

static void not_found(struct search *s, struct err *e)
{
	struct related r;
	const char *near = conf_nearest(s->name, (const char *const *)s->names, s->nnames);
	const u32 n = each_related(s, false, &r);
	if (n > RELATED_MAX)
		strbuf_addf(&r.names, " and %u more", n - RELATED_MAX);
	if (near && n)
		err_set(e, "nothing is called '%s' (did you mean '%s'?); with it in name or text: %s", s->name, near,
		        strbuf_str(&r.names));
	else if (near)
		err_set(e, "nothing is called '%s' (did you mean '%s'?)", s->name, near);
	else
		err_set(e, "nothing is called '%s'; see warpdbg list stats, events, policies, opcodes, config", s->name);
	strbuf_release(&r.names);
}

/* An instruction as it stands in PTX, "ld.global.f32": what comes before its first modifier that is no part of an
 * opcode's name. */
static void search_opcode(struct search *s)
{
	char op[64];
	const char *whole = s->name;
	snprintf(op, sizeof op, "%s", whole);
	for (char *dot; !s->found && (dot = strrchr(op, '.'));) {
		*dot = 0;
		s->name = op;
		explain_each("opcode", visit, s);
	}
	s->name = whole;
}

struct first_of {
	const char *word;
	struct explanation *out;
	bool found;
};

static void visit_first(void *ctx, const struct explanation *x)
{
	struct first_of *f = ctx;
	if (f->found || (!same_name(x->name, f->word) && !other_word(x, f->word)))
		return;
	*f->out = *x;
	f->out->kind = x->kind;
	f->found = true;
}

bool explain_first(const char *word, struct explanation *out)
{
	static const char *const kinds[] = {"concept", "stall reason", "counter", "rate"};
	struct first_of f = {word, out, false};
	for (u32 i = 0; i < ARRAY_LEN(kinds) && !f.found && *word; i++)
		explain_each(kinds[i], visit_first, &f);
	return f.found;
}

bool explain_opcode(const char *word, struct explanation *out)
{
	char op[64];
	if (strlen(word) >= sizeof op)
		return false;
	strcpy(op, word);
	struct first_of f = {op, out, false};
	for (char *dot; !f.found && (dot = strrchr(op, '.'));) {
		*dot = '\0';
		explain_each("opcode", visit_first, &f);
	}
	return f.found;
}

/* A word as it is spoken: "thrashes", "warps", "coalesced" are looked for by their beginning. */
static void search_stem(struct search *s)
{
	static const char *const endings[] = {"ing", "ed", "es", "s", "e"};
	const char *whole = s->name;
	char stem[64];
	for (u32 i = 0; i < ARRAY_LEN(endings) && !s->found; i++) {
		const size_t n = strlen(whole), k = strlen(endings[i]);
		if (n < k + 3 || n >= sizeof stem || strcasecmp(whole + n - k, endings[i]) != 0)
			continue;
		snprintf(stem, sizeof stem, "%.*s", (int)(n - k), whole);
		s->name = stem;
		s->stem = true;
		explain_each("concept", visit, s);
	}
	s->stem = false;
	s->name = whole;
}

/* A name of another tool: of that very name beside what is called so here, else of what it may be a part of. */
static void search_neighbours(struct search *s)
{
	bool part;
	const struct neighbour *n = neighbour_find(s->name, &part);
	if (!n || (s->found && part))
		return;
	s->found++;
	if (s->json) {
		json_array_append_new(s->array, json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s}", "kind", "neighbour", "name", n->name,
		                                          "unit", "", "text", n->text, "detail", n->expression, "source",
		                                          neighbour_tools[n->tool], "here", n->here));
		return;
	}
	strbuf_addf(s->out, "%s  (a name of %s%s)\n  %s\n", n->name, neighbour_tools[n->tool],
	            part ? ", of which this is a part" : "", n->text);
	if (*n->here)
		strbuf_adds(s->out, "  here: ");
	for (const char *h = n->here; *h; h += strcspn(h, ","), h += *h == ',')
		strbuf_addf(s->out, "%s%.*s", h == n->here ? "" : ", ", (int)strcspn(h, ","), h);
	if (*n->here)
		strbuf_addc(s->out, '\n');
	if (*n->expression)
		strbuf_addf(s->out, "  print %s\n", n->expression);
}

/* Of a name that has another tool's form. False: it has not, or is nearer to a name of ours. */
static bool say_neighbours(const struct search *s, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	const struct neighbour *near = neighbour_near(s->name);
	neighbour_hint(s->name, &text);
	const bool said = text.len && (near || !conf_nearest(s->name, (const char *const *)s->names, s->nnames));
	if (said && near)
		err_set(e, "nothing is called '%s' (did you mean '%s', a name of %s?); %s", s->name, near->name,
		        neighbour_tools[near->tool], text.buf);
	else if (said)
		err_set(e, "nothing is called '%s'; %s", s->name, text.buf);
	strbuf_release(&text);
	return said;
}

bool explain_name(const char *name, bool json, struct strbuf *out, struct err *e)
{
	struct search s = {.name = name, .json = json, .out = out, .array = json_array()};
	explain_each(NULL, visit, &s);
	search_neighbours(&s);
	if (!s.found)
		search_opcode(&s);
	if (!s.found)
		search_stem(&s);
	if (!s.found)
		s.found = show_related(&s);
	if (s.found && json) {
		char *text = json_dumps(s.array, JSON_INDENT(1));
		strbuf_addf(out, "%s\n", text);
		free(text);
	}
	if (!s.found && !say_neighbours(&s, e))
		not_found(&s, e);
	for (u32 i = 0; i < s.nnames; i++)
		free(s.names[i]);
	free(s.names);
	json_decref(s.array);
	return s.found;
}
