/* simd: choosing among the vector levels of the execution functions, and the loops they are made of.
 *
 * Each exec_*.c is compiled once per level and exports one look-up function, NAME_base, NAME_avx2, NAME_avx512, from an
 * instruction to its execution function (NULL = not supported). All levels give the same bits. The vector levels are
 * there with EXEC_VECTOR_LEVELS, which the Makefile defines. */
#ifndef FRONT_PTX_EXECUTOR_SIMD_H
#define FRONT_PTX_EXECUTOR_SIMD_H
#include "front/ptx/runtime/state.h"

enum exec_level { LEVEL_BASE, LEVEL_AVX2, LEVEL_AVX512, LEVEL_COUNT };
/* The widest level this host can run. */
enum exec_level exec_best_level(void);
const char *exec_level_name(enum exec_level l);
/* As exec_resolve (ptx.h), for a given level <= exec_best_level(): tests and comparisons. */
bool exec_resolve_level(struct inst *in, enum exec_level l);

#define EXEC_GROUPS(X)                                                                                                 \
	X(int)                                                                                                             \
	X(muldiv)                                                                                                          \
	X(logic)                                                                                                           \
	X(bits) X(video) X(vop) X(move) X(setp) X(float) X(fround) X(half) X(cvt) X(pair) X(sfu) X(mem) X(warp) X(mma)

#ifdef EXEC_LEVEL
#define LEVEL_PASTE_(name, level) name##_##level
#define LEVEL_PASTE(name, level) LEVEL_PASTE_(name, level)
#define LEVEL_NAME(name) LEVEL_PASTE(name, EXEC_LEVEL)
#define EXEC_LOOKUP(group) exec_fn LEVEL_NAME(exec_##group)(const struct inst *in);
EXEC_GROUPS(EXEC_LOOKUP)
#undef EXEC_LOOKUP

/* No lane depends on another: true even when a destination is also a source, since all 4-byte operands share one
 * layout. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#define FOR_LANES _Pragma("clang loop vectorize(assume_safety)") for (u32 i = 0; i < LANES; i++)
#else
#define FOR_LANES _Pragma("GCC ivdep") for (u32 i = 0; i < LANES; i++)
#endif

/* Per PTX type: st_ = how a lane is stored in a register, vt_ = the value computed with. */
typedef u32 st_u8, st_s8, st_u16, st_s16, st_u32;
typedef s32 st_s32;
typedef u64 st_u64;
typedef s64 st_s64;
typedef float st_f32, vt_f32;
typedef double st_f64, vt_f64;
typedef u8 vt_u8;
typedef s8 vt_s8;
typedef u16 vt_u16;
typedef s16 vt_s16;
typedef u32 vt_u32;
typedef s32 vt_s32;
typedef u64 vt_u64;
typedef s64 vt_s64;

/* One pass over the lanes: d[i] = (store type)(value type)EXPR for the executing lanes, with LOADS before. DIRECT (a
 * constant) when all operands have 4-byte lanes; otherwise layouts may overlap partly and the result is collected
 * first. */
