/* verbs: pause, resume, halt, drop, save and restore a CTA of the machine, between two cycles; see sm/verbs.h and
 * cta/resume.h. A CTA is named by launch and linear id. On failure they return false with *e, which gives the reason,
 * and nothing is done. */
#ifndef GPU_VERBS_H
#define GPU_VERBS_H
#include "base/base.h"
#include "base/err.h"

struct gpu;
enum cta_verb { CTA_PAUSE, CTA_RESUME, CTA_HALT, CTA_DROP, CTA_SAVE, CTA_RESTORE, CTA_VERBS };
struct cta_order {
	enum cta_verb verb;
	u32 launch, sm; /* sm: where to, of CTA_RESTORE */
	u64 id, cycles; /* cycles: of CTA_HALT */
};
/* A kernel gives SMs away (task/preempt/preempt.h): so many, or those of a set; within so many microseconds; by the
 * policy of that name, or (NULL) the one in use. The SMs stay away from it until gpu_release_sms(), until it ends, or
 * until the first kernel that comes there has ended. */
struct sm_order {
	u32 launch, sms;
	const u64 *set; /* NULL: sms says how many */
	double within_us;
	const char *by;
};
/* The number of the request (query_preempt.h tells what becomes of it); 0 with *e. */
u32 gpu_preempt(struct gpu *g, const struct sm_order *o, struct err *e);
bool gpu_may_preempt(struct gpu *g, const struct sm_order *o, struct err *e);
/* SMs are given back; NULL: all. */
bool gpu_release_sms(struct gpu *g, const u64 *set, struct err *e);
bool gpu_may_release_sms(const struct gpu *g, const u64 *set, struct err *e);

/* The same as the functions below (a saved CTA stays away until it is restored), by the verb's name; and whether it
 * would work, as far as can be told without doing it. */
bool gpu_order_cta(struct gpu *g, const struct cta_order *o, struct err *e);
bool gpu_may_order_cta(const struct gpu *g, const struct cta_order *o, struct err *e);

bool gpu_pause_cta(struct gpu *g, u32 launch, u64 id, struct err *e);
bool gpu_resume_cta(struct gpu *g, u32 launch, u64 id, struct err *e);
bool gpu_halt_cta(struct gpu *g, u32 launch, u64 id, u64 cycles, struct err *e);
/* Needs the record of what CTAs read and write (idempotence.track), which has to say that it may be. */
bool gpu_drop_cta(struct gpu *g, u32 launch, u64 id, struct err *e);
/* release: it comes back as soon as there is room, without gpu_restore_cta(). */
bool gpu_save_cta(struct gpu *g, u32 launch, u64 id, bool release, struct err *e);
/* To SM `sm`; SM_ANY: to any, as soon as there is room. */
bool gpu_restore_cta(struct gpu *g, u32 launch, u64 id, u32 sm, struct err *e);
#endif
