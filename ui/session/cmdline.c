#include "session/cmdline.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scr/palette.h"

enum { D = 1, R = 2, L = 4, X = 8, C = 16, M = 32, P = 64, H = 128, T = 256, O = 512, A = 1024, G = 2048 };
enum section { MACHINE, WORKLOAD, PTX, RUN, COMPARE, DEBUG, PAPER, CORRELATE, SCREEN, SECTIONS };
enum opt_id {
#define OPT(id, name, arg, how, commands, section, help) O_##id,
#include "session/options.def"
#undef OPT
	O_COUNT
};
static const struct command {
	const char *name;
	u32 bit;
	const char *args, *help;
} commands[] = {
    {"debug", D, "[WORKLOAD]... [options] [-- APPLICATION [ARGUMENTS] [--and ...]]", "the debugger"},
    {"run", R, "[WORKLOAD]... [options] [-- APPLICATION [ARGUMENTS] [--and ...]]",
     "no screen: runs to the end, prints a summary, writes files"},
    {"compare", C, "WORKLOAD... --a OPTIONS --b OPTIONS [-- APPLICATION [ARGUMENTS]]",
     "two machines in lock step: deltas, first different decision"},
    {"learn", G, "[LESSON|FILE.lua]", "guided lessons in the debugger; without one: lists them, and which are done"},
    {"paper", P, "[NAME|FILE.lua [FIGURE...]]", "repeats a publication's experiments, published beside measured"},
    {"correlate", H, "FILE.json", "a chip's measurements (scripts/hardware) beside the model's: error, correlation"},
    {"analyze", A, "dependencies WORKLOAD",
     "what the kernels of a program read of what others wrote: own CTA, neighbours, others"},
    {"list", L, "WHAT|kernels FILE.ptx...",
     "gpus, workloads, policies, stats, events, opcodes, config, lua, commands or inspections; kernels of PTX files"},
    {"explain", X, "NAME", "a stat, event, stall reason, policy or config key: unit, definition, source"},
    {"help", T, "[TOPIC]", "a topic, command or option, as in the manual page; without one what there is"},
};
/* The words of --a and --b are parsed as a command of their own. */
static const struct command side_a = {"compare --a", M, "", ""}, side_b = {"compare --b", M, "", ""};

/* --- numbers --- */

static u64 suffix(const char *s)
{
	if (!strcmp(s, "k") || !strcmp(s, "K"))
		return 1000;
	if (!strcmp(s, "M"))
		return 1000000;
	return !strcmp(s, "G") ? 1000000000 : 0;
}

bool cmdline_u64(const char *text, const char *what, u64 max, u64 *out, struct err *e)
{
	char *end;
	errno = 0;
	bool starts = *text >= '0' && *text <= '9';
	u64 v = starts ? strtoull(text, &end, 0) : 0;
	if (!starts || end == text)
		return err_set(e, "%s: '%s' is not a whole number", what, text);
	u64 scale = *end ? suffix(end) : 1;
	if (!scale)
		return err_set(e, "%s: '%s' is not a whole number", what, text);
	if (errno || __builtin_mul_overflow(v, scale, &v) || v > max)
		return err_set(e, "%s: %s is more than %llu", what, text, (unsigned long long)max);
	*out = v;
	return true;
}

/* The sign between two dimensions: 8,8 or 8x8. NULL: there is none. In 0x10 it is part of the number. */
static char *next_dimension(char *p)
{
	p += p[0] == '0' && p[1] == 'x' ? 2 : 0;
	p += strcspn(p, ",x");
	return *p ? p : NULL;
}

bool cmdline_dim3(const char *text, const char *what, struct dim3 *out, struct err *e)
{
	u32 v[3] = {1, 1, 1};
	char *copy = xstrdup(text), *p = copy;
	bool ok = true;
	for (u32 i = 0; ok && p; i++) {
		char *comma = next_dimension(p);
		u64 n = 0;
		if (comma)
			*comma++ = 0;
		ok = i < 3 || err_set(e, "%s: '%s' has more than three dimensions", what, text);
		ok = ok && cmdline_u64(p, what, INT32_MAX, &n, e);
		if (ok && !n)
			ok = err_set(e, "%s: '%s' has a dimension of 0", what, text);
		if (ok)
			v[i] = (u32)n;
		p = comma;
	}
	free(copy);
	*out = (struct dim3){v[0], v[1], v[2]};
	return ok;
}

/* --- options --- */

static void push(const char ***list, u32 *n, char *text)
{
	*list = xrealloc(*list, (*n + 1) * sizeof **list);
	(*list)[(*n)++] = text;
}

static char *joined(const char *a, const char *b)
{
	struct strbuf sb = STRBUF_INIT;
	strbuf_addf(&sb, "%s%s", a, b);
	return sb.buf;
}

static void set_key(struct options *o, const char *key_eq, const char *value)
{
	push(&o->sets, &o->nsets, joined(key_eq, value));
}