#define LANE_LOOPS(D, DIRECT, LOADS, EXPR)                                                                             \
	if (likely(m == FULL_MASK)) {                                                                                      \
		if (DIRECT) {                                                                                                  \
			FOR_LANES                                                                                                  \
			{                                                                                                          \
				LOADS;                                                                                                 \
				d[i] = (st_##D)(vt_##D)(EXPR);                                                                         \
			}                                                                                                          \
		} else {                                                                                                       \
			st_##D t[LANES];                                                                                           \
			FOR_LANES                                                                                                  \
			{                                                                                                          \
				LOADS;                                                                                                 \
				t[i] = (st_##D)(vt_##D)(EXPR);                                                                         \
			}                                                                                                          \
			__builtin_memcpy(d, t, sizeof(t));                                                                         \
		}                                                                                                              \
	} else {                                                                                                           \
		st_##D t[LANES];                                                                                               \
		FOR_LANES                                                                                                      \
		{                                                                                                              \
			LOADS;                                                                                                     \
			t[i] = (st_##D)(vt_##D)(EXPR);                                                                             \
		}                                                                                                              \
		FOR_LANES d[i] = (m >> i & 1) ? t[i] : d[i];                                                                   \
	}

#define NARROW(T) (sizeof(st_##T) == 4)
#define EXEC_BEGIN(D)                                                                                                  \
	struct exec *x = ctx;                                                                                              \
	const u32 m = x->mask, fl = in->flags;                                                                             \
	st_##D *d = exec_at(x, in->d[0]);                                                                                  \
	(void)fl;

/* Execution functions of one, two and three sources: NAME(dest type, source types, EXPR in a, b, c; fl = flags). */
#define EXEC1(NAME, D, A, EXPR)                                                                                        \
	static void NAME(void *ctx, const struct inst *in)                                                                 \
	{                                                                                                                  \
		EXEC_BEGIN(D)                                                                                                  \
		const st_##A *pa = exec_at(x, in->s[0]);                                                                       \
		LANE_LOOPS(D, NARROW(D) && NARROW(A), const vt_##A a = (vt_##A)pa[i], EXPR)                                    \
	}
#define EXEC2(NAME, D, A, B, EXPR)                                                                                     \
	static void NAME(void *ctx, const struct inst *in)                                                                 \
	{                                                                                                                  \
		EXEC_BEGIN(D)                                                                                                  \
		const st_##A *pa = exec_at(x, in->s[0]);                                                                       \
		const st_##B *pb = exec_at(x, in->s[1]);                                                                       \
		LANE_LOOPS(D, NARROW(D) && NARROW(A) && NARROW(B), const vt_##A a = (vt_##A)pa[i];                             \
		           const vt_##B b = (vt_##B)pb[i], EXPR)                                                               \
	}
#define EXEC3(NAME, D, A, B, C, EXPR)                                                                                  \
	static void NAME(void *ctx, const struct inst *in)                                                                 \
	{                                                                                                                  \
		EXEC_BEGIN(D)                                                                                                  \
		const st_##A *pa = exec_at(x, in->s[0]);                                                                       \
		const st_##B *pb = exec_at(x, in->s[1]);                                                                       \
		const st_##C *pc = exec_at(x, in->s[2]);                                                                       \
		LANE_LOOPS(D, NARROW(D) && NARROW(A) && NARROW(B) && NARROW(C), const vt_##A a = (vt_##A)pa[i];                \
		           const vt_##B b = (vt_##B)pb[i]; const vt_##C c = (vt_##C)pc[i], EXPR)                               \
	}

/* Look-up tables by type: one function for every type of a size, or signed and unsigned ones apart. */
#define BY_SIZE(n)                                                                                                     \
	{                                                                                                                  \
		[T_B16] = n##_u16, [T_U16] = n##_u16, [T_S16] = n##_u16, [T_B32] = n##_u32, [T_U32] = n##_u32,                 \
		[T_S32] = n##_u32, [T_B64] = n##_u64, [T_U64] = n##_u64, [T_S64] = n##_u64                                     \
	}
#define BY_SIGN(n)                                                                                                     \
	{                                                                                                                  \
		[T_U16] = n##_u16, [T_S16] = n##_s16, [T_U32] = n##_u32, [T_S32] = n##_s32, [T_U64] = n##_u64,                 \
		[T_S64] = n##_s64                                                                                              \
	}
/* X(T) once for each integer type. */
#define EACH_UNSIGNED(X) X(u16) X(u32) X(u64)
#define EACH_SIGNED(X) X(s16) X(s32) X(s64)
#define EACH_INT(X) EACH_UNSIGNED(X) EACH_SIGNED(X)

/* Bits cond(i) of the executing lanes into a predicate, other lanes unchanged. */
static inline void write_pred(struct exec *x, opnd at, u32 bits)
{
	if (at == OPND_NONE)
		return;
	u32 *p = exec_at(x, at);
	*p = (*p & ~x->mask) | (bits & x->mask);
}
static inline u32 read_pred(const struct exec *x, opnd at)
{
	return *(const u32 *)exec_at(x, at);
}
static inline bool has_opnds(const struct inst *in, u32 nd, u32 ns)
{
	for (u32 i = 0; i < nd; i++)
		if (in->d[i] == OPND_NONE)
			return false;
	for (u32 i = 0; i < ns; i++)
		if (in->s[i] == OPND_NONE)
			return false;
	return true;
}
#endif
#endif
