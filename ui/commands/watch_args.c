/* watch: taking "EXPR [sm=N...] [count=N] [if LUA-EXPR]" apart. EXPR may be any Lua expression, so the rest is looked
 * for from the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"

/* " if " outside of brackets and strings, which no Lua expression has: the condition behind it, NULL = none. */
static const char *find_condition(const char *s, size_t *expr_len)
{
	u32 depth = 0;
	for (char quote = 0; *s; s++, (*expr_len)++) {
		if (quote) {
			if (*s == '\\' && s[1]) {
				s++;
				(*expr_len)++;
			} else if (*s == quote) {
				quote = 0;
			}
		} else if (*s == '"' || *s == '\'') {
			quote = *s;
		} else if (strchr("([{", *s)) {
			depth++;
		} else if (strchr(")]}", *s)) {
			depth -= depth > 0;
		} else if (!depth && (*s == ' ' || *s == '\t') && !strncmp(s + 1, "if", 2) && strchr(" \t", s[3])) {
			return skip_blanks(s + 3);
		}
	}
	return NULL;
}

/* Does the word name a filter or count, "sm=3"? No Lua expression ends in one. */
static bool is_option(const char *word)
{
	static const char *const names[] = {"sm=", "kernel=", "cta=", "thread=", "warp=", "lane=", "count="};
	for (u32 i = 0; i < ARRAY_LEN(names); i++) {
		size_t n = strlen(names[i]);
		if (!strncmp(word, names[i], n) && word[n] != '=')
			return true;
	}
	return false;
}

static bool take_option(const char *word, struct watch_request *r, struct err *e)
{
	if (!strncmp(word, "count=", 6))
		return break_count(word, "watch", &r->count, e);
	if (!strncmp(word, "lane=", 5))
		return err_set(
		    e, "watch: %s: there is no filter for lanes; `focus lane N` chooses the one whose register is watched",
		    word);
	snprintf(r->filtered, sizeof(r->filtered), "%s", word);
	return break_filter(word, EV_ISSUE, &r->filter, e);
}

static void cut_blanks(char *s)
{
	size_t n = strlen(s);
	while (n && strchr(" \t", s[n - 1]))
		s[--n] = 0;
}

/* Takes options off the end of the expression, one by one. */
static bool take_options(struct watch_request *r, struct err *e)
{
	for (;;) {
		cut_blanks(r->expr);
		char *blank = r->expr + strlen(r->expr);
		while (blank > r->expr && blank[-1] != ' ' && blank[-1] != '\t')
			blank--;
		if (blank == r->expr || !is_option(blank))
			return *r->expr && !is_option(r->expr);
		if (!take_option(blank, r, e))
			return false;
		*blank = 0;
	}
}

bool watch_split(struct debugger *d, const char *args, struct watch_request *r, struct err *e)
{
	size_t n = 0;
	*r = (struct watch_request){0};
	event_filter_any(&r->filter);
	r->cond = find_condition(args, &n);
	r->expr = xstrndup(args, n);
	bool ok = take_options(r, e);
	if (!ok && !e->set)
		err_set(e, "watch: a probe (gpu.sm[0].l1d.misses), %%register, *ADDRESS or Lua expression is expected");
	if (ok && r->cond && !*r->cond)
		ok = err_set(e, "watch: a Lua expression is expected after 'if'");
	return ok && break_filter_exists(d, &r->filter, e) && (!r->cond || lua_dbg_check_condition(d, r->cond, e));
}

void watch_request_release(struct watch_request *r)
{
	free(r->expr);
	r->expr = NULL;
}
