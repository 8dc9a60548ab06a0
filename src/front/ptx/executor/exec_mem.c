/* Loads and stores of every state space. The common case - all lanes inside the allocation found last, aligned - is
 * decided by a few vector reductions over the lane addresses; anything else goes through the complete checks of
 * memory.c. */
#include <string.h>

#include "front/ptx/executor/memory.h"
#include "front/ptx/runtime/mbarrier.h"
#include "front/ptx/executor/simd.h"

static void addresses(struct exec *x, const struct inst *in)
{
	u64 *restrict addr = x->out->addr;
	if (unlikely(in->s[0] == OPND_NONE)) {
		FOR_LANES addr[i] = (u64)in->imm;
	} else if (in->base_bytes == 4) {
		const u32 *restrict b = exec_at(x, in->s[0]);
		const u32 imm = (u32)in->imm;
		FOR_LANES addr[i] = b[i] + imm;
	} else {
		const u64 *restrict b = exec_at(x, in->s[0]);
		const u64 imm = (u64)in->imm;
		FOR_LANES addr[i] = b[i] + imm;
	}
}

static bool is_contig(const u64 *addr, u32 bytes)
{
	u64 diff = 0;
	const u64 first = addr[0];
	for (u32 i = 0; i < LANES; i++)
		diff |= addr[i] ^ (first + (u64)i * bytes);
	return !diff;
}
/* Full mask, lane i at addr[0] + i * bytes: one block. The two cheap tests save the long one for most others. */
static inline bool dense(const u64 *addr, u32 m, u32 bytes)
{
	return m == FULL_MASK && addr[1] - addr[0] == bytes && addr[LANES - 1] - addr[0] == (u64)bytes * (LANES - 1) &&
	       is_contig(addr, bytes);
}
/* mem_lanes_within for a dense block: its ends suffice, since the sum cannot wrap in between. */
static inline bool block_within(const u64 *addr, u64 lo, u64 limit, u32 bytes)
{
	return addr[0] - lo <= limit && addr[LANES - 1] - lo <= limit && !(addr[0] & (bytes - 1));
}
static inline bool in_range(const u64 *addr, u32 m, bool contig, u64 lo, u64 limit, u32 bytes)
{
	return contig ? block_within(addr, lo, limit, bytes) : mem_lanes_within(addr, m, lo, limit, bytes);
}

/* --- moving data between registers and host memory; lane i is at host + addr[i] ----------------------------------- */
#define FOR_MASK(i, m) for (u32 l_ = (m), i = 0; l_ && (i = first_lane(l_), true); l_ &= l_ - 1)
#define LOAD_LOOP(T, D)                                                                                                \
	do {                                                                                                               \
		D *d = at;                                                                                                     \
		if (m == FULL_MASK)                                                                                            \
			_Pragma("GCC unroll 8") for (u32 i = 0; i < LANES; i++)                                                    \
			{                                                                                                          \
				T v;                                                                                                   \
				memcpy(&v, (const void *)(host + addr[i]), sizeof(v));                                                 \
				d[i] = (D)v;                                                                                           \
			}                                                                                                          \
		else                                                                                                           \
			FOR_MASK(i, m)                                                                                             \
			{                                                                                                          \
				T v;                                                                                                   \
				memcpy(&v, (const void *)(host + addr[i]), sizeof(v));                                                 \
				d[i] = (D)v;                                                                                           \
			}                                                                                                          \
	} while (0)

/* wide: the register has 64 bits, whatever the type loaded. */
static void load_element(void *at, u8 type, bool wide, uintptr_t host, const u64 *addr, u32 m)
{
	const bool sign = ptype_is_signed(type) && !ptype_is_float(type);
	switch (ptype_bytes(type) * 4 + (u32)wide * 2 + sign) {
	case 4: LOAD_LOOP(u8, u32); break;
	case 5: LOAD_LOOP(s8, u32); break;
	case 6: LOAD_LOOP(u8, u64); break;
	case 7: LOAD_LOOP(s8, u64); break;
	case 8: LOAD_LOOP(u16, u32); break;
	case 9: LOAD_LOOP(s16, u32); break;
	case 10: LOAD_LOOP(u16, u64); break;
	case 11: LOAD_LOOP(s16, u64); break;
	case 16:
	case 17: LOAD_LOOP(u32, u32); break;
	case 18: LOAD_LOOP(u32, u64); break;
	case 19: LOAD_LOOP(s32, u64); break;
	default: LOAD_LOOP(u64, u64); break;
	}
}
/* Half a warp's words, as 16-wide thread blocks read rows and columns of tiles: one block, one word for all, or lane by
 * lane. */
