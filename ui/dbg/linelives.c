#include "dbg/linelives.h"

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
#define STEPS 64 /* as often the process says how far it is */
#define NOTE sizeof(((struct err *)0)->msg)

/* What both processes see. The block lies behind it. */
struct shared {
	volatile bool done;
	volatile u64 cycle; /* how far it is */
	char why[NOTE];     /* "": all is well */
	_Alignas(16) u8 block[];
};
struct kept {
	struct shared *mem; /* NULL: free */
	struct sim_place at;
	u64 since; /* first cycle listened to */
	u64 used;  /* grows with each look */
};
struct linelives {
	struct kept kept[LINELIVES_KEPT];
	struct kept *now; /* the one that is being made */
	u64 from;         /* its process began there */
	pid_t pid;
	size_t bytes; /* of a struct shared with its block */
	u64 looks, seen;
	bool wish;
	char why[NOTE];
	struct sim_place failed; /* `why` is of this place */
};

static struct linelives *store(struct debugger *d)
{
	if (!d->linelives)
		d->linelives = xcalloc(1, sizeof *d->linelives);
	return d->linelives;
}

/* --- the process -------------------------------------------------------------------------------------------------- */
/* Listens from where `base` ends (NULL: where history begins) to k->at. */
static bool listen_to(struct debugger *d, struct kept *k, const struct kept *base, struct err *e)
{
	struct sim *s = d->s->sim;
	struct sim_place from = base ? base->at : sim_before_turns(s, k->since);
	if (!session_go(d->s, from, e))
		return false;
	struct lives *l = lives_new(sim_gpu(s));
	if (base)
		lives_load(l, base->mem->block);
	sim_hear(s, lives_ear(l));
	const u64 step = MAX((k->at.cycle - from.cycle) / STEPS, 256u);
	for (u64 to = from.cycle + step; to < k->at.cycle; to += step) {
		if (!sim_walk(s, sim_before_turns(s, to), e))
			return false;
		k->mem->cycle = to;
	}
	if (sim_place_order(sim_place(s), k->at) && !sim_walk(s, k->at, e))
		return false;
	lives_save(l, k->mem->block);
	return true;
}

static _Noreturn void child(struct debugger *d, struct kept *k, const struct kept *base, pid_t parent)
{
	struct err e = {0};
	apart_let_go(-1, parent);
	session_forked(d->s);
	sim_clear_interrupt(d->s->sim);
	if (!listen_to(d, k, base, &e))
		snprintf(k->mem->why, sizeof k->mem->why, "%s", *e.msg ? e.msg : "it has failed");
	k->mem->done = true;
	_exit(0);
}

static void drop(struct linelives *x, struct kept *k)
{
	if (k->mem)
		munmap(k->mem, x->bytes);
	*k = (struct kept){0};
}

/* Its process is over, or is ended. */
static void bury(struct linelives *x, bool end)
{
	struct kept *k = x->now;
	int status = 0;
	if (end)
		kill(x->pid, SIGKILL);
	while (waitpid(x->pid, &status, 0) < 0 && errno == EINTR)
		;
	x->now = NULL;
	if (k->mem->done && !*k->mem->why)
		return;
	if (*k->mem->why)
		snprintf(x->why, sizeof x->why, "%s", k->mem->why);
	else if (!end)
		snprintf(x->why, sizeof x->why, "the process that goes through the run again was killed by signal %d",
		         WTERMSIG(status));
	x->failed = k->at;
	drop(x, k);
}

static struct kept *latest_until(struct linelives *x, struct sim_place p)
{
	struct kept *best = NULL;
	for (u32 i = 0; i < LINELIVES_KEPT; i++) {
		struct kept *k = &x->kept[i];
		if (k->mem && k != x->now && sim_place_order(k->at, p) <= 0 && (!best || sim_place_order(k->at, best->at) > 0))
			best = k;
	}
	return best;
}

/* The place of a new one: a free one, else that looked at longest ago; not that of `base`. */
static struct kept *place_for(struct linelives *x, const struct kept *base)
{
	struct kept *out = NULL;
	for (u32 i = 0; i < LINELIVES_KEPT; i++) {
		struct kept *k = &x->kept[i];
		if (k != base && (!out || !k->mem || (out->mem && k->used < out->used)))
			out = k;
		if (out && !out->mem)
			break;
	}
	drop(x, out);
	return out;
}

