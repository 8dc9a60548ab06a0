/* Atomics. On shared memory they act at issue, on global memory at the end of the cycle (memory.c), lanes in ascending
 * order. */
#include <string.h>

#include "front/ptx/runtime/fp.h"
#include "front/ptx/executor/memory.h"

static u64 int_result(u8 op, u64 old, u64 b, u64 c, u8 type)
{
	const bool sign = ptype_is_signed(type);
	switch (op) {
	case ATOM_ADD: return old + b;
	case ATOM_MIN: return sign ? (u64)MIN((s64)old, (s64)b) : MIN(old, b);
	case ATOM_MAX: return sign ? (u64)MAX((s64)old, (s64)b) : MAX(old, b);
	case ATOM_INC: return old >= b ? 0 : old + 1;
	case ATOM_DEC: return old == 0 || old > b ? b : old - 1;
	case ATOM_AND: return old & b;
	case ATOM_OR: return old | b;
	case ATOM_XOR: return old ^ b;
	case ATOM_EXCH: return b;
	default: return old == b ? c : old; /* cas */
	}
}
static u64 extend(u64 v, u8 type)
{
	switch (ptype_bytes(type)) {
	case 2: return (u16)v;
	case 4: return ptype_is_signed(type) ? (u64)(s64)(s32)v : (u32)v;
	default: return v;
	}
}
static u16 add_half(u16 a, u16 b, bool bf16)
{
	if (bf16)
		return bf16_from_f64((double)bf16_to_f32(a) + bf16_to_f32(b), SMALL_RN);
	return f16_from_f64((double)f16_to_f32(a) + f16_to_f32(b), SMALL_RN);
}
static u64 float_sum(u8 type, u64 a, u64 b, bool flush)
{
	switch (type) {
	case T_F32: {
		const float x = flush_f32(f32_bits((u32)a), flush), y = flush_f32(f32_bits((u32)b), flush);
		return bits_f32(flush_f32(canon_f32(x + y), flush));
	}
	case T_F64: return bits_f64(canon_f64(f64_bits(a) + f64_bits(b)));
	case T_F16:
	case T_BF16: return add_half((u16)a, (u16)b, type == T_BF16);
	default: {
		const bool bf16 = type == T_BF16X2;
		return add_half((u16)a, (u16)b, bf16) | (u32)add_half((u16)(a >> 16), (u16)(b >> 16), bf16) << 16;
	}
	}
}

u64 atomic_apply(u8 op, u8 type, void *p, u64 b, u64 c, bool flush)
{
	const u32 bytes = ptype_bytes(type);
	u64 old = 0;
	memcpy(&old, p, bytes);
	const bool fp = ptype_is_float(type) && op == ATOM_ADD;
	const u64 r = fp ? float_sum(type, old, b, flush) : int_result(op, extend(old, type), extend(b, type), c, type);
	memcpy(p, &r, bytes);
	return old;
}

/* One loop per operation: o = old word, v = b, expression = new word. */
#define WORDS(EXPR)                                                                                                    \
	for (u32 left = lanes; left; left &= left - 1) {                                                                   \
		const u32 i = first_lane(left);                                                                                \
		u32 *p = (u32 *)(w->base + w->addr[i]);                                                                        \
		const u32 v = *(const u32 *)((const u8 *)w->b + i * w->step), o = *p;                                          \
		*p = EXPR;                                                                                                     \
		w->old[i] = o;                                                                                                 \
	}                                                                                                                  \
	return true
bool atomic_apply_words(u8 op, u8 type, const struct atomic_words *w, u32 lanes)
{
	const bool sign = type == T_S32;
	if (type == T_F32 && op == ATOM_ADD) {
		WORDS((u32)float_sum(T_F32, o, v, w->flush));
	}
	if (ptype_bytes(type) != 4 || (ptype_is_float(type) && op == ATOM_ADD))
		return false;
	switch (op) {
	case ATOM_ADD: WORDS(o + v);
	case ATOM_MIN: WORDS((sign ? (s32)o < (s32)v : o < v) ? o : v);
	case ATOM_MAX: WORDS((sign ? (s32)o > (s32)v : o > v) ? o : v);
	case ATOM_INC: WORDS(o >= v ? 0 : o + 1);
	case ATOM_DEC: WORDS(o == 0 || o > v ? v : o - 1);
	case ATOM_AND: WORDS(o & v);
	case ATOM_OR: WORDS(o | v);
	case ATOM_XOR: WORDS(o ^ v);
	case ATOM_EXCH: WORDS(v);
	case ATOM_CAS: WORDS(o == v ? *(const u32 *)((const u8 *)w->c + i * w->step) : o);
	default: return false;
	}
}
#undef WORDS

static u64 operand(const struct exec *x, opnd at, u32 bytes, u32 lane)
{
	if (at == OPND_NONE)
		return 0;
	return bytes == 8 ? ((const u64 *)exec_at(x, at))[lane] : ((const u32 *)exec_at(x, at))[lane];
}

static void answer(struct exec *x, const struct inst *in, u32 lanes, const u64 *old)
{
	if (in->op != OP_ATOM || in->d[0] == OPND_NONE)
		return;
	for (u32 left = lanes; left; left &= left - 1) {
		const u32 i = first_lane(left);
		if (ptype_bytes(in->type) == 8)
			((u64 *)exec_at(x, in->d[0]))[i] = old[i];
		else
			((u32 *)exec_at(x, in->d[0]))[i] = (u32)old[i];
	}
}

