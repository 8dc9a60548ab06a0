#include "obs/name/names.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

const struct func *func_of_pc(const struct module *m, u32 pc)
{
	for (u32 i = 0; i < m->nfuncs; i++)
		if (pc >= m->funcs[i].entry && pc < m->funcs[i].end)
			return &m->funcs[i];
	return NULL;
}

const struct module *module_of_launch(const struct gpu *g, s32 launch)
{
	if (launch < 0 || (u32)launch >= gpu_num_kernels(g))
		return NULL;
	return gpu_launched(g, (u32)launch)->mod;
}

bool reg_live(const struct regname *r, u32 pc)
{
	return pc >= r->live_from && pc < r->live_to;
}

const struct regname *reg_find(const struct module *m, u32 pc, const char *name)
{
	const struct func *f = func_of_pc(m, pc);
	const struct regname *found = NULL;
	for (u32 i = 0; f && i < m->nregnames; i++) {
		const struct regname *r = &m->regnames[i];
		if (r->func != (u32)(f - m->funcs) || strcmp(r->name, name))
			continue;
		if (reg_live(r, pc))
			return r;
		found = r;
	}
	return found;
}

const struct regname *reg_of_operand(const struct module *m, u32 pc, opnd at)
{
	const struct func *f = func_of_pc(m, pc);
	const struct regname *found = NULL;
	if (!f || at == OPND_NONE || (at & OPND_POOL))
		return NULL;
	for (u32 i = 0; i < m->nregnames; i++) {
		const struct regname *r = &m->regnames[i];
		/* an instruction's destination begins to live behind it: either side of pc will do */
		if (r->func == (u32)(f - m->funcs) && r->at == at && (reg_live(r, pc) || reg_live(r, pc + 1)))
			found = found && reg_live(found, pc) ? found : r;
	}
	return found;
}

void line_text(const struct module *m, u32 pc, struct strbuf *out)
{
	u32 len = 0;
	const char *s = pc < m->ncode ? module_line(m, m->code[pc].line, &len) : NULL;
	if (!s || !len) {
		strbuf_addc(out, '?');
		return;
	}
	while (len && isspace((unsigned char)*s)) {
		s++;
		len--;
	}
	for (u32 i = 0; i < len; i++)
		strbuf_addc(out, s[i] == '\t' ? ' ' : s[i]);
}

void line_place(const struct module *m, u32 pc, struct strbuf *out)
{
	const char *path = pc < m->ncode ? module_part_of(m, m->code[pc].line)->path : m->path, *slash = strrchr(path, '/');
	strbuf_adds(out, slash ? slash + 1 : path);
	if (pc < m->ncode)
		strbuf_addf(out, ":%u", module_pc_line(m, pc));
}

/* --- values --- */

static double half_value(u16 h)
{
	u32 exp = h >> 10 & 31, frac = h & 1023;
	double v = exp == 31 ? (frac ? NAN : INFINITY) : exp ? ldexp(1024 + frac, (int)exp - 25) : ldexp(frac, -24);
	return h >> 15 ? -v : v;
}

double value_real(enum ptype t, u64 bits)
{
	u32 word = (u32)bits;
	float f;
	double d;
	switch (t) {
	case T_F16: return half_value((u16)bits);
	case T_BF16: word = (u32)(bits & 0xffff) << 16; /* fall through */
	case T_F32: memcpy(&f, &word, 4); return f;
	default: memcpy(&d, &bits, 8); return d;
	}
}

s64 value_int(enum ptype t, u64 bits)
{
	u32 bytes = ptype_bytes(t);
	if (!bytes || bytes >= 8)
		return (s64)bits;
	u32 shift = 64 - 8 * bytes;
	return ptype_is_signed(t) ? (s64)(bits << shift) >> shift : (s64)(bits << shift >> shift);
}

void value_text(enum ptype t, u64 bits, struct strbuf *out)
{
	switch (t) {
	case T_PRED: strbuf_addf(out, "%llu", (unsigned long long)(bits & 1)); break;
	case T_F16:
	case T_BF16: strbuf_addf(out, "%.5g", value_real(t, bits)); break;
	case T_F32: strbuf_addf(out, "%.9g", value_real(t, bits)); break;
	case T_F64: strbuf_addf(out, "%.17g", value_real(t, bits)); break;
	case T_U8:
	case T_U16:
	case T_U32:
	case T_U64: strbuf_addf(out, "%llu", (unsigned long long)value_int(t, bits)); break;
	case T_S8:
	case T_S16:
	case T_S32:
	case T_S64: strbuf_addf(out, "%lld", (long long)value_int(t, bits)); break;
	default:
		strbuf_addf(out, "0x%0*llx", (int)(2 * MIN(ptype_bytes(t), 8u)), (unsigned long long)value_int(t, bits));
		break;
	}
}
