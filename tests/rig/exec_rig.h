/* Rig for conformance tests of execution functions: a frame of registers, operands from edge and random values, and
 * conform(), which runs one instruction at every vector level with full and random masks and aliased operands against a
 * reference for one lane. */
#ifndef TESTS_RIG_EXEC_RIG_H
#define TESTS_RIG_EXEC_RIG_H
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "front/ptx/runtime/fp.h"
#include "front/ptx/ptx.h"
#include "front/ptx/executor/simd.h"

typedef __int128 s128;
typedef unsigned __int128 u128;
typedef u64 (*ref_fn)(const struct inst *in, u64 a, u64 b, u64 c, u64 d);

/* Register slots of the test frame, in units of 128 bytes: a predicate line, then wide registers far apart. */
enum { R_P0 = 0, R_P1 = 4, R_P2 = 8, R_D = 128, R_A = 512, R_B = 1024, R_C = 1536, R_E = 2048, FRAME = 4096 };
static u8 frame[FRAME] __attribute__((aligned(128)));
static u64 seed = 1;
static u64 checks;

static inline u32 width(u8 t)
{
	return ptype_bytes(t) * 8;
}
static inline u64 cut(u64 v, u32 bits)
{
	return bits >= 64 ? v : v & ((1ull << bits) - 1);
}
static inline s64 sext(u64 v, u32 bits)
{
	return bits >= 64 ? (s64)v : (s64)(v << (64 - bits)) >> (64 - bits);
}
static inline s128 number(u64 v, u8 t)
{
	return ptype_is_signed(t) ? (s128)sext(v, width(t)) : (s128)cut(v, width(t));
}

/* --- operands ----------------------------------------------------------------------------------------------------- */
static const u64 edges[] = {0,
                            1,
                            2,
                            3,
                            31,
                            32,
                            33,
                            63,
                            64,
                            65,
                            127,
                            128,
                            255,
                            256,
                            0x7fff,
                            0x8000,
                            0xffff,
                            0x10000,
                            0x7fffffff,
                            0x80000000,
                            0xffffffff,
                            0x100000000,
                            0x7fffffffffffffff,
                            0x8000000000000000,
                            0xffffffffffffffff,
                            0xfffffffffffffffe};
static const u32 edges_f32[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000,
                                0x3fc00000, 0x40200000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
                                0x7f800001, 1,          0x80000001, 0x007fffff, 0x00800000, 0x80800000,
                                0x7f7fffff, 0xff7fffff, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000,
                                0x5f800000, 0x4effffff, 0x477fe000, 0x477ff000, 0x33800000, 0x33000000};
static inline u64 random_value(u8 t)
{
	const u64 r = rng_next(&seed);
	const u32 pick = (u32)(r >> 60);
	if (t == T_F32)
		return pick < 6    ? edges_f32[(r >> 8) % ARRAY_LEN(edges_f32)]
		       : pick < 12 ? bits_f32((float)((double)(s64)r * 0x1p-58))
		                   : (u32)r;
	if (t == T_F64)
		return pick < 6    ? bits_f64(f32_bits(edges_f32[(r >> 8) % ARRAY_LEN(edges_f32)]))
		       : pick < 12 ? bits_f64((double)(s64)r * 0x1p-58)
		                   : r;
	return pick < 6 ? edges[(r >> 8) % ARRAY_LEN(edges)] : pick < 9 ? r >> (r & 63) : r;
}
static inline u64 get(opnd at, u8 t, u32 i)
{
	if (t == T_PRED)
		return *(const u32 *)(frame + at) >> i & 1;
	return ptype_bytes(t) == 8 ? ((const u64 *)(frame + at))[i] : ((const u32 *)(frame + at))[i];
}
static inline void put(opnd at, u8 t, u32 i, u64 v)
{
	if (ptype_bytes(t) == 8)
		((u64 *)(frame + at))[i] = v;
	else
		((u32 *)(frame + at))[i] = (u32)v;
}
static inline void fill(opnd at, u8 t)
{
	if (t == T_PRED) {
		*(u32 *)(frame + at) = (u32)rng_next(&seed);
		return;
	}
	for (u32 i = 0; i < LANES; i++)
		put(at, t, i, random_value(t));
}

