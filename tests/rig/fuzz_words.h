/* fuzz_words: console commands at random, made of the words in the program's own tables: commands, topics, events,
 * policies, machines' keys, inspections. What is added there is tried from then on without a word here.
 *
 *   char line[400];
 *   fuzz_line(rnd, line, sizeof(line));     rnd(n): a number below n */
#ifndef TESTS_RIG_FUZZ_WORDS_H
#define TESTS_RIG_FUZZ_WORDS_H
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "conf/conf.h"
#include "conf/policy.h"
#include "gpu/policies.h"

typedef unsigned fuzz_rnd(unsigned n);

#define FUZZ_COUNT(a) ((unsigned)(sizeof(a) / sizeof(*(a))))
#define FUZZ_PICK(a) ((a)[rnd(FUZZ_COUNT(a))])

struct fuzz_event {
	const char *name, *arg[EVENT_ARGS];
};
static const struct fuzz_event fuzz_events[] = {
#define E5(ID, name, PLACES, a0, a1, a2, a3, a4, definition) {name, {a0, a1, a2, a3, a4}},
#include "probe/events.def"
};
static const char *const fuzz_verbs[] = {
#define CMD(fn, name, abbreviations, usage, repeat, completer, help) name,
#include "commands/commands.def"
#undef CMD
};
static const char *const fuzz_infos[] = {
#define INFO(fn, name, abbreviations, args, help) name,
#include "commands/infos.def"
#undef INFO
};
/* Written files, or the end: commands for their own tests. */
static const char *const fuzz_left_out[] = {"record", "export", "screenshot", "save", "quit", "source", "lua"};
static const char *const fuzz_cta_verbs[] = {"pause", "resume", "halt", "drop", "save", "restore"};
static const char *const fuzz_paths[] = {"gpu.cycle",
                                         "gpu.hash",
                                         "gpu.ipc",
                                         "gpu.sm[1].l1d.hit_rate",
                                         "gpu.sm[0].warp[3].state",
                                         "gpu.kernel[0]",
                                         "gpu.sm[2]",
                                         "gpu.l2",
                                         "gpu.noc",
                                         "gpu.energy",
                                         "gpu.sm[1].ctas_done",
                                         "gpu.virtual",
                                         "gpu.sm[0].cta[0]"};

/* A policy of this kind that the program has, or one in Lua that comes with it. */
static inline const char *fuzz_policy(fuzz_rnd *rnd, enum policy_kind k)
{
	u32 n = 0;
	while (policy_at(k, n))
		n++;
	if (!rnd(12))
		switch (k) {
		case POLICY_WARP: return rnd(2) ? "lua:batch" : "lua:gto";
		case POLICY_PARTITION: return "lua:weighted";
		default: break;
		}
	return policy_at(k, rnd(n))->name;
}

/* A value for this key: mostly one that it takes, often the least or the greatest. */
static inline void fuzz_value(fuzz_rnd *rnd, const struct conf_key *k, char *out, size_t size)
{
	static const double small[] = {0, 1, 2, 3, 4, 7, 8, 16, 31, 64, 100};
	double at = k->min;
	switch (k->kind) {
	case CONF_BOOL: snprintf(out, size, "%s", rnd(2) ? "true" : "false"); return;
	case CONF_ENUM: {
		unsigned n = 1, w;
		for (const char *p = k->values; *p; p++)
			n += *p == '|';
		const char *from = k->values;
		for (w = rnd(n); w; w--)
			from = strchr(from, '|') + 1;
		snprintf(out, size, "%.*s", (int)strcspn(from, "|"), from);
		return;
	}
	case CONF_STR: snprintf(out, size, "%.60s", rnd(3) ? k->def_str : "x"); return;
	case CONF_INT:
	case CONF_REAL:
		switch (rnd(5)) {
		case 0: at = k->min; break;
		case 1: at = rnd(4) ? k->def : k->max; break;
		case 2: at = k->def * 2; break;
		case 3: at = k->def / 2; break;
		default: at = k->min + FUZZ_PICK(small); break;
		}
		if (rnd(30))
			at = at > k->max ? k->max : at < k->min ? k->min : at;
		snprintf(out, size, "%.*f", k->kind == CONF_REAL && rnd(2) ? 2 : 0, at);
		return;
	}
}

/* "KEY=VALUE" of any key. */
static inline void fuzz_setting(fuzz_rnd *rnd, char *out, size_t size)
{
	const struct conf_key *k = &conf_keys[rnd(conf_nkeys)];
	char value[80];
	fuzz_value(rnd, k, value, sizeof(value));
	snprintf(out, size, "%s=%s", k->key, value);
}

/* One "--KIND NAME", as options of a command line have it. */
static inline void fuzz_option(fuzz_rnd *rnd, char *out, size_t size)
{
	char pair[160];
	if (rnd(3)) {
		unsigned k = rnd(POLICY_KINDS);
		snprintf(out, size, "--%s %s", policy_kinds[k].key, fuzz_policy(rnd, k));
		return;
	}
	fuzz_setting(rnd, pair, sizeof(pair));
	snprintf(out, size, rnd(8) ? "--set %s" : "--dynamic-idempotence", pair);
}

static inline void fuzz_filters(fuzz_rnd *rnd, const struct fuzz_event *e, char *out, size_t size)
{
	static const char *const places[] = {"sm", "kernel", "cta", "warp"};
	size_t n = 0;
	out[0] = 0;
	for (unsigned i = rnd(3); i && n < size; i--) {
		const char *arg = rnd(2) ? FUZZ_PICK(places) : FUZZ_PICK(e->arg);
		n += (size_t)snprintf(out + n, size - n, " %s=%u", *arg ? arg : "count", rnd(rnd(2) ? 3 : 40));
	}
	if (n < size && !rnd(4))
		snprintf(out + n, size - n, " if e.%s > %u", *e->arg[0] ? e->arg[0] : "cycle", rnd(3000));
}

