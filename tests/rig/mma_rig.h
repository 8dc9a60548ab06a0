/* Rig for matrix instructions: one instruction, read from PTX text, executed on operands that are given by lane. */
#ifndef TESTS_RIG_MMA_RIG_H
#define TESTS_RIG_MMA_RIG_H
#include <stdlib.h>
#include <string.h>

#include "front/ptx/executor/simd.h"
#include "front/ptx/ptx.h"
#include "ir/wide.h"

#define MMA_FRAME (64 * 256)
struct mma_case {
	struct module *m;
	struct inst *in;
	u32 na, nb, nc, ne, nd; /* 32-bit words a lane */
};

/* The operand list of a register file: count words from `first` on, as registers of this type. */
static inline char *mma_list(char *to, u8 type, const char *prefix, u32 first, u32 words)
{
	const u32 n = type == MT_F64 ? words / 2 : words;
	to += sprintf(to, "{");
	for (u32 i = 0; i < n; i++)
		to += sprintf(to, "%s%%%s%s%u", i ? "," : "",
		              type == MT_F64   ? "d"
		              : type == MT_F32 ? "f"
		                               : "r",
		              prefix, first + i);
	return to + sprintf(to, "}");
}
static inline const char *mma_registers(void)
{
	return ".reg .b32 %ra<8>, %rb<8>, %rc<8>, %rd<8>, %re<1>; .reg .f32 %fc<8>, %fd<8>;\n"
	       ".reg .f64 %da<8>, %db<8>, %dc<8>, %dd<8>;\n";
}
static inline u8 mma_type_named(const char *p, size_t len)
{
	for (u32 i = 1; i < MT_COUNT; i++)
		if (strlen(mma_type_names[i]) == len && !memcmp(mma_type_names[i], p, len))
			return (u8)i;
	return MT_NONE;
}
/* The types D, A, B, C that an opcode names. */
static inline void mma_types(const char *ins, u8 t[4])
{
	u32 n = 0;
	memset(t, 0, 4);
	for (const char *p = ins; p && n < 4; p = strchr(p, '.')) {
		p += *p == '.';
		const u8 type = mma_type_named(p, strcspn(p, "."));
		if (type)
			t[n++] = type;
	}
}
/* A kernel with this one instruction. selector: of mma.sp; words: 32-bit words a lane of A, B, C, metadata, D. */
static inline bool mma_load(struct mma_case *c, const char *ins, u32 na, u32 nb, u32 nc, u32 ne, u32 nd, u32 selector,
                            struct err *e)
{
	char text[2000], *p = text;
	u8 t[4];
	mma_types(ins, t);
	p += sprintf(p, ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n%s%s ", mma_registers(), ins);
	p = mma_list(p, t[0], "d", 0, nd);
	p = mma_list(p + sprintf(p, ","), t[1] == MT_F64 ? MT_F64 : MT_S32, "a", 0, na);
	p = mma_list(p + sprintf(p, ","), t[1] == MT_F64 ? MT_F64 : MT_S32, "b", 0, nb);
	p = mma_list(p + sprintf(p, ","), t[3], "c", 0, nc);
	if (ne)
		p += sprintf(p, ",%%re0,%u", selector);
	sprintf(p, ";\nret;\n}\n");
	*c = (struct mma_case){
	    .m = ptx_load("mma.ptx", text, strlen(text), e), .na = na, .nb = nb, .nc = nc, .ne = ne, .nd = nd};
	c->in = c->m ? &c->m->code[c->m->funcs[0].entry] : NULL;
	return c->m && c->in->op == OP_MMA;
}

/* Words of a lane into registers, or out of them. in: A, B, C, metadata; `stride` words from lane to lane. */
static inline void mma_move(u8 *frame, const opnd *regs, u32 n, bool wide, u32 *words, u32 stride, bool out)
{
	for (u32 r = 0; r < n; r++)
		for (u32 l = 0; l < LANES; l++)
			for (u32 h = 0; h <= wide; h++) {
				u32 *reg = (u32 *)(void *)(frame + regs[r]) + (wide ? 2 * l + h : l);
				u32 *word = &words[l * stride + (wide ? 2 * r + h : r)];
				*(out ? word : reg) = *(out ? reg : word);
			}
}
static inline void mma_run(const struct mma_case *c, enum exec_level level, const struct tensor_rules *rules,
                           const u32 *given, u32 *d)
{
	static u8 frame[MMA_FRAME] __attribute__((aligned(128)));
	static struct ptx f;
	static struct warp w;
	static struct dyninst out;
	struct wide *x = c->in->wide;
	const bool wide = x->shape.a == MT_F64;
	const u32 words = c->na + c->nb + c->nc + c->ne;
	u32 *lanes = malloc(words * LANES * sizeof(u32));
	f.tensor = *rules;
	w.mask = w.live = FULL_MASK;
	memcpy(lanes, given, words * LANES * sizeof(u32));
	mma_move(frame, x->s, x->ns, wide, lanes, words, false);
	struct exec e = {
	    .base = {frame, c->m->pool}, .mask = FULL_MASK, .active = FULL_MASK, .out = &out, .f = &f, .w = &w};
	exec_resolve_level(c->in, level);
	c->in->exec(&e, c->in);
	mma_move(frame, x->d, x->nd, wide, d, c->nd, true);
	free(lanes);
}
#endif
