/* probe: counters and events as tables, and their emission. No consumer is in here. */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H
#include <stddef.h>

#include "base/base.h"
#include "base/bits.h"

/* --- counters -------------------------------------------------------------------------------------------------- */
#define CG_SM_LAST                                                                                                     \
	CG_tensor /* the last of the groups that each SM has: they begin with CG_sm, what hangs on it with CG_l1i */
enum counter_group { CG_sm, CG_l1i, CG_l1d, CG_l1c, CG_l1t, CG_tensor, CG_l2, CG_noc, CG_dram, CG_kernel, CG_COUNT };

/* One plain struct of u64 per group: see counter_structs.h. */
struct counter_desc {
	enum counter_group group;
	const char *name, *unit, *help;
	u32 index; /* position within its group: counters of a group are an array of u64 */
};
extern const struct counter_desc counter_descs[];
extern const u32 counter_ndescs;
extern const char *const counter_group_names[CG_COUNT]; /* "sm", "l1i", ... */
/* Number of counters in a group and its first row in counter_descs. */
u32 counter_group_size(enum counter_group g);
const struct counter_desc *counter_group_first(enum counter_group g);

#include "probe/counter_structs.h"

/* --- stall reasons ----------------------------------------------------------------------------------------------- */
enum stall {
#define S(id, name, lee, elf, paws, vt, nsight, def) ST_##id,
#include "probe/stalls.def"
#undef S
	ST_COUNT
};
enum taxonomy { TAX_BASE, TAX_LEE2014, TAX_ELF, TAX_PAWS, TAX_VT, TAX_NSIGHT, TAX_COUNT };
struct stall_desc {
	const char *name[TAX_COUNT]; /* the reason's class in each taxonomy; [TAX_BASE] is its own name */
	const char *help;
};
extern const struct stall_desc stall_descs[ST_COUNT];
const char *taxonomy_list(void);                    /* their names, for messages: "base, lee2014, ..." */
extern const char *const taxonomy_names[TAX_COUNT]; /* "base", "lee2014", "elf", "paws", "vt", "nsight" */
#define TAX_MAX_CLASSES ST_COUNT
struct stall_class {
	const char *name;
	u64 slots;
};
/* Maps base[ST_COUNT] to the classes of a taxonomy in order of first appearance; returns how many. The sum is kept. */
u32 stall_map(enum taxonomy t, const u64 base[ST_COUNT], struct stall_class out[TAX_MAX_CLASSES]);

/* What an SM has in flight at the end of a cycle (Awatramani 2015, section V-D): bit 0 = an ALU instruction, bit 1 = a
 * memory instruction. Each cycle is charged to exactly one. */
enum flight { FLIGHT_NONE, FLIGHT_ALU, FLIGHT_MEM, FLIGHT_BOTH, FLIGHT_COUNT };

/* Why a read missed: see mem/threec.h. The counters of a cache lie in this order. */
enum miss_cause { MISS_COLD, MISS_CAPACITY, MISS_SECTOR, MISS_INVALIDATED, MISS_CONFLICT, MISS_CAUSES };
#define MISS_FIRST (offsetof(struct cache_counters, miss_cold) / sizeof(u64))
_Static_assert(offsetof(struct cache_counters, miss_conflict) / sizeof(u64) == MISS_FIRST + MISS_CONFLICT,
               "counters.def lists the causes in the order of enum miss_cause");
static inline u64 *miss_counter(struct cache_counters *c, enum miss_cause why)
{
	return (u64 *)c + MISS_FIRST + why;
}
static inline u64 miss_count(const struct cache_counters *c, enum miss_cause why)
{
	return ((const u64 *)c)[MISS_FIRST + why];
}

