/* First-ready first-come-first-served (Rixner, ISCA 2000): of the commands that requests in the window need next, the
 * one allowed earliest; among equals a column access before a row command, then the oldest request. A bank's row stays
 * open as long as the window holds a request to it. Strict fcfs looks at the oldest request alone.
 *
 * There is no limit on how often younger row hits pass an older request of the same bank, as in GPGPU-Sim.
 *
 * The decision is kept in the channel until its cycle comes; only commands and arrivals change it. */
#include "base/bits.h"
#include "mem/impl.h"

struct bases { /* what all column commands have in common: cycles from which reads and writes are allowed */
	u64 of[2];
};

static inline struct bases column_bases(const struct channel_state *st)
{
	u64 t = MAX(st->cmd_next, st->col_next);
	return (struct bases){{MAX(t, st->rd_next), MAX(t, st->wr_next)}};
}

static inline u64 column_at(const struct channel *ch, const struct bases *base, const struct window_entry *w)
{
	u64 t = MAX(base->of[w->write], w->arrived);
	t = MAX(t, ch->bank[w->bank].col_ok);
	return MAX(t, ch->group_next[w->group]);
}

/* The row command a bank needs next: precharge of another row, or activate. */
static inline u64 row_at(const struct channel *ch, u32 bank, enum dram_cmd *cmd)
{
	const struct channel_state *st = ch->st;
	*cmd = st->open_banks >> bank & 1 ? CMD_PRECHARGE : CMD_ACTIVATE;
	u64 t = MAX(ch->row_ok[bank], st->cmd_next);
	return *cmd == CMD_PRECHARGE ? t : MAX(t, st->act_next);
}

static inline void propose(struct channel *ch, u64 at, u32 entry, enum dram_cmd cmd)
{
	ch->st->due = at;
	ch->st->due_entry = entry;
	ch->st->due_cmd = cmd;
}

/* The best column command; stops at the first that no other can beat. */
static void decide_column(struct channel *ch)
{
	const struct channel_state *st = ch->st;
	struct bases base = column_bases(st);
	u64 floor = MIN(base.of[0], base.of[1]), best = NEVER;
	u32 at = 0;
	for (u32 i = 0, left = st->hits; left; i++) {
		const struct window_entry *w = window_at(ch, i);
		if (!w->hit)
			continue;
		u64 t = column_at(ch, &base, w);
		at = t < best ? i : at;
		best = MIN(best, t);
		if (t <= floor)
			break;
		left--;
	}
	propose(ch, best, at, CMD_COLUMN);
}

/* When the earliest row command may go, and the banks that could take one in that cycle. A bank whose row_ok lies
 * behind the command bus's next cycle has rested: it stays so until a command to it, and needs no further look. */
static u64 earliest_row(struct channel *ch, u64 *banks)
{
	struct channel_state *st = ch->st;
	u64 activate = MAX(st->cmd_next, st->act_next), at = NEVER;
	FOR_EACH_BIT(b, st->row_banks & ~st->rested)
	if (ch->row_ok[b] <= st->cmd_next)
		st->rested |= BIT(b);
	u64 rested = st->row_banks & st->rested, waiting = st->row_banks & ~st->rested;
	if (rested & st->open_banks) {
		*banks = activate == st->cmd_next ? rested : rested & st->open_banks;
		return st->cmd_next;
	}
	*banks = rested;
	if (rested)
		at = activate;
	FOR_EACH_BIT(b, waiting)
	{
		u64 t = st->open_banks >> b & 1 ? ch->row_ok[b] : MAX(ch->row_ok[b], activate);
		if (t < at)
			*banks = 0;
		if (t <= at)
			*banks |= BIT(b);
		at = MIN(at, t);
	}
	return at;
}

/* A row command, where one is allowed before the column command: for the oldest request of the banks that could go
 * first. */
static void decide_row(struct channel *ch)
{
	const struct channel_state *st = ch->st;
	if (st->due <= st->cmd_next)
		return;
	u64 banks, at = earliest_row(ch, &banks);
	if (at >= st->due)
		return;
	u32 i = 0;
	while (!(banks >> window_at(ch, i)->bank & 1))
		i++;
	const struct window_entry *w = window_at(ch, i);
	propose(ch, MAX(at, w->arrived), i, st->open_banks >> w->bank & 1 ? CMD_PRECHARGE : CMD_ACTIVATE);
}

static void decide_oldest(struct channel *ch)
{
	const struct window_entry *w = window_at(ch, 0);
	struct bases base = column_bases(ch->st);
	enum dram_cmd cmd = CMD_COLUMN;
	u64 t = w->hit ? column_at(ch, &base, w) : MAX(row_at(ch, w->bank, &cmd), w->arrived);
	propose(ch, t, 0, cmd);
}

void dram_decide(const struct mem *m, struct channel *ch)
{
	if (!ch->st->n) {
		ch->st->due = NEVER;
		return;
	}
	if (m->c.dram_sched == DRAM_FCFS) {
		decide_oldest(ch);
		return;
	}
	decide_column(ch);
	if (ch->st->row_banks)
		decide_row(ch);
}

/* The youngest request changes a decision only when its own command may go before, or when it hits the row about to be
 * closed. Called before the bank masks know of it, so that a bank which waits already is seen to. */
void dram_decide_added(const struct mem *m, struct channel *ch)
{
	struct channel_state *st = ch->st;
	u32 i = st->n - 1;
	const struct window_entry *w = window_at(ch, i);
	enum dram_cmd cmd = CMD_COLUMN;
	if (m->c.dram_sched == DRAM_FCFS && i)
		return;
	if (w->hit && st->due != NEVER && st->due_cmd == CMD_PRECHARGE && window_at(ch, st->due_entry)->bank == w->bank) {
		st->row_banks &= ~BIT(w->bank);
		st->hit_banks |= BIT(w->bank);
		dram_decide(m, ch);
		return;
	}
	if (!w->hit && m->c.dram_sched == DRAM_FRFCFS && (st->hit_banks | st->row_banks) >> w->bank & 1)
		return; /* older requests of the bank go first */
	struct bases base = column_bases(st);
	u64 t = w->hit ? column_at(ch, &base, w) : MAX(row_at(ch, w->bank, &cmd), w->arrived);
	if (t < st->due || (t == st->due && cmd == CMD_COLUMN && st->due_cmd != CMD_COLUMN))
		propose(ch, t, i, cmd);
}
