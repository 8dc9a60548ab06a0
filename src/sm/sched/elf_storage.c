#include "sm/sched/elf_storage.h"

#define PC_BITS 32
/* Table 3.3; its parts are not published ("the same overhead as the CAR"). */
#define NEWCAR_BITS 301

/* Of a field that holds distances below max_score; a program point can be no farther. */
static u32 score_bits(const struct conf *c)
{
	u32 bits = 1;
	while (bits < 32 && (1ull << bits) < c->elf_max_score)
		bits++;
	return bits;
}

u32 elf_storage(const struct conf *c, bool plus, struct policy_storage *out)
{
	u32 n = 0, score = score_bits(c);
	/* valid, branch, pc, score */
	out[n++] = (struct policy_storage){"priority calculator", 1 + 1 + PC_BITS + score, c->elf_max_points};
	out[n++] = (struct policy_storage){"warp priority table", score, c->sm_threads / WARP_SIZE};
	if (plus)
		out[n++] = (struct policy_storage){"NewCAR queue", NEWCAR_BITS, c->lsu_replay_entries};
	return n;
}