static inline void fuzz_inspection(fuzz_rnd *rnd, char *out, size_t size)
{
	DIR *dir = opendir("scripts/inspect");
	unsigned seen = 0;
	snprintf(out, size, "none");
	for (struct dirent *x; dir && (x = readdir(dir));) {
		const char *end = strstr(x->d_name, ".lua");
		if (end && !rnd(++seen))
			snprintf(out, size, "%.*s", (int)(end - x->d_name), x->d_name);
	}
	if (dir)
		closedir(dir);
}

static inline void fuzz_line(fuzz_rnd *rnd, char *out, size_t size)
{
	static const char *const techniques[] = {"switch", "drain", "flush", "chimera", "none", "magic"};
	static const char *const stops[] = {"break", "tbreak", "break", "delete", "disable", "enable", "ignore"};
	static const char *const ways[] = {"step",   "step 3",         "continue",         "next",
	                                   "finish", "reverse-next",   "reverse-step",     "reverse-step 30",
	                                   "undo",   "reverse-finish", "reverse-continue", "goto 0"};
	const struct fuzz_event *e = &FUZZ_PICK(fuzz_events);
	char a[160], b[160];
	unsigned k = rnd(POLICY_KINDS);
	switch (rnd(20)) {
	case 0:
	case 1:
	case 2:
		fuzz_filters(rnd, e, a, sizeof(a));
		snprintf(out, size, "%s %s%s", rnd(3) ? "break" : "tbreak", e->name, a);
		return;
	case 3: snprintf(out, size, "%s %u", FUZZ_PICK(stops), rnd(6)); return;
	case 4: snprintf(out, size, "info %s", FUZZ_PICK(fuzz_infos)); return;
	case 5: snprintf(out, size, "info %s %u", FUZZ_PICK(fuzz_infos), rnd(20)); return;
	case 6: snprintf(out, size, "set %s %s", policy_kinds[k].key, fuzz_policy(rnd, k)); return;
	case 7: {
		const struct conf_key *key = &conf_keys[rnd(conf_nkeys)];
		fuzz_value(rnd, key, a, sizeof(a));
		snprintf(out, size, "set %s %s", key->key, a);
		return;
	}
	case 8:
	case 9: {
		const char *verb = FUZZ_PICK(fuzz_cta_verbs);
		int n = snprintf(out, size, "%s cta", verb);
		if (rnd(6))
			n += snprintf(out + n, size - (size_t)n, " %u", rnd(rnd(4) ? 16 : 200));
		if (!rnd(4))
			n += snprintf(out + n, size - (size_t)n, " kernel=%u", rnd(3));
		if (*verb == 'h')
			snprintf(out + n, size - (size_t)n, " for %u", rnd(900));
		else if (!strcmp(verb, "restore") && rnd(2))
			snprintf(out + n, size - (size_t)n, " sm=%u", rnd(16));
		return;
	}
	case 10: {
		int n = snprintf(out, size, rnd(2) ? "preempt kernel %u" : "preempt", rnd(3));
		if (rnd(2))
			n += snprintf(out + n, size - (size_t)n, " sms %u", rnd(17));
		else
			n += snprintf(out + n, size - (size_t)n, " sm %u,%u-%u", rnd(15), rnd(15), rnd(15));
		n += snprintf(out + n, size - (size_t)n, " within %u", rnd(20));
		if (rnd(4))
			snprintf(out + n, size - (size_t)n, " by %s", FUZZ_PICK(techniques));
		return;
	}
	case 11:
		if (rnd(2))
			snprintf(out, size, "why kernel %u", rnd(6));
		else
			snprintf(out, size, rnd(2) ? "release sms" : "release sm %u", rnd(16));
		return;
	case 12:
		fuzz_inspection(rnd, a, sizeof(a));
		snprintf(out, size, rnd(4) ? "inspect %s" : "inspect", a);
		return;
	case 13: {
		fuzz_line(rnd, a, sizeof(a));
		a[rnd((unsigned)strlen(a) + 1)] = 0;
		snprintf(out, size, "complete %s", a);
		return;
	}
	case 14:
		fuzz_option(rnd, a, sizeof(a));
		fuzz_option(rnd, b, sizeof(b));
		if (!rnd(3))
			snprintf(out, size, "run --size small vecadd --priority %d bfs %s %s", (int)rnd(5) - 2,
			         rnd(2) ? "--again" : "", a);
		else
			snprintf(out, size, "%s %s %s", rnd(3) ? "run" : "compare", a, rnd(2) ? b : "");
		return;
	case 15: {
		const char *verb = FUZZ_PICK(fuzz_verbs);
		for (unsigned i = 0; i < FUZZ_COUNT(fuzz_left_out); i++)
			if (!strcmp(verb, fuzz_left_out[i]))
				verb = "help";
		snprintf(out, size, rnd(2) ? "%s" : "%s %u", verb, rnd(40));
		return;
	}
	case 16:
		snprintf(out, size, "%s %s", rnd(2) ? "explain" : "help", rnd(2) ? e->name : FUZZ_PICK(fuzz_infos));
		return;
	case 17: {
		static const char *const looks[] = {"print", "watch", "display", "x", "show"};
		snprintf(out, size, "%s %s", FUZZ_PICK(looks), FUZZ_PICK(fuzz_paths));
		return;
	}
	case 18:
		if (rnd(2))
			snprintf(out, size, "goto %u", rnd(3000));
		else
			snprintf(out, size, "focus sm %u warp %u", rnd(16), rnd(48));
		return;
	default: snprintf(out, size, "%s", FUZZ_PICK(ways)); return;
	}
}
#endif
