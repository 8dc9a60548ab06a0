/* probe_path: "gpu.sm[3].l1d.misses" -> a value, without Lua. A path is parsed once and read as often as one likes.
 *
 *   gpu.cycle  gpu.ipc  gpu.issued                      the machine (issued and the like: sums over the SMs)
 *   gpu.sm[N].COUNTER  gpu.sm[N].ipc                    group sm
 *   gpu.sm[N].l1d.COUNTER  gpu.l1d.COUNTER              groups l1i l1d l1c l1t: one SM's, or the sum
 *   gpu.l2[N].COUNTER  gpu.l2.COUNTER                   one slice, or the sum; gpu.dram likewise by channel
 *   gpu.noc.COUNTER
 *   gpu.kernel[N].COUNTER                               launch N (it must exist when the path is read)
 *   gpu.sm[N].stall.REASON  gpu.stall.REASON            slots by base reason, blanks as underscores: memory_dependency
 *   gpu.sm[N].warp[W].FIELD                             pc insts active pending_loads since state
 *
 * Beside the counters stand the rates of obs/stats/derived.def (hit_rate, ipc...); NAN when their denominator is 0. */
#ifndef OBS_NAME_PROBE_PATH_H
#define OBS_NAME_PROBE_PATH_H
#include "base/err.h"
#include "base/strbuf.h"
#include "gpu/query.h"
#include "obs/stats/stats.h"

#define PROBE_ALL UINT32_MAX /* instance: the sum over all */
enum probe_kind { PROBE_COUNTER, PROBE_RATE, PROBE_CYCLE, PROBE_STALL, PROBE_WARP };
enum probe_warp_field { PW_PC, PW_INSTS, PW_ACTIVE, PW_PENDING_LOADS, PW_SINCE, PW_STATE, PW_COUNT };
struct probe_path {
	enum probe_kind kind;
	enum counter_group group;
	u32 instance; /* or PROBE_ALL */
	u32 index;    /* counter, row of rate_descs, enum stall, enum probe_warp_field */
	u32 warp;
};
struct probe_value {
	bool real;
	u64 u;
	double d;
};
/* False with *e naming the word it does not know and the path. */
bool probe_parse(const struct gpu *g, const char *text, struct probe_path *out, struct err *e);
struct probe_value probe_read(struct gpu *g, const struct probe_path *p);
bool probe_value_equal(struct probe_value a, struct probe_value b);
void probe_value_text(struct probe_value v, struct strbuf *out);

/* The sum of a group's counter over all instances, or one instance's. */
u64 probe_counter(struct gpu *g, enum counter_group group, u32 instance, u32 index);
/* Row in rate_descs of a group's rate by name, -1 = none; its value for one instance or PROBE_ALL. */
int probe_find_rate(enum counter_group group, const char *name, size_t len);
double probe_rate(struct gpu *g, u32 row, u32 instance);
/* Numerator and denominator of that. */
void probe_rate_parts(struct gpu *g, u32 row, u32 instance, double *num, double *den);
extern const char *const probe_warp_fields[PW_COUNT];
/* Reason by name with blanks or underscores; -1 = none. */
int probe_find_stall(const char *name, size_t len);
/* Counter of a group by name, -1 = none. */
int probe_find_counter(enum counter_group group, const char *name, size_t len);

/* Continuations of a path being typed (for completion): calls fn with each whole path that begins with text. */
void probe_complete(const struct gpu *g, const char *text, void (*fn)(void *ctx, const char *path), void *ctx);
#endif