/* One kind of instruction under test: types of destination and up to four sources (T_NONE = absent). */
struct shape {
	u8 d, s[4];
};
static inline struct inst make(u8 op, u8 type, u8 stype, struct shape sh)
{
	static const opnd at[4] = {R_A, R_B, R_C, R_E};
	struct inst in = {
	    .op = op, .type = type, .stype = stype, .vec = 1, .guard = OPND_NONE, .tex = -1, .func = -1, .call = -1};
	for (u32 i = 0; i < 4; i++)
		in.d[i] = OPND_NONE;
	for (u32 i = 0; i < 5; i++)
		in.s[i] = i < 4 && sh.s[i] ? (sh.s[i] == T_PRED ? R_P1 : at[i]) : OPND_NONE;
	in.d[0] = sh.d == T_PRED ? R_P0 : R_D;
	return in;
}
static inline const char *describe(const struct inst *in, enum exec_level l)
{
	static char text[160];
	snprintf(text, sizeof(text), "%s.%s.%s mode %u round %u cmp %u flags %x (%s)", opcode_descs[in->op].name,
	         ptype_name(in->type), ptype_name(in->stype), in->mode, in->round, in->cmp, in->flags, exec_level_name(l));
	return text;
}
static inline bool same(u64 got, u64 want, u8 t)
{
	const u32 w = t == T_PRED ? 1 : width(t);
	return cut(got, w) == cut(want, w);
}
static inline void run_masked(struct inst *in, struct shape sh, ref_fn ref, enum exec_level l, u32 mask)
{
	struct dyninst out;
	struct exec x = {.base = {frame, NULL}, .mask = mask, .active = mask, .out = &out};
	u64 want[LANES], old[LANES];
	for (u32 i = 0; i < LANES; i++) {
		u64 v[4] = {0};
		for (u32 k = 0; k < 4; k++)
			if (sh.s[k])
				v[k] = cut(get(in->s[k], sh.s[k], i), sh.s[k] == T_PRED ? 1 : width(sh.s[k]));
		want[i] = ref(in, v[0], v[1], v[2], v[3]);
		old[i] = get(in->d[0], sh.d, i);
	}
	in->exec(&x, in);
	for (u32 i = 0; i < LANES; i++) {
		const u64 got = get(in->d[0], sh.d, i);
		if (mask >> i & 1 ? !same(got, want[i], sh.d) : got != old[i])
			fail_msg("%s lane %u mask %08x: got %llx, want %llx", describe(in, l), i, mask, (unsigned long long)got,
			         (unsigned long long)(mask >> i & 1 ? want[i] : old[i]));
		checks++;
	}
}
/* In some lanes the sources are equal or differ in the sign bit alone: ties, cancellation, +0 against -0. */
static inline void correlate(const struct inst *in, struct shape sh)
{
	for (u32 k = 1; k < 4; k++)
		for (u32 i = 0; i < LANES && sh.s[k] == sh.s[0] && sh.s[0] != T_PRED && sh.s[0]; i++) {
			const u64 r = rng_next(&seed), flip = r & 8 ? 1ull << (width(sh.s[0]) - 1) : 0;
			if (r % 4 == 0)
				put(in->s[k], sh.s[k], i, get(in->s[0], sh.s[0], i) ^ flip);
		}
}
/* All levels; full mask, random mask; and again with the destination being the first source. */
static inline void conform(struct inst in, struct shape sh, ref_fn ref)
{
	for (u32 l = 0; l <= (u32)exec_best_level(); l++) {
		if (!exec_resolve_level(&in, l))
			fail_msg("%s is not supported", describe(&in, l));
		for (u32 round = 0; round < 12; round++) {
			for (u32 k = 0; k < 4; k++)
				if (sh.s[k])
					fill(in.s[k], sh.s[k]);
			correlate(&in, sh);
			fill(in.d[0], sh.d);
			struct inst alias = in;
			if (round % 3 == 2 && sh.d != T_PRED && sh.s[0] != T_PRED)
				alias.d[0] = in.s[0];
			if (round % 6 == 5 && sh.d != T_PRED && ptype_bytes(sh.d) == 8 && ptype_bytes(sh.s[0]) == 8)
				alias.d[0] =
				    in.s[0] + 128; /* overlaps the second half of the source: the next 64-bit register but one slot */
			run_masked(&alias, sh, ref, l, round & 1 ? (u32)rng_next(&seed) | 1 : FULL_MASK);
		}
	}
}

/* PTX's conventions for f32 operands and results, f64 results */
static inline bool subnormal_f32(u64 v)
{
	return !(v & 0x7f800000) && (v & 0x7fffff);
}
static inline float in_f32(const struct inst *in, u64 v)
{
	return f32_bits(in->flags & IF_FTZ && subnormal_f32(v) ? (u32)v & 0x80000000 : (u32)v);
}
static inline u64 out_f32(const struct inst *in, float v)
{
	u32 u = isnan(v) ? 0x7fffffff : bits_f32(v);
	if (in->flags & IF_FTZ && subnormal_f32(u))
		u &= 0x80000000;
	if (in->flags & IF_SAT)
		u = isnan(v) || v <= 0 ? 0 : v >= 1 ? 0x3f800000 : u;
	return u;
}
static inline u64 out_f64(const struct inst *in, double v)
{
	const u64 u = isnan(v) ? 0xfff8000000000000 : bits_f64(v);
	return !(in->flags & IF_SAT) ? u : isnan(v) || v <= 0 ? 0 : v >= 1 ? bits_f64(1) : u;
}
#endif
