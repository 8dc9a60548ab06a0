#include "dbg/lanes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dbg/apart.h"
#include "dbg/lua_side.h"

#define POLL_MS 5
#define LEAST_EXACT 1024 /* cycles recorded on each side of those asked for, one by one */
#define NOTE sizeof(((struct err *)0)->msg)

/* What both processes see. The recording lies behind it. */
struct shared {
	volatile bool done;
	char why[NOTE]; /* "": all is well */
	_Alignas(16) u8 lanes[];
};
struct kept {
	struct shared *mem; /* NULL: free */
	size_t bytes;
	struct lanes *l;
	s32 sm;
	u32 bin;
	u64 from, end; /* as it was asked for */
	u64 used;      /* grows with each look */
	bool cut;      /* the process ended in the middle: it cannot go on */
	char why[NOTE];
};
struct wish {
	bool any;
	s32 sm;
	u32 bin;
	u64 from, to;
};
struct lanes_store {
	struct kept kept[LANES_KEPT];
	struct kept *now; /* the one that is being recorded */
	pid_t pid;
	u64 looks, seen; /* seen: how far `now` had come at the last wait */
	struct wish wish;
	char why[NOTE];
};

static struct lanes_store *store(struct debugger *d)
{
	if (!d->lanes)
		d->lanes = xcalloc(1, sizeof *d->lanes);
	return d->lanes;
}

/* --- the process -------------------------------------------------------------------------------------------------- */

/* Runs [from, end) again and records it. */
static bool record(struct debugger *d, struct kept *k, u64 from, struct err *e)
{
	struct sim *s = d->s->sim;
	struct stop stop = {.why = STOP_CYCLE};
	if (!session_go(d->s, sim_rest(s, from), e))
		return false;
	lanes_begin(k->l, sim_gpu(s));
	sim_add_sampler(s, 1, lanes_look, k->l);
	sim_subscribe(s, lanes_events(k->l), lanes_event, k->l);
	while (sim_cycle(s) < k->end && sim_goes_on(s, &stop))
		sim_run(s, k->end, &stop);
	return sim_cycle(s) >= k->end ||
	       err_set(e, "running it again ended at cycle %llu", (unsigned long long)sim_cycle(s));
}

static _Noreturn void child(struct debugger *d, struct kept *k, u64 from, pid_t parent)
{
	struct err e = {0};
	apart_let_go(-1, parent);
	session_forked(d->s);
	sim_clear_interrupt(d->s->sim);
	if (!record(d, k, from, &e))
		snprintf(k->mem->why, sizeof k->mem->why, "%s", *e.msg ? e.msg : "it has failed");
	k->mem->done = true;
	_exit(0);
}

/* Its process is over, or is ended. */
static void bury(struct lanes_store *s, bool end)
{
	struct kept *k = s->now;
	int status = 0;
	if (end)
		kill(s->pid, SIGKILL);
	while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
		;
	s->now = NULL;
	k->cut = !k->mem->done || *k->mem->why;
	if (*k->mem->why)
		snprintf(k->why, sizeof k->why, "%s", k->mem->why);
	else if (!k->mem->done && !end)
		snprintf(k->why, sizeof k->why, "the process that runs it again was killed by signal %d", WTERMSIG(status));
}

static void drop(struct lanes_store *s, struct kept *k)
{
	if (s->now == k)
		bury(s, true);
	if (k->mem)
		munmap(k->mem, k->bytes);
	*k = (struct kept){0};
}

/* --- what is kept ------------------------------------------------------------------------------------------------- */

static u64 frontier(const struct debugger *d, u64 *begin)
{
	struct sim_history_info h;
	sim_history_info(d->s->sim, &h);
	*begin = h.on ? h.begin : 0;
	return MAX(h.on ? h.frontier : 0, sim_cycle(d->s->sim));
}

static bool holds(const struct kept *k, const struct wish *w)
{
	return k->mem && k->sm == w->sm && (k->bin == w->bin || k->bin == 1) && lanes_from(k->l) <= w->from;
}

