/* fp: PTX's floating-point conventions, as vectorisable lane functions.
 *
 * Arithmetic results that are NaN are canonical - f32 0x7fffffff (PTX), f64 0xfff8000000000000 (what the hardware
 * generates), f16 and bf16 0x7fff - so that no payload depends on how the host's compiler orders operands. */
#ifndef FRONT_PTX_RUNTIME_FP_H
#define FRONT_PTX_RUNTIME_FP_H
#include "base/floats.h"

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
#endif
