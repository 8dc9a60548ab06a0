/* Modifiers: .words between an opcode and its operands. */
#include <stdio.h>
#include <string.h>

#include "front/ptx/reader/lower.h"

enum field {
	F_NOTHING,
	F_FLAG,
	F_ROUND,
	F_CMP,
	F_BOOL,
	F_ATOM,
	F_MODE,
	F_SPACE,
	F_VEC,
	F_GEOM,
	F_CACHE,
	F_HINT,
	F_SC,
	F_LEVEL,
	F_MODE_FLAG
};
struct mod_row {
	const char *word;
	u64 groups; /* of opcodes that take it */
	enum field field;
	u32 value;
};
#define G_ORDER (G_MEM | G_FENCE)
static const struct mod_row rows[] = {
    {"ftz", G_FTZ, F_FLAG, IF_FTZ},
    {"sat", G_SAT, F_FLAG, IF_SAT},
    {"approx", G_APPROX, F_FLAG, IF_APPROX},
    {"full", G_APPROX, F_FLAG, IF_APPROX},
    {"cc", G_CC, F_FLAG, IF_CC_OUT},
    {"NaN", G_NAN, F_FLAG, IF_NAN},
    {"xorsign", G_NAN, F_MODE, 1},
    {"abs", G_NAN, F_NOTHING, 0},
    {"rn", G_ROUND, F_ROUND, RND_RN},
    {"rz", G_ROUND, F_ROUND, RND_RZ},
    {"rm", G_ROUND, F_ROUND, RND_RM},
    {"rp", G_ROUND, F_ROUND, RND_RP},
    {"rni", G_CVT, F_ROUND, RND_RNI},
    {"rzi", G_CVT, F_ROUND, RND_RZI},
    {"rmi", G_CVT, F_ROUND, RND_RMI},
    {"rpi", G_CVT, F_ROUND, RND_RPI},
    {"rna", G_CVT, F_ROUND, RND_RNA},
    {"satfinite", G_CVT, F_FLAG, IF_SATFINITE},
    {"pack", G_CVT, F_MODE, 1},
    {"relu", G_RELU, F_FLAG, IF_RELU},
    {"lo", G_MUL, F_MODE, MUL_LO},
    {"hi", G_MUL, F_MODE, MUL_HI},
    {"wide", G_MUL, F_MODE, MUL_WIDE},
    {"lo", G_HALF, F_MODE, 0},
    {"hi", G_HALF, F_MODE, 1},
    {"eq", G_CMP, F_CMP, CMP_EQ},
    {"ne", G_CMP, F_CMP, CMP_NE},
    {"lt", G_CMP, F_CMP, CMP_LT},
    {"le", G_CMP, F_CMP, CMP_LE},
    {"gt", G_CMP, F_CMP, CMP_GT},
    {"ge", G_CMP, F_CMP, CMP_GE},
    {"lo", G_CMP, F_CMP, CMP_LO},
    {"ls", G_CMP, F_CMP, CMP_LS},
    {"hi", G_CMP, F_CMP, CMP_HI},
    {"hs", G_CMP, F_CMP, CMP_HS},
    {"equ", G_CMP, F_CMP, CMP_EQU},
    {"neu", G_CMP, F_CMP, CMP_NEU},
    {"ltu", G_CMP, F_CMP, CMP_LTU},
    {"leu", G_CMP, F_CMP, CMP_LEU},
    {"gtu", G_CMP, F_CMP, CMP_GTU},
    {"geu", G_CMP, F_CMP, CMP_GEU},
    {"num", G_CMP, F_CMP, CMP_NUM},
    {"nan", G_CMP, F_CMP, CMP_NAN},
    {"and", G_CMP | G_LOGIC, F_BOOL, BOOL_AND},
    {"or", G_CMP | G_LOGIC, F_BOOL, BOOL_OR},
    {"xor", G_CMP, F_BOOL, BOOL_XOR},
    {"global", G_SPACE, F_SPACE, SPC_GLOBAL},
    {"shared", G_SPACE, F_SPACE, SPC_SHARED},
    {"shared::cta", G_SPACE, F_SPACE, SPC_SHARED},
    {"local", G_SPACE, F_SPACE, SPC_LOCAL},
    {"const", G_SPACE, F_SPACE, SPC_CONST},
    {"param", G_SPACE, F_SPACE, SPC_PARAM},
    {"param::entry", G_SPACE, F_SPACE, SPC_PARAM},
    {"param::func", G_SPACE, F_SPACE, SPC_FPARAM},
    {"nc", G_MEM, F_FLAG, IF_NC},
    {"volatile", G_MEM, F_FLAG, IF_VOLATILE},
    /* Stronger than plain accesses: they must not be answered by a cache that other SMs do not see. */
    {"relaxed", G_MEM, F_FLAG, IF_RELAXED | IF_VOLATILE},
    {"mmio", G_MEM, F_FLAG, IF_RELAXED | IF_VOLATILE},
    {"acquire", G_MEM, F_FLAG, IF_ACQREL | IF_VOLATILE},
    {"release", G_MEM, F_FLAG, IF_ACQREL | IF_VOLATILE},
    {"acq_rel", G_MEM, F_FLAG, IF_ACQREL | IF_VOLATILE},
    {"weak", G_MEM, F_NOTHING, 0},
    {"cta", G_MEM, F_NOTHING, 0},
    {"cluster", G_MEM, F_NOTHING, 0},
    {"gpu", G_MEM, F_NOTHING, 0},
    {"sys", G_MEM, F_NOTHING, 0},
    {"noftz", G_RMW, F_NOTHING, 0},
    {"ca", G_CACHE, F_CACHE, 1},
    {"cg", G_CACHE, F_CACHE, 2},
    {"cs", G_CACHE, F_CACHE, 3},
    {"lu", G_CACHE, F_CACHE, 4},
    {"cv", G_CACHE, F_CACHE, 5},
    {"wb", G_CACHE, F_CACHE, 6},
    {"wt", G_CACHE, F_CACHE, 7},
    {"v2", G_VEC, F_VEC, 2},
    {"v4", G_VEC, F_VEC, 4},
    {"v8", G_VEC8, F_VEC, 8},
    {"add", G_RMW, F_ATOM, ATOM_ADD},
    {"min", G_RMW, F_ATOM, ATOM_MIN},
    {"max", G_RMW, F_ATOM, ATOM_MAX},
    {"inc", G_RMW, F_ATOM, ATOM_INC},
    {"dec", G_RMW, F_ATOM, ATOM_DEC},
    {"and", G_RMW, F_ATOM, ATOM_AND},
    {"or", G_RMW, F_ATOM, ATOM_OR},
    {"xor", G_RMW, F_ATOM, ATOM_XOR},
    {"exch", G_RMW, F_ATOM, ATOM_EXCH},
    {"cas", G_RMW, F_ATOM, ATOM_CAS},
    {"to", G_CVTA, F_FLAG, IF_CVTA_TO},
    {"shiftamt", G_BFIND, F_FLAG, IF_SHIFTAMT},
    {"l", G_SHF, F_NOTHING, 0},
    {"r", G_SHF, F_FLAG, IF_RIGHT},
    {"wrap", G_SHF, F_FLAG, IF_WRAP},
    {"clamp", G_SHF, F_NOTHING, 0},
    {"wrap", G_CLAMP, F_MODE_FLAG, IF_WRAP},
    {"clamp", G_CLAMP, F_MODE_FLAG, 0},
    {"f4e", G_PRMT, F_MODE, 1},
    {"b4e", G_PRMT, F_MODE, 2},
    {"rc8", G_PRMT, F_MODE, 3},
    {"ecl", G_PRMT, F_MODE, 4},
    {"ecr", G_PRMT, F_MODE, 5},
    {"rc16", G_PRMT, F_MODE, 6},
    {"up", G_SHFL, F_MODE, SHFL_UP},
    {"down", G_SHFL, F_MODE, SHFL_DOWN},
    {"bfly", G_SHFL, F_MODE, SHFL_BFLY},
    {"idx", G_SHFL, F_MODE, SHFL_IDX},
    {"all", G_VOTE, F_MODE, VOTE_ALL},
    {"any", G_VOTE, F_MODE, VOTE_ANY},
    {"uni", G_VOTE, F_MODE, VOTE_UNI},
    {"ballot", G_VOTE, F_MODE, VOTE_BALLOT},
    {"any", G_MATCH, F_MODE, MATCH_ANY},
    {"all", G_MATCH, F_MODE, MATCH_ALL},
    {"sync", G_SYNC, F_FLAG, IF_SYNC},
    {"sync", G_BAR, F_MODE, BAR_SYNC},
    {"arrive", G_BAR, F_MODE, BAR_ARRIVE},
    {"red", G_BAR, F_MODE, BAR_RED_POPC},
    {"popc", G_BAR, F_MODE, BAR_RED_POPC},
    {"and", G_BAR, F_MODE, BAR_RED_AND},
    {"or", G_BAR, F_MODE, BAR_RED_OR},
    {"warp", G_BAR, F_FLAG, IF_SYNC}, /* lower_bar turns it into bar.warp */
    {"cta", G_BAR, F_NOTHING, 0},
    {"aligned", G_BAR, F_FLAG, IF_ALIGNED},
    {"cta", G_FENCE, F_MODE, 0},
    {"gl", G_FENCE, F_MODE, 1},
    {"gpu", G_FENCE, F_MODE, 1},
    {"cluster", G_FENCE, F_MODE, 1},
    {"sys", G_FENCE, F_MODE, 2},
    {"sc", G_FENCE, F_SC, 0},
    {"acq_rel", G_FENCE, F_SC, 0},
    {"acquire", G_FENCE, F_SC, 0},
    {"release", G_FENCE, F_SC, 0},
    {"proxy", G_FENCE, F_SC, 0}, /* these: lower_hints.c */
    {"alias", G_FENCE, F_SC, 0},
    {"async", G_FENCE, F_SC, 0},
    {"global", G_FENCE, F_SC, 0},
    {"shared::cta", G_FENCE, F_SC, 0},
    {"shared::cluster", G_FENCE, F_SC, 0},
    {"mbarrier_init", G_FENCE, F_SC, 0},
    {"tensormap::generic", G_FENCE, F_SC, 0},
    {"sync_restrict::shared::cluster", G_FENCE, F_SC, 0},
    {"sync_restrict::shared::cta", G_FENCE, F_SC, 0},
    {"finite", G_TESTP, F_MODE, TESTP_FINITE},
    {"infinite", G_TESTP, F_MODE, TESTP_INFINITE},
    {"number", G_TESTP, F_MODE, TESTP_NUMBER},
    {"notanumber", G_TESTP, F_MODE, TESTP_NOTANUMBER},
    {"normal", G_TESTP, F_MODE, TESTP_NORMAL},
    {"subnormal", G_TESTP, F_MODE, TESTP_SUBNORMAL},
    {"1d", G_TEX, F_GEOM, TEX_1D},
    {"2d", G_TEX, F_GEOM, TEX_2D},
    {"3d", G_TEX, F_GEOM, TEX_3D},
    {"a1d", G_TEX, F_GEOM, TEX_A1D},
    {"a2d", G_TEX, F_GEOM, TEX_A2D},
    {"cube", G_CUBE, F_GEOM, TEX_CUBE},
    {"acube", G_CUBE, F_GEOM, TEX_ACUBE},
    {"level", G_TEX, F_LEVEL, 1},
    {"grad", G_TEX, F_LEVEL, 2},
    {"base", G_TEX, F_NOTHING, 0}, /* the one level that there is */
    {"r", G_TLD4, F_MODE, 0},
    {"g", G_TLD4, F_MODE, 1},
    {"b", G_TLD4, F_MODE, 2},
    {"a", G_TLD4, F_MODE, 3},
    {"uni", G_UNI, F_FLAG, IF_UNI},
    {"idx", G_UNI, F_NOTHING, 0},
    {"L1", G_PREFETCH, F_MODE, 1},
    {"L2", G_PREFETCH, F_MODE, 2},
    {"L2::evict_last", G_PREFETCH, F_MODE, 2},
    {"L2::evict_normal", G_PREFETCH, F_MODE, 2},
    {"tensormap", G_PREFETCH, F_MODE, 1},
    {"add", G_VIDEO, F_MODE, 1},
    {"min", G_VIDEO, F_MODE, 2},
    {"max", G_VIDEO, F_MODE, 3},
    {"mask", G_MASK, F_NOTHING, 0},
    {"L2::cache_hint", G_MEM, F_HINT, 0},
};