static void load_half(u32 *d, uintptr_t host, const u64 *addr)
{
	enum { HALF = LANES / 2 };
	const u64 step = addr[1] - addr[0];
	u64 diff = ~0ull;
	if (step == 0 || step == 4) {
		diff = 0;
		for (u32 i = 0; i < HALF; i++)
			diff |= addr[i] ^ (addr[0] + i * step);
	}
	if (diff) {
		_Pragma("GCC unroll 8") for (u32 i = 0; i < HALF; i++) memcpy(&d[i], (const void *)(host + addr[i]), 4);
	} else if (step) {
		memcpy(d, (const void *)(host + addr[0]), 4 * HALF);
	} else {
		u32 v;
		memcpy(&v, (const void *)(host + addr[0]), 4);
		for (u32 i = 0; i < HALF; i++)
			d[i] = v;
	}
}
/* 8 bytes in the word-interleaved layout, whose words are so many bytes apart. */
static void load_split(void *at, uintptr_t host, const u64 *addr, u32 words, u32 m)
{
	u64 *d = at;
	FOR_MASK(i, m)
	{
		const u32 *p = (const u32 *)(host + addr[i]);
		d[i] = (u64)p[words / 4] << 32 | p[0];
	}
}
static inline bool wide_reg(const struct inst *in)
{
	return ptype_bytes(in->type) == 8 || ptype_bytes(in->stype) == 8;
}
/* Offset of a byte of an access; words: interleaved layout, whose words are so many bytes apart. */
static inline u64 byte_at(u32 at, u32 words)
{
	return words ? (u64)(at / 4) * words + at % 4 : at;
}
static void load_lanes(struct exec *x, const struct inst *in, uintptr_t host, bool contig, u32 words, u32 m)
{
	const u64 *addr = x->out->addr;
	const u32 size = ptype_bytes(in->type);
	const bool wide = wide_reg(in);
	if (contig && in->vec == 1 && (size == 8 || (size == 4 && !wide)) && in->d[0] != OPND_NONE) {
		if (size == 4)
			memcpy(exec_at(x, in->d[0]), (const void *)(host + addr[0]), 4 * LANES);
		else
			memcpy(exec_at(x, in->d[0]), (const void *)(host + addr[0]), 8 * LANES);
		return;
	}
	const bool plain = size == 4 && !wide && m == FULL_MASK;
	for (u32 k = 0; k < in->vec; k++) {
		if (in->d[k] == OPND_NONE)
			continue;
		const uintptr_t from = host + byte_at(k * size, words);
		if (plain && !words) {
			load_half(exec_at(x, in->d[k]), from, addr);
			load_half((u32 *)exec_at(x, in->d[k]) + LANES / 2, from, addr + LANES / 2);
		} else if (words && size == 8)
			load_split(exec_at(x, in->d[k]), from, addr, words, m);
		else
			load_element(exec_at(x, in->d[k]), in->type, wide, from, addr, m);
	}
}

