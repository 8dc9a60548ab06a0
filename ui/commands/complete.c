/* Completion: candidates for the word being typed, from the tables of everything that has a name. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "dbg/locate.h"
#include "gpu/query_preempt.h"
#include "commands/set.h"
#include "commands/teach.h"
#include "session/catalog.h"
#include "session/cmdline.h"
#include "session/explain.h"
#include "session/neighbours.h"
#include "session/inspections.h"
#include "session/export_file.h"
#include "script/dbg.h"
#include "session/policy/lua_policy.h"

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

static void offer_words(struct matches *m, const char *words)
{
	char word[32];
	while ((words = next_word(words, word, sizeof(word))))
		offer(m, word);
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

/* "lua:FILE": a policy of the user's own. */
static void offer_lua_files(struct debugger *d, struct matches *m)
{
	struct matches files = {.word = m->word + 4};
	if (strncmp(m->word, "lua:", MIN(m->len, 4)))
		return;
	if (m->len < 4) {
		offer(m, "lua:");
		return;
	}
	files.len = m->len - 4;
	offer_paths(&files);
	for (u32 i = 0; i < files.n; i++) {
		char name[720];
		snprintf(name, sizeof(name), "lua:%s", files.list[i]);
		size_t n = strlen(name);
		if (name[n - 1] == '/' || (n > 4 && !strcmp(name + n - 4, ".lua")))
			offer(m, name);
		free(files.list[i]);
	}
	free(files.list);
}

/* The policies that this key chooses among; none for other keys. */
static void offer_policies(struct matches *m, const char *key)
{
	enum policy_kind k = policy_kind_of(key);
	const struct policy *p;
	for (u32 i = 0; k != POLICY_KINDS && (p = sim_policy(k, i)); i++)
		offer(m, p->name);
}

/* Behind "--warp-sched": the policies of that kind. */
static void offer_policies_behind(struct matches *m, const char *behind)
{
	char last[40] = "", word[40];
	while ((behind = next_word(behind, word, sizeof(word))))
		snprintf(last, sizeof(last), "%s", word);
	if (!strncmp(last, "--", 2))
		offer_policies(m, last + 2);
}

/* Both of its names, behind a prefix such as "kernel=". */
static void offer_function(struct matches *m, const char *prefix, const struct func *f)
{
	const char *const names[] = {func_label(f), f->name};
	struct strbuf text = STRBUF_INIT;
	for (u32 i = 0; i < ARRAY_LEN(names) && (!i || strcmp(names[0], names[1])); i++) {
		strbuf_clear(&text);
		strbuf_addf(&text, "%s%s", prefix, names[i]);
		offer(m, strbuf_str(&text));
	}
	strbuf_release(&text);
}