static const struct mod_row *find_row(u64 groups, const struct token *t)
{
	for (u32 i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].groups & groups && tok_is_mod(t, rows[i].word))
			return &rows[i];
	return NULL;
}

/* Eviction and prefetch-size hints of ld, st and atom change no result and are not modelled. */
static bool is_hint(const struct stmt *s, const struct token *t)
{
	return s->form->groups & G_MEM && t->len > 4 && (!memcmp(t->p, "L1::", 4) || !memcmp(t->p, "L2::", 4)) &&
	       !tok_is_mod(t, "L2::cache_hint");
}

static void apply(struct stmt *s, const struct mod_row *r)
{
	struct inst *in = &s->in;
	switch (r->field) {
	case F_NOTHING: break;
	case F_FLAG: in->flags |= r->value; break;
	case F_ROUND: in->round = (u8)r->value; break;
	case F_CMP:
		in->cmp = (u8)r->value;
		s->has_mode = true;
		break;
	case F_BOOL: in->boolop = (u8)r->value; break;
	case F_ATOM:
		in->atom = (u8)r->value;
		s->has_mode = true;
		break;
	case F_MODE:
		in->mode = (u8)r->value;
		s->has_mode = true;
		break;
	case F_SPACE: in->space = (u8)r->value; break;
	case F_VEC: in->vec = (u8)r->value; break;
	case F_GEOM:
		in->geom = (u8)r->value;
		s->has_mode = true;
		break;
	case F_CACHE:
		in->mode = (u8)r->value;
		if (r->value == 5)
			in->flags |= IF_VOLATILE;
		break;
	case F_HINT: s->cache_hint = true; break;
	case F_SC: s->sc = true; break;
	case F_LEVEL: s->level = (u8)r->value; break;
	case F_MODE_FLAG:
		in->flags |= r->value;
		s->has_mode = true;
		break;
	}
}