/* The values of a store: lane i's bytes at data + i * bytes. */
static void gather_values(const struct exec *x, const struct inst *in, u8 *data)
{
	const u32 size = ptype_bytes(in->type), bytes = size * in->vec;
	const bool wide = wide_reg(in);
	if (in->vec == 1 && (size == 8 || (size == 4 && !wide))) {
		memcpy(data, exec_at(x, in->s[1]), (size_t)size * LANES);
		return;
	}
	for (u32 k = 0; k < in->vec; k++) {
		const u8 *from = exec_at(x, in->s[1 + k]);
		u8 *to = data + k * size;
		const u32 step = wide ? 8 : 4;
		switch (size) {
		case 1:
			for (u32 i = 0; i < LANES; i++)
				to[i * bytes] = from[i * step];
			break;
		case 2:
			for (u32 i = 0; i < LANES; i++)
				memcpy(to + i * bytes, from + i * step, 2);
			break;
		case 4:
			for (u32 i = 0; i < LANES; i++)
				memcpy(to + i * bytes, from + i * step, 4);
			break;
		default:
			for (u32 i = 0; i < LANES; i++)
				memcpy(to + i * bytes, from + i * step, 8);
			break;
		}
	}
}
static void store_lanes(struct exec *x, const struct inst *in, uintptr_t host, bool contig, u32 words, u32 m)
{
	u8 data[LANES * 16] __attribute__((aligned(64)));
	const u64 *addr = x->out->addr;
	const u32 size = ptype_bytes(in->type), bytes = size * in->vec;
	gather_values(x, in, data);
	if (contig) {
		memcpy((void *)(host + addr[0]), data, (size_t)bytes * LANES);
		return;
	}
	if (bytes == 4) {
		FOR_MASK(i, m) memcpy((void *)(host + addr[i]), data + 4 * i, 4);
		return;
	}
	const u32 unit = words && size > 4 ? 4 : size; /* an 8-byte element is two words there */
	FOR_MASK(i, m)
	for (u32 at = 0; at < bytes; at += unit)
		memcpy((void *)(host + addr[i] + byte_at(at, words)), data + i * bytes + at, unit);
}

/* --- state spaces ------------------------------------------------------------------------------------------------- */
static inline u32 access_bytes(const struct inst *in)
{
	return ptype_bytes(in->type) * in->vec;
}
static inline uintptr_t device_host(const struct exec *x)
{
	return (uintptr_t)x->f->mem->mem - DEVMEM_BASE;
}

static inline bool in_last_alloc(const struct exec *x, u32 m, bool contig, u32 bytes, bool store)
{
	const struct sm_side *side = &x->f->side[x->sm];
	const u64 size = side->hi - side->lo;
	return side->epoch == x->f->mem->epoch && size >= bytes && !(store && side->readonly) &&
	       in_range(x->out->addr, m, contig, side->lo, size - bytes, bytes);
}
/* Tried first: the allocation that this SM used last, then the one that the lowest lane is in. */
static inline bool in_one_alloc(struct exec *x, u32 m, bool contig, u32 bytes, bool store)
{
	if (likely(in_last_alloc(x, m, contig, bytes, store)))
		return true;
	return mem_locate(x, x->out->addr[first_lane(m)]) && in_last_alloc(x, m, contig, bytes, store);
}
static inline bool device_ok(struct exec *x, u32 m, bool contig, u32 bytes, bool store, enum space space)
{
	return likely(in_one_alloc(x, m, contig, bytes, store)) || mem_check_device(x, m, bytes, store, space);
}
/* With commit.delay loads are queued like stores: see ptx_read(). */
static __attribute__((noinline)) void queue_load(struct exec *x, const struct inst *in, bool contig, u32 m)
{
	struct pending *p = mem_queue(x, PENDING_LOAD, m, access_bytes(in));
	p->contig = contig;
	memcpy(p->addr, x->out->addr, sizeof(p->addr));
}
static inline void load_global(struct exec *x, const struct inst *in, bool contig, u32 m)
{
	if (unlikely(x->f->delay))
		queue_load(x, in, contig, m);
	else
		load_lanes(x, in, device_host(x), contig, 0, m);
}
static void load_device(struct exec *x, const struct inst *in, u32 m, enum space space)
{
	const u32 bytes = access_bytes(in);
	const bool contig = dense(x->out->addr, m, bytes);
	if (!device_ok(x, m, contig, bytes, false, space))
		return;
	if (space == SPC_CONST)
		load_lanes(x, in, device_host(x), contig, 0, m);
	else
		load_global(x, in, contig, m);
}
static void queue_device(struct exec *x, const struct inst *in, u32 m, bool contig)
{
	struct pending *p = mem_queue(x, PENDING_STORE, m, access_bytes(in));
	p->contig = contig;
	if (contig)
		p->addr[0] = x->out->addr[0];
	else
		memcpy(p->addr, x->out->addr, sizeof(p->addr));
	gather_values(x, in, p->data);
}
static inline bool shared_ok(struct exec *x, u32 m, bool contig, u32 bytes, bool store)
{
	const u32 size = exec_cta(x)->shared_bytes;
	if (likely(!x->f->check_uninit && !exec_cta(x)->copies && size >= bytes &&
	           in_range(x->out->addr, m, contig, 0, size - bytes, bytes)))
		return true;
	return mem_check_shared(x, m, bytes, store, !store);
}
/* Only sub-word accesses leave a byte offset in the lane address; the timing model is promised the word's address. */
static void to_word_addresses(struct exec *x)
{
	for (u32 i = 0; i < LANES; i++)
		x->out->addr[i] &= ~3ull;
}
static void touch_local(struct exec *x, const struct inst *in, u32 m)
{
	const u32 words = (access_bytes(in) + 3) / 4;
	FOR_MASK(i, m)
	for (u32 w = 0; w < words; w++)
		devmem_touch(x->f->mem, x->out->addr[i] + (u64)w * local_step(x->f), 1);
}
static void local_access(struct exec *x, const struct inst *in, u32 m, bool store)
{
	mem_local_addresses(x, m);
	x->out->word_step = local_step(x->f);
	const bool contig = m == FULL_MASK && access_bytes(in) == 4 && is_contig(x->out->addr, 4);
	if (store) {
		store_lanes(x, in, device_host(x), contig, local_step(x->f), m);
		touch_local(x, in, m);
	} else {
		load_lanes(x, in, device_host(x), contig, local_step(x->f), m);
	}
	to_word_addresses(x);
}

