#include "passes/timing.h"

#include "base/bits.h"

struct class_timing class_timing(const struct conf *c, enum iclass cls)
{
	switch (cls) {
	case IC_INT_ADD: return (struct class_timing){c->lat_int_add, c->ii_int_add};
	case IC_INT_MAX: return (struct class_timing){c->lat_int_max, c->ii_int_max};
	case IC_INT_MUL: return (struct class_timing){c->lat_int_mul, c->ii_int_mul};
	case IC_INT_MAD: return (struct class_timing){c->lat_int_mad, c->ii_int_mad};
	case IC_INT_DIV: return (struct class_timing){c->lat_int_div, c->ii_int_div};
	case IC_INT_LOGIC: return (struct class_timing){c->lat_logic, c->ii_logic};
	case IC_SHFL: return (struct class_timing){c->lat_shfl, c->ii_shfl};
	case IC_F32_ADD: return (struct class_timing){c->lat_f32_add, c->ii_f32_add};
	case IC_F32_LOGIC: return (struct class_timing){c->lat_logic, c->ii_logic};
	case IC_F32_MAX: return (struct class_timing){c->lat_f32_max, c->ii_f32_max};
	case IC_F32_MUL: return (struct class_timing){c->lat_f32_mul, c->ii_f32_mul};
	case IC_F32_MAD: return (struct class_timing){c->lat_f32_mad, c->ii_f32_mad};
	case IC_F32_DIV: return (struct class_timing){c->lat_f32_div, c->ii_f32_div};
	case IC_SFU: return (struct class_timing){c->lat_sfu, c->ii_sfu};
	case IC_F64_ADD: return (struct class_timing){c->lat_f64_add, c->ii_f64_add};
	case IC_F64_LOGIC:
		return c->sm_f64_logic == F64_LOGIC_SP ? (struct class_timing){c->lat_logic, c->ii_logic}
		                                       : (struct class_timing){c->lat_f64_add, c->ii_f64_add};
	case IC_F64_MAX: return (struct class_timing){c->lat_f64_max, c->ii_f64_max};
	case IC_F64_MUL: return (struct class_timing){c->lat_f64_mul, c->ii_f64_mul};
	case IC_F64_MAD: return (struct class_timing){c->lat_f64_mad, c->ii_f64_mad};
	case IC_F64_DIV: return (struct class_timing){c->lat_f64_div, c->ii_f64_div};
	case IC_TENSOR: return (struct class_timing){c->lat_tensor, 1};
	case IC_SHARED: return (struct class_timing){c->shared_latency, 1};
	case IC_CONST: return (struct class_timing){c->l1c_latency, 1};
	default: return (struct class_timing){1, 1};
	}
}

u32 tensor_rate(const struct conf *c, enum tensor_class t)
{
	switch (t) {
	case TC_F16: return c->tensor_rate;
	case TC_TF32: return MAX(c->tensor_rate_f32 / 2, 1u);
	case TC_F64: return c->tensor_rate_f64;
	case TC_FP8: return 2 * c->tensor_rate_f32;
	case TC_INT8: return 2 * c->tensor_rate;
	case TC_INT4: return 4 * c->tensor_rate;
	case TC_B1: return 16 * c->tensor_rate;
	case TC_F16_F32:
	case TC_BF16:
	case TC_COUNT: break;
	}
	return c->tensor_rate_f32;
}

static struct class_timing tensor_timing(const struct conf *c, const struct wide *w)
{
	const struct mma_shape *m = &w->shape;
	const u32 macs = mma_macs_done(m);
	const u32 steps = m->wmma ? MAX((u32)m->m * m->n / 128, 1u) : 1; /* a wmma is several m16n8 */
	const u32 ii = MAX((u32)ceil_div(macs, tensor_rate(c, tensor_class_of(m))), c->tensor_interval);
	const u32 lat = w->na >= 4 || m->wmma ? c->lat_tensor : c->lat_tensor_half;
	return (struct class_timing){MAX(lat + ii / steps * (steps - 1), ii + 1), ii};
}

bool inst_converts(const struct inst *in)
{
	return in->op == OP_CVT && in->cls == IC_F32_LOGIC && in->type != in->stype;
}

static bool is_half(const struct inst *in)
{
	const bool arithmetic =
	    in->cls == IC_F32_ADD || in->cls == IC_F32_MAX || in->cls == IC_F32_MUL || in->cls == IC_F32_MAD;
	return arithmetic && (in->type == T_F16 || in->type == T_F16X2 || in->type == T_BF16 || in->type == T_BF16X2);
}

struct class_timing inst_timing(const struct conf *c, const struct inst *in)
{
	if (in->cls == IC_TENSOR)
		return tensor_timing(c, in->wide);
	if (c->sm_convert_unit == CONVERT_SFU && inst_converts(in))
		return (struct class_timing){c->lat_convert, c->ii_convert};
	struct class_timing t = class_timing(c, in->cls);
	if (c->ii_f16 && is_half(in))
		t.ii = c->ii_f16;
	return t;
}