static void offer_kernels(struct debugger *d, struct matches *m)
{
	for (u32 i = 0; i < sim_num_modules(d->s->sim); i++) {
		const struct module *mod = sim_module(d->s->sim, i);
		for (u32 k = 0; k < mod->nfuncs; k++)
			offer_function(m, "", &mod->funcs[k]);
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

/* Names of warp states, ready ones too for `becomes`, behind a prefix such as "state=". */
static void offer_states(struct matches *m, const char *prefix, bool ready)
{
	char text[64];
	for (u32 i = ready ? WS_READY_SP : WS_MEM; i < WS_COUNT; i++) {
		snprintf(text, sizeof(text), "%s%s", prefix, warp_state_descs[i].name);
		offer(m, text);
	}
}

/* Values of filters that have names: state=, reason=, cause= and their like, kernel=. */
static void offer_values(struct debugger *d, struct matches *m, int event)
{
	char text[160];
	if (!strncmp(m->word, "state=", 6) && event == EV_WARP_READY)
		offer(m, "state=ready");
	else if (!strncmp(m->word, "state=", 6))
		offer_states(m, "state=", event == EV_SCHED_DEMOTE);
	for (u32 i = 0; !strncmp(m->word, "reason=", 7) && event == EV_STALL && i < ST_COUNT; i++) {
		snprintf(text, sizeof(text), "reason=%s", stall_descs[i].name[TAX_BASE]);
		for (char *p = text; *p; p++) /* a filter is one word */
			*p = *p == ' ' ? '_' : *p;
		offer(m, text);
	}
	for (u32 i = 0; event >= 0 && i < EVENT_ARGS; i++) {
		const char *arg = event_descs[event].arg[i], *word;
		const size_t n = strlen(arg);
		if (!*arg || strncmp(m->word, arg, n) != 0 || m->word[n] != '=' || !event_arg_words((enum event_type)event, i))
			continue;
		for (u64 v = 0; v < EVENT_WORDS_MAX; v++)
			if ((word = event_arg_name((enum event_type)event, i, v))) {
				snprintf(text, sizeof text, "%s=%s", arg, word);
				offer(m, text);
			}
	}
	for (u32 i = 0; !strncmp(m->word, "kernel=", 7) && i < sim_num_modules(d->s->sim); i++)
		for (u32 k = 0; k < sim_module(d->s->sim, i)->nfuncs; k++)
			if (sim_module(d->s->sim, i)->funcs[k].is_kernel)
				offer_function(m, "kernel=", &sim_module(d->s->sim, i)->funcs[k]);
}

static void offer_options(struct matches *m)
{
	offer_words(m, "--gpu --set --size --param --seed");
	for (u32 k = 0; k < POLICY_KINDS; k++) {
		char option[64];
		snprintf(option, sizeof option, "--%s", policy_kinds[k].key);
		offer(m, option);
	}
}

static void offer_keys(struct matches *m)
{
	for (u32 i = 0; i < conf_nkeys; i++) {
		char text[100];
		snprintf(text, sizeof text, "%s=", conf_keys[i].key);
		offer(m, text);
	}
}

static void offer_names(struct debugger *d, struct matches *m, const char *folder)
{
	struct file_names all = catalog_all_names(d->s->data_dir, folder);
	for (u32 i = 0; i < all.n; i++)
		offer(m, all.name[i]);
	catalog_release(&all);
}

/* The program; behind an option with names, those; else options. */
static void offer_program(struct debugger *d, struct matches *m, const char *before)
{
	char last[64] = "";
	for (const char *p = before; (p = next_word(p, last, sizeof last));)
		;
	if (!strcmp(last, "--gpu")) {
		offer_names(d, m, "configs/gpus");
		offer_paths(m);
	} else if (!strcmp(last, "--size")) {
		offer_words(m, "small default large");
	} else if (!strcmp(last, "--set")) {
		offer_keys(m);
	} else if (!strcmp(last, "--link")) {
		offer_paths(m);
	} else if (!strncmp(last, "--", 2) && policy_kind_of(last + 2) != POLICY_KINDS) {
		offer_policies(m, last + 2);
	} else {
		cmdline_each_program_option(offer, m);
		if (!*before) {
			offer_names(d, m, "scripts/workloads");
			offer_paths(m);
		}
	}
}

static void offer_compare(struct matches *m, const char *before)
{
	if (!*before)
		offer_words(m, "by off");
	if (!strcmp(before, "by "))
		offer_words(m, "cycles insts ctas");
	else
		offer_options(m);
	offer_policies_behind(m, before);
}

/* Locations with a grammar of their own; true when `word` begins one. */
static bool offer_special(struct debugger *d, struct matches *m, const char *word, const char *behind)
{
	if (!strcmp(word, "becomes") && !*behind) {
		offer_states(m, "", true);
	} else if (!strcmp(word, "stat")) {
		if (!*behind)
			probe_complete(dbg_gpu(d), m->word, offer, m);
		else
			offer_words(m, "every if");
	} else if (!strcmp(word, "divergence")) {
		offer_options(m);
		offer_policies_behind(m, behind);
	} else {
		return false;
	}
	return true;
}

static void offer_break(struct debugger *d, struct matches *m, const char *before)
{
	bool first = !*skip_blanks(before);
	for (u32 i = 0; first && i < EV_COUNT; i++)
		offer(m, event_descs[i].name);
	char event[64];
	const char *behind = next_word(before, event, sizeof(event));
	int t = behind ? event_find(event) : -1;
	if (behind && offer_special(d, m, event, behind))
		return;
	offer_words(m, first ? "pc cycle stat divergence becomes cta" : "sm= kernel= cta= warp= count= if");
	offer_values(d, m, t);
	for (u32 i = 0; t >= 0 && i < EVENT_ARGS; i++)
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
}

static void offer_registers(struct debugger *d, struct matches *m)
{
	const struct module *mod = focus_module(d);
	for (u32 i = 0; mod && i < mod->nregnames; i++)
		offer(m, mod->regnames[i].name);
}

/* The value of a key: policies, taxonomies, events. */
static void offer_set(struct debugger *d, struct matches *m, const char *before)
{
	static const struct {
		const char *key, *values;
	} words[] = {{"pagination", "on off"}, {"mouse", "on off"},      {"palette", "dark light auto"},
	             {"editing", "vi emacs"},  {"keep-going", "on off"}, {"confirm", "off"}};
	char key[64];
	const char *name;
	if (!next_word(before, key, sizeof(key))) {
		for (u32 i = 0; (name = set_key(i)); i++)
			offer(m, name);
		return;
	}
	offer_policies(m, key);
	if (policy_lua_kind(policy_kind_of(key)))
		offer_lua_files(d, m);
	for (u32 i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(key, words[i].key))
			offer_words(m, words[i].values);
	for (u32 i = 0; !strcmp(key, "taxonomy") && i < TAX_COUNT; i++)
		offer(m, taxonomy_names[i]);
	for (u32 i = 0; !strcmp(key, "log") && i < EV_COUNT; i++)
		offer(m, event_descs[i].name);
}

static void offer_show(struct matches *m, const char *before)
{
	char word[8];
	const char *key;
	if (next_word(before, word, sizeof(word)))
		return;
	for (u32 i = 0; (key = set_key(i)); i++)
		offer(m, key);
	for (u32 i = 0; i < conf_nkeys; i++)
		offer(m, conf_keys[i].key);
}

/* Kernels for the topics about kernels, taxonomies for stalls. */
static void offer_info_arguments(struct debugger *d, struct matches *m, const char *before)
{
	char word[40];
	struct err none = {0};
	next_word(before, word, sizeof(word));
	const struct info_topic *t = info_find(word, &none);
	if (t && strstr(t->args, "KERNEL"))
		offer_kernels(d, m);
	for (u32 i = 0; t && strstr(t->args, "TAXONOMY") && i < TAX_COUNT; i++)
		offer(m, taxonomy_names[i]);
	if (t && !strcmp(t->name, "latency"))
		offer(m, "lines");
	if (t && !strcmp(t->args, "[%NAME... | all]"))
		offer_registers(d, m);
}

/* Launches by number behind `kernel`. */
static void offer_diagnose(struct debugger *d, struct matches *m, const char *before)
{
	char word[16] = "", number[16];
	next_word(before, word, sizeof word);
	if (!*word)
		offer_words(m, "all kernel verify rules");
	for (u32 i = 0; !strcmp(word, "kernel") && i < gpu_num_kernels(dbg_gpu(d)); i++) {
		snprintf(number, sizeof number, "%u", i);
		offer(m, number);
	}
}

static void offer_aliases(struct debugger *d, struct matches *m)
{
	for (u32 i = 0; i < d->shell->naliases; i++)
		offer(m, d->shell->aliases[i].name);
}

static void offer_explanation(void *ctx, const struct explanation *x)
{
	offer(ctx, x->name);
}

static void offer_inspection(void *ctx, const char *name, const char *says)
{
	offer(ctx, name);
}

/* What follows `help info`, `help inspect`. */
static bool offer_help_of(struct debugger *d, const char *before, struct matches *m)
{
	char word[40];
	const struct command *c = next_word(before, word, sizeof word) ? command_find(word, NULL) : NULL;
	if (!c)
		return false;
	for (u32 i = 0; !strcmp(c->name, "info") && i < ninfo_topics; i++)
		offer(m, info_topics[i].name);
	if (!strcmp(c->name, "inspect"))
		inspections_each(d->s->data_dir, offer_inspection, m);
	return true;
}

/* A part of the run; of the last word before the cursor follows what may stand. */
static void offer_scope(struct debugger *d, struct matches *m, const char *before, bool alone)
{
	char last[40] = "", word[40];
	for (const char *at = before; (at = next_word(at, word, sizeof word));)
		snprintf(last, sizeof last, "%s", word);
	if (!strcmp(last, "program")) {
		for (u32 i = 0; i < d->s->nprograms; i++)
			offer(m, d->s->programs[i].name);
	} else if (!strcmp(last, "kernel")) {
		for (u32 i = 0; i < gpu_num_kernels(dbg_gpu(d)); i++) {
			snprintf(word, sizeof word, "%u", i);
			offer(m, word);
		}
	} else if (!strcmp(last, "since")) {
		offer(m, "last");
	} else if (!*last || !alone) {
		offer(m, "kernel");
		offer(m, "program");
		if (alone) {
			offer(m, "since");
			offer(m, "off");
		}
	}
}

static void offer_below(struct matches *m, u64 n)
{
	char number[24];
	for (u64 i = 0; i < n; i++) {
		snprintf(number, sizeof number, "%llu", (unsigned long long)i);
		offer(m, number);
	}
}

/* Behind `why`: topics; behind a topic its words, and behind these numbers. */
static void offer_why(struct debugger *d, struct matches *m, const char *before)
{
	const struct conf *c = gpu_conf(dbg_gpu(d));
	char topic[40] = "", last[40] = "";
	const char *at = next_word(before, topic, sizeof topic);
	while (at && (at = next_word(at, last, sizeof last)))
		;
	const bool pick = !strcmp(topic, "pick"), dispatch = !strcmp(topic, "dispatch");
	if (!*topic)
		offer_words(m, "warp cta kernel machine pick dispatch partition preempt");
	else if (!strcmp(last, "sm") && (pick || dispatch))
		offer_below(m, c->num_sms);
	else if (!strcmp(last, "scheduler") && pick)
		offer_below(m, c->sm_schedulers);
	else if ((!strcmp(last, "kernel") && dispatch) || (!strcmp(topic, "kernel") && !*last))
		offer_below(m, gpu_num_kernels(dbg_gpu(d)));
	else if (pick)
		offer_words(m, "last next scheduler sm");
	else if (dispatch && strcmp(last, "cta") != 0)
		offer_words(m, "last next kernel cta sm");
	else if (!strcmp(topic, "preempt") && !*last)
		for (u32 i = 1; i <= gpu_requests(dbg_gpu(d)); i++) {
			snprintf(last, sizeof last, "%u", i);
			offer(m, last);
		}
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
		offer_words(m, "kernel sm cta thread warp lane");
		offer_kernels(d, m);
		break;
	case COMPLETE_INFO:
		for (u32 i = 0; first && i < ninfo_topics; i++)
			offer(m, info_topics[i].name);
		if (!first && *m->word == '%')
			offer_registers(d, m);
		else if (!first)
			offer_info_arguments(d, m, before);
		break;
	case COMPLETE_LIST: offer_kernels(d, m); break;
	case COMPLETE_STEP: offer_words(m, "line"); break;
	case COMPLETE_WHY: offer_why(d, m, before); break;
	case COMPLETE_EXPLAIN:
		explain_each(NULL, offer_explanation, m);
		for (u32 i = 0; i < nneighbours; i++)
			offer(m, neighbours[i].name);
		for (u32 i = 0; i < WS_COUNT; i++)
			offer(m, warp_state_descs[i].name);
		break;
	case COMPLETE_INSPECT: inspections_each(d->s->data_dir, offer_inspection, m); break;
	case COMPLETE_SET: offer_set(d, m, before); break;
	case COMPLETE_SHOW: offer_show(m, before); break;
	case COMPLETE_FILE: offer_paths(m); break;
	case COMPLETE_EXPORT:
		for (u32 i = 0; first && i < nexport_formats; i++)
			offer(m, export_formats[i].name);
		if (!first)
			offer_paths(m);
		break;
	case COMPLETE_SAVE:
		if (first)
			offer_words(m, "breakpoints session");
		else
			offer_paths(m);
		break;
	case COMPLETE_PROGRAM: offer_program(d, m, skip_blanks(before)); break;
	case COMPLETE_COMPARE: offer_compare(m, skip_blanks(before)); break;
	case COMPLETE_DIAGNOSE: offer_diagnose(d, m, before); break;
	case COMPLETE_LESSON:
		if (first)
			lesson_each_word(d, offer, m);
		if (first)
			offer_paths(m);
		break;
	case COMPLETE_ANSWER: teach_each_choice(d, offer, m); break;
	case COMPLETE_FOLLOW:
		if (first)
			offer_words(m, "warp line txn off");
		break;
	case COMPLETE_WHATIF: whatif_complete(d, m->word, skip_blanks(before), offer, m); break;
	case COMPLETE_SCOPE: offer_scope(d, m, skip_blanks(before), !strcmp(c->name, "scope")); break;
	case COMPLETE_COMMAND:
		if (!strcmp(c->name, "help") && offer_help_of(d, skip_blanks(before), m))
			break;
		for (u32 i = 0; i < ncommands; i++)
			offer(m, commands[i].name);
		offer_aliases(d, m);
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
		offer_aliases(d, &m);
	} else {
		struct err ignored = {0};
		bool unused = false;
		char *expanded = alias_expand(d, start, &unused);
		const char *first = expanded ? expanded : start; /* what the alias has beyond a command is not looked at */
		snprintf(word, sizeof(word), "%.*s", (int)MIN(strcspn(first, " \t/"), sizeof(word) - 1), first);
		free(expanded);
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

bool cmd_complete(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	u32 start;
	char **found = debugger_complete(d, args, (u32)strlen(args), &start);
	for (char **m = found; m && *m; m++)
		strbuf_addf(out, "%.*s%s\n", (int)start, args, *m);
	debugger_free_matches(found);
	return true;
}
