/* Matrix instructions: mma, wmma, ldmatrix, movmatrix. Their modifiers are read here: shapes and types decide how many
 * registers each operand has. */
#include <string.h>

#include "front/ptx/reader/lower.h"
#include "ir/wide.h"

/* Shapes that PTX has, and the first target with each. */
struct legal {
	u8 type; /* of A; its siblings below have the same */
	u16 m, n, k;
	u8 sm;
};
static const struct legal mmas[] = {
    {MT_F16, 8, 8, 4, 70},    {MT_F16, 16, 8, 8, 75},   {MT_F16, 16, 8, 16, 80}, {MT_BF16, 16, 8, 8, 80},
    {MT_BF16, 16, 8, 16, 80}, {MT_TF32, 16, 8, 4, 80},  {MT_TF32, 16, 8, 8, 80}, {MT_F64, 8, 8, 4, 80},
    {MT_F64, 16, 8, 4, 90},   {MT_F64, 16, 8, 8, 90},   {MT_F64, 16, 8, 16, 90}, {MT_S8, 8, 8, 16, 75},
    {MT_S8, 16, 8, 16, 80},   {MT_S8, 16, 8, 32, 80},   {MT_S4, 8, 8, 32, 75},   {MT_S4, 16, 8, 32, 80},
    {MT_S4, 16, 8, 64, 80},   {MT_B1, 8, 8, 128, 75},   {MT_B1, 16, 8, 128, 80}, {MT_B1, 16, 8, 256, 80},
    {MT_E4M3, 16, 8, 16, 89}, {MT_E4M3, 16, 8, 32, 89},
};
static const struct legal sparse[] = {
    {MT_F16, 16, 8, 16, 80}, {MT_F16, 16, 8, 32, 80},  {MT_BF16, 16, 8, 16, 80}, {MT_BF16, 16, 8, 32, 80},
    {MT_TF32, 16, 8, 8, 80}, {MT_TF32, 16, 8, 16, 80}, {MT_S8, 16, 8, 32, 80},   {MT_S8, 16, 8, 64, 80},
    {MT_S4, 16, 8, 64, 80},  {MT_S4, 16, 8, 128, 80},  {MT_E4M3, 16, 8, 64, 89},
};
static const struct legal wmmas[] = {
    {MT_F16, 16, 16, 16, 70}, {MT_F16, 32, 8, 16, 70},  {MT_F16, 8, 32, 16, 70}, {MT_BF16, 16, 16, 16, 80},
    {MT_BF16, 32, 8, 16, 80}, {MT_BF16, 8, 32, 16, 80}, {MT_S8, 16, 16, 16, 72}, {MT_S8, 32, 8, 16, 72},
    {MT_S8, 8, 32, 16, 72},   {MT_TF32, 16, 16, 8, 80}, {MT_F64, 8, 8, 4, 80},   {MT_S4, 8, 8, 32, 75},
    {MT_B1, 8, 8, 128, 75},
};

/* Types that share their shapes. */
static u8 family(u8 type)
{
	return type == MT_U8 ? MT_S8 : type == MT_U4 ? MT_S4 : type == MT_E5M2 ? MT_E4M3 : type;
}
static const struct legal *find_legal(const struct legal *l, u32 n, const struct mma_shape *m)
{
	for (u32 i = 0; i < n; i++)
		if (l[i].type == family(m->a) && l[i].m == m->m && l[i].n == m->n && l[i].k == m->k)
			return &l[i];
	return NULL;
}
static const struct legal *legal_of(const struct mma_shape *m)
{
	return m->wmma     ? find_legal(wmmas, ARRAY_LEN(wmmas), m)
	       : m->sparse ? find_legal(sparse, ARRAY_LEN(sparse), m)
	                   : find_legal(mmas, ARRAY_LEN(mmas), m);
}

/* --- modifiers ---------------------------------------------------------------------------------------------------- */