static void begin(struct exec *x, const struct inst *in, u8 space, bool store)
{
	x->out->space = space;
	x->out->bytes = (u8)access_bytes(in);
	x->out->store = store;
	addresses(x, in);
}

static void ld_global(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	begin(x, in, SPC_GLOBAL, false);
	load_device(x, in, x->mask, SPC_GLOBAL);
}
/* A 32-bit base in constant space is the low half of a device address within the first 4 GiB (devmem.h). */
static void ld_const(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	begin(x, in, SPC_CONST, false);
	if (in->base_bytes == 4 && in->s[0] != OPND_NONE)
		FOR_LANES x->out->addr[i] += DEVMEM_BASE;
	load_device(x, in, x->mask, SPC_CONST);
}
static void st_global(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	begin(x, in, SPC_GLOBAL, true);
	const bool contig = dense(x->out->addr, x->mask, access_bytes(in));
	if (device_ok(x, x->mask, contig, access_bytes(in), true, in->space))
		queue_device(x, in, x->mask, contig);
}
static void ld_shared(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	begin(x, in, SPC_SHARED, false);
	const bool contig = dense(x->out->addr, x->mask, access_bytes(in));
	if (shared_ok(x, x->mask, contig, access_bytes(in), false))
		load_lanes(x, in, (uintptr_t)exec_shared(x), contig, 0, x->mask);
}
static void st_shared(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	begin(x, in, SPC_SHARED, true);
	const bool contig = dense(x->out->addr, x->mask, access_bytes(in));
	if (shared_ok(x, x->mask, contig, access_bytes(in), true))
		store_lanes(x, in, (uintptr_t)exec_shared(x), contig, 0, x->mask);
}
static void ldst_local(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const bool store = in->op == OP_ST;
	begin(x, in, SPC_LOCAL, store);
	if (mem_check_local(x, x->mask, access_bytes(in), store))
		local_access(x, in, x->mask, store);
}

/* Of a variable that each activation has for itself. */
static void ldst_activation(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const bool store = in->op == OP_ST;
	const u64 base = exec_activation(x);
	begin(x, in, SPC_LOCAL, store);
	FOR_LANES x->out->addr[i] += base;
	if (mem_check_local(x, x->mask, access_bytes(in), store))
		local_access(x, in, x->mask, store);
}

/* Parameters and results of functions: the frame's FPARAM area, interleaved like local memory. */
static void ldst_fparam(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const bool store = in->op == OP_ST;
	begin(x, in, SPC_FPARAM, store);
	if (!mem_check_fparam(x, x->mask, access_bytes(in), store))
		return;
	u64 *addr = x->out->addr;
	FOR_LANES addr[i] = addr[i] / 4 * (4 * LANES) + 4 * i + addr[i] % 4;
	if (store)
		store_lanes(x, in, (uintptr_t)exec_fparam(x), false, 4 * LANES, x->mask);
	else
		load_lanes(x, in, (uintptr_t)exec_fparam(x), false, 4 * LANES, x->mask);
}