static u64 overlap(const struct kept *k, const struct wish *w)
{
	if (!k->mem || k->sm != w->sm || (k->bin != w->bin && k->bin != 1) || lanes_from(k->l) == NEVER)
		return 0;
	const u64 a = MAX(lanes_from(k->l), w->from), b = MIN(lanes_to(k->l), w->to);
	return b > a ? b - a : 0;
}

/* The range of a new recording: with what lies beside it, as much as it has room for. */
static void range_of(struct debugger *d, const struct wish *w, u64 *from, u64 *end)
{
	u64 begin;
	const u64 last = frontier(d, &begin), room = (u64)lanes_capacity(dbg_gpu(d), w->sm) * w->bin, len = w->to - w->from;
	u64 beside = w->bin == 1 ? MAX(len, (u64)LEAST_EXACT) : len / 4;
	beside = len >= room ? 0 : MIN(beside, (room - len) / 2) / w->bin * w->bin;
	begin = (begin + w->bin - 1) / w->bin * w->bin;
	*from = MAX(w->from > beside ? w->from - beside : 0, begin);
	*end = MIN(MIN(w->to + beside, *from + room), last);
}

static bool is_wanted(struct debugger *d, const struct wish *w)
{
	u64 from, end;
	range_of(d, w, &from, &end);
	return from < end;
}

/* The one that is going to hold it. */
static struct kept *place_of(struct debugger *d, const struct wish *w)
{
	struct lanes_store *s = store(d);
	struct kept *oldest = &s->kept[0];
	for (u32 i = 0; i < LANES_KEPT; i++) {
		struct kept *k = &s->kept[i];
		if (holds(k, w) && !k->cut && lanes_to(k->l) >= w->from && lanes_limit(k->l) >= w->to) {
			k->end = MAX(k->end, w->to);
			return k;
		}
		if (!k->mem || (oldest->mem && k->used < oldest->used))
			oldest = k;
	}
	drop(s, oldest);
	*oldest = (struct kept){.sm = w->sm, .bin = w->bin};
	range_of(d, w, &oldest->from, &oldest->end);
	oldest->bytes = sizeof(struct shared) + lanes_bytes(dbg_gpu(d), w->sm, 0);
	void *mem = mmap(NULL, oldest->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mem == MAP_FAILED)
		return NULL;
	oldest->mem = mem;
	oldest->l = lanes_init(oldest->mem->lanes, dbg_gpu(d), w->sm, 0, w->bin);
	return oldest;
}