struct words { /* what the modifiers said */
	struct mma_shape m;
	u8 types[4];
	u32 ntypes, nlayouts;
	bool col[2];
	bool sync, aligned, popc, trans, b16, m8n8, load, store, multiply, b1_op;
	u32 count; /* .x1 .x2 .x4 */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}
static const char *number(const char *p, const char *end, char letter, u16 *out)
{
	u32 v = 0;
	if (!p || p == end || *p++ != letter || p == end || !is_digit(*p))
		return NULL;
	while (p < end && is_digit(*p) && v < 1000)
		v = v * 10 + (u32)(*p++ - '0');
	*out = (u16)v;
	return p;
}
/* .m16n8k16 */
static bool shape_word(const struct token *t, struct mma_shape *m)
{
	const char *end = t->p + t->len, *p = t->p + (*t->p == '.');
	return number(number(number(p, end, 'm', &m->m), end, 'n', &m->n), end, 'k', &m->k) == end;
}
static u8 type_word(const struct token *t)
{
	for (u32 i = 1; i < MT_COUNT; i++)
		if (tok_is_mod(t, mma_type_names[i]))
			return (u8)i;
	return MT_NONE;
}
static bool flag_word(const struct token *t, struct words *w)
{
	const struct {
		const char *word;
		bool *flag;
	} rows[] = {{"sync", &w->sync},       {"aligned", &w->aligned}, {"popc", &w->popc},
	            {"trans", &w->trans},     {"b16", &w->b16},         {"m8n8", &w->m8n8},
	            {"load", &w->load},       {"store", &w->store},     {"mma", &w->multiply},
	            {"satfinite", &w->m.sat}, {"sp", &w->m.sparse},     {"sp::ordered_metadata", &w->m.sparse},
	            {"xor", &w->b1_op}};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++)
		if (tok_is_mod(t, rows[i].word))
			return *rows[i].flag = true;
	return false;
}
static bool other_word(const struct token *t, struct words *w)
{
	static const char *const matrices[] = {"a", "b", "c", "d"}, *const counts[] = {"x1", "x2", "x4"};
	static const char *const rounds[] = {"rn", "rz", "rm", "rp"};
	for (u32 i = 0; i < 4; i++) {
		if (tok_is_mod(t, matrices[i]) && (w->load || w->store)) {
			w->m.matrix = (u8)i;
			return true;
		}
		if (tok_is_mod(t, rounds[i])) {
			w->m.round = (u8)(RND_RN + i);
			return true;
		}
		if (i < 3 && tok_is_mod(t, counts[i])) {
			w->count = 1u << i;
			return true;
		}
	}
	if (tok_is_mod(t, "and"))
		return w->b1_op = w->m.b1_and = true;
	if ((tok_is_mod(t, "row") || tok_is_mod(t, "col")) && w->nlayouts < 2) {
		w->col[w->nlayouts++] = tok_is_mod(t, "col");
		return true;
	}
	return false;
}
static bool space_word(struct stmt *s, const struct token *t)
{
	if (tok_is_mod(t, "global"))
		s->in.space = SPC_GLOBAL;
	else if (tok_is_mod(t, "shared") || tok_is_mod(t, "shared::cta"))
		s->in.space = SPC_SHARED;
	else
		return false;
	return true;
}
static bool read_words(struct stmt *s, struct words *w)
{
	*w = (struct words){.m.round = RND_RN};
	for (u32 i = 0; i < s->nmods; i++) {
		const struct token *t = &s->mod[i];
		const u8 type = type_word(t);
		if (type && w->ntypes < 4)
			w->types[w->ntypes++] = type;
		else if (type || !(flag_word(t, w) || other_word(t, w) || shape_word(t, &w->m) || space_word(s, t)))
			return ld_unsupported(s->ld, t, "'%s' is not supported ('%s' does not know '%s')", NAME(s), s->form->name,
			                      TEXT(t));
	}
	if (!w->sync || !w->aligned)
		return ld_fail(s->ld, &s->op, "'%s' needs .sync and .aligned", NAME(s));
	return true;
}

