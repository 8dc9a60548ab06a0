/* konata: warps over time (lanes.h) as a log for the pipeline viewer Konata (https://github.com/shioyadan/Konata), in
 * its format "Kanata 0004" (docs/kanata-log-format.md there).
 *
 * A warp instruction is an instruction of the log, its thread the warp's slot. It begins in the cycle after the warp's
 * instruction before it was issued, or in which the warp comes, and its stages are what the warp was until it issues:
 * the names of sm/warp_state.def, "refused", and "issue" for the slot that it takes (again for each leading part). In
 * the cycle after that it is retired. One that the warp never issues - it leaves, or the log ends - is flushed.
 * Instructions that take no issue slot are left out. When a result comes is not in the log: an arrow goes from the
 * instruction for whose result it waited last to it. */
#ifndef OBS_RECORD_KONATA_H
#define OBS_RECORD_KONATA_H
#include "base/strbuf.h"
#include "obs/record/lanes.h"

struct konata;
/* A log of an SM that begins at a cycle; its head is appended. */
struct konata *konata_new(const struct gpu *g, u32 sm, u64 from, struct strbuf *out);
/* Appends cycles up to `to` from where it ended; single cycles of `l`, which must have them. */
void konata_add(struct konata *k, const struct lanes *l, u64 to, struct strbuf *out);
/* Appends the end and frees. */
void konata_free(struct konata *k, struct strbuf *out);
#endif
