/* print display, and evaluating what they are given */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/format.h"
#include "lua/dbg.h"
#include "obs/names.h"

bool read_register(struct debugger *d, const char *name, enum ptype *t, u64 *bits, struct err *e)
{
	struct warp_info w;
	const struct focus *f = &d->focus;
	gpu_warp_info(dbg_gpu(d), f->sm, f->warp, &w);
	const struct module *m = w.state == WS_NONE ? NULL : module_of_launch(dbg_gpu(d), w.launch);
	if (!m || w.pc == PC_DONE)
		return err_set(e, "%.40s: SM %u warp %u is empty or has exited: no registers", name, f->sm, f->warp);
	const struct regname *r = reg_find(m, w.pc, name);
	if (!r)
		return err_set(e, "the focused kernel has no register '%.40s'", name);
	*t = r->type;
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
		if (!read_register(d, expr, &t, &bits, e))
			return false;
		format_value(fmt, t, bits, out);
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
	if (word_number(expr, out) || named_address(d, expr, out))
		return true;
	if (*expr == '%')
		return read_register(d, expr, &t, out, e);
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

bool cmd_print(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char fmt;
	struct strbuf t = STRBUF_INIT;
	const char *expr = print_format(args, &fmt, e);
	if (!expr)
		return false;
	if (!*expr)
		return err_set(e, "print: a Lua expression or %%register is expected");
	bool ok = value_expression(d, expr, fmt, &t, e);
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
	d->displays = xrealloc(d->displays, (d->ndisplays + 1) * sizeof(*d->displays));
	struct display *x = &d->displays[d->ndisplays++];
	*x = (struct display){.id = d->next_display++, .enabled = true, .expr = xstrdup(args)};
	show_display(d, x, out);
	return true;
}
