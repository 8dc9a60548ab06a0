/* info swaps: who has given slots to whom (virtual threads), why, and what it cost each of them. */
#include <stdio.h>
#include <stdlib.h>

#include "base/grid.h"
#include "base/words.h"
#include "commands/commands.h"
#include "conf/virtual.h"
#include "dbg/moves.h"
#include "dbg/swaps.h"

#define SWAPS_SHOWN 20

enum column { W_CYCLE, W_SM, W_SLOT, W_OUT, W_CAUSE, W_HELD, W_IN, W_AWAY, W_READY, W_SWAP, W_COLUMNS };
static const struct {
	const char *name;
	bool left;
} columns[W_COLUMNS] = {
    [W_CYCLE] = {"cycle", false}, [W_SM] = {"SM", false},      [W_SLOT] = {"slot", false},
    [W_OUT] = {"leaves", false},  [W_CAUSE] = {"cause", true}, [W_HELD] = {"had slots", false},
    [W_IN] = {"comes", false},    [W_AWAY] = {"away", false},  [W_READY] = {"ready", false},
    [W_SWAP] = {"swap", false},
};

static void put_cycles(struct grid *g, u32 y, enum column c, u64 n)
{
	if (n != SWAP_UNKNOWN)
		grid_put(g, y, c, "%llu", (unsigned long long)n);
	else
		grid_put(g, y, c, "?");
}

static void put_cta(struct grid *g, u32 y, enum column c, u64 cta, u32 launch)
{
	grid_put(g, y, c, "%llu#%u", (unsigned long long)cta, launch);
}

static void put_swap(struct grid *g, u32 y, const struct swap *s)
{
	static const char *const causes[] = {"memory", "barrier", "ending"};
	grid_put(g, y, W_CYCLE, "%llu", (unsigned long long)s->cycle);
	grid_put(g, y, W_SM, "%u", s->sm);
	grid_put(g, y, W_SLOT, "%u", s->slot);
	if (s->cause != SWAP_FREE_SLOTS) {
		put_cta(g, y, W_OUT, s->out, s->out_launch);
		put_cycles(g, y, W_HELD, s->held);
	}
	grid_put(g, y, W_CAUSE, "%s", s->cause < ARRAY_LEN(causes) ? causes[s->cause] : "free slots");
	grid_put(g, y, W_IN, "%llu#%u%s", (unsigned long long)s->in, s->in_launch, s->is_new ? " new" : "");
	put_cycles(g, y, W_AWAY, s->away);
	put_cycles(g, y, W_READY, s->ready);
	if (s->over)
		grid_put(g, y, W_SWAP, "%llu", (unsigned long long)(s->over - s->cycle));
	else
		grid_put(g, y, W_SWAP, "under way");
}

static void tell_mean(struct strbuf *out, const char *what, u64 sum, u32 n)
{
	if (n)
		strbuf_addf(out, "%s%.0f", what, (double)sum / n);
}

/* All of them in one line or two. */
static void tell_sums(const struct swap *s, u32 n, struct strbuf *out)
{
	u32 by[4] = {0}, held = 0, away = 0;
	u64 held_sum = 0, away_sum = 0, ready_sum = 0, swap_sum = 0;
	for (u32 i = 0; i < n; i++) {
		by[MIN(s[i].cause, 3u)]++;
		swap_sum += s[i].over ? s[i].over - s[i].cycle : 0;
		if (s[i].cause != SWAP_FREE_SLOTS && s[i].held != SWAP_UNKNOWN) {
			held++;
			held_sum += s[i].held;
		}
		if (!s[i].is_new && s[i].away != SWAP_UNKNOWN && s[i].ready != SWAP_UNKNOWN) {
			away++;
			away_sum += s[i].away;
			ready_sum += s[i].ready;
		}
	}
	strbuf_addf(out, "%u swap%s: %u memory, %u barrier, %u ending, %u into free slots; %llu cycle%s of swapping", n,
	            plural(n), by[0], by[1], by[2], by[3], (unsigned long long)swap_sum, plural(swap_sum));
	tell_mean(out, ". Means in cycles: had slots ", held_sum, held);
	tell_mean(out, held ? ", away " : ". Means in cycles: away ", away_sum, away);
	tell_mean(out, ", of them ready ", ready_sum, away);
	strbuf_adds(out, ".\n");
}

bool info_swaps(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct grid g = {0};
	u64 shown = SWAPS_SHOWN;
	u32 n;
	if (*args && !arg_number(args, "info swaps", UINT32_MAX, &shown, e))
		return false;
	if (!conf_is_vt(gpu_conf(dbg_gpu(d)))) {
		strbuf_adds(out, "CTAs do not swap here: `run --cta-virtual vt` has virtual threads.\n");
		return true;
	}
	struct swap *s = swaps_known(d, &n);
	if (!n)
		strbuf_adds(out, "No CTA has given its slots to another yet.\n");
	else
		tell_sums(s, n, out);
	for (u32 i = 0; i < W_COLUMNS; i++) {
		grid_put(&g, 0, i, "%s", columns[i].name);
		g.left[i] = columns[i].left;
	}
	const u32 first = n > shown ? n - (u32)shown : 0;
	for (u32 i = first; i < n; i++)
		put_swap(&g, i - first + 1, &s[i]);
	if (first < n)
		grid_print(&g, out);
	if (moves_forgotten(d->moves))
		strbuf_addf(out, "what came before the last %u moves of CTAs is forgotten\n", MOVES_MAX);
	grid_release(&g);
	free(s);
	return true;
}
