#include "ir/wide.h"

const u8 mma_type_bits[MT_COUNT] = {
    [MT_F16] = 16, [MT_BF16] = 16, [MT_TF32] = 32, [MT_F32] = 32, [MT_F64] = 64, [MT_E4M3] = 8, [MT_E5M2] = 8,
    [MT_S8] = 8,   [MT_U8] = 8,    [MT_S4] = 4,    [MT_U4] = 4,   [MT_B1] = 1,   [MT_S32] = 32,
};
const char *const mma_type_names[MT_COUNT] = {"",     "f16", "bf16", "tf32", "f32", "f64", "e4m3",
                                              "e5m2", "s8",  "u8",   "s4",   "u4",  "b1",  "s32"};