/* Kernel parameters: offsets into the launch's buffer; reported at this launch's place in device memory. */
static void ld_param(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const struct launch *l = x->ref->l;
	const u32 bytes = access_bytes(in), limit = l->fn->param_bytes;
	begin(x, in, SPC_PARAM, false);
	if (unlikely(limit < bytes || !mem_lanes_within(x->out->addr, x->mask, 0, limit - bytes, 1))) {
		u32 bad = 0;
		FOR_MASK(i, x->mask) bad |= (u32)(limit < bytes || x->out->addr[i] > limit - bytes) << i;
		exec_fault(x, FAULT_PARAM_OOB, bad, x->out->addr[first_lane(bad)], bytes, false, SPC_PARAM);
		return;
	}
	load_lanes(x, in, (uintptr_t)l->params, false, 0, x->mask);
	const u64 base = x->ref->params;
	FOR_LANES x->out->addr[i] += base;
}
static void splat(void *at, bool wide, u64 v, u32 m)
{
	if (wide) {
		u64 *d = at;
		FOR_LANES d[i] = (m >> i & 1) ? v : d[i];
	} else {
		u32 *d = at;
		FOR_LANES d[i] = (m >> i & 1) ? (u32)v : d[i];
	}
}
/* [parameter + constant], nearly all of them: the same value for every lane. */
static void ld_param_uniform(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const struct launch *l = x->ref->l;
	const u32 size = ptype_bytes(in->type), bytes = access_bytes(in), limit = l->fn->param_bytes;
	const u64 at = (u64)in->imm, place = x->ref->params + at;
	if (unlikely(limit < bytes || at > limit - bytes)) {
		ld_param(x, in);
		return;
	}
	x->out->space = SPC_PARAM;
	x->out->bytes = (u8)bytes;
	for (u32 k = 0; k < in->vec; k++) {
		u64 v = 0;
		if (in->d[k] == OPND_NONE)
			continue;
		memcpy(&v, l->params + at + k * size, size);
		if (size < 8 && ptype_is_signed(in->type) && !ptype_is_float(in->type))
			v = (u64)((s64)(v << (64 - 8 * size)) >> (64 - 8 * size));
		splat(exec_at(x, in->d[k]), wide_reg(in), v, x->mask);
	}
	u64 *restrict addr = x->out->addr;
	FOR_LANES addr[i] = place;
}

/* Generic: each lane's window decides. Everything is checked before anything moves. */
static bool generic_ok(struct exec *x, const struct inst *in, struct generic_lanes g, bool store)
{
	const u32 bytes = access_bytes(in);
	mem_to_offset(x, g.shared, SHARED_WINDOW);
	mem_to_offset(x, g.local, LOCAL_WINDOW);
	return (!g.global || mem_check_device(x, g.global, bytes, store, SPC_GENERIC)) &&
	       (!g.local || mem_check_local(x, g.local, bytes, store)) &&
	       (!g.shared || mem_check_shared(x, g.shared, bytes, store, !store));
}
static void generic_mixed(struct exec *x, const struct inst *in, bool store)
{
	const struct generic_lanes g = mem_split_generic(x);
	const u32 low = 1u << first_lane(x->mask);
	x->out->space = g.shared & low ? SPC_SHARED : g.local & low ? SPC_LOCAL : SPC_GLOBAL;
	if (!generic_ok(x, in, g, store))
		return;
	if (g.global && store)
		queue_device(x, in, g.global, false);
	else if (g.global)
		load_global(x, in, false, g.global);
	if (g.shared && store)
		store_lanes(x, in, (uintptr_t)exec_shared(x), false, 0, g.shared);
	else if (g.shared)
		load_lanes(x, in, (uintptr_t)exec_shared(x), false, 0, g.shared);
	if (g.local) {
		u64 keep[LANES];
		memcpy(keep, x->out->addr, sizeof(keep));
		local_access(x, in, g.local, store);
		FOR_MASK(i, x->mask & ~g.local) x->out->addr[i] = keep[i];
		x->out->flags |= g.local != x->mask ? DYN_MIXED : 0;
	}
	mem_hide_shared(x, g.shared);
}
static void ldst_generic(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const bool store = in->op == OP_ST;
	begin(x, in, SPC_GLOBAL, store);
	const bool contig = dense(x->out->addr, x->mask, access_bytes(in));
	if (!in_one_alloc(x, x->mask, contig, access_bytes(in), store))
		generic_mixed(x, in, store);
	else if (store)
		queue_device(x, in, x->mask, contig);
	else
		load_global(x, in, contig, x->mask);
}

