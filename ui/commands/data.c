/* print display, and evaluating what they are given */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "script/dbg.h"
#include "obs/name/names.h"

/* "/x " in front of an expression. */
static const char *print_format(const char *args, char *fmt, struct err *e)
{
	*fmt = 0;
	if (*args != '/')
		return args;
	if (!args[1] || !strchr("xdufc", args[1]) || (args[2] && args[2] != ' ')) {
		err_set(e, "'%.10s' is no format of print: /x /d /u /f /c", args);
		return NULL;
	}
	*fmt = args[1];
	return skip_blanks(args + 2);
}

static bool is_literal(const char *word)
{
	return !strcmp(word, "nil") || !strcmp(word, "true") || !strcmp(word, "false");
}

bool unknown_variable(struct debugger *d, const char *expr)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	if (!*expr || expr[strspn(expr, letters)] || strspn(expr, "0123456789") || is_literal(expr))
		return false;
	return !lua_dbg_has_global(d, expr);
}

bool misnamed(struct debugger *d, const char *expr, struct err *e)
{
	static const char *const cuda[][2] = {
	    {"threadIdx", "%tid"}, {"blockIdx", "%ctaid"}, {"blockDim", "%ntid"}, {"gridDim", "%nctaid"}};
	struct err none = {0};
	char field[80];
	u64 addr;
	if (!unknown_variable(d, expr))
		return false;
	if (named_address(d, expr, &addr)) {
		err_set(e, "'%.60s' is a buffer or symbol: `x %.60s` shows it, `watch *%.60s` watches it", expr, expr, expr);
		return true;
	}
	if (shared_name(d, expr, &addr))
		return err_set(e, "'%.60s' is in shared memory: `x shared:%.60s` shows it, `watch shared:%.60s` watches it",
		               expr, expr, expr),
		       true;
	for (u32 i = 0; i < ARRAY_LEN(cuda); i++)
		if (!strcmp(expr, cuda[i][0])) {
			err_set(e, "'%s' has parts: `print %s.x`, .y and .z are the focused lane's (in PTX %s.x)", expr, expr,
			        cuda[i][1]);
			return true;
		}
	snprintf(field, sizeof field, "gpu.%.60s", expr);
	if (!lua_dbg_eval(d, field, &none))
		return false;
	lua_pop(d->s->L, 1);
	err_set(e, "there is no variable '%.60s' (did you mean %s?)", expr, field);
	return true;
}

/* A name that is no variable of Lua: a buffer's or symbol's address, or an error that says what may have been meant. */
static bool print_name(struct debugger *d, const char *name, struct strbuf *out, struct err *e)
{
	u64 addr;
	if (!named_address(d, name, &addr))
		return !misnamed(d, name, e) && err_set(e, "there is no variable, buffer or symbol '%.60s'", name);
	strbuf_addf(out, "0x%llx", (unsigned long long)addr);
	return true;
}

/* An object of `gpu`, "gpu.l1d", "gpu.sm[3].warp[0]", is shown with all it holds. Only what begins like one is looked
 * at: an expression is evaluated once. */
static bool print_object(struct debugger *d, const char *expr, char fmt, struct strbuf *out)
{
	struct err none = {0};
	size_t n = strlen(expr);
	bool path = !strncmp(expr, "gpu", 3) && strspn(expr, "abcdefghijklmnopqrstuvwxyz_.[]0123456789") == n;
	if (!path || !lua_dbg_eval(d, expr, &none))
		return false;
	bool object = lua_dbg_members(d->s->L, -1, fmt, out);
	lua_pop(d->s->L, 1);
	return object;
}

bool cmd_print(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char fmt;
	struct strbuf t = STRBUF_INIT;
	const char *expr = print_format(args, &fmt, e);
	if (!expr)
		return false;
	if (!*expr)
		return err_set(e, "print: a Lua expression or %%register is expected");
	bool ok = unknown_variable(d, expr) ? print_name(d, expr, &t, e)
	                                    : print_object(d, expr, fmt, &t) || value_expression(d, expr, fmt, &t, e);
	take_output(d, out);
	if (ok)
		strbuf_addf(out, "%s\n", strbuf_str(&t));
	strbuf_release(&t);
	return ok;
}

bool cmd_display(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (!*args) {
		show_displays(d, out);
		return true;
	}
	if (*args != '%' && !gdb_variable_name(args) && !lua_dbg_check_expr(d, args, e))
		return false;
	if (misnamed(d, args, e))
		return false;
	d->displays = xrealloc(d->displays, (d->ndisplays + 1) * sizeof(*d->displays));
	struct display *x = &d->displays[d->ndisplays++];
	*x = (struct display){.id = d->next_display++, .enabled = true, .expr = xstrdup(args)};
	show_display(d, x, out);
	return true;
}
