/* print display, and evaluating what they are given */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/format.h"
#include "script/dbg.h"
#include "obs/name/names.h"

/* *dead: the register has no value where the warp stands; what is read is whatever its slot holds now. */
static bool read_register(struct debugger *d, const char *name, enum ptype *t, u64 *bits, bool *dead, struct err *e)
{
	struct warp_info w;
	const struct focus *f = &d->focus;
	gpu_warp_info(dbg_gpu(d), f->sm, f->warp, &w);
	const struct module *m = w.state == WS_NONE ? NULL : module_of_launch(dbg_gpu(d), w.launch);
	if (!m || w.pc == PC_DONE)
		return err_set(e, "%.40s: SM %u warp %u is empty or has exited: no registers", name, f->sm, f->warp);
	const struct regname *r = reg_find(m, w.pc, name);
	*dead = r && !reg_live(r, w.pc);
	*t = r ? r->type : T_U32;
	if (!r)
		return special_register(d, &w, name, bits) ||
		       err_set(e, "the focused kernel has no register '%.40s'; `info registers all` lists them", name);
	*bits = front_read_reg(gpu_front(dbg_gpu(d)), f->sm, f->warp, f->lane, r->at, r->type);
	return true;
}

void format_value(char fmt, enum ptype t, u64 bits, struct strbuf *out)
{
	u32 bytes = MAX(ptype_bytes(t), 1u);
	u64 raw = bytes >= 8 ? bits : bits & (BIT(8 * bytes) - 1);
	switch (fmt) {
	case 'x': strbuf_addf(out, "0x%llx", (unsigned long long)raw); break;
	case 'u': strbuf_addf(out, "%llu", (unsigned long long)raw); break;
	case 'd':
		strbuf_addf(out, "%lld",
		            (long long)(bytes >= 8 ? (s64)bits : (s64)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes)));
		break;
	case 'c': strbuf_addf(out, raw >= 32 && raw < 127 ? "'%c'" : "%u", (u32)raw & 0xff); break;
	case 'f': value_text(bytes == 8 ? T_F64 : bytes == 2 ? T_F16 : T_F32, bits, out); break;
	default: value_text(t, bits, out); break;
	}
}

bool value_expression(struct debugger *d, const char *expr, char fmt, struct strbuf *out, struct err *e)
{
	if (*expr == '%') {
		enum ptype t;
		u64 bits;
		bool dead;
		if (!read_register(d, expr, &t, &bits, &dead, e))
			return false;
		format_value(fmt, t, bits, out);
		strbuf_adds(out, dead ? "  (dead here: the slot may hold another register)" : "");
		return true;
	}
	int n = lua_dbg_eval_all(d, expr, e);
	for (int i = n; i > 0; i--) {
		strbuf_adds(out, i < n ? "  " : "");
		lua_dbg_text(d->s->L, -i, fmt, out);
	}
	if (n > 0)
		lua_pop(d->s->L, n);
	else if (!n)
		strbuf_adds(out, "no value");
	return n >= 0;
}

bool looked_at(struct debugger *d, const char *expr, struct strbuf *out, struct err *e)
{
	lua_dbg_look_begins(d);
	bool ok = value_expression(d, expr, 0, out, e);
	lua_dbg_look_ends(d);
	return ok;
}

/* A buffer of the host program or a symbol of a module. */
static bool named_address(struct debugger *d, const char *name, u64 *out)
{
	const struct devmem *m = sim_devmem(d->s->sim);
	for (u32 i = 0; i < m->nallocs; i++)
		if (!m->allocs[i].freed && *m->allocs[i].name && !strcmp(m->allocs[i].name, name)) {
			*out = m->allocs[i].addr;
			return true;
		}
	for (u32 i = 0; i < sim_num_modules(d->s->sim); i++) {
		const struct module *mod = sim_module(d->s->sim, i);
		for (u32 k = 0; k < mod->nsymbols; k++) {
			const struct symbol *y = &mod->symbols[k];
			if ((y->space == SPC_GLOBAL || y->space == SPC_CONST) && !strcmp(y->name, name)) {
				*out = y->addr;
				return true;
			}
		}
	}
	return false;
}

bool address_expression(struct debugger *d, const char *expr, u64 *out, struct err *e)
{
	enum ptype t;
	bool dead;
	if (word_number(expr, out) || named_address(d, expr, out))
		return true;
	if (*expr == '%')
		return read_register(d, expr, &t, out, &dead, e);
	if (!lua_dbg_eval(d, expr, e))
		return false;
	int ok = 0;
	lua_Integer v = lua_tointegerx(d->s->L, -1, &ok);
	lua_pop(d->s->L, 1);
	*out = (u64)v;
	return ok ||
	       err_set(e, "'%.60s' is not an address (a whole number, a %%register, or a buffer's or symbol's name)", expr);
}

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

struct name {
	const char *text;
	bool known;
};

static int look_for(lua_State *L, void *ctx)
{
	struct name *n = ctx;
	lua_pushglobaltable(L);
	bool own_rules = lua_getmetatable(L, -1); /* of a script's: whatever the name means, Lua finds out */
	lua_pop(L, own_rules);
	lua_pushstring(L, n->text);
	n->known = lua_rawget(L, -2) != LUA_TNIL || own_rules;
	return 0;
}

bool unknown_variable(struct debugger *d, const char *expr)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	if (!*expr || expr[strspn(expr, letters)] || strspn(expr, "0123456789") || is_literal(expr))
		return false;
	struct name n = {.text = expr};
	return lua_guarded(d->s->L, look_for, &n, 0, 0, NULL) && !n.known;
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
			err_set(e, "'%s' is no name here: the focused lane's is %s.x, .y and .z", expr, cuda[i][1]);
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

static void show_display(struct debugger *d, const struct display *x, struct strbuf *out)
{
	struct err e = {0};
	struct strbuf t = STRBUF_INIT;
	bool ok = looked_at(d, x->expr, &t, &e);
	strbuf_addf(out, "%u: %s = %s\n", x->id, x->expr, ok ? strbuf_str(&t) : e.msg);
	strbuf_release(&t);
}

void show_displays(struct debugger *d, struct strbuf *out)
{
	for (u32 i = 0; i < d->ndisplays; i++)
		if (d->displays[i].enabled)
			show_display(d, &d->displays[i], out);
}

bool cmd_display(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (!*args) {
		show_displays(d, out);
		return true;
	}
	if (*args != '%' && !lua_dbg_check_expr(d, args, e))
		return false;
	if (misnamed(d, args, e))
		return false;
	d->displays = xrealloc(d->displays, (d->ndisplays + 1) * sizeof(*d->displays));
	struct display *x = &d->displays[d->ndisplays++];
	*x = (struct display){.id = d->next_display++, .enabled = true, .expr = xstrdup(args)};
	show_display(d, x, out);
	return true;
}