/* --- operands ----------------------------------------------------------------------------------------------------- */

static struct wide *wide_new(struct stmt *s, const struct mma_shape *m)
{
	struct wide *w = xcalloc(1, sizeof *w);
	struct wide **at = PUSH(s->ld->m->wides, s->ld->m->nwides);
	*at = w;
	w->shape = *m;
	s->in.wide = w;
	return w;
}

/* Registers of a fragment of so many elements. wmma has room for each 16-bit element of A and B twice. */
static u32 registers(const struct mma_shape *m, u8 type, u32 elements, bool is_ab)
{
	const u32 bits = mma_type_bits[type];
	if (m->m == 8 && m->n == 8 && m->k == 4 && type != MT_F64)
		return is_ab ? 2 : type == MT_F16 ? 4 : 8;
	if (m->wmma && is_ab && type == MT_F16)
		return 8;
	return bits == 64 ? elements / WARP_SIZE : elements * bits / (32 * WARP_SIZE);
}
static u32 registers_of(const struct mma_shape *m, enum mma_matrix x)
{
	switch (x) {
	case MM_A: return registers(m, m->a, (u32)m->m * m->k >> m->sparse, true);
	case MM_B: return registers(m, m->b, (u32)m->n * m->k, true);
	case MM_C: return registers(m, m->c, (u32)m->m * m->n, false);
	default: return registers(m, m->d, (u32)m->m * m->n, false);
	}
}
static enum ptype register_type(u8 type)
{
	return type == MT_F64 ? T_F64 : type == MT_F32 ? T_F32 : T_B32;
}
/* The elements of an operand; one register may stand without braces. */
static const struct operand *elements(struct stmt *s, const struct operand *o, u32 n)
{
	if (o->kind != A_VEC && n == 1)
		return o;
	if (o->kind == A_VEC && o->nelems == n)
		return &s->elem[o->elems];
	ld_fail(s->ld, &o->at, "'%s' needs %u register%s in braces here", NAME(s), n, n == 1 ? "" : "s");
	return NULL;
}
static bool add_sources(struct stmt *s, struct wide *w, const struct operand *o, u32 n, u8 type)
{
	const struct operand *list = elements(s, o, n);
	for (u32 i = 0; list && i < n; i++)
		if (!lower_src(s, &list[i], register_type(type), W_EXACT, &w->s[w->ns++]))
			return false;
	return list != NULL;
}
static bool add_destinations(struct stmt *s, struct wide *w, const struct operand *o, u32 n, u8 type)
{
	const struct operand *list = elements(s, o, n);
	for (u32 i = 0; list && i < n; i++)
		if (!lower_dst(s, &list[i], register_type(type), W_EXACT, &w->d[w->nd++]))
			return false;
	return list != NULL;
}

/* --- mma, wmma.mma ------------------------------------------------------------------------------------------------ */