/* Lookups as GPGPU-Sim counts them: see mem/ref_count.h. Each kind has its sum and the three outcomes behind it. */
enum ref_kind { REF_READ, REF_WRITE, REF_ATOMIC, REF_KINDS };
enum ref_result { REF_ALL, REF_HIT, REF_PENDING, REF_MISS, REF_RESULTS };
#define REF_FIRST (offsetof(struct cache_counters, ref_reads) / sizeof(u64))
_Static_assert(offsetof(struct cache_counters, ref_atomic_misses) / sizeof(u64) ==
                   REF_FIRST + REF_ATOMIC * REF_RESULTS + REF_MISS,
               "counters.def lists the lookups in the order of enum ref_kind and enum ref_result");
static inline u64 *ref_counters(struct cache_counters *c, enum ref_kind k) /* by enum ref_result */
{
	return (u64 *)c + REF_FIRST + k * REF_RESULTS;
}
static inline u64 ref_counted(const struct cache_counters *c, enum ref_kind k, enum ref_result r)
{
	return ((const u64 *)c)[REF_FIRST + k * REF_RESULTS + r];
}

/* Messages on the interconnect, by what they are for: see MESSAGE_CLASSES in counters.def, which lists them in this
 * order, three counters each, for noc and kernel alike. */
enum msg_class { MSG_READ, MSG_WRITE, MSG_WRITEBACK, MSG_CONTROL, MSG_DATA, MSG_CLASSES };
struct msg_counters {
	u64 sent, flits, bytes;
};
#define MSG_COUNTERS_FIT(group)                                                                                        \
	_Static_assert(offsetof(struct group, data_bytes) - offsetof(struct group, read_sent) + sizeof(u64) ==             \
	                       MSG_CLASSES * sizeof(struct msg_counters) &&                                                \
	                   offsetof(struct group, control_flits) - offsetof(struct group, read_sent) ==                    \
	                       MSG_CONTROL * sizeof(struct msg_counters) + offsetof(struct msg_counters, flits),           \
	               "counters.def lists the classes in the order of enum msg_class")
MSG_COUNTERS_FIT(noc_counters);
MSG_COUNTERS_FIT(kernel_counters);
_Static_assert(offsetof(struct noc_counters, data_received) - offsetof(struct noc_counters, read_received) ==
                   MSG_DATA * sizeof(u64),
               "counters.def lists the classes in the order of enum msg_class");
_Static_assert(offsetof(struct noc_counters, data_crossings) - offsetof(struct noc_counters, read_crossings) ==
                   MSG_DATA * sizeof(u64),
               "counters.def lists the classes in the order of enum msg_class");
static inline struct msg_counters *noc_messages(struct noc_counters *n) /* by enum msg_class */
{
	return (struct msg_counters *)(void *)&n->read_sent;
}
static inline u64 *noc_received(struct noc_counters *n) /* the same */
{
	return &n->read_received;
}
static inline u64 *noc_crossings(struct noc_counters *n) /* the same */
{
	return &n->read_crossings;
}
static inline struct msg_counters *kernel_messages(struct kernel_counters *k) /* the same */
{
	return (struct msg_counters *)(void *)&k->read_sent;
}
extern const char *const msg_class_names[MSG_CLASSES];

/* Kinds of instructions: see insts_ and lanes_ in counters.def, which lists them in this order. */
enum inst_kind {
	IK_INT,
	IK_F32,
	IK_F64,
	IK_SFU,
	IK_CTRL,
	IK_GLOBAL,
	IK_SHARED,
	IK_LOCAL,
	IK_CONST,
	IK_TEX,
	IK_TENSOR,
	IK_COUNT
};
/* What instructions did, as counted of a CTA: the LANE_COUNTERS in their order. */
struct lane_counters {
	u64 lanes[IK_COUNT];
	u64 reg_reads, reg_writes;
};
#define LANE_COUNTERS_FIT(group)                                                                                       \
	_Static_assert(offsetof(struct group, reg_writes) - offsetof(struct group, lanes_int) + sizeof(u64) ==             \
	                   sizeof(struct lane_counters),                                                                   \
	               "counters.def lists the kinds in the order of enum inst_kind")