static bool start(struct debugger *d)
{
	struct linelives *x = store(d);
	struct sim_history_info h;
	const pid_t self = getpid();
	x->wish = false;
	if (x->now)
		bury(x, true);
	x->why[0] = '\0';
	sim_history_info(d->s->sim, &h);
	x->bytes = sizeof(struct shared) + lives_bytes(dbg_gpu(d));
	const struct sim_place here = sim_place(d->s->sim);
	const struct kept *base = latest_until(x, here);
	struct kept *k = place_for(x, base);
	void *mem = mmap(NULL, x->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	x->failed = here;
	if (mem == MAP_FAILED)
		return snprintf(x->why, sizeof x->why, "no memory for it: %s", strerror(errno)), false;
	*k = (struct kept){.mem = mem, .at = here, .since = base ? base->since : h.begin, .used = ++x->looks};
	x->from = base ? base->at.cycle : h.begin;
	k->mem->cycle = x->from;
	fflush(NULL);
	x->pid = apart_fork();
	if (!x->pid)
		child(d, k, base, self);
	if (x->pid < 0) {
		snprintf(x->why, sizeof x->why, "no process could be started: %s", strerror(errno));
		drop(x, k);
		return false;
	}
	x->now = k;
	return true;
}

/* --- asking ------------------------------------------------------------------------------------------------------- */
const void *linelives_see(struct debugger *d, u64 *since)
{
	struct linelives *x = store(d);
	struct sim_history_info h;
	const struct sim_place here = sim_place(d->s->sim);
	struct kept *k = latest_until(x, here);
	x->wish = false;
	if (k && !sim_place_order(k->at, here)) {
		k->used = ++x->looks;
		*since = k->since;
		return k->mem->block;
	}
	sim_history_info(d->s->sim, &h);
	if (!h.on) {
		snprintf(x->why, sizeof x->why, "%s", h.off);
		x->failed = here;
	} else if (*x->why && !sim_place_order(x->failed, here)) {
		return NULL;
	} else {
		x->why[0] = '\0';
		x->wish = !x->now || sim_place_order(x->now->at, here);
	}
	return NULL;
}

bool linelives_pending(const struct debugger *d)
{
	return d->linelives && (d->linelives->now || d->linelives->wish);
}

const char *linelives_error(const struct debugger *d)
{
	return d->linelives ? d->linelives->why : "";
}

double linelives_progress(const struct debugger *d)
{
	const struct linelives *x = d->linelives;
	if (!x || !x->now || x->now->at.cycle <= x->from)
		return 0;
	return (double)(x->now->mem->cycle - x->from) / (double)(x->now->at.cycle - x->from);
}

bool linelives_wait(struct debugger *d, u32 ms)
{
	struct linelives *x = store(d);
	if (d->run.in_run || lua_dbg_in_callback(d))
		return false;
	if (x->wish && !start(d))
		return true;
	for (u32 waited = 0; x->now; waited += POLL_MS) {
		const struct timespec nap = {.tv_nsec = POLL_MS * 1000000};
		siginfo_t info = {0};
		if (!waitid(P_PID, (id_t)x->pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == x->pid) {
			bury(x, false);
			return true;
		}
		if (waited >= ms)
			break;
		nanosleep(&nap, NULL);
	}
	const u64 at = x->now ? x->now->mem->cycle : 0;
	const bool more = at != x->seen;
	x->seen = at;
	return more;
}

const void *linelives_fetch(struct debugger *d, u64 *since, struct err *e)
{
	if (d->run.in_run || lua_dbg_in_callback(d))
		return err_set(e, "the machine is running"), NULL;
	session_change_ends(d->s);
	for (;;) {
		const void *block = linelives_see(d, since);
		if (block)
			return block;
		if (*linelives_error(d))
			return err_set(e, "%s", linelives_error(d)), NULL;
		if (d->run.interrupt)
			return err_set(e, "interrupted"), NULL;
		linelives_wait(d, 50);
	}
}

/* --- the end of what is kept -------------------------------------------------------------------------------------- */
void linelives_forked(struct debugger *d)
{
	struct linelives *x = d->linelives;
	if (!x)
		return;
	if (x->now)
		bury(x, true);
	for (u32 i = 0; i < LINELIVES_KEPT; i++)
		if (x->kept[i].mem && x->kept[i].at.cycle >= sim_cycle(d->s->sim))
			drop(x, &x->kept[i]);
	x->why[0] = '\0';
}

void linelives_restarted(struct debugger *d)
{
	struct linelives *x = d->linelives;
	if (!x)
		return;
	if (x->now)
		bury(x, true);
	for (u32 i = 0; i < LINELIVES_KEPT; i++)
		drop(x, &x->kept[i]);
	x->wish = false;
	x->why[0] = '\0';
}

void linelives_release(struct debugger *d)
{
	linelives_restarted(d);
	free(d->linelives);
	d->linelives = NULL;
}