static bool start(struct debugger *d)
{
	struct lanes_store *s = store(d);
	const struct wish w = s->wish;
	const pid_t self = getpid();
	u64 begin;
	s->wish.any = false;
	if (s->now)
		bury(s, true);
	struct kept *k = place_of(d, &w);
	if (!k) {
		snprintf(s->why, sizeof s->why, "no memory for a recording: %s", strerror(errno));
		return false;
	}
	k->used = ++s->looks;
	k->end = MIN(k->end, frontier(d, &begin));
	k->mem->done = false;
	const u64 from = lanes_from(k->l) == NEVER ? k->from : lanes_to(k->l);
	fflush(NULL);
	s->pid = apart_fork();
	if (!s->pid)
		child(d, k, from, self);
	if (s->pid < 0) {
		snprintf(s->why, sizeof s->why, "no process could be started: %s", strerror(errno));
		return false;
	}
	s->now = k;
	s->seen = 0;
	return true;
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

const struct lanes *lanes_see(struct debugger *d, s32 sm, u64 from, u64 to, u32 bin, bool *all)
{
	struct lanes_store *s = store(d);
	u64 begin, last = frontier(d, &begin);
	const struct wish w = {true, sm, bin, MAX(from, (begin + bin - 1) / bin * bin), MIN(to, last)};
	struct kept *best = NULL;
	struct sim_history_info h;
	sim_history_info(d->s->sim, &h);
	*all = w.from >= w.to;
	s->wish.any = false;
	s->why[0] = '\0';
	for (u32 i = 0; i < LANES_KEPT; i++)
		if (overlap(&s->kept[i], &w) > (best ? overlap(best, &w) : 0))
			best = &s->kept[i];
	*all |= best && overlap(best, &w) == w.to - w.from;
	if (best)
		best->used = ++s->looks;
	if (*all)
		return best ? best->l : NULL;
	const struct kept *now = s->now;
	const bool comes =
	    now && now->sm == sm && (now->bin == bin || now->bin == 1) && now->from <= w.from && now->end >= w.to;
	for (u32 i = 0; i < LANES_KEPT; i++) {
		const struct kept *k = &s->kept[i];
		if (*k->why && k->sm == sm && k->bin == bin && k->from <= w.from && k->end >= w.to)
			snprintf(s->why, sizeof s->why, "%s", k->why);
	}
	if (!h.on)
		snprintf(s->why, sizeof s->why, "%s", h.off);
	else if (!comes && !*s->why && is_wanted(d, &w))
		s->wish = w;
	return best ? best->l : NULL;
}

bool lanes_pending(const struct debugger *d)
{
	return d->lanes && (d->lanes->now || d->lanes->wish.any);
}

const char *lanes_error(const struct debugger *d)
{
	return d->lanes ? d->lanes->why : "";
}

bool lanes_wait(struct debugger *d, u32 ms)
{
	struct lanes_store *s = store(d);
	if (d->run.in_run || lua_dbg_in_callback(d))
		return false;
	if (s->wish.any && !start(d))
		return true;
	for (u32 waited = 0; s->now; waited += POLL_MS) {
		const struct timespec nap = {.tv_nsec = POLL_MS * 1000000};
		siginfo_t info = {0};
		if (!waitid(P_PID, (id_t)s->pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == s->pid) {
			bury(s, false);
			return true;
		}
		if (waited >= ms)
			break;
		nanosleep(&nap, NULL);
	}
	const u64 to = s->now ? lanes_to(s->now->l) : 0;
	const bool more = to != s->seen && to != NEVER;
	s->seen = to;
	return more;
}

const struct lanes *lanes_fetch(struct debugger *d, s32 sm, u64 from, u64 to, u32 bin, struct err *e)
{
	u64 begin, last = frontier(d, &begin);
	const u64 most = (u64)lanes_capacity(dbg_gpu(d), sm) * bin;
	struct sim_history_info h;
	bool all;
	sim_history_info(d->s->sim, &h);
	if (d->run.in_run || lua_dbg_in_callback(d))
		return err_set(e, "the machine is running"), NULL;
	if (!h.on)
		return err_set(e, "%s", h.off), NULL;
	if (from >= to)
		return err_set(e, "cycles %llu to %llu are none", (unsigned long long)from, (unsigned long long)to), NULL;
	if (to > last || from < begin)
		return err_set(e, "cycles %llu to %llu: the run has been simulated from %llu to %llu", (unsigned long long)from,
		               (unsigned long long)to, (unsigned long long)begin, (unsigned long long)last),
		       NULL;
	if (to - from > most)
		return err_set(e, "%llu cycles are more than the %llu that a recording holds", (unsigned long long)(to - from),
		               (unsigned long long)most),
		       NULL;
	for (;;) {
		const struct lanes *l = lanes_see(d, sm, from, to, bin, &all);
		if (all && l)
			return l;
		if (*lanes_error(d))
			return err_set(e, "%s", lanes_error(d)), NULL;
		if (d->run.interrupt)
			return err_set(e, "interrupted"), NULL;
		lanes_wait(d, 50);
	}
}

/* --- the end of what is kept -------------------------------------------------------------------------------------- */

void lanes_forked(struct debugger *d)
{
	for (u32 i = 0; d->lanes && i < LANES_KEPT; i++)
		if (d->lanes->kept[i].mem && d->lanes->kept[i].end > sim_cycle(d->s->sim))
			drop(d->lanes, &d->lanes->kept[i]);
}

void lanes_restarted(struct debugger *d)
{
	for (u32 i = 0; d->lanes && i < LANES_KEPT; i++)
		drop(d->lanes, &d->lanes->kept[i]);
	if (d->lanes)
		d->lanes->wish.any = false;
}

void lanes_release(struct debugger *d)
{
	lanes_restarted(d);
	free(d->lanes);
	d->lanes = NULL;
}
