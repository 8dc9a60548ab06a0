/* residency: which launch's CTAs an SM held, under which limit, and how far each CTA was, over the whole run. It is
 * sampled at multiples of a span of cycles. When the store is full, every other sample is dropped and the span doubles.
 * The samples are the same on every host. */
#ifndef UI_VIEWS_RESIDENCY_H
#define UI_VIEWS_RESIDENCY_H
#include "sim.h"

#define RESIDENCY_CYCLES 128 /* span at the start */
#define RESIDENCY_SAMPLES 2048
struct resident {
	u32 launch;     /* the one with most CTAs; valid when ctas is not 0 */
	u16 ctas, most; /* CTAs of all launches, of `launch` */
	u16 limit;      /* of the CTA scheduler on CTAs of `launch` here; 0 = none */
};
struct residency {
	struct resident *at; /* [sample][SM] */
	u32 *insts;          /* [sample][SM][slot]: warp instructions of the slot's CTA so far, and 1; 0 = no CTA */
	u32 slots;
	u64 first, span; /* sample i is of cycle first + i * span */
	u32 n, sms;
	struct sim *sim;
	int id;
};
void residency_attach(struct residency *r, struct sim *s);
void residency_detach(struct residency *r); /* before the machine goes */
void residency_forget(struct residency *r); /* after it is gone */
/* The sample nearest to a cycle; NULL when there is none within a span of it. */
const struct resident *residency_at(const struct residency *r, u32 sm, u64 cycle);
/* Of the same sample: `slots` figures, one a CTA slot of the SM. */
const u32 *residency_insts(const struct residency *r, u32 sm, u64 cycle);
/* What an SM holds now; insts, when not NULL: [slots], as in struct residency. */
struct resident residency_now(struct gpu *g, u32 sm, u32 *insts);
#endif