static bool is_half_or_f32(u8 t)
{
	return t == MT_F16 || t == MT_F32;
}
/* Are C and D what an A of this type has? */
static bool accumulates(const struct mma_shape *m)
{
	switch (family(m->a)) {
	case MT_F16:
		if (!is_half_or_f32(m->c) || !is_half_or_f32(m->d))
			return false;
		return m->wmma || m->c == m->d || (m->m == 8 && m->c == MT_F16);
	case MT_BF16:
	case MT_TF32: return m->c == MT_F32 && m->d == MT_F32;
	case MT_E4M3: return is_half_or_f32(m->c) && m->c == m->d;
	case MT_F64: return m->c == MT_F64 && m->d == MT_F64;
	default: return m->c == MT_S32 && m->d == MT_S32;
	}
}
static bool set_types(struct stmt *s, struct words *w)
{
	struct mma_shape *m = &w->m;
	if (m->wmma && w->ntypes == 2 && is_half_or_f32(w->types[0])) { /* .dtype.ctype of f16 */
		m->d = w->types[0];
		m->a = m->b = MT_F16;
		m->c = w->types[1];
	} else if (w->ntypes == 4) {
		m->d = w->types[0];
		m->a = w->types[1];
		m->b = w->types[2];
		m->c = w->types[3];
	} else {
		return ld_fail(s->ld, &s->op, "'%s' needs the types of D, A, B and C", NAME(s));
	}
	const bool mixed = m->a == m->b || (family(m->a) == family(m->b) && !m->wmma);
	if (!mixed || !accumulates(m))
		return ld_unsupported(s->ld, &s->op, "'%s' is not supported: no such combination of types", NAME(s));
	return true;
}
static bool check_shape(struct stmt *s, const struct words *w, u8 *sm)
{
	const struct mma_shape *m = &w->m;
	const struct legal *l = legal_of(m);
	if (!l)
		return ld_unsupported(s->ld, &s->op, "'%s' is not supported: no such shape for %s", NAME(s),
		                      mma_type_names[m->a]);
	*sm = m->b1_and || (m->wmma && m->a == MT_B1 && m->b1_and) ? MAX(l->sm, 80) : l->sm;
	return true;
}
static bool check_multiply(struct stmt *s, const struct words *w)
{
	const struct mma_shape *m = &w->m;
	const bool integer = m->c == MT_S32, any_layout = (m->m == 8 && m->k == 4 && m->a == MT_F16) ||
	                                                  (m->wmma && m->a != MT_S4 && m->a != MT_U4 && m->a != MT_B1);
	if (w->nlayouts != 2)
		return ld_fail(s->ld, &s->op, "'%s' needs the layouts of A and B", NAME(s));
	if (!any_layout && (m->a_col || m->b_row))
		return ld_fail(s->ld, &s->op, "'%s': this shape is .row.col only", NAME(s));
	if (m->sat && (!integer || m->a == MT_B1))
		return ld_fail(s->ld, &s->op, "'%s': .satfinite is for s8, u8, s4 and u4", NAME(s));
	if (m->a == MT_B1 ? !w->popc || !w->b1_op : w->popc || w->b1_op)
		return ld_fail(s->ld, &s->op, "'%s': .b1 needs .xor.popc or .and.popc, and nothing else has them", NAME(s));
	return true;
}
/* Of a quad, the lanes that give metadata: one, two, or all four. */
static u32 selectors(const struct mma_shape *m)
{
	const u32 words = m->m * m->k / 2 * (m->a == MT_TF32 ? 4 : m->a == MT_S4 || m->a == MT_U4 ? 1 : 2) / 32;
	return 32 / words; /* 8 words: 4 choices; 16: 2; 32: 1 */
}
static bool lower_metadata(struct stmt *s, struct wide *w)
{
	const struct operand *o = &s->arg[5];
	if (!add_sources(s, w, &s->arg[4], 1, MT_S32))
		return false;
	if (o->kind != A_INT || o->ival >= selectors(&w->shape))
		return ld_fail(s->ld, &o->at, "'%s' needs a constant of 0 to %u here", NAME(s), selectors(&w->shape) - 1);
	w->shape.selector = (u8)o->ival;
	return true;
}
static bool lower_multiply(struct stmt *s, struct words *w)
{
	u8 sm;
	struct mma_shape *m = &w->m;
	m->a_col = w->col[0];
	m->b_row = w->nlayouts == 2 && !w->col[1];
	if (!set_types(s, w) || !check_shape(s, w, &sm) || !check_multiply(s, w))
		return false;
	const u32 nargs = m->sparse ? 6 : 4;
	if (!want_args(s, nargs, nargs))
		return false;
	struct wide *x = wide_new(s, m);
	x->need_sm = sm;
	x->na = (u8)registers_of(m, MM_A);
	x->nb = (u8)registers_of(m, MM_B);
	x->nc = (u8)registers_of(m, MM_C);
	s->in.op = OP_MMA;
	s->in.type = register_type(m->d);
	if (!add_destinations(s, x, &s->arg[0], registers_of(m, MM_D), m->d) ||
	    !add_sources(s, x, &s->arg[1], x->na, m->a) || !add_sources(s, x, &s->arg[2], x->nb, m->b) ||
	    !add_sources(s, x, &s->arg[3], x->nc, m->c) || (m->sparse && !lower_metadata(s, x)))
		return false;
	emit(s, &s->in);
	return true;
}
bool lower_mma(struct stmt *s)
{
	struct words w;
	return read_words(s, &w) && lower_multiply(s, &w);
}

