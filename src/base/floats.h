/* floats: the bits of floating-point numbers, and conversions to and from the small formats. */
#ifndef BASE_FLOATS_H
#define BASE_FLOATS_H
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
