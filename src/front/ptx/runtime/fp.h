/* fp: PTX's floating-point conventions, as vectorisable lane functions.
 *
 * Arithmetic results that are NaN are canonical - f32 0x7fffffff (PTX), f64 0xfff8000000000000 (what the hardware
 * generates), f16 and bf16 0x7fff - so that no payload depends on how the host's compiler orders operands. */
#ifndef FRONT_PTX_RUNTIME_FP_H
#define FRONT_PTX_RUNTIME_FP_H
#include "base/base.h"

static inline u32 bits_f32(float f)
{
	union {
		float f;
		u32 u;
	} v = {.f = f};
	return v.u;
}
static inline float f32_bits(u32 u)
{
	union {
		u32 u;
		float f;
	} v = {.u = u};
	return v.f;
}
static inline u64 bits_f64(double f)
{
	union {
		double f;
		u64 u;
	} v = {.f = f};
	return v.u;
}
static inline double f64_bits(u64 u)
{
	union {
		u64 u;
		double f;
	} v = {.u = u};
	return v.f;
}
#define NAN_F32 f32_bits(0x7fffffffu)
#define NAN_F64 f64_bits(0xfff8000000000000ull)
static inline float canon_f32(float v)
{
	return v != v ? NAN_F32 : v;
}
static inline double canon_f64(double v)
{
	return v != v ? NAN_F64 : v;
}
/* Subnormals to zero of the same sign, when ftz. */
static inline float flush_f32(float v, bool ftz)
{
	u32 u = bits_f32(v);
	return f32_bits(ftz && !(u & 0x7f800000u) ? u & 0x80000000u : u);
}
static inline double flush_f64(double v, bool ftz)
{
	return v;
} /* .ftz has no meaning for f64 arithmetic */
/* .sat: to [0, 1], NaN and -0 to +0. */
static inline float sat_f32(float v, bool sat)
{
	return !sat ? v : v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f;
}
static inline double sat_f64(double v, bool sat)
{
	return !sat ? v : v > 0.0 ? (v < 1.0 ? v : 1.0) : 0.0;
}

/* min, max: -0 < +0; a NaN operand gives the other one, or with .NaN the canonical NaN. */
static inline float lane_min_f32(float a, float b, bool nan)
{
	float r = a < b ? a : b;
	r = a == b ? f32_bits(bits_f32(a) | bits_f32(b)) : r;
	r = b != b ? a : r;
	r = nan && a != a ? a : r;
	r = nan && b != b ? b : r;
	return canon_f32(r);
}
static inline float lane_max_f32(float a, float b, bool nan)
{
	float r = a > b ? a : b;
	r = a == b ? f32_bits(bits_f32(a) & bits_f32(b)) : r;
	r = b != b ? a : r;
	r = nan && a != a ? a : r;
	r = nan && b != b ? b : r;
	return canon_f32(r);
}
static inline double lane_min_f64(double a, double b, bool nan)
{
	double r = a < b ? a : b;
	r = a == b ? f64_bits(bits_f64(a) | bits_f64(b)) : r;
	r = b != b ? a : r;
	r = nan && a != a ? a : r;
	r = nan && b != b ? b : r;
	return canon_f64(r);
}
static inline double lane_max_f64(double a, double b, bool nan)
{
	double r = a > b ? a : b;
	r = a == b ? f64_bits(bits_f64(a) & bits_f64(b)) : r;
	r = b != b ? a : r;
	r = nan && a != a ? a : r;
	r = nan && b != b ? b : r;
	return canon_f64(r);
}

/* Small formats: f16 (10 fraction bits, exponents -14..15) and bf16 (7, -126..127). Arithmetic on them is done in
 * double, where sums, products and a product plus an addend are exact or too far from a tie to matter, then rounded
 * once here. */
enum small_round { SMALL_RN, SMALL_RZ, SMALL_RM, SMALL_RP };
static inline u16 small_from_f64(double x, int frac, int emin, enum small_round mode)
{
	const u64 u = bits_f64(x);
	const u16 sign = (u16)(u >> 48 & 0x8000), inf = (u16)(0x7fff >> frac << frac);
	const int exp = (int)(u >> 52 & 0x7ff) - 1023;
	if (exp == 1024)
		return u << 12 ? 0x7fff : sign | inf;
	const u64 m = (u & 0xfffffffffffffull) | (exp == -1023 ? 0 : 1ull << 52);
	const int e = exp > emin ? exp : emin;
	const int want = e - frac - (exp - 52), shift = want > 62 ? 62 : want;
	const u64 keep = m >> shift, rem = m & ((1ull << shift) - 1), half = 1ull << (shift - 1);
	const bool away = mode == SMALL_RP ? !sign : mode == SMALL_RM ? sign : false;
	const bool up = mode == SMALL_RN ? rem > half || (rem == half && (keep & 1)) : away && rem;
	const u64 r = ((u64)(e - emin) << frac) + keep + up;
	if (r >= inf)
		return sign | (mode == SMALL_RN || away ? inf : inf - 1);
	return sign | (u16)r;
}
static inline u16 f16_from_f64(double x, enum small_round mode)
{
	return small_from_f64(x, 10, -14, mode);
}
static inline u16 bf16_from_f64(double x, enum small_round mode)
{
	return small_from_f64(x, 7, -126, mode);
}
static inline float bf16_to_f32(u16 h)
{
	return f32_bits((u32)h << 16);
}
static inline float f16_to_f32(u16 h)
{
	const u32 sign = (u32)(h & 0x8000) << 16, mag = h & 0x7fffu;
	const float scaled = f32_bits(mag << 13) * 0x1p112f; /* rebias; exact, subnormals included */
	const u32 special = 0x7f800000u | mag << 13;
	return f32_bits((mag >= 0x7c00 ? special : bits_f32(scaled)) | sign);
}
#endif