/* --- wmma.load, wmma.store ---------------------------------------------------------------------------------------- */

/* The one type of the fragment stands for all: those of the other matrices do not matter. */
static bool set_fragment(struct stmt *s, struct words *w, u8 *sm)
{
	struct mma_shape *m = &w->m;
	const u8 t = w->types[0];
	if (w->ntypes != 1 || w->nlayouts != 1)
		return ld_fail(s->ld, &s->op, "'%s' needs a layout and a type", NAME(s));
	if (w->store != (m->matrix == MM_D))
		return ld_fail(s->ld, &s->op, "'%s': .load has .a, .b or .c, .store has .d", NAME(s));
	m->a_col = m->matrix == MM_A && w->col[0];
	m->b_row = m->matrix == MM_B && !w->col[0];
	m->c_col = m->matrix >= MM_C && w->col[0];
	m->a = m->b = m->c = m->d = t;
	if (m->matrix < MM_C)
		return check_shape(s, w, sm);
	static const u8 of_f32[] = {MT_F16, MT_BF16, MT_TF32}, of_s32[] = {MT_S8, MT_S4, MT_B1};
	const bool wide = t == MT_F32, integer = t == MT_S32;
	for (u32 i = 0; i < 3 && (wide || integer); i++) {
		m->a = wide ? of_f32[i] : of_s32[i];
		if (legal_of(m))
			break;
	}
	return check_shape(s, w, sm);
}
/* Whole bytes of the matrix in memory. */
static u32 matrix_bytes(const struct mma_shape *m)
{
	const u32 elements = m->matrix == MM_A ? (u32)m->m * m->k : m->matrix == MM_B ? (u32)m->n * m->k : (u32)m->m * m->n;
	const u8 type = m->matrix == MM_A ? m->a : m->matrix == MM_B ? m->b : m->d;
	return elements * mma_type_bits[type] / 8;
}
/* An access moves 16 bytes a lane at most; registers (a load's) or bytes (a store's) are shared out among several. */
static bool emit_parts(struct stmt *s, struct wide *all)
{
	const struct mma_shape *m = &all->shape;
	const u32 parts = MAX(matrix_bytes(m) / (16 * WARP_SIZE), 1u), nd = all->nd;
	for (u32 p = 0; p < parts; p++) {
		struct wide *w = p ? wide_new(s, m) : all;
		const struct wide copy = *all;
		if (p)
			*w = copy;
		w->shape.part = (u8)p;
		w->shape.parts = (u8)parts;
		w->first = (u8)(s->in.op == OP_WMMA_LOAD ? p * (nd / parts) : 0);
	}
	for (u32 p = 0; p < parts; p++) {
		struct wide *w = s->ld->m->wides[s->ld->m->nwides - parts + p];
		if (s->in.op == OP_WMMA_LOAD) {
			memmove(w->d, w->d + w->first, (nd / parts) * sizeof w->d[0]);
			w->nd = (u8)(nd / parts);
		}
		s->in.wide = w;
		if (!emit_access(s, p + 1 == parts))
			return false;
	}
	return true;
}
static bool lower_move(struct stmt *s, struct words *w)
{
	u8 sm;
	if (!set_fragment(s, w, &sm) || !want_args(s, 2, 3))
		return false;
	const struct operand *regs = &s->arg[w->store], *at = &s->arg[!w->store];
	struct wide *x = wide_new(s, &w->m);
	const u8 type = w->types[0];
	const u32 n = registers_of(&w->m, w->m.matrix);
	x->need_sm = sm;
	s->in.op = w->store ? OP_WMMA_STORE : OP_WMMA_LOAD;
	s->in.type = register_type(type);
	if (s->in.space == SPC_NONE)
		s->in.space = SPC_GENERIC;
	if (!lower_address(s, at))
		return false;
	x->s[0] = s->in.s[0];
	s->in.s[0] = x->s[1] = OPND_NONE;
	x->ns = 2;
	if (s->nargs == 3 && !lower_src(s, &s->arg[2], T_B32, W_EXACT, &x->s[1]))
		return false;
	if (!(w->store ? add_sources(s, x, regs, n, type) : add_destinations(s, x, regs, n, type)))
		return false;
	return emit_parts(s, x);
}
bool lower_wmma(struct stmt *s)
{
	struct words w;
	if (!read_words(s, &w))
		return false;
	w.m.wmma = true;
	if (w.load + w.store + w.multiply != 1)
		return ld_fail(s->ld, &s->op, "'%s' needs .load, .store or .mma", NAME(s));
	return w.multiply ? lower_multiply(s, &w) : lower_move(s, &w);
}

