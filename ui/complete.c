/* Completion: candidates for the word being typed, from the tables of everything that has a name. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/set.h"
#include "explain.h"
#include "lua/dbg.h"

#define MATCHES_MAX 2000

struct matches {
	char **list;
	u32 n;
	const char *word;
	size_t len;
};

static void offer(void *ctx, const char *name)
{
	struct matches *m = ctx;
	if (strncmp(name, m->word, m->len) || m->n >= MATCHES_MAX)
		return;
	m->list = xrealloc(m->list, (m->n + 2) * sizeof(*m->list));
	m->list[m->n++] = xstrdup(name);
	m->list[m->n] = NULL;
}

static void offer_kernels(struct debugger *d, struct matches *m)
{
	for (u32 i = 0; i < sim_num_modules(d->s->sim); i++) {
		const struct module *mod = sim_module(d->s->sim, i);
		for (u32 k = 0; k < mod->nfuncs; k++)
			offer(m, mod->funcs[k].name);
	}
}

static void offer_files(struct debugger *d, struct matches *m)
{
	for (u32 i = 0; i < sim_num_modules(d->s->sim); i++) {
		const struct module *mod = sim_module(d->s->sim, i);
		char name[300];
		const char *slash = strrchr(mod->path, '/');
		snprintf(name, sizeof(name), "%s:", slash ? slash + 1 : mod->path);
		offer(m, name);
	}
}

static void offer_break(struct debugger *d, struct matches *m, const char *before)
{
	static const char *const filters[] = {"sm=", "kernel=", "cta=", "warp=", "if", "pc", "cycle"};
	bool first = !*skip_blanks(before);
	for (u32 i = 0; first && i < EV_COUNT; i++)
		offer(m, event_descs[i].name);
	for (u32 i = first ? 5 : 0; i < (first ? ARRAY_LEN(filters) : 5u); i++)
		offer(m, filters[i]);
	char event[64];
	int t = next_word(before, event, sizeof(event)) ? event_find(event) : -1;
	for (u32 i = 0; t >= 0 && i < 4; i++)
		if (*event_descs[t].arg[i]) {
			char arg[64];
			snprintf(arg, sizeof(arg), "%s=", event_descs[t].arg[i]);
			offer(m, arg);
		}
	if (first) {
		offer_kernels(d, m);
		offer_files(d, m);
	}
}

static void offer_numbers(struct debugger *d, struct matches *m)
{
	char n[24];
	for (u32 i = 0; i < d->breaks.n; i++)
		if (!d->breaks.list[i]->internal) {
			snprintf(n, sizeof(n), "%u", d->breaks.list[i]->id);
			offer(m, n);
		}
	for (u32 i = 0; i < d->nwatches; i++) {
		snprintf(n, sizeof(n), "%u", d->watches[i].id);
		offer(m, n);
	}
}

static void offer_registers(struct debugger *d, struct matches *m)
{
	const struct module *mod = focus_module(d);
	for (u32 i = 0; mod && i < mod->nregnames; i++)
		offer(m, mod->regnames[i].name);
}

/* The value of a key: policies, taxonomies, events. */
static void offer_set(struct matches *m, const char *before)
{
	char key[64];
	const char *name;
	if (!next_word(before, key, sizeof(key))) {
		for (u32 i = 0; (name = set_key(i)); i++)
			offer(m, name);
		return;
	}
	u32 n;
	const struct policy_desc *p = sim_policies(&n);
	for (u32 i = 0; i < n; i++)
		if ((!strcmp(key, "warp-sched") && !strcmp(p[i].kind, "warp")) ||
		    (!strcmp(key, "cta-sched") && !strcmp(p[i].kind, "cta")))
			offer(m, p[i].name);
	for (u32 i = 0; !strcmp(key, "taxonomy") && i < TAX_COUNT; i++)
		offer(m, taxonomy_names[i]);
	for (u32 i = 0; !strcmp(key, "log") && i < EV_COUNT; i++)
		offer(m, event_descs[i].name);
}

static void offer_explanation(void *ctx, const struct explanation *x)
{
	offer(ctx, x->name);
}

