#include "passes/timing.h"

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
	case IC_SHARED: return (struct class_timing){c->shared_latency, 1};
	case IC_CONST: return (struct class_timing){c->l1c_latency, 1};
	default: return (struct class_timing){1, 1};
	}
}