/* The same for an option whose values the key's row says. */
static bool set_checked(struct options *o, const char *option, const char *key_eq, const char *value, struct err *e)
{
	struct conf scratch;
	set_key(o, key_eq, value);
	conf_defaults(&scratch);
	if (conf_set_pair(&scratch, o->sets[o->nsets - 1], e))
		return true;
	err_prefix(e, "%s: ", option);
	return false;
}

static bool one_of(const char *what, const char *value, const char *const *names, u32 n, struct err *e)
{
	struct strbuf all = STRBUF_INIT;
	for (u32 i = 0; i < n; i++) {
		if (!strcmp(value, names[i])) {
			strbuf_release(&all);
			return true;
		}
		strbuf_addf(&all, "%s%s", i ? ", " : "", names[i]);
	}
	err_set(e, "%s: '%s' is not one of %s", what, value, strbuf_str(&all));
	strbuf_release(&all);
	return false;
}

static bool size_ok(const char *v, struct err *e)
{
	static const char *const names[] = {"small", "default", "large"};
	return one_of("--size", v, names, 3, e);
}

static bool by_ok(const char *v, struct err *e)
{
	static const char *const names[] = {"cycles", "insts", "ctas"};
	return one_of("--by", v, names, 3, e);
}

static bool palette_ok(const char *v, struct err *e)
{
	return one_of("--palette", v, palette_names, 3, e);
}

static bool until_ok(const char *v, struct err *e)
{
	static const char *const names[] = {"end", "first-divergence"};
	return one_of("--until", v, names, 2, e);
}

static bool take_app_clock(struct options *o, char *v, struct err *e)
{
	static const char *const names[] = {"measured", "simulated"};
	o->app_clock = !strcmp(v, "simulated");
	return one_of("--app-clock", v, names, 2, e);
}

/* Which of them a command writes is a matter of consistent(). */
static bool format_ok(const char *v, struct err *e)
{
	static const char *const names[] = {"json", "csv", "text", "markdown", "man", "bash", "zsh"};
	return one_of("--format", v, names, ARRAY_LEN(names), e);
}

static bool pair_ok(const char *what, const char *v, struct err *e)
{
	const char *eq = strchr(v, '=');
	return (eq && eq != v) || err_set(e, "%s: '%s' is not KEY=VALUE", what, v);
}

/* "I=FILE" (sep '=') or "I[:N]" (sep ':'). */
static bool add_arg_ref(struct options *o, bool is_out, const char *v, struct err *e)
{
	const char *what = is_out ? "--out" : "--print";
	size_t len = strcspn(v, is_out ? "=" : ":");
	char *index = xstrndup(v, len);
	u64 arg = 0, count = NEVER;
	bool ok = cmdline_u64(index, what, 4096, &arg, e);
	free(index);
	if (ok && is_out && (!v[len] || !v[len + 1]))
		ok = err_set(e, "--out: '%s' is not I=FILE", v);
	if (ok && !is_out && v[len])
		ok = cmdline_u64(v + len + 1, what, UINT64_MAX - 1, &count, e);
	if (!ok)
		return false;
	u32 *n = is_out ? &o->nouts : &o->nprints;
	void **list = is_out ? (void **)&o->outs : (void **)&o->prints;
	*list = xrealloc(*list, (*n + 1) * sizeof *o->outs);
	size_t at = (*n)++;
	(is_out ? o->outs : o->prints)[at].arg = (u32)arg;
	(is_out ? o->outs : o->prints)[at].file = is_out ? v + len + 1 : NULL;
	(is_out ? o->outs : o->prints)[at].count = count;
	return true;
}

static bool set_u32(u32 *out, const char *what, const char *v, struct err *e)
{
	u64 n;
	if (!cmdline_u64(v, what, UINT32_MAX, &n, e))
		return false;
	*out = (u32)n;
	return true;
}

static bool priority_ok(const char *v, s8 *out, struct err *e)
{
	char *end;
	const long n = strtol(v, &end, 10);
	if (!*v || *end || n < PRIORITY_FIRST || n > PRIORITY_LAST)
		return err_set(e, "--priority %s: a whole number from %d (comes first) to %d expected", v, PRIORITY_FIRST,
		               PRIORITY_LAST);
	*out = (s8)n;
	return true;
}

static bool jobs_ok(const char *v, u32 *out, struct err *e)
{
	u64 n;
	if (!cmdline_u64(v, "-j", 1024, &n, e))
		return false;
	*out = (u32)n;
	return n || err_set(e, "-j: at least one run at a time");
}

static bool take_seed(struct options *o, char *v, struct err *e)
{
	u64 n;
	if (!cmdline_u64(v, "--seed", UINT32_MAX, &n, e))
		return false;
	struct strbuf sb = STRBUF_INIT;
	strbuf_addf(&sb, "%llu", (unsigned long long)n);
	set_key(o, "seed=", sb.buf);
	strbuf_release(&sb);
	return true;
}

static bool take_set(struct options *o, char *v, struct err *e)
{
	push(&o->sets, &o->nsets, xstrdup(v));
	return pair_ok("--set", v, e);
}

static bool take_param(struct options *o, char *v, struct err *e)
{
	push(&o->params, &o->nparams, xstrdup(v));
	return pair_ok("--param", v, e);
}

