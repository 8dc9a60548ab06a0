/* history: snapshots of a machine's whole state, for going back.
 *
 * A snapshot is a table of pages over two regions: the state arena and device memory. Pages that did not change since
 * the snapshot before are shared with it (reference counts), and so are runs of 256 table entries, so a snapshot costs
 * only what changed. Restoring copies back the pages that differ.
 *
 * There are two kinds. AUTO snapshots are taken now and then while the machine runs, and are thinned when memory is
 * short (dense near the end, sparse further back). TURN snapshots are taken after the host program (or the user) did
 * something to the machine between two cycles. Replay from a snapshot runs the machine forward; where it reaches a
 * TURN, it takes that snapshot's state instead of doing the host's work again. So a TURN stays as long as anything
 * before it does. When only TURNs are left and memory is short, the beginning of history moves forward. This happens
 * when the machine gets further than it ever was, never because somebody looks back.
 *
 * Snapshots are ordered by cycle and, at the same cycle, by the number of turns so far: an AUTO has the turns of the
 * snapshot before it, a TURN has one more. `at` is the snapshot last taken or restored: the machine is at it, or
 * between it and the next one. */
#ifndef OBS_HISTORY_HISTORY_H
#define OBS_HISTORY_HISTORY_H
#include "base/arena.h"
#include "base/err.h"
#include "ir/devmem.h"

enum snapshot_kind { SNAP_AUTO, SNAP_TURN };
struct snapshot; /* opaque but for these */
struct history;

/* budget: bytes for pages, their tables and what callers keep with snapshots; at least 16 MiB. */
struct history *history_create(struct arena *a, struct devmem *d, u64 budget, struct err *e);
void history_free(struct history *h);
/* This process is a fork of the one that made it: the second thread is not here, and nobody waits for it. */
void history_forked(struct history *h);

/* Takes a snapshot of the present state, placed after `at`; it becomes `at`. extra: host-side state of the caller's
 * that goes with it, extra_bytes of the budget, freed by free_extra when the snapshot goes. again: the machine has been
 * here before; an AUTO snapshot for which there is no room but that of history's beginning is not taken then. False
 * when the memory does not even hold this one alone. */
bool history_take(struct history *h, enum snapshot_kind k, u64 cycle, bool again, void *extra, u64 extra_bytes,
                  void (*free_extra)(void *));
/* The machine has run past the next snapshot, an AUTO one: it becomes `at`. */
void history_pass(struct history *h);
/* Restores snapshot i; returns its extra. It becomes `at`. */
void *history_restore(struct history *h, u32 i);
/* The last snapshot at or before `cycle` with at most so many turns; UINT32_MAX when history begins later. */
u32 history_before(const struct history *h, u64 cycle, u32 turns);
/* How many turns there have been before those of `cycle`, as far as history reaches, and with them. */
u32 history_turns_before(const struct history *h, u64 cycle);
u32 history_turns_with(const struct history *h, u64 cycle);
/* `at` is a TURN behind which the machine stood; and the turns when it stood at `cycle` last: behind the last such one,
 * else before all of them. */
void history_rests(struct history *h);
u32 history_turns_at_rest(const struct history *h, u64 cycle);
/* Drops every snapshot after `at`: the past was changed here. */
void history_fork(struct history *h);

u32 history_count(const struct history *h);
u32 history_at(const struct history *h);
u64 history_cycle(const struct history *h, u32 i);
enum snapshot_kind history_kind(const struct history *h, u32 i);
/* TURNs dropped from the beginning so far plus those at or before snapshot i: the number of turns that had happened. */
u32 history_turns(const struct history *h, u32 i);
u64 history_bytes(const struct history *h); /* of the budget, in use now */
#endif
