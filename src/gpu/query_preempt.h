/* query_preempt: what an observer may see of preemption (task/preempt/preempt.h) - requests for SMs, what was planned
 * for each SM and CTA, and what it came to. Plain copies, as in query.h. */
#ifndef GPU_QUERY_PREEMPT_H
#define GPU_QUERY_PREEMPT_H
#include "task/preempt/cost.h"

struct gpu;
struct request_info {
	u32 id, launch;
	u32 sms, left;     /* SMs that were asked for; of them, those that are not free yet */
	u32 held;          /* of left: SMs that stay with the kernel, as strict idempotence forbids the flush */
	u32 keep, ctas;    /* CTAs that stay on each SM; that are to leave, in all */
	s32 whom;          /* the launch that is to have the SMs; -1: nobody in particular */
	bool partition;    /* the partition policy has asked; else the user */
	const char *by;    /* name of the policy */
	u64 at, limit;     /* cycles */
	u64 done_at, lost; /* 0: it is under way; warp instructions lost so far */
};
/* An SM of a request. */
struct request_sm {
	u32 request, launch, sm;
	u32 ctas, left; /* that are to leave it; of them, those that are there */
	u32 technique;  /* of all its CTAs (enum technique); TECHNIQUES: they differ */
	u64 at, done_at, lost;
	struct preempt_cost cost;              /* estimated, as chosen; COST_MAX: not known */
	struct preempt_cost would[TECHNIQUES]; /* with each technique for all */
};
/* A CTA of an SM of a request. */
struct request_cta {
	u64 id;
	u32 technique;
	bool inactive;                    /* it had no slot when the request was made (cta-virtual=vt) */
	enum cost_bar no_flush, no_drain; /* when the request was made; COST_KNOWN: it could be */
	struct preempt_cost by[TECHNIQUES];
	u64 left_at, lost; /* 0: it is there */
};
/* Requests made so far: their ids are 1 to that. */
u32 gpu_requests(const struct gpu *g);
/* False: never made, or forgotten. */
bool gpu_request(const struct gpu *g, u32 id, struct request_info *out);
/* The SMs of a request (0: of all) that are remembered, and the CTAs of one of them. Both give how many there are and
 * write `max` at most. */
#define REQUEST_SMS_MAX 512
u32 gpu_request_sms(const struct gpu *g, u32 id, struct request_sm *out, u32 max);
u32 gpu_request_ctas(const struct gpu *g, u32 id, u32 sm, struct request_cta *out, u32 max);
/* The request under way on an SM; false: none is. */
bool gpu_preempted(const struct gpu *g, u32 sm, struct request_sm *out);
/* The CTA in a place is to leave its SM by the request under way there: by which technique; TECHNIQUES: it is not. */
u32 gpu_leaves_by(const struct gpu *g, u32 sm, u32 place);
/* Is this SM kept from a running launch? */
bool gpu_kept_away(const struct gpu *g, u32 sm, u32 launch);
#endif