static bool take_idempotence(struct options *o, char *v, struct err *e)
{
	set_key(o, "idempotence.track=", "true");
	return true;
}

/* "races", "init" or both, "all", "none". */
static bool take_check(struct options *o, char *v, struct err *e)
{
	static const char *const words[] = {"races", "init"}, *const keys[] = {"check.races=", "check.init="};
	const bool all = !strcmp(v, "all"), none = !strcmp(v, "none");
	bool on[ARRAY_LEN(words)] = {all, all};
	for (const char *at = v; !all && !none; at++) {
		const size_t n = strcspn(at, ",");
		u32 i = 0;
		while (i < ARRAY_LEN(words) && (strlen(words[i]) != n || strncmp(at, words[i], n)))
			i++;
		if (i == ARRAY_LEN(words))
			return err_set(e, "--check: '%.*s' is not one of races, init, all, none", (int)n, at);
		on[i] = true;
		at += n;
		if (!*at)
			break;
	}
	for (u32 i = 0; i < ARRAY_LEN(words); i++)
		set_key(o, keys[i], on[i] ? "true" : "false");
	return true;
}

static bool take_schedule(struct options *o, char *v, struct err *e)
{
	return set_checked(o, "--schedule", "schedule=", v, e);
}

static bool take_history(struct options *o, char *v, struct err *e)
{
	return set_checked(o, "--history-mb", "history.mb=", v, e);
}

static bool take_grid(struct options *o, char *v, struct err *e)
{
	return cmdline_dim3(v, "--grid", &o->grid, e);
}

static bool take_block(struct options *o, char *v, struct err *e)
{
	return cmdline_dim3(v, "--block", &o->block, e);
}

static bool take_shared(struct options *o, char *v, struct err *e)
{
	return set_u32(&o->shared, "--shared", v, e);
}

static bool take_regs(struct options *o, char *v, struct err *e)
{
	return set_u32(&o->regs, "--regs", v, e);
}

static bool take_out(struct options *o, char *v, struct err *e)
{
	return strcmp(o->command, "paper") ? add_arg_ref(o, true, v, e) : (o->out_dir = v) != NULL;
}

static bool take_print(struct options *o, char *v, struct err *e)
{
	return add_arg_ref(o, false, v, e);
}

static bool take_max_cycles(struct options *o, char *v, struct err *e)
{
	return cmdline_u64(v, "--max-cycles", NEVER - 1, &o->max_cycles, e);
}

static bool take_priority(struct options *o, char *v, struct err *e)
{
	return priority_ok(v, &o->priority, e);
}

static bool take_jobs(struct options *o, char *v, struct err *e)
{
	return jobs_ok(v, &o->jobs, e);
}

static bool take_beside(struct options *o, char *v, struct err *e)
{
	o->compare = v;
	return *v || err_set(e, "--compare: the second machine's options are expected");
}

static bool take_command_file(struct options *o, char *v, struct err *e)
{
	push(&o->commands, &o->ncommands, joined("@", v));
	return true;
}

/* --- their table --- */

enum take { TAKE_NOTHING, TAKE_FLAG, TAKE_TEXT, TAKE_LIST, TAKE_KEY, TAKE_CALL };
struct taking {
	enum take how;
	size_t at, count; /* of struct options: the field, and how long a list is */
	const char *key;
	bool (*is_one)(const char *v, struct err *e);
	bool (*call)(struct options *o, char *v, struct err *e);
};
#define NOTHING                                                                                                        \
	{                                                                                                                  \
		.how = TAKE_NOTHING                                                                                            \
	}
#define FLAG(field)                                                                                                    \
	{                                                                                                                  \
		.how = TAKE_FLAG, .at = offsetof(struct options, field)                                                        \
	}
#define TEXT(field)                                                                                                    \
	{                                                                                                                  \
		.how = TAKE_TEXT, .at = offsetof(struct options, field)                                                        \
	}
#define WORD(field, is_ok)                                                                                             \
	{                                                                                                                  \
		.how = TAKE_TEXT, .at = offsetof(struct options, field), .is_one = is_ok                                       \
	}
