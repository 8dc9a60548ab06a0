/* Moves, selections, special registers, address conversion. */
#include "front/ptx/runtime/fp.h"
#include "front/ptx/executor/simd.h"

#define DEF(T)                                                                                                         \
	EXEC1(mov_##T, T, T, a)                                                                                            \
	EXEC3(slct_s32_##T, T, T, T, s32, c >= 0 ? a : b)                                                                  \
	EXEC3(slct_f32_##T, T, T, T, f32, flush_f32(c, fl &IF_FTZ) >= 0.0f ? a : b)
EACH_UNSIGNED(DEF)
#undef DEF

#define DEF(T)                                                                                                         \
	static void selp_##T(void *ctx, const struct inst *in)                                                             \
	{                                                                                                                  \
		EXEC_BEGIN(T)                                                                                                  \
		const st_##T *pa = exec_at(x, in->s[0]), *pb = exec_at(x, in->s[1]);                                           \
		const u32 p = read_pred(x, in->s[2]) ^ (fl & IF_NEG_PRED ? ~0u : 0);                                           \
		LANE_LOOPS(T, NARROW(T), , (p >> i & 1) ? pa[i] : pb[i])                                                       \
	}
EACH_UNSIGNED(DEF)
#undef DEF

static void mov_pred(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	write_pred(x, in->d[0], read_pred(x, in->s[0]) ^ (in->flags & IF_NEG_PRED ? ~0u : 0));
}

/* unpack {d0,..} = s: element k is bits [k*w, (k+1)*w) of the whole, w = width / n. */
static u64 read_lane(const struct exec *x, opnd at, u32 bytes, u32 lane)
{
	return bytes == 8 ? ((const u64 *)exec_at(x, at))[lane] : ((const u32 *)exec_at(x, at))[lane];
}
static void write_lane(const struct exec *x, opnd at, u32 bytes, u32 lane, u64 v)
{
	if (bytes == 8)
		((u64 *)exec_at(x, at))[lane] = v;
	else
		((u32 *)exec_at(x, at))[lane] = (u32)v;
}
static void unpack(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const u32 whole = ptype_bytes(in->type), part = whole / in->vec;
	u64 v[LANES];
	for (u32 i = 0; i < LANES; i++)
		v[i] = read_lane(x, in->s[0], whole, i);
	for (u32 k = 0; k < in->vec; k++)
		for (u32 i = 0; i < LANES && in->d[k] != OPND_NONE; i++)
			if (x->mask >> i & 1)
				write_lane(x, in->d[k], part, i, v[i] >> 8 * part * k & (~0ull >> (64 - 8 * part)));
}
static void pack(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const u32 whole = ptype_bytes(in->type), part = whole / in->vec;
	u64 v[LANES] = {0};
	for (u32 k = 0; k < in->vec; k++)
		for (u32 i = 0; i < LANES; i++)
			v[i] |= (read_lane(x, in->s[k], part, i) & (~0ull >> (64 - 8 * part))) << 8 * part * k;
	for (u32 i = 0; i < LANES; i++)
		if (x->mask >> i & 1)
			write_lane(x, in->d[0], whole, i, v[i]);
}

/* The address of a cooperative grid's workspace, as compiled code puts it together: 1 is its high, 2 its low half. No
 * driver sets the others here. */
static u64 envreg(const struct launch *l, s64 number)
{
	return number == 1 ? l->workspace >> 32 : number == 2 ? (u32)l->workspace : 0;
}
static u64 special(const struct exec *x, const struct inst *in)
{
	const struct launch *l = x->ref->l;
	const struct cta *c = exec_cta(x);
	const u64 ns = (u64)((double)x->cycle * x->f->ns_per_cycle);
	switch (in->sreg - 1u) {
	case SR_NTID_X: return l->block.x;
	case SR_NTID_Y: return l->block.y;
	case SR_NTID_Z: return l->block.z;
	case SR_CTAID_X: return c->x;
	case SR_CTAID_Y: return c->y;
	case SR_CTAID_Z: return c->z;
	case SR_NCTAID_X: return l->grid.x;
	case SR_NCTAID_Y: return l->grid.y;
	case SR_NCTAID_Z: return l->grid.z;
	case SR_WARPID: return x->w->index;
	case SR_NWARPID: return x->f->nwarps;
	case SR_SMID: return x->sm;
	case SR_NSMID: return x->f->nsms;
	case SR_GRIDID: return l->id;
	case SR_CLOCK: return (u32)x->cycle;
	case SR_CLOCK_HI: return x->cycle >> 32;
	case SR_CLOCK64: return x->cycle;
	case SR_GLOBALTIMER: return ns;
	case SR_GLOBALTIMER_LO: return (u32)ns;
	case SR_GLOBALTIMER_HI: return ns >> 32;
	case SR_DYNAMIC_SMEM_SIZE: return l->dynamic_shared;
	case SR_TOTAL_SMEM_SIZE: return l->shared_bytes;
	default: return envreg(l, in->imm);
	}
}
static u32 lane_special(u32 sreg, u32 lane)
{
	const u32 eq = 1u << lane, lt = eq - 1;
	switch (sreg) {
	case SR_LANEID: return lane;
	case SR_LANEMASK_EQ: return eq;
	case SR_LANEMASK_LT: return lt;
	case SR_LANEMASK_LE: return lt | eq;
	case SR_LANEMASK_GE: return ~lt;
	default: return ~(lt | eq); /* gt */
	}
}
/* %tid: precomputed per warp when the CTA starts. */
static void mov_tid_u32(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	const u32 *tid = x->f->tid[x->sm * x->f->nwarps + x->warp][in->sreg - 1 - SR_TID_X];
	LANE_LOOPS(u32, true, , tid[i])
}
static void mov_special_u32(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	const u32 v = (u32)special(x, in);
	LANE_LOOPS(u32, true, , v)
}
static void mov_special_u64(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u64)
	const u64 v = special(x, in);
	LANE_LOOPS(u64, true, , v)
}
static void mov_lane_special(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	LANE_LOOPS(u32, true, , lane_special(in->sreg - 1u, i))
}

static exec_fn special_for(const struct inst *in)
{
	const u32 sreg = in->sreg - 1u;
	if (in->d[0] == OPND_NONE || sreg >= SR_COUNT)
		return NULL;
	if (ptype_bytes(in->type) == 8)
		return sreg <= SR_TID_Z || (sreg >= SR_LANEMASK_EQ && sreg <= SR_LANEMASK_GT) || sreg == SR_LANEID
		           ? NULL
		           : mov_special_u64;
	if (sreg <= SR_TID_Z)
		return mov_tid_u32;
	if (sreg == SR_LANEID || (sreg >= SR_LANEMASK_EQ && sreg <= SR_LANEMASK_GT))
		return mov_lane_special;
	return mov_special_u32;
}

/* Addresses of a variable that each activation has for itself. */
#define ACTIVATION(T)                                                                                                  \
	static void mov_activation_##T(void *ctx, const struct inst *in)                                                   \
	{                                                                                                                  \
		EXEC_BEGIN(T)                                                                                                  \
		const T *pa = exec_at(x, in->s[0]);                                                                            \
		const T base = (T)exec_activation(x) + (in->op == OP_CVTA && !(fl & IF_CVTA_TO) ? (T)LOCAL_WINDOW : 0);        \
		LANE_LOOPS(T, NARROW(T), const T a = pa[i], a + base)                                                          \
	}
ACTIVATION(u64)
ACTIVATION(u32)
static exec_fn activation_for(const struct inst *in)
{
	const u32 bytes = ptype_bytes(in->type);
	return !has_opnds(in, 1, 1) ? NULL : bytes == 8 ? mov_activation_u64 : bytes == 4 ? mov_activation_u32 : NULL;
}

static exec_fn mov_for(const struct inst *in)
{
	static const exec_fn by_bytes[9] = {[2] = mov_u16, [4] = mov_u32, [8] = mov_u64};
	if (in->sreg)
		return special_for(in);
	if (in->vec > 1) {
		u32 whole = ptype_bytes(in->type);
		bool ok = (whole == 2 || whole == 4 || whole == 8) && (in->vec == 2 || in->vec == 4) && whole >= in->vec;
		return !ok ? NULL : in->pack ? (has_opnds(in, 1, in->vec) ? pack : NULL) : has_opnds(in, 0, 1) ? unpack : NULL;
	}
	if (!has_opnds(in, 1, 1))
		return NULL;
	return in->type == T_PRED ? mov_pred : ptype_bytes(in->type) > 8 ? NULL : by_bytes[ptype_bytes(in->type)];
}

/* Generic addresses of shared and local memory sit in windows, those of parameters where the launch has them; every
 * other space is the same in both. */
static u64 window_of(const struct exec *x, u8 space)
{
	return space == SPC_SHARED  ? SHARED_WINDOW
	       : space == SPC_LOCAL ? LOCAL_WINDOW
	       : space == SPC_PARAM ? x->ref->params
	                            : 0;
}
#define CVTA(T)                                                                                                        \
	static void cvta_##T(void *ctx, const struct inst *in)                                                             \
	{                                                                                                                  \
		EXEC_BEGIN(T)                                                                                                  \
		const T *pa = exec_at(x, in->s[0]);                                                                            \
		const T window = (T)window_of(x, in->space), add = fl & IF_CVTA_TO ? 0 - window : window;                      \
		LANE_LOOPS(T, NARROW(T), const T a = pa[i], a + add)                                                           \
	}
CVTA(u64)
CVTA(u32)

static void isspacep(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const u64 *a = exec_at(x, in->s[0]);
	const struct launch *l = x->ref->l;
	u32 bits = 0;
	for (u32 i = 0; i < LANES; i++) {
		const bool shared = a[i] - SHARED_WINDOW < WINDOW_BYTES, local = a[i] - LOCAL_WINDOW < WINDOW_BYTES;
		const struct alloc *al = in->space == SPC_CONST ? devmem_find(x->f->mem, a[i]) : NULL;
		const bool yes = in->space == SPC_SHARED  ? shared
		                 : in->space == SPC_LOCAL ? local
		                 : in->space == SPC_CONST ? al && al->readonly
		                 : in->space == SPC_PARAM ? a[i] - x->ref->params < l->fn->param_bytes
		                                          : !shared && !local;
		bits |= (u32)yes << i;
	}
	write_pred(x, in->d[0], bits);
}

exec_fn LEVEL_NAME(exec_move)(const struct inst *in)
{
	static const exec_fn selp[9] = {[2] = selp_u16, [4] = selp_u32, [8] = selp_u64};
	static const exec_fn slct_s[9] = {[2] = slct_s32_u16, [4] = slct_s32_u32, [8] = slct_s32_u64};
	static const exec_fn slct_f[9] = {[2] = slct_f32_u16, [4] = slct_f32_u32, [8] = slct_f32_u64};
	const u32 bytes = ptype_bytes(in->type);
	const bool three = has_opnds(in, 1, 3) && bytes <= 8;
	const bool spaces = in->space == SPC_GLOBAL || in->space == SPC_SHARED || in->space == SPC_LOCAL ||
	                    in->space == SPC_CONST || in->space == SPC_PARAM;
	if (in->flags & IF_ACTIVATION)
		return activation_for(in);
	switch (in->op) {
	case OP_MOV: return mov_for(in);
	case OP_SELP: return three ? selp[bytes] : NULL;
	case OP_SLCT: return !three ? NULL : in->stype == T_S32 ? slct_s[bytes] : in->stype == T_F32 ? slct_f[bytes] : NULL;
	case OP_CVTA: return !has_opnds(in, 1, 1) || !spaces ? NULL : bytes == 8 ? cvta_u64 : bytes == 4 ? cvta_u32 : NULL;
	case OP_ISSPACEP: return has_opnds(in, 1, 1) && spaces ? isspacep : NULL;
	default: return NULL;
	}
}