/* --- ldmatrix, stmatrix, movmatrix -------------------------------------------------------------------------------- */

/* The modifiers of ldmatrix and stmatrix; the registers are the operand `values`, NULL when they do not fit. */
static const struct operand *matrix_rows(struct stmt *s, u32 values)
{
	struct words w;
	if (!read_words(s, &w))
		return NULL;
	if (!w.m8n8 || !w.b16 || !w.count) {
		ld_unsupported(s->ld, &s->op, "'%s' is not supported: .m8n8, .x1, .x2 or .x4, and .b16 are needed", NAME(s));
		return NULL;
	}
	s->in.type = T_B32;
	s->in.vec = (u8)w.count;
	s->in.mode = w.trans;
	s->in.geom = s->in.space == SPC_NONE; /* generic addresses */
	s->in.space = SPC_SHARED;
	return want_args(s, 2, 2) ? elements(s, &s->arg[values], w.count) : NULL;
}
bool lower_ldmatrix(struct stmt *s)
{
	const struct operand *list = matrix_rows(s, 0);
	for (u32 i = 0; list && i < s->in.vec; i++)
		if (!lower_dst(s, &list[i], T_B32, W_EXACT, &s->in.d[i]))
			return false;
	return list && lower_address(s, &s->arg[1]) && emit_access(s, true);
}
bool lower_stmatrix(struct stmt *s)
{
	const struct operand *list = matrix_rows(s, 1);
	for (u32 i = 0; list && i < s->in.vec; i++)
		if (!lower_src(s, &list[i], T_B32, W_EXACT, &s->in.s[1 + i]))
			return false;
	return list && lower_address(s, &s->arg[0]) && emit_access(s, true);
}
bool lower_movmatrix(struct stmt *s)
{
	struct words w;
	if (!read_words(s, &w))
		return false;
	if (!w.m8n8 || !w.b16 || !w.trans)
		return ld_fail(s->ld, &s->op, "'%s' needs .m8n8.trans.b16", NAME(s));
	s->in.type = T_B32;
	if (!want_args(s, 2, 2) || !lower_dst(s, &s->arg[0], T_B32, W_EXACT, &s->in.d[0]) ||
	    !lower_src(s, &s->arg[1], T_B32, W_EXACT, &s->in.s[0]))
		return false;
	emit(s, &s->in);
	return true;
}