#define LIST(field)                                                                                                    \
	{                                                                                                                  \
		.how = TAKE_LIST, .at = offsetof(struct options, field), .count = offsetof(struct options, n##field)           \
	}
#define KEY(key_eq)                                                                                                    \
	{                                                                                                                  \
		.how = TAKE_KEY, .key = key_eq                                                                                 \
	}
#define CALL(fn)                                                                                                       \
	{                                                                                                                  \
		.how = TAKE_CALL, .call = fn                                                                                   \
	}
static const struct opt_row {
	const char *name, *arg;
	u32 commands;
	enum section section;
	const char *help;
	struct taking take;
} rows[O_COUNT] = {
#define OPT(id, name, arg, how, commands, section, help) {name, arg, commands, section, help, how},
#include "session/options.def"
#undef OPT
};

static bool apply(struct options *o, enum opt_id id, char *v, struct err *e)
{
	const struct taking *t = &rows[id].take;
	void *field = (char *)o + t->at;
	switch (t->how) {
	case TAKE_NOTHING: return true;
	case TAKE_FLAG: return *(bool *)field = true;
	case TAKE_TEXT: *(const char **)field = v; return !t->is_one || t->is_one(v, e);
	case TAKE_LIST: push(field, (u32 *)(void *)((char *)o + t->count), xstrdup(v)); return true;
	case TAKE_KEY: set_key(o, t->key, v); return true;
	case TAKE_CALL: return t->call(o, v, e);
	}
	return true;
}

/* --- the parser --- */

static void unknown_command(const char *word, const char *const *names, struct err *e)
{
	struct strbuf all = STRBUF_INIT;
	for (u32 i = 0; i < ARRAY_LEN(commands); i++)
		strbuf_addf(&all, "%s%s", i ? ", " : "", names[i]);
	err_set(e, "unknown command '%s'; there are: %s", word, strbuf_str(&all));
	strbuf_release(&all);
}

/* The command of argv[1], or NULL with *e. */
static const struct command *find_command(const char *word, struct err *e)
{
	const char *names[ARRAY_LEN(commands)];
	for (u32 i = 0; i < ARRAY_LEN(commands); i++) {
		names[i] = commands[i].name;
		if (!strcmp(word, names[i]))
			return &commands[i];
	}
	const char *dot = strrchr(word, '.');
	if (dot && (!strcmp(dot, ".ptx") || !strcmp(dot, ".lua"))) {
		err_set(e, "unknown command '%s' (to simulate this file: warpdbg run %s)", word, word);
		return NULL;
	}
	const char *near = conf_nearest(word, names, ARRAY_LEN(names));
	if (near)
		err_set(e, "unknown command '%s' (did you mean '%s'?)", word, near);
	else
		unknown_command(word, names, e);
	return NULL;
}

static void unknown_option(const char *arg, struct err *e)
{
	const char *names[O_COUNT];
	for (u32 i = 0; i < O_COUNT; i++)
		names[i] = rows[i].name;
	size_t dashes = strspn(arg, "-");
	char *word = xstrndup(arg + dashes, strcspn(arg + dashes, "="));
	const char *near = conf_nearest(word, names, O_COUNT);
	if (near)
		err_set(e, "unknown option '%s' (did you mean '--%s'?)", arg, near);
	else
		err_set(e, "unknown option '%s'; see warpdbg --help", arg);
	free(word);
}

/* Codes of getopt: the row's index, moved out of the way of '?' and ':'. */
enum { CODE_BASE = 1000 };

static void long_options(struct option *out)
{
	for (u32 i = 0; i < O_COUNT; i++)
		out[i] = (struct option){rows[i].name, rows[i].arg ? required_argument : no_argument, NULL, CODE_BASE + (int)i};
	out[O_COUNT] = (struct option){"h", no_argument, NULL, CODE_BASE + O_HELP};
	out[O_COUNT + 1] = (struct option){0};
}

/* --- several programs --- */

static const char **copied_list(const char *const *list, u32 n)
{
	const char **out = NULL;
	for (u32 k = 0; k < n;)
		push(&out, &k, xstrdup(list[k]));
	return out;
}

static void *copied_refs(const void *list, u32 n)
{
	const size_t bytes = n * sizeof *((struct options *)0)->outs;
	return bytes ? memcpy(xmalloc(bytes), list, bytes) : NULL;
}

/* What belongs to a program, with lists of its own; nothing else. */
static struct options copied_program(const struct options *o)
{
	return (struct options){.command = o->command,
	                        .workload = o->workload,
	                        .app = o->app,
	                        .cu_args = o->cu_args,
	                        .kernel = o->kernel,
	                        .size = o->size,
	                        .priority = o->priority,
	                        .grid = o->grid,
	                        .block = o->block,
	                        .shared = o->shared,
	                        .regs = o->regs,
	                        .cooperative = o->cooperative,
	                        .args = copied_list(o->args, o->nargs),
	                        .nargs = o->nargs,
	                        .links = copied_list(o->links, o->nlinks),
	                        .nlinks = o->nlinks,
	                        .params = copied_list(o->params, o->nparams),
	                        .nparams = o->nparams,
	                        .outs = copied_refs(o->outs, o->nouts),
	                        .nouts = o->nouts,
	                        .prints = copied_refs(o->prints, o->nprints),
	                        .nprints = o->nprints,
	                        .max_cycles = NEVER};
}

static struct options *copied_more(const struct options *o)
{
	struct options *more = o->nmore ? xcalloc(o->nmore, sizeof *more) : NULL;
	for (u32 i = 0; i < o->nmore; i++)
		more[i] = copied_program(&o->more[i]);
	return more;
}

static void free_more(struct options *o)
{
	for (u32 i = 0; i < o->nmore; i++)
		cmdline_free(&o->more[i]);
	free(o->more);
	o->more = NULL;
	o->nmore = 0;
}

/* The programs of a command line as it is read. */
struct programs {
	struct options all; /* what was said before the first name, for each of them */
	u32 n;
};

/* Another program: what is said of programs from here on is said of it. */
static bool add_program(struct options *o, const struct command *cmd, struct programs *p, const char *word,
                        struct err *e)
{
	if (p->n && !(cmd->bit & (D | R | C | O)))
		return err_set(e, "warpdbg %s: unexpected argument '%s'", cmd->name, word);
	if (p->n == OPTIONS_PROGRAMS)
		return err_set(e, "%s%s: more than %d host programs", cmd->bit & O ? "" : "warpdbg ", cmd->name,
		               OPTIONS_PROGRAMS);
	if (p->n++) {
		o->more = xrealloc(o->more, (o->nmore + 1) * sizeof *o->more);
		o->more[o->nmore] = copied_program(&p->all);
		o->more[o->nmore].app = o->more[o->nmore].cu_args = NULL;
		o->more[o->nmore++].workload = word;
		return true;
	}
	p->all = copied_program(o);
	free_more(o); /* those of before, where a program is opened in the debugger */
	o->workload = word;
	o->app = o->cu_args = NULL;
	return true;
}

static struct options *last_program(struct options *o, const struct programs *p)
{
	return o->nmore && p->n > 1 ? &o->more[o->nmore - 1] : o;
}

static void free_list(const char **list, u32 n)
{
	for (u32 i = 0; i < n; i++)
		free((char *)list[i]);
	free(list);
}

/* What was said for all programs before the first is none of its business, unless it is the first: it has arguments of
 * its own. */
static void set_application(struct options *o, char **words, bool first)
{
	o->app = (const char *const *)words;
	if (first)
		return;
	free_list(o->params, o->nparams);
	o->params = NULL;
	o->nparams = 0;
	o->size = NULL;
}

/* Behind "--": an application and its arguments, or those of the program a.cu before it, up to --and or the end.
 * Returns how many words it took. */
#define AND "--and"
static int add_application(struct options *o, const struct command *cmd, struct programs *p, char **words, int n,
                           struct err *e)
{
	int k = 0;
	while (k < n && strcmp(words[k], AND))
		k++;
	struct options *last = last_program(o, p);
	const bool of_cu = p->n && !last->app && !last->cu_args && compile_is_source(last->workload);
	if (!k && !of_cu) {
		err_set(e, "warpdbg %s: behind -- an application is expected: -- ./app ARGUMENTS", cmd->name);
		return -1;
	}
	if (!of_cu && !add_program(o, cmd, p, words[0], e))
		return -1;
	words[k] = NULL; /* the command line's own NULL, or in the place of --and */
	if (of_cu)
		last->cu_args = (const char *const *)words;
	else
		set_application(last_program(o, p), words, p->n == 1);
	return k < n ? k + 1 : k;
}

/* Is it said of one program, not of the run? */
static bool of_program(enum opt_id id)
{
	return id == O_SIZE || id == O_PARAM || id == O_PRIORITY || rows[id].section == PTX;
}

static bool takes_programs(const struct command *cmd)
{
	return cmd->bit & (D | R | C | O);
}

/* Into `program` what is said of a program. */
static enum cmdline_result take_option(struct options *o, struct options *program, const struct command *cmd, int code,
                                       char **argv, struct err *e)
{
	if (code == 'j') /* -j2, as make takes it */
		code = CODE_BASE + O_JOBS;
	if (code == ':' || code < CODE_BASE) {
		if (code == ':')
			err_set(e, "%s needs a value", argv[optind - 1]);
		else if (optopt >= CODE_BASE)
			err_set(e, "--%s takes no value", rows[optopt - CODE_BASE].name);
		else
			unknown_option(argv[optind - 1], e);
		return CMDLINE_ERROR;
	}
	enum opt_id id = (enum opt_id)(code - CODE_BASE);
	if (cmd->bit == M && (id == O_HELP || id == O_VERSION || !(rows[id].commands & M))) {
		err_set(e, "--%s does not belong to the options of one machine", rows[id].name);
		return CMDLINE_ERROR;
	}
	if (cmd->bit == O && (id == O_HELP || id == O_VERSION || !(rows[id].commands & O))) {
		err_set(e, "--%s is for the command line, not for a program opened in the debugger", rows[id].name);
		return CMDLINE_ERROR;
	}
	if (id == O_HELP)
		return CMDLINE_HELP;
	if (id == O_VERSION)
		return CMDLINE_VERSION;
	if (!(rows[id].commands & cmd->bit)) {
		err_set(e, "--%s does not belong to `warpdbg %s`", rows[id].name, cmd->name);
		return CMDLINE_ERROR;
	}
	return apply(of_program(id) ? program : o, id, optarg, e) ? CMDLINE_OK : CMDLINE_ERROR;
}

static bool take_words(struct options *o, const struct command *cmd, int n, char **words, struct err *e)
{
	if (cmd->bit & A) {
		if (n < 2)
			return err_set(e, "usage: warpdbg %s %s (%s)", cmd->name, cmd->args, cmd->help);
		o->analysis = *words++;
		n--;
	}
	const bool files = n && cmd->bit & L && !strcmp(words[0], "kernels");
	if (files && n < 2)
		return err_set(e, "usage: warpdbg list kernels FILE.ptx... (several are linked)");
	if (cmd->bit & (P | T | X) || files) { /* the words point into argv, as everything else does */
		o->figures = n > 1 ? (const char *const *)words + 1 : NULL;
		o->nfigures = n > 1 ? (u32)n - 1 : 0;
	} else if (n > 1)
		return err_set(e, "warpdbg %s: unexpected argument '%s'", cmd->name, words[1]);
	if (n && cmd->bit & M)
		return err_set(e, "unexpected word '%s': the workload stands outside", words[0]);
	if (!n && cmd->bit & (L | X | H))
		return err_set(e, "usage: warpdbg %s %s (%s)", cmd->name, cmd->args, cmd->help);
	if (n || !(cmd->bit & M))
		o->workload = n ? words[0] : NULL;
	return true;
}

static bool format_fits(const struct options *o, const struct command *cmd, struct err *e)
{
	bool table = cmd->bit & L && o->workload && !strcmp(o->workload, "workloads");
	bool csv = o->format && !strcmp(o->format, "csv"), markdown = o->format && !strcmp(o->format, "markdown");
	if (csv && cmd->bit & (L | X))
		return err_set(e, "--format: %s writes json%s or text", cmd->name, cmd->bit & L ? ", markdown" : "");
	if (o->format && cmd->bit & P && strcmp(o->format, "text") && !markdown)
		return err_set(e, "--format: paper prints text or markdown (and writes CSV into its directory)");
	if (csv && cmd->bit & A)
		return err_set(e, "--format: analyze writes json or text");
	if (markdown && !(cmd->bit & (P | L)))
		return err_set(e, "--format: markdown is for `warpdbg list` and `warpdbg paper`");
	const bool of_help =
	    o->format && (!strcmp(o->format, "man") || !strcmp(o->format, "bash") || !strcmp(o->format, "zsh"));
	if (cmd->bit & T ? o->format && strcmp(o->format, "text") && !of_help : of_help)
		return err_set(e, "--format: man, bash and zsh are for `warpdbg help`, which writes those or text");
	if (o->table && !table)
		return err_set(e, "--table belongs to `warpdbg list workloads`");
	if (cmd->bit & L && (o->size || o->gpu) && !o->table && !(table && markdown))
		return err_set(e, "--%s does not belong to `warpdbg list %s`%s", o->size ? "size" : "gpu", o->workload,
		               table ? " without --table" : "");
	return true;
}

static bool program_consistent(const struct options *o, struct err *e)
{
	const char *dot = o->workload ? strrchr(o->workload, '.') : NULL;
	bool ptx = dot && !strcmp(dot, ".ptx") && !o->app;
	if ((o->app || compile_is_source(o->workload)) && (o->size || o->nparams))
		return err_set(e,
		               "--size and --param belong to a host program in Lua: an application has arguments of its own");
	if (!ptx && (o->kernel || o->nlinks || o->cooperative || o->grid.x || o->block.x || o->shared || o->regs ||
	             o->nargs || o->nouts || o->nprints))
		return err_set(e, "--kernel, --link, --grid, --block, --shared, --regs, --cooperative, --arg, --out and "
		                  "--print belong to a PTX file");
	if (ptx && (o->size || o->nparams))
		return err_set(e, "--size and --param belong to a host program, not to a PTX file");
	return true;
}

static bool programs_consistent(const struct options *o, struct err *e)
{
	bool ok = program_consistent(o, e);
	for (u32 i = 0; ok && i < o->nmore; i++)
		if (!(ok = program_consistent(&o->more[i], e)))
			err_prefix(e, "%s: ", o->more[i].workload);
	return ok;
}

static bool has_application(const struct options *o)
{
	bool found = o->app || compile_is_source(o->workload);
	for (u32 i = 0; i < o->nmore; i++)
		found |= o->more[i].app || compile_is_source(o->more[i].workload);
	return found;
}

/* What only makes sense together. */
static bool consistent(const struct options *o, const struct command *cmd, struct err *e)
{
	if (!format_fits(o, cmd, e))
		return false;
	if (cmd->bit & (L | X | P | H | T))
		return true;
	if (cmd->bit & G)
		return !o->keep_going || o->batch || err_set(e, "--keep-going belongs to --batch");
	if (!programs_consistent(o, e))
		return false;
	if (cmd->bit & C && !o->side[0] && !o->side[1])
		return err_set(e, "compare: --a OPTIONS and --b OPTIONS are missing: in what do the two machines differ?");
	if (cmd->bit & D && o->by && !o->compare)
		return err_set(e, "--by belongs to --compare");
	if (cmd->bit & R && (o->app_output || o->app_clock) && !has_application(o))
		return err_set(e, "%s: there is no application: -- ./app ARGUMENTS",
		               o->app_output ? "--app-output" : "--app-clock");
	if (o->keep_going && !o->batch)
		return err_set(e, "--keep-going belongs to --batch");
	return true;
}

/* Words up to "--" or the end; argv[0] is skipped. */
static enum cmdline_result read_part(struct options *o, const struct command *cmd, struct programs *p, int argc,
                                     char **argv, struct err *e)
{
	struct option longs[O_COUNT + 2];
	enum cmdline_result r = CMDLINE_OK;
	int code;
	long_options(longs);
	optind = 0; /* GNU: start afresh, for a second call in the same process */
	opterr = 0;
	const bool in_order = takes_programs(cmd);
	const char *shorts = in_order ? "-:" : cmd->bit & P ? ":j:" : ":";
	while (r == CMDLINE_OK && (code = getopt_long_only(argc, argv, shorts, longs, NULL)) != -1)
		if (code == 1) /* a word, where it stands */
			r = add_program(o, cmd, p, optarg, e) ? CMDLINE_OK : CMDLINE_ERROR;
		else
			r = take_option(o, last_program(o, p), cmd, code, argv, e);
	return r;
}

static int words_before_app(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return i;
	return argc;
}

/* Words and applications, in their order: [options] [WORKLOAD]... [-- APPLICATION ARGUMENTS [--and ...]]. argv[0] is
 * skipped. */
static enum cmdline_result read_words(struct options *o, const struct command *cmd, int argc, char **argv,
                                      struct err *e)
{
	struct programs p = {0};
	const bool in_order = takes_programs(cmd), apps = cmd->bit & (D | R | C);
	int n = apps ? words_before_app(argc, argv) : argc;
	enum cmdline_result r = read_part(o, cmd, &p, n, argv, e);
	while (r == CMDLINE_OK && in_order && !apps && optind < argc) /* behind -- */
		r = add_program(o, cmd, &p, argv[optind++], e) ? CMDLINE_OK : CMDLINE_ERROR;
	while (r == CMDLINE_OK && apps && n < argc) {
		argv += n;
		argc -= n;
		const int taken = add_application(o, cmd, &p, argv + 1, argc - 1, e);
		if (taken < 0)
			r = CMDLINE_ERROR;
		argv += MAX(taken, 0); /* its last word, or where --and was, is the next part's argv[0] */
		argc -= MAX(taken, 0);
		n = argc > 0 ? words_before_app(argc, argv) : 0;
		if (r == CMDLINE_OK && argc > 1)
			r = read_part(o, cmd, &p, n, argv, e);
		else
			n = argc;
	}
	if (r == CMDLINE_OK && in_order && !p.n && cmd->bit & C)
		r = err_set(e, "usage: warpdbg %s %s (%s)", cmd->name, cmd->args, cmd->help) ? CMDLINE_OK : CMDLINE_ERROR;
	if (r == CMDLINE_OK && !in_order && !take_words(o, cmd, argc - optind, argv + optind, e))
		r = CMDLINE_ERROR;
	cmdline_free(&p.all);
	return r;
}

static enum cmdline_result parse_words(struct options *o, const struct command *cmd, int argc, char **argv,
                                       struct err *e)
{
	enum cmdline_result r = read_words(o, cmd, argc, argv, e);
	return r == CMDLINE_OK && !consistent(o, cmd, e) ? CMDLINE_ERROR : r;
}

enum cmdline_result cmdline_parse(struct options *o, int argc, char **argv, struct err *e)
{
	const struct command *cmd = &commands[0];
	int skip = 0;
	*o = (struct options){.max_cycles = NEVER};
	if (argc > 1 && argv[1][0] != '-') {
		cmd = find_command(argv[1], e);
		if (!cmd)
			return CMDLINE_ERROR;
		skip = 1;
	}
	o->command = cmd->name;
	return parse_words(o, cmd, argc - skip, argv + skip, e);
}

/* --- the machines of compare --- */

/* Takes the next word of *p to *w, as a shell does: quotes and backslashes hold blanks. False: an open quote. */
static bool take_word(const char **p, char *w)
{
	char quote = 0;
	for (; **p && (quote || !strchr(" \t\n", **p)); (*p)++) {
		if (**p == quote)
			quote = 0;
		else if (!quote && (**p == '\'' || **p == '"'))
			quote = **p;
		else if (**p == '\\' && quote != '\'' && (*p)[1])
			*w++ = *++*p;
		else
			*w++ = **p;
	}
	*w = 0;
	return !quote;
}

/* Splits text in place of o->side_text; the words, behind a NULL for argv[0], or NULL with *e. */
static char **split_words(struct options *o, const char *text, int *argc, struct err *e)
{
	char **argv = xcalloc(strlen(text) / 2 + 3, sizeof *argv);
	const char *p = text + strspn(text, " \t\n");
	char *w = o->side_text = xmalloc(strlen(text) + 2);
	*argc = 1;
	while (*p) {
		if (!take_word(&p, w)) {
			err_set(e, "a quote is not closed in '%s'", text);
			free(argv);
			return NULL;
		}
		argv[(*argc)++] = w;
		w += strlen(w) + 1;
		p += strspn(p, " \t\n");
	}
	return argv;
}

/* *o is `common` with lists of its own. */
static void copy_options(struct options *o, const struct options *common)
{
	*o = *common;
	o->sets = copied_list(common->sets, common->nsets);
	o->params = copied_list(common->params, common->nparams);
	o->args = copied_list(common->args, common->nargs);
	o->links = copied_list(common->links, common->nlinks);
	o->inspects = copied_list(common->inspects, common->ninspects);
	o->more = copied_more(common);
	o->stats = o->format = NULL; /* of the command line's program, not of one machine */
	o->side_text = NULL;
}

typedef enum cmdline_result word_reader(struct options *, const struct command *, int, char **, struct err *);

static enum cmdline_result read_text(struct options *o, const struct command *cmd, word_reader *read, const char *text,
                                     struct err *e)
{
	char name[] = "warpdbg";
	int argc;
	enum cmdline_result r = CMDLINE_ERROR;
	char **argv = split_words(o, text, &argc, e);
	if (argv) {
		argv[0] = name;
		r = read(o, cmd, argc, argv, e);
	}
	free(argv);
	return r;
}

enum cmdline_result cmdline_side(struct options *o, const struct options *common, u32 side, struct err *e)
{
	copy_options(o, common);
	enum cmdline_result r =
	    read_text(o, side ? &side_b : &side_a, parse_words, common->side[side] ? common->side[side] : "", e);
	if (r != CMDLINE_OK)
		err_prefix(e, "--%c: ", side ? 'b' : 'a');
	return r;
}

/* --- a program opened in the debugger --- */

static struct options without_program(struct options o)
{
	o.workload = o.kernel = o.size = NULL;
	o.grid = o.block = (struct dim3){0};
	o.shared = o.regs = 0;
	o.priority = 0;
	o.cooperative = false;
	o.nargs = o.nlinks = o.nparams = o.nouts = o.nprints = 0;
	o.outs = o.prints = NULL;
	o.more = NULL;
	o.nmore = 0;
	return o;
}

enum cmdline_result cmdline_program(struct options *o, const struct options *common, const char *command,
                                    const char *text, struct err *e)
{
	const struct command cmd = {command, O, "", ""};
	struct options base = *common;
	copy_options(o, common);
	enum cmdline_result r = read_text(o, &cmd, read_words, text, e);
	bool another = r == CMDLINE_OK && o->workload != common->workload;
	bool args = o->nargs > common->nargs, links = o->nlinks > common->nlinks;
	if (another)
		base = without_program(base);
	if (args)
		base.nargs = 0;
	if (links)
		base.nlinks = 0;
	if (r == CMDLINE_OK) {
		cmdline_free(o);
		copy_options(o, &base);
		r = read_text(o, &cmd, parse_words, text, e);
	}
	if (r != CMDLINE_OK && strncmp(e->msg, command, strlen(command)))
		err_prefix(e, "%s: ", command);
	return r;
}

void cmdline_each_program_option(void (*offer)(void *ctx, const char *name), void *ctx)
{
	for (u32 i = 0; i < O_COUNT; i++) {
		char name[64];
		snprintf(name, sizeof name, "--%s", rows[i].name);
		if (rows[i].commands & O)
			offer(ctx, name);
	}
}

/* --- the words of messages, the end --- */

void cmdline_name_side(struct err *e, const char *command)
{
	static const char prefix[] = "--b: ";
	if (!strncmp(e->msg, prefix, sizeof prefix - 1))
		memmove(e->msg, e->msg + sizeof prefix - 1, strlen(e->msg + sizeof prefix - 1) + 1);
	err_prefix(e, "%s: ", command);
}

void cmdline_free(struct options *o)
{
	free_list(o->sets, o->nsets);
	free_list(o->params, o->nparams);
	free_list(o->args, o->nargs);
	free_list(o->links, o->nlinks);
	free_list(o->inspects, o->ninspects);
	free_list(o->commands, o->ncommands);
	free(o->outs);
	free(o->prints);
	free_more(o);
	free(o->side_text);
	*o = (struct options){0};
}

/* --- help --- */

const u32 cmdline_ncommands = ARRAY_LEN(commands), cmdline_noptions = O_COUNT, cmdline_nsections = SECTIONS;
struct command_text cmdline_command(u32 i)
{
	return (struct command_text){commands[i].name, commands[i].args, commands[i].help};
}

struct option_text cmdline_option(u32 i)
{
	const char *dashes = i == O_COMMAND_FILE || i == O_COMMAND || i == O_JOBS ? "-" : "--";
	return (struct option_text){dashes, rows[i].name, rows[i].arg, rows[i].help, rows[i].section};
}

const char *cmdline_section(u32 section)
{
	static const char *const titles[SECTIONS] = {"Machine and policies (debug, run, compare, correlate, analyze)",
	                                             "Host programs (debug, run, compare, analyze)",
	                                             "PTX files (debug, run, compare, analyze)",
	                                             "The run (debug, run; compare: the first three)",
	                                             "Comparison (compare)",
	                                             "Debugger (debug, learn)",
	                                             "Experiments (paper), tables (list workloads)",
	                                             "Chips (correlate)",
	                                             "General"};
	return titles[section];
}

bool cmdline_of_side(u32 option)
{
	return rows[option].commands & M;
}

bool cmdline_takes(u32 command, u32 option)
{
	return rows[option].commands & commands[command].bit;
}