static bool needs_mode(const struct stmt *s)
{
	return s->form->groups & (G_CMP | G_RMW | G_SHFL | G_VOTE | G_MATCH | G_TESTP | G_TEX | G_BAR | G_FENCE |
	                          G_PREFETCH | G_HALF | G_CLAMP);
}

bool modifiers_apply(struct stmt *s)
{
	if (s->form->groups & G_TENSOR)
		return true;
	for (u32 i = 0; i < s->nmods; i++) {
		const struct token *t = &s->mod[i];
		enum ptype type = type_of_word(t->p, t->len);
		const struct mod_row *r = find_row(s->form->groups, t);
		if (r)
			apply(s, r);
		else if (type != T_NONE && s->ntypes < ARRAY_LEN(s->types))
			s->types[s->ntypes++] = type;
		else if (!is_hint(s, t) && !surface_word(s, t) && !video_word(s, t))
			return ld_unsupported(s->ld, t, "'%s' is not supported ('%s' does not know '%s')", NAME(s), s->form->name,
			                      TEXT(t));
	}
	s->in.type = (u8)s->types[0];
	s->in.stype = (u8)s->types[1];
	bool uniform_prefetch = s->form->op == OP_PREFETCH && s->has_mode;
	if (needs_mode(s) && !s->has_mode && !uniform_prefetch && !(s->form->op == OP_MEMBAR && s->sc))
		return ld_fail(s->ld, &s->op, "'%s' lacks a modifier that says what to do", NAME(s));
	return true;
}

const char *stmt_name(const struct stmt *s, char buf[96])
{
	const struct token *last = s->nmods ? &s->mod[s->nmods - 1] : &s->op;
	size_t len = (size_t)(last->p + last->len - s->op.p);
	size_t n = 0;
	for (size_t i = 0; i < len && n < 90; i++)
		if (s->op.p[i] > ' ' && s->op.p[i] < 127)
			buf[n++] = s->op.p[i];
	buf[n] = 0;
	return buf;
}
