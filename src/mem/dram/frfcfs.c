/* First-ready first-come-first-served (Rixner, ISCA 2000): of the commands that requests in the window need next, the
 * one allowed earliest; among equals a column access before a row command, then the oldest request. A bank's row stays
 * open as long as the window holds a request to it. Strict fcfs looks at the oldest request alone.
 *
 * There is no limit on how often younger row hits pass an older request of the same bank, as in GPGPU-Sim.
 *
 * The decision is kept in the channel until its cycle comes; only commands and arrivals change it. */
#include "base/bits.h"
#include "mem/impl.h"

static u64 column_at(const struct channel *ch, const struct window_entry *w)
{
	const struct channel_state *st = ch->st;
	u64 t = MAX(st->cmd_next, w->arrived);
	t = MAX(t, ch->bank[w->bank].col_ok);
	t = MAX(t, st->col_next);
	t = MAX(t, ch->group_next[w->group]);
	return MAX(t, w->write ? st->wr_next : st->rd_next);
}

/* The row command a bank needs next: precharge of another row, or activate. */
static u64 row_at(const struct channel *ch, u32 bank, enum dram_cmd *cmd)
{
	const struct channel_state *st = ch->st;
	*cmd = st->open_banks >> bank & 1 ? CMD_PRECHARGE : CMD_ACTIVATE;
	u64 t = MAX(ch->row_ok[bank], st->cmd_next);
	return *cmd == CMD_PRECHARGE ? t : MAX(t, st->act_next);
}

static void propose(struct channel *ch, u64 at, u32 entry, enum dram_cmd cmd)
{
	ch->st->due = at;
	ch->st->due_entry = entry;
	ch->st->due_cmd = cmd;
}

/* The best column command; stops at the first that no other can beat. */
static void decide_column(struct channel *ch)
{
	const struct channel_state *st = ch->st;
	u64 floor = MAX(MAX(st->cmd_next, st->col_next), MIN(st->rd_next, st->wr_next));
	for (u32 i = 0, left = st->hits; left; i++) {
		if (!ch->w[i].hit)
			continue;
		u64 t = column_at(ch, &ch->w[i]);
		if (t < st->due)
			propose(ch, t, i, CMD_COLUMN);
		if (t <= floor)
			return;
		left--;
	}
}

static u64 earliest_of(const struct channel *ch, u64 banks)
{
	u64 best = NEVER;
	FOR_EACH_BIT(b, banks)
	best = MIN(best, ch->row_ok[b]);
	return best;
}

/* A row command, where one is allowed before the column command: for the oldest request of the banks that could go
 * first. */
static void decide_row(struct channel *ch)
{
	const struct channel_state *st = ch->st;
	u64 precharge = MAX(earliest_of(ch, st->row_banks & st->open_banks), st->cmd_next);
	u64 activate = MAX(earliest_of(ch, st->row_banks & ~st->open_banks), MAX(st->cmd_next, st->act_next));
	u64 at = MIN(precharge, activate);
	if (at >= st->due)
		return;
	enum dram_cmd cmd;
	for (u32 i = 0; i < st->n; i++) {
		u32 bank = ch->w[i].bank;
		if (st->row_banks >> bank & 1 && row_at(ch, bank, &cmd) == at) {
			propose(ch, MAX(at, ch->w[i].arrived), i, cmd);
			return;
		}
	}
}

static void decide_oldest(struct channel *ch)
{
	const struct window_entry *w = &ch->w[0];
	enum dram_cmd cmd = CMD_COLUMN;
	u64 t = w->hit ? column_at(ch, w) : MAX(row_at(ch, w->bank, &cmd), w->arrived);
	propose(ch, t, 0, cmd);
}

void dram_decide(const struct mem *m, struct channel *ch)
{
	ch->st->due = NEVER;
	if (!ch->st->n)
		return;
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
	const struct window_entry *w = &ch->w[i];
	enum dram_cmd cmd = CMD_COLUMN;
	if (m->c.dram_sched == DRAM_FCFS && i)
		return;
	if (w->hit && st->due != NEVER && st->due_cmd == CMD_PRECHARGE && ch->w[st->due_entry].bank == w->bank) {
		st->row_banks &= ~BIT(w->bank);
		st->hit_banks |= BIT(w->bank);
		dram_decide(m, ch);
		return;
	}
	if (!w->hit && m->c.dram_sched == DRAM_FRFCFS && (st->hit_banks | st->row_banks) >> w->bank & 1)
		return; /* older requests of the bank go first */
	u64 t = w->hit ? column_at(ch, w) : MAX(row_at(ch, w->bank, &cmd), w->arrived);
	if (t < st->due || (t == st->due && cmd == CMD_COLUMN && st->due_cmd != CMD_COLUMN))
		propose(ch, t, i, cmd);
}
