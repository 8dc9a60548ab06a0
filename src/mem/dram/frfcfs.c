/* First-ready first-come-first-served (Rixner, ISCA 2000): of the commands that requests in the window need next, the one allowed
 * earliest; among equals a column access before a row command, then the oldest request. A bank's row stays open as long as the
 * window holds a request to it. Strict fcfs looks at the oldest request alone.
 *
 * There is no limit on how often younger row hits pass an older request of the same bank, as in GPGPU-Sim. */
#include "mem/impl.h"

u64 frfcfs_pick(const struct mem *m, const struct channel *ch, u32 *entry, enum dram_cmd *cmd)
{
	u32 n = m->c.dram_sched == DRAM_FCFS ? MIN(ch->st->n, 1) : ch->st->n;
	u64 best = NEVER;
	for (u32 i = 0; i < n; i++) {
		enum dram_cmd k;
		u64 t = channel_earliest(m, ch, &ch->w[i], &k);
		if (t > best || (t == best && (k != CMD_COLUMN || *cmd == CMD_COLUMN)) || t == NEVER)
			continue;
		best = t;
		*entry = i;
		*cmd = k;
		if (k == CMD_COLUMN && t == ch->st->cmd_next)
			break; /* nothing is earlier */
	}
	return best;
}
