/* conf: the typed parameter table and the struct it becomes.
 *
 * A struct conf is plain data: build it with conf_defaults(), change it with conf_set(), prove it with conf_check(),
 * then treat it as constant. Unknown keys and values out of range are errors that name the key and say what is allowed.
 */
#ifndef CONF_CONF_H
#define CONF_CONF_H
#include "base/base.h"
#include "base/err.h"
#include "base/strbuf.h"

#define CONF_STR_MAX 256
/* The most SMs a machine may have; sets of SMs are words of 64 bits. */
#define CONF_MAX_SMS 256
#define CONF_SM_WORDS (CONF_MAX_SMS / 64)
/* The most kernel launches in the life of a machine. */
/* Priorities of streams and programs, as cudaStreamCreateWithPriority() counts them: the least comes first. */
#define PRIORITY_FIRST (-5)
#define PRIORITY_LAST 5
#define CONF_MAX_LAUNCHES 262144

struct conf {
#define C_INT(field, key, def, min, max, unit, help) u32 field;
#define C_REAL(field, key, def, min, max, unit, help) double field;
#define C_BOOL(field, key, def, help) bool field;
#define C_ENUM(field, key, def, values, help) u8 field; /* index into values; also CONF_<field>_... by position */
#define C_STR(field, key, def, help) char field[CONF_STR_MAX];
#include "conf/conf.def"
#undef C_INT
#undef C_REAL
#undef C_BOOL
#undef C_ENUM
#undef C_STR
};
/* Positions in the C_ENUM rows. */
enum { ISSUE_COST_SASS, ISSUE_COST_PTX };
enum { REGISTERS_NVCC13, REGISTERS_NVCC4 };
enum { SCHED_ORDER_ROTATE, SCHED_ORDER_STRICT, SCHED_ORDER_FIXED };
enum { LAUNCH_FIRST_PLACED, LAUNCH_FIRST_ENDED };
enum { FETCH_REFUSED_NEXT, FETCH_REFUSED_WAIT };
enum { STALLS_CORE, STALLS_MEMORY };
enum { INT_MUL_SP, INT_MUL_SFU, INT_MUL_F32 };
enum { F64_UNIT_DP, F64_UNIT_SFU };
enum { TENSOR_QUADS_TENSOR, TENSOR_QUADS_F32 };
enum { ISA_THREADS_STACK, ISA_THREADS_SPLITS };
enum { F64_LOGIC_F64, F64_LOGIC_SP };
enum { COLLECTORS_UNIT, COLLECTORS_SCHEDULER };
enum { UNIT_SETS_SHARED, UNIT_SETS_SCHEDULER };
enum { DEPENDENCES_SCOREBOARD, DEPENDENCES_COUNTERS };
enum { CONVERT_SP, CONVERT_SFU };
enum { UNIT_RESULTS_ANY, UNIT_RESULTS_ONE };
enum { LCS_ROUND_NEAREST, LCS_ROUND_FLOOR, LCS_ROUND_CEIL };
enum { SCHEDULE_LIST, SCHEDULE_NONE };
enum { COALESCE_LINE128, COALESCE_SECTOR32 };
enum { LSU_REPLAY_NONE, LSU_REPLAY_CAR, LSU_REPLAY_NEWCAR };
enum { DRAM_FRFCFS, DRAM_FCFS };
enum { NOC_BOOKED, NOC_ISLIP };
enum { WRITE_MISS_LAZY, WRITE_MISS_FETCH };
enum { L1C_BEHIND_L2, L1C_BEHIND_L1I };
enum { DENOVO_ATOMICS_L1, DENOVO_ATOMICS_L2 };
enum { MESH_SHARED, MESH_APART };
enum { MESH_TURNS, MESH_OLDEST };
enum { MAP_XOR, MAP_NONE, MAP_IPOLY };
enum { PREEMPT_RELAXED, PREEMPT_STRICT };
enum { PREEMPT_HALT_SM, PREEMPT_HALT_CTA };
enum { SM_ALLOCATION_FIRST_FIT, SM_ALLOCATION_TWO_WAY };
enum { MAESTRO_OBJECTIVE_ANTT, MAESTRO_OBJECTIVE_STP };

enum conf_kind { CONF_INT, CONF_REAL, CONF_BOOL, CONF_ENUM, CONF_STR };
struct conf_key {
	const char *key, *unit, *help, *values; /* values: "a|b|c" for CONF_ENUM, else NULL */
	enum conf_kind kind;
	double min, max;
	double def;          /* CONF_INT, CONF_REAL, CONF_BOOL */
	const char *def_str; /* CONF_ENUM, CONF_STR */
	size_t offset;       /* of the field in struct conf */
};
extern const struct conf_key conf_keys[];
extern const u32 conf_nkeys;

void conf_defaults(struct conf *c);
/* Sets one key from text; false with *e set ("unknown config key 'x' (did you mean 'y'?)", "l1d.ways: 0 is not
 * within 1..256"). */
bool conf_set(struct conf *c, const char *key, const char *value, struct err *e);
/* Sets one "key=value". */
bool conf_set_pair(struct conf *c, const char *pair, struct err *e);
/* The value as text, the same text that conf_set() accepts. */
void conf_get(const struct conf *c, const struct conf_key *k, struct strbuf *out);
/* The row of a key, or NULL. */
const struct conf_key *conf_find(const char *key);
/* The table entry nearest in spelling among n names, or NULL when nothing is near: for "did you mean". */
const char *conf_nearest(const char *word, const char *const *names, u32 n);
/* The keys between which a constraint does not hold, the first that of which the message speaks first; NULL behind the
 * last. */
struct conf_conflict {
	const char *key[4];
};
/* Constraints on keys and between them (powers of two, threads a multiple of 32, lines that nest...). The message gives
 * all keys concerned with their values; of: which they are (NULL: not asked for), so that a caller can add their
 * places.
 */
bool conf_check(const struct conf *c, struct err *e);
bool conf_check_keys(const struct conf *c, struct conf_conflict *of, struct err *e);
/* Has L1D a pipeline for each of several banks? Then a transaction of L1D is a sector. A re-execution queue takes
 * lines, one a cycle. */
static inline bool conf_l1d_banked(const struct conf *c)
{
	return c->l1d_banks > 1 && c->l1d_pipe && c->l1d_latency && c->coalesce == COALESCE_SECTOR32 && !c->lsu_replay;
}
/* The most shared memory a CTA can have. */
static inline u32 conf_cta_shared(const struct conf *c)
{
	return c->sm_shared - c->sm_shared_system;
}
/* Peak DRAM bandwidth in bytes per core cycle, all channels. */
double dram_peak_bytes(const struct conf *c);
#endif
