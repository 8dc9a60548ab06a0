/* roofs: the roofline (obs/stats/roofline.h) of the part of the run that figures are of, column by column: where the
 * program was under its ceilings over time. A copy of the process goes through that part again (dbg/elsewhen.h). */
#ifndef UI_DBG_ROOFS_H
#define UI_DBG_ROOFS_H
#include "dbg/state.h"
#include "obs/stats/roofline.h"

#define ROOF_COLUMNS 64u
#define ROOF_FINEST 64u /* cycles of a column at least */
struct roofs {
	u64 from, to, width; /* cycles [from, to); of a column: ROOF_FINEST times a power of two. The last may be shorter */
	u32 n;
	struct roofline *column; /* [n]: of each column alone; their sums are those of the whole part */
};
/* What was asked for last is remembered until the machine is elsewhere, or the scope another one. NULL with *e:
 * interrupted, no history, the machine is running, or nothing has been launched. */
const struct roofs *roofs_get(struct debugger *d, struct err *e);
/* That, if it is known. */
const struct roofs *roofs_known(struct debugger *d);
void roofs_forked(struct debugger *d);
void roofs_release(struct debugger *d);
#endif