LANE_COUNTERS_FIT(sm_counters);
LANE_COUNTERS_FIT(kernel_counters);
_Static_assert(offsetof(struct sm_counters, insts_tensor) - offsetof(struct sm_counters, insts_int) ==
                   IK_TENSOR * sizeof(u64),
               "counters.def lists the kinds in the order of enum inst_kind");
static inline struct lane_counters *sm_lanes(struct sm_counters *c)
{
	return (struct lane_counters *)(void *)&c->lanes_int;
}
static inline struct lane_counters *kernel_lanes(struct kernel_counters *c)
{
	return (struct lane_counters *)(void *)&c->lanes_int;
}
static inline void lanes_add(struct lane_counters *into, const struct lane_counters *c)
{
	for (u32 i = 0; i < IK_COUNT; i++)
		into->lanes[i] += c->lanes[i];
	into->reg_reads += c->reg_reads;
	into->reg_writes += c->reg_writes;
}
static inline u64 lanes_sum(const struct lane_counters *c) /* thread instructions */
{
	u64 sum = 0;
	for (u32 i = 0; i < IK_COUNT; i++)
		sum += c->lanes[i];
	return sum;
}

/* --- events ------------------------------------------------------------------------------------------------------- */
enum event_type {
#define E6(id, name, places, a0, a1, a2, a3, a4, a5, def) EV_##id,
#include "probe/events.def"
	EV_COUNT
};
/* A set of event types, a bit a type: room for more rows of events.def than a word has bits, with a word's operators.
 * A type that is known where it is tested costs what a test of one word costs. */
__extension__ typedef unsigned __int128 event_set;
#define EVENT(type) ((event_set)1 << (type))
#define EVENTS_ALL (EVENT(EV_COUNT) - 1)
_Static_assert(EV_COUNT < 8 * sizeof(event_set), "event_set has a bit for every row of events.def");
static inline bool event_in(event_set s, u32 type)
{
	return (u64)(s >> type) & 1;
}
/* The places that an event is told with: columns of events.def. */
enum event_places {
	EVENT_OF_SM = 1,
	EVENT_OF_KERNEL = 2,
	EVENT_OF_CTA = 4,
	EVENT_OF_WARP = 8,
	EVENT_OF_NONE = 0,
	EVENT_OF_S = EVENT_OF_SM,
	EVENT_OF_K = EVENT_OF_KERNEL,
	EVENT_OF_SK = EVENT_OF_SM | EVENT_OF_KERNEL,
	EVENT_OF_SKC = EVENT_OF_SM | EVENT_OF_KERNEL | EVENT_OF_CTA,
	EVENT_OF_SKCW = EVENT_OF_SKC | EVENT_OF_WARP,
};
#define EVENT_ARGS 6
struct event {
	u64 cycle;
	u64 arg[EVENT_ARGS];
	s32 sm, kernel, cta, warp; /* -1 where not applicable */
	u32 type;
	u32 pc;
};
struct event_desc {
	const char *name, *arg[EVENT_ARGS], *help;
	u32 places; /* enum event_places: the others are -1 in every event of this type */
};
extern const struct event_desc event_descs[EV_COUNT];
int event_find(const char *name); /* enum event_type, or -1 */

/* A bounded list of the events of one producer (an SM, or the machine) in one cycle. Overflow counts, never overwrites.
 */
#define EVENT_BUF_MAX 512
struct event_buf {
	event_set mask;   /* subscribed event types; one test at each emission site */
	bool quiet_issue; /* EV_ISSUE is in the mask for the SM's own use (restartable.h, lines.h): none is to be added */
	u32 n;
	u32 dropped;
	struct event e[EVENT_BUF_MAX];
};
static inline bool event_wanted(const struct event_buf *b, enum event_type t)
{
	return unlikely(event_in(b->mask, t));
}
/* Appends and returns the event with type and cycle filled and the place set to -1; never NULL (an overflow lands in a
 * spare entry and counts in dropped). */
struct event *event_add(struct event_buf *b, enum event_type t, u64 cycle);
#endif