/* Copies are made at once; nobody may look at them before the wait, which takes their time. Bytes behind the source
 * size are zeros. */
static void cp_async(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const u32 bytes = access_bytes(in);
	const u32 *given = in->s[2] == OPND_NONE ? NULL : exec_at(x, in->s[2]);
	const u32 *base = exec_at(x, in->s[1]);
	const u64 *wide = in->pack ? exec_at(x, in->s[1]) : NULL;
	const u32 not = in->flags & IF_NEG_PRED ? ~0u : 0;
	u64 to[LANES];
	u32 size[LANES], reads = 0;
	for (u32 i = 0; i < LANES; i++) {
		size[i] = !given ? bytes : in->geom ? ((*given ^ not ) >> i & 1 ? 0 : bytes) : MIN(given[i], bytes);
		reads |= (u32)(size[i] != 0) << i;
	}
	FOR_LANES x->out->addr[i] = (u32)((wide ? (u32)wide[i] : base[i]) + (u32)in->table);
	memcpy(to, x->out->addr, sizeof to);
	if (!shared_ok(x, x->mask, false, bytes, true))
		return;
	begin(x, in, SPC_GLOBAL, false);
	reads &= x->mask;
	if (reads && !device_ok(x, reads, false, bytes, false, SPC_GLOBAL))
		return;
	FOR_MASK(i, x->mask)
	{
		u8 data[16] = {0};
		if (reads >> i & 1)
			memcpy(data, (const void *)(device_host(x) + x->out->addr[i]), size[i]);
		memcpy(exec_shared(x) + to[i], data, bytes);
	}
	copies_mark(x, to, x->mask, bytes);
	x->out->taken = x->mask;
	x->out->mask = reads;
	x->w->copies += reads && (x->w->copies & 255) < 255;
}

/* A prefetch only reports its addresses: PTX lets it miss or fault silently. */
static void prefetch(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	x->out->space = SPC_GLOBAL;
	x->out->bytes = 1;
	addresses(x, in);
	u32 ok = 0;
	for (u32 left = x->mask; left; left &= left - 1) {
		const struct alloc *a = devmem_find(x->f->mem, x->out->addr[first_lane(left)]);
		ok |= (u32)(a && !a->freed) << first_lane(left);
	}
	x->out->mask = ok;
}

exec_fn LEVEL_NAME(exec_mem)(const struct inst *in)
{
	static const exec_fn loads[SPC_COUNT] = {
	    [SPC_GENERIC] = ldst_generic, [SPC_GLOBAL] = ld_global, [SPC_SHARED] = ld_shared,  [SPC_LOCAL] = ldst_local,
	    [SPC_CONST] = ld_const,       [SPC_PARAM] = ld_param,   [SPC_FPARAM] = ldst_fparam};
	static const exec_fn stores[SPC_COUNT] = {[SPC_GENERIC] = ldst_generic,
	                                          [SPC_GLOBAL] = st_global,
	                                          [SPC_SHARED] = st_shared,
	                                          [SPC_LOCAL] = ldst_local,
	                                          [SPC_FPARAM] = ldst_fparam};
	if (in->op == OP_CP_ASYNC)
		return has_opnds(in, 0, 2) ? cp_async : NULL;
	if (in->op == OP_PREFETCH)
		return in->space == SPC_GLOBAL || in->space == SPC_GENERIC ? prefetch : NULL;
	if (in->op != OP_LD && in->op != OP_LDU && in->op != OP_ST)
		return NULL;
	const u32 size = ptype_bytes(in->type), bytes = size * in->vec;
	if (!size || size > 8 || bytes > 16 || (in->vec != 1 && in->vec != 2 && in->vec != 4) || in->space >= SPC_COUNT)
		return NULL;
	for (u32 k = 0; k < in->vec && in->op == OP_ST; k++)
		if (in->s[1 + k] == OPND_NONE)
			return NULL;
	if (in->flags & IF_ACTIVATION)
		return in->space == SPC_LOCAL ? ldst_activation : NULL;
	if (in->op != OP_ST && in->space == SPC_PARAM && in->s[0] == OPND_NONE)
		return ld_param_uniform;
	return in->op == OP_ST ? stores[in->space] : loads[in->space];
}
