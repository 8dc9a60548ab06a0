/* restart_record: what a run showed of a kernel's idempotence (sm/restartable.h), over all its launches, compared with
 * what the static check had announced (passes/idempotence.h). */
#ifndef OBS_STATS_RESTART_RECORD_H
#define OBS_STATS_RESTART_RECORD_H
#include "gpu/query.h"

struct restart_place { /* an instruction at which a CTA stopped being restartable, or would have */
	u32 pc;
	enum restart_cause cause;
	u64 times;      /* warp instructions */
	u64 firsts;     /* CTAs for which it was the first */
	bool announced; /* the static check has a point there; it ought to: true as well when that check is not known */
};
struct restart_record {
	bool kept;                         /* idempotence.track is on; all else is 0 without */
	u64 ended, idempotent;             /* CTAs */
	u64 overwrote, atomic, printed;    /* CTAs that did; one may be in all three */
	u64 unknown;                       /* CTAs that read more than idempotence.kb holds, and did none of these */
	u64 measured;                      /* CTAs whose moment is exact... */
	double insts_share, time_share;    /* ...mean share of their instructions, of their cycles, before it (1 when
	                                    * idempotent to the end); NAN without any */
	u64 resident, resident_idempotent; /* CTAs on the machine now; of them those that may be restarted */
	u64 most_blocks;                   /* of 32 bytes that one CTA has read from */
	struct restart_place *place;       /* by pc */
	u32 nplaces, unannounced;
	u64 places_lost;                      /* instructions of any kernel for which there was no room in the record */
	bool static_known, static_idempotent; /* the static check's answer */
	u32 static_points;
	bool false_alarm; /* the static check has points, CTAs have ended, and every one was idempotent */
};
/* Of the kernel function that launch l ran. Release with restart_record_release. */
void restart_record_of(struct restart_record *r, const struct gpu *g, const struct launch *l);
void restart_record_release(struct restart_record *r);
#endif