/* What may take a lock, which is remembered. The answer may go where an operand was: it comes last. */
static void apply_shared_lock(struct exec *x, const struct inst *in, u32 lanes)
{
	u64 b[LANES], c[LANES], old[LANES];
	for (u32 left = lanes; left; left &= left - 1) {
		const u32 i = first_lane(left), bytes = ptype_bytes(in->type);
		b[i] = operand(x, in->s[1], bytes, i);
		c[i] = operand(x, in->s[2], bytes, i);
		old[i] = atomic_apply(in->atom, in->type, exec_shared(x) + x->out->addr[i], b[i], c[i], false);
	}
	const struct lock_by by = {x->cycle, x->sm, x->warp, x->out->pc};
	lock_note(x->f, SPC_SHARED, &by, in, lanes, &(struct lock_lanes){x->out->addr, b, c, old});
	answer(x, in, lanes, old);
}

static void apply_shared(struct exec *x, const struct inst *in, u32 lanes)
{
	const u32 bytes = ptype_bytes(in->type);
	const bool result = in->op == OP_ATOM && in->d[0] != OPND_NONE;
	u32 unused[LANES];
	const struct atomic_words w = {.base = (uintptr_t)exec_shared(x),
	                               .addr = x->out->addr,
	                               .b = exec_at(x, in->s[1]),
	                               .c = in->s[2] == OPND_NONE ? NULL : exec_at(x, in->s[2]),
	                               .step = 4,
	                               .old = result ? exec_at(x, in->d[0]) : unused};
	if (unlikely(lock_op(in))) {
		apply_shared_lock(x, in, lanes);
		return;
	}
	if (atomic_apply_words(in->atom, in->type, &w, lanes))
		return;
	u64 old[LANES];
	for (u32 left = lanes; left; left &= left - 1) {
		const u32 i = first_lane(left);
		old[i] = atomic_apply(in->atom, in->type, exec_shared(x) + x->out->addr[i], operand(x, in->s[1], bytes, i),
		                      operand(x, in->s[2], bytes, i), false);
	}
	answer(x, in, lanes, old);
}

static void queue_global(struct exec *x, const struct inst *in, u32 lanes)
{
	const u32 bytes = ptype_bytes(in->type);
	struct pending *p = mem_queue(x, PENDING_ATOMIC, lanes, bytes);
	u64 *b = (u64 *)p->data;
	p->flush = in->type == T_F32;
	p->dst = in->op == OP_ATOM ? in->d[0] : OPND_NONE;
	for (u32 left = lanes; left; left &= left - 1) {
		const u32 i = first_lane(left);
		p->addr[i] = x->out->addr[i];
		b[i] = operand(x, in->s[1], bytes, i);
		p->cas[i] = operand(x, in->s[2], bytes, i);
	}
}

/* Local memory belongs to one thread, so PTX forbids atomics there: reported as an access outside global and shared
 * memory. */
bool mem_atomic_lanes(struct exec *x, const struct inst *in, u32 bytes, struct generic_lanes *to)
{
	struct dyninst *out = x->out;
	struct generic_lanes g = {.global = x->mask};
	mem_addresses(x, in);
	out->bytes = (u8)bytes;
	out->store = out->atomic = true;
	if (in->space == SPC_SHARED)
		g = (struct generic_lanes){.shared = x->mask};
	else if (in->space == SPC_GENERIC) {
		g = mem_split_generic(x);
		mem_to_offset(x, g.shared, SHARED_WINDOW);
	}
	out->space = g.shared >> first_lane(x->mask) & 1 ? SPC_SHARED : SPC_GLOBAL;
	if (g.local) {
		exec_fault(x, FAULT_OOB, g.local, out->addr[first_lane(g.local)], bytes, true, SPC_GENERIC);
		return false;
	}
	*to = g;
	return (!g.global || mem_check_device(x, g.global, bytes, true, SPC_GLOBAL)) &&
	       (!g.shared || mem_check_shared(x, g.shared, bytes, true, true));
}

static void atomic(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	struct generic_lanes g;
	if (!mem_atomic_lanes(x, in, ptype_bytes(in->type), &g))
		return;
	if (g.shared)
		apply_shared(x, in, g.shared);
	if (g.global)
		queue_global(x, in, g.global);
	mem_hide_shared(x, g.shared);
}

exec_fn exec_atomic(const struct inst *in)
{
	const bool space_ok = in->space == SPC_GLOBAL || in->space == SPC_SHARED || in->space == SPC_GENERIC;
	const bool cas = in->atom == ATOM_CAS, fp = ptype_is_float(in->type);
	const u32 bytes = ptype_bytes(in->type);
	if (in->atom == ATOM_MALLOC || in->atom == ATOM_FREE)
		return exec_heap(in);
	if (bytes == 16)
		return exec_atomic128(in);
	if ((in->op == OP_ATOM || in->op == OP_RED) && in->cmp)
		return exec_atomic_vector(in);
	if ((in->op != OP_ATOM && in->op != OP_RED) || !space_ok || in->vec > 1 || in->s[1] == OPND_NONE ||
	    in->atom == ATOM_NONE)
		return NULL;
	if (cas && (in->s[2] == OPND_NONE || in->op == OP_RED))
		return NULL;
	if (bytes == 2)
		return cas || (fp && in->atom == ATOM_ADD) ? atomic : NULL;
	if (bytes != 4 && bytes != 8)
		return NULL;
	if (fp && in->atom != ATOM_ADD && in->atom != ATOM_EXCH && !cas)
		return NULL;
	if ((in->atom == ATOM_INC || in->atom == ATOM_DEC) && in->type != T_U32)
		return NULL;
	return atomic;
}