static void offer_paths(struct matches *m)
{
	char dir[400] = ".", name[700];
	const char *slash = strrchr(m->word, '/');
	size_t prefix = slash ? (size_t)(slash - m->word) + 1 : 0;
	if (prefix >= sizeof(dir))
		return;
	if (slash)
		snprintf(dir, sizeof(dir), "%.*s", (int)prefix, m->word);
	DIR *p = opendir(dir);
	for (struct dirent *x; p && (x = readdir(p));) {
		if (x->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%.*s%s%s", (int)prefix, m->word, x->d_name, x->d_type == DT_DIR ? "/" : "");
		offer(m, name);
	}
	if (p)
		closedir(p);
}

static void offer_words(struct matches *m, const char *words)
{
	char word[32];
	while ((words = next_word(words, word, sizeof(word))))
		offer(m, word);
}

static void offer_arguments(struct debugger *d, const struct command *c, const char *before, struct matches *m)
{
	bool first = !*skip_blanks(before);
	switch (c->completer) {
	case COMPLETE_NONE: break;
	case COMPLETE_EXPR:
		if (*m->word == '%')
			offer_registers(d, m);
		else
			lua_dbg_complete(d, m->word, offer, m);
		break;
	case COMPLETE_BREAK: offer_break(d, m, before); break;
	case COMPLETE_NUMBERS: offer_numbers(d, m); break;
	case COMPLETE_FOCUS:
		offer_words(m, "kernel sm cta warp lane");
		offer_kernels(d, m);
		break;
	case COMPLETE_INFO:
		for (u32 i = 0; first && i < ninfo_topics; i++)
			offer(m, info_topics[i].name);
		if (!first && *m->word == '%')
			offer_registers(d, m);
		break;
	case COMPLETE_LIST: offer_kernels(d, m); break;
	case COMPLETE_WHY: offer_words(m, "warp machine"); break;
	case COMPLETE_EXPLAIN:
		explain_each(NULL, offer_explanation, m);
		for (u32 i = 0; i < WS_COUNT; i++)
			offer(m, warp_state_descs[i].name);
		break;
	case COMPLETE_SET: offer_set(m, before); break;
	case COMPLETE_FILE: offer_paths(m); break;
	case COMPLETE_COMMAND:
		for (u32 i = 0; i < ncommands; i++)
			offer(m, commands[i].name);
		break;
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_unique(struct matches *m)
{
	u32 n = 0;
	if (m->n < 2)
		return;
	qsort(m->list, m->n, sizeof(*m->list), by_text);
	for (u32 i = 0; i < m->n; i++) {
		if (n && !strcmp(m->list[n - 1], m->list[i]))
			free(m->list[i]);
		else
			m->list[n++] = m->list[i];
	}
	m->n = n;
	m->list[n] = NULL;
}

/* Words of expressions begin behind operators too; a bracket belongs to a probe's path only when it is closed or being
 * typed. */
static u32 word_begin(const char *line, u32 cursor, bool expression)
{
	const char *stops = expression ? " \t(){},+*/<>=~#&|^" : " \t";
	u32 at = cursor;
	while (at && !strchr(stops, line[at - 1]))
		at--;
	return at;
}

char **debugger_complete(struct debugger *d, const char *line, u32 cursor, u32 *word_start)
{
	char *text = xstrndup(line, cursor), word[40];
	struct matches m = {0};
	const char *start = skip_blanks(text);
	size_t n = strcspn(start, " \t/");
	cursor = (u32)strlen(text);
	if (!start[n]) { /* still the command itself */
		*word_start = (u32)(start - text);
		m.word = start;
		m.len = n;
		for (u32 i = 0; i < ncommands; i++)
			offer(&m, commands[i].name);
	} else {
		struct err ignored = {0};
		snprintf(word, sizeof(word), "%.*s", (int)MIN(n, sizeof(word) - 1), start);
		const struct command *c = command_find(word, &ignored);
		bool expression = c && c->completer == COMPLETE_EXPR;
		*word_start = MAX(word_begin(text, cursor, expression), (u32)(start - text + (ptrdiff_t)n));
		char *before = xstrndup(start + n, text + *word_start - (start + n));
		m.word = text + *word_start;
		m.len = strlen(m.word);
		if (c)
			offer_arguments(d, c, before, &m);
		free(before);
	}
	sort_unique(&m);
	free(text);
	return m.list;
}

void debugger_free_matches(char **matches)
{
	for (u32 i = 0; matches && matches[i]; i++)
		free(matches[i]);
	free(matches);
}
