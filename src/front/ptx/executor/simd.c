#include "front/ptx/executor/simd.h"
#include "front/ptx/executor/fp8.h"
#include "front/ptx/executor/stack.h"
#include "front/ptx/executor/mbarrier.h"
#include "front/ptx/executor/memory.h"
#include "front/ptx/ptx.h"
#include "front/ptx/executor/surface.h"
#include "front/ptx/executor/texture_query.h"

#define DECLARE(group)                                                                                                 \
	exec_fn exec_##group##_base(const struct inst *in);                                                                \
	exec_fn exec_##group##_avx2(const struct inst *in);                                                                \
	exec_fn exec_##group##_avx512(const struct inst *in);
EXEC_GROUPS(DECLARE)
#undef DECLARE

typedef exec_fn (*lookup_fn)(const struct inst *in);
#define BASE(group) exec_##group##_base,
#define AVX2(group) exec_##group##_avx2,
#define AVX512(group) exec_##group##_avx512,
#define GROUPS_MAX 20
static const lookup_fn lookups[LEVEL_COUNT][GROUPS_MAX] = {
    [LEVEL_BASE] = {EXEC_GROUPS(BASE)},
#ifdef EXEC_VECTOR_LEVELS
    [LEVEL_AVX2] = {EXEC_GROUPS(AVX2)},
    [LEVEL_AVX512] = {EXEC_GROUPS(AVX512)},
#endif
};

enum exec_level exec_best_level(void)
{
#ifdef EXEC_VECTOR_LEVELS
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
		return LEVEL_BASE;
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512bw"))
		return LEVEL_AVX512;
	return LEVEL_AVX2;
#else
	return LEVEL_BASE;
#endif
}

const char *exec_level_name(enum exec_level l)
{
	static const char *const names[LEVEL_COUNT] = {"base", "avx2", "avx512"};
	return names[l];
}

bool exec_resolve_level(struct inst *in, enum exec_level l)
{
	exec_fn fn = exec_control(in);
	if (!fn)
		fn = exec_atomic(in);
	if (!fn)
		fn = exec_texture(in);
	if (!fn)
		fn = exec_surface(in);
	if (!fn)
		fn = exec_matrix(in);
	if (!fn)
		fn = exec_mbarrier(in);
	if (!fn)
		fn = exec_fp8(in);
	if (!fn)
		fn = exec_texture_query(in);
	if (!fn)
		fn = exec_stack(in);
	for (u32 i = 0; !fn && i < GROUPS_MAX && lookups[l][i]; i++)
		fn = lookups[l][i](in);
	in->exec = fn;
	return fn != NULL;
}

bool exec_resolve(struct inst *in)
{
	return exec_resolve_level(in, exec_best_level());
}
