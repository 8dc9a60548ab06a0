#include "ir/wide.h"

const u8 mma_type_bits[MT_COUNT] = {
    [MT_F16] = 16, [MT_BF16] = 16, [MT_TF32] = 32, [MT_F32] = 32, [MT_F64] = 64, [MT_E4M3] = 8, [MT_E5M2] = 8,
    [MT_S8] = 8,   [MT_U8] = 8,    [MT_S4] = 4,    [MT_U4] = 4,   [MT_B1] = 1,   [MT_S32] = 32,
};
const char *const mma_type_names[MT_COUNT] = {"",     "f16", "bf16", "tf32", "f32", "f64", "e4m3",
                                              "e5m2", "s8",  "u8",   "s4",   "u4",  "b1",  "s32"};

const char *const tensor_class_names[TC_COUNT] = {"f16", "f16_f32", "bf16", "tf32", "f64", "fp8", "int8", "int4", "b1"};

enum tensor_class tensor_class_of(const struct mma_shape *m)
{
	switch (m->a) {
	case MT_F16: return m->d == MT_F16 ? TC_F16 : TC_F16_F32;
	case MT_TF32: return TC_TF32;
	case MT_F64: return TC_F64;
	case MT_E4M3:
	case MT_E5M2: return TC_FP8;
	case MT_S8:
	case MT_U8: return TC_INT8;
	case MT_S4:
	case MT_U4: return TC_INT4;
	case MT_B1: return TC_B1;
	default: return TC_BF16;
	}
}
