/* Registers, addresses and expressions to values and text; displays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "dbg/lua_side.h"
#include "dbg/value.h"
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

/* gdb's convenience variables that have a meaning here: the last breakpoint, and where the focused warp stands. */
static bool gdb_variable(struct debugger *d, const char *name, u64 *out)
{
	struct warp_info w;
	if (!strcmp(name, "$bpnum")) {
		*out = 0;
		for (u32 i = 0; i < d->breaks.n; i++)
			if (!d->breaks.list[i]->internal)
				*out = d->breaks.list[i]->id;
		return true;
	}
	gpu_warp_info(dbg_gpu(d), d->focus.sm, d->focus.warp, &w);
	*out = w.pc;
	return !strcmp(name, "$pc") && w.state != WS_NONE && w.pc != PC_DONE;
}

bool gdb_variable_name(const char *expr)
{
	return !strcmp(expr, "$bpnum") || !strcmp(expr, "$pc");
}

bool value_expression(struct debugger *d, const char *expr, char fmt, struct strbuf *out, struct err *e)
{
	char special[SPECIAL_NAME_MAX];
	if (cuda_variable(expr, special))
		expr = special;
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
	u64 v;
	if (*expr == '$' && gdb_variable(d, expr, &v)) {
		format_value(fmt ? fmt : 'u', T_U64, v, out);
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
bool named_address(struct debugger *d, const char *name, u64 *out)
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

void show_display(struct debugger *d, const struct display *x, struct strbuf *out)
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
