/* debug_rig: a debugger over a small workload, driven by lines, for tests. Include behind cmocka.h; run from the top
 * directory. */
#ifndef TESTS_RIG_DEBUG_RIG_H
#define TESTS_RIG_DEBUG_RIG_H
#include <stdio.h>
#include <string.h>

#include "session/cmdline.h"
#include "commands/commands.h"
#include "dbg/debugger.h"
#include "script/dbg.h"

struct rig {
	struct options o;
	struct session *s;
	struct debugger *d;
	struct strbuf out;
	struct err e;
};

static inline void rig_open(struct rig *r, char **argv)
{
	int argc = 0;
	memset(r, 0, sizeof(*r));
	while (argv[argc])
		argc++;
	assert_int_equal(cmdline_parse(&r->o, argc, argv, &r->e), CMDLINE_OK);
	r->s = session_open(&r->o, console_modules, &r->e);
	if (!r->s)
		fail_msg("%s", r->e.msg);
	r->d = debugger_new(r->s, &console_words);
	if (!debugger_start(r->d, &r->out, &r->e))
		fail_msg("%s", r->e.msg);
}

/* `warpdbg debug WORDS`, with blanks between the words. */
static inline void rig_words(struct rig *r, const char *words)
{
	enum { MAX_WORDS = 40 };
	static char copy[1000];
	static char *argv[MAX_WORDS];
	u32 n = 0;
	snprintf(copy, sizeof copy, "warpdbg debug %s", words);
	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " ")) {
		assert_true(n + 1 < MAX_WORDS);
		argv[n++] = w;
	}
	argv[n] = NULL;
	rig_open(r, argv);
}

/* 64 CTAs of 8 warps on 15 SMs, 16384 elements. */
static inline void rig_vecadd(struct rig *r)
{
	char *argv[] = {"warpdbg",      "debug",           "configs/kernels/vecadd.ptx",
	                "--kernel",     "vecadd",          "--grid",
	                "64",           "--block",         "256",
	                "--arg",        "f32[16384]=iota", "--arg",
	                "f32[16384]=1", "--arg",           "f32[16384]=zero",
	                "--arg",        "u32=16384",       NULL};
	rig_open(r, argv);
}

static inline void rig_close(struct rig *r)
{
	debugger_free(r->d);
	session_close(r->s);
	cmdline_free(&r->o);
	strbuf_release(&r->out);
}

/* Executes a line and drives what it started. The answer is in r->out, a failure's message in r->e. */
static inline bool rig_try(struct rig *r, const char *line)
{
	strbuf_clear(&r->out);
	err_clear(&r->e);
	bool ok = debugger_execute(r->d, line, &r->out, &r->e);
	while (debugger_running(r->d))
		debugger_run_slice(r->d, 1 << 20, &r->out);
	return ok;
}

static inline const char *rig_say(struct rig *r, const char *line)
{
	if (!rig_try(r, line))
		fail_msg("%s: %s", line, r->e.msg);
	return strbuf_str(&r->out);
}

static inline void rig_has(struct rig *r, const char *line, const char *text)
{
	if (!strstr(rig_say(r, line), text))
		fail_msg("%s: '%s' expected, not: %s", line, text, strbuf_str(&r->out));
}

static inline void rig_fails(struct rig *r, const char *line, const char *text)
{
	if (rig_try(r, line))
		fail_msg("%s: should fail, says: %s", line, strbuf_str(&r->out));
	if (!strstr(r->e.msg, text))
		fail_msg("%s: '%s' expected in: %s", line, text, r->e.msg);
}
#endif
