#include "obs/why/why.h"

#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "obs/why/jam.h"
#include "obs/why/kept.h"
#include "obs/why/mbarrier_wait.h"
#include "obs/name/names.h"
#include "obs/why/why_text.h"

#define DEPTH_MAX 64
#define BARRIERS_MAX 16
#define PASSED_OVER 1000 /* cycles */

/* A warp at a barrier or fence, or asleep, has executed that already: what one wants to see is what holds it. */
static u32 standing_pc(const struct gpu *g, u32 sm, u32 warp, const struct warp_info *w)
{
	bool held = w->state == WS_BARRIER || w->state == WS_FENCE || w->state == WS_SLEEP;
	return held ? gpu_producer(g, sm, warp) : w->pc;
}

static void next_instruction(const struct gpu *g, u32 sm, u32 warp, const struct warp_info *w, struct strbuf *out,
                             u32 depth)
{
	const struct module *m = module_of_launch(g, w->launch);
	if (!m || w->pc == PC_DONE)
		return;
	u32 pc = standing_pc(g, sm, warp, w);
	why_indent(out, depth);
	strbuf_adds(out, pc == w->pc ? "next is " : "stands at ");
	line_place(m, pc, out);
	strbuf_adds(out, "  ");
	line_text(m, pc, out);
	strbuf_addc(out, '\n');
}

/* --- barriers --- */

static bool barrier_of(const struct gpu *g, u32 sm, u32 slot, u32 warp, struct barrier_info *out)
{
	struct barrier_info b[BARRIERS_MAX];
	u32 n = gpu_barriers(g, sm, slot, b, BARRIERS_MAX);
	for (u32 i = 0; i < MIN(n, (u32)BARRIERS_MAX); i++)
		if (b[i].waiting >> warp & 1) {
			*out = b[i];
			return true;
		}
	return false;
}

struct missing {
	u64 warps;   /* not waiting at the barrier */
	u64 exited;  /* of them: have exited */
	u64 blocked; /* of them: wait at another barrier */
};

static struct missing missing_warps(const struct gpu *g, u32 sm, const struct cta_info *c, const struct barrier_info *b)
{
	struct missing m = {.warps = c->warps & ~b->waiting};
	m.exited = m.warps & c->warps_done;
	FOR_EACH_BIT(i, m.warps & ~m.exited)
	{
		struct warp_info w;
		gpu_warp_info(g, sm, (u32)i, &w);
		if (w.state == WS_DONE)
			m.exited |= BIT(i);
		else if (w.state == WS_BARRIER)
			m.blocked |= BIT(i);
	}
	return m;
}

/* Whom to follow: a warp that still runs tells more than one that is at a barrier itself. -1 = nobody is left to
 * arrive. */
static s32 holder(const struct missing *m)
{
	u64 alive = m->warps & ~m->exited;
	u64 free_ones = alive & ~m->blocked;
	return free_ones ? (s32)bit_first(free_ones) : alive ? (s32)bit_first(alive) : -1;
}

/* --- what a warp waits for, one step --- */

enum end_kind {
	END_READY,
	END_REFUSED,
	END_MEMORY,
	END_SHORT,
	END_FENCE,
	END_GRID,
	END_SLEEP,
	END_MBARRIER,
	END_FETCH,
	END_SPIN,
	END_KEPT,
	END_PASSED,
	END_DONE,
	END_EMPTY,
	END_JAM,
	END_CYCLE,
	END_NOBODY
};
static const char *const end_texts[] = {"ready to issue",
                                        "refused by the LSU",
                                        "waiting on memory",
                                        "waiting for a short result",
                                        "waiting at a fence",
                                        "waiting for the end of the kernel before its own",
                                        "asleep (nanosleep)",
                                        "at an mbarrier whose phase has not ended",
                                        "waiting for instructions",
                                        "spinning",
                                        "in a CTA that is paused or halted",
                                        "passed over by the warp scheduler",
                                        "finished",
                                        "empty",
                                        "caught behind a cycle of full queues",
                                        "in a cycle of barriers",
                                        "at a barrier nobody can complete"};
struct chain_end {
	enum end_kind kind;
	u32 warp; /* on the same SM */
};

/* Ready, or in line for a fetch, for longer than any pipeline takes: the warp scheduler has others before it. Whether
 * they lead anywhere is theirs to tell; with strict priorities, and among warps that spin, it may be so for ever. */
static bool is_passed_over(const struct gpu *g, const struct warp_info *w)
{
	return w->by_policy && gpu_cycle(g) >= w->since + PASSED_OVER;
}

static enum end_kind end_of_state(const struct gpu *g, const struct jam *j, u32 sm, u32 warp, const struct warp_info *w)
{
	struct spin sp;
	if (w->state == WS_PAUSED)
		return END_KEPT;
	if (j->warps[sm] >> warp & 1)
		return END_JAM;
	struct mbarrier_wait at;
	if (w->state == WS_SLEEP && gpu_mbarrier_wait(g, sm, warp, &at))
		return END_MBARRIER;
	if (w->state != WS_NONE && w->state != WS_DONE && spin_find(g, sm, warp, &sp))
		return END_SPIN;
	if (is_passed_over(g, w))
		return END_PASSED;
	switch (w->state) {
	case WS_NONE: return END_EMPTY;
	case WS_DONE: return END_DONE;
	case WS_MEM: return END_MEMORY;
	case WS_SHORT: return END_SHORT;
	case WS_FENCE: return gpu_awaited_kernel(g, sm, warp) < 0 ? END_FENCE : END_GRID;
	case WS_SLEEP: return END_SLEEP;
	case WS_FETCH: return END_FETCH;
	default: return w->refused ? END_REFUSED : END_READY;
	}
}

/* Follows barriers to the warp that holds everything up. */
static struct chain_end find_end(const struct gpu *g, const struct jam *j, u32 sm, u32 warp)
{
	u64 seen = 0;
	for (;;) {
		struct warp_info w;
		struct barrier_info b;
		struct cta_info c;
		gpu_warp_info(g, sm, warp, &w);
		if (w.state != WS_BARRIER || !barrier_of(g, sm, w.cta_slot, warp, &b))
			return (struct chain_end){end_of_state(g, j, sm, warp, &w), warp};
		if (seen >> warp & 1)
			return (struct chain_end){END_CYCLE, warp};
		seen |= BIT(warp);
		gpu_cta_info(g, sm, w.cta_slot, &c);
		struct missing m = missing_warps(g, sm, &c, &b);
		s32 next = holder(&m);
		if (next < 0)
			return (struct chain_end){END_NOBODY, warp};
		warp = (u32)next;
	}
}

/* --- the chain as text --- */

static void warp_list(u64 mask, struct strbuf *out)
{
	const char *sep = "";
	FOR_EACH_BIT(i, mask)
	{
		strbuf_addf(out, "%s%u", sep, (u32)i);
		sep = ", ";
	}
}

static void tell_spin(struct gpu *g, u32 sm, u32 warp, const struct warp_info *w, struct strbuf *out, u32 depth)
{
	struct spin sp;
	if (!spin_find(g, sm, warp, &sp))
		return;
	const struct module *m = module_of_launch(g, w->launch);
	const struct alloc *a = sp.space == SPC_SHARED ? NULL : devmem_find(gpu_devmem(g), sp.addr);
	why_indent(out, depth);
	strbuf_addf(
	    out, "spins: lines %u-%u read %s address 0x%llx%s%s%s over and over (likely a livelock if nobody writes it):\n",
	    module_pc_line(m, sp.from), module_pc_line(m, sp.to), space_names[sp.space], (unsigned long long)sp.addr,
	    a && *a->name ? " ('" : "", a && *a->name ? a->name : "", a && *a->name ? "')" : "");
	why_indent(out, depth + 1);
	line_text(m, sp.load, out);
	strbuf_addc(out, '\n');
	if (m->code[sp.load].op == OP_MBARRIER)
		mbarrier_tell_at(g, sm, w->cta_slot, sp.addr, out, depth + 1);
}

/* The other lanes of a warp whose threads have turns. */
static void tell_splits(const struct module *m, const struct simt_entry *st, u32 n, struct strbuf *out, u32 depth)
{
	for (u32 i = 1; i < n; i++) {
		if (!st[i].lanes || st[i].pc >= m->ncode)
			continue;
		why_indent(out, depth);
		strbuf_addf(out, "lanes 0x%08x of the same warp, at line %u: %s\n", st[i].lanes, module_pc_line(m, st[i].pc),
		            lanes_do_names[st[i].does]);
	}
}

/* Lanes that wait on the SIMT stack for the active ones: with a spinning warp, they may be the ones it waits for. */
static void tell_waiting_lanes(struct gpu *g, u32 sm, u32 warp, const struct warp_info *w, struct strbuf *out,
                               u32 depth)
{
	struct simt_entry st[32];
	u32 n = front_stack(gpu_front(g), sm, warp, st, ARRAY_LEN(st));
	const struct module *m = module_of_launch(g, w->launch);
	u32 waiting = 0, pc = PC_DONE;
	for (u32 i = 1; i < MIN(n, (u32)ARRAY_LEN(st)); i++)
		if (st[i].mask & ~w->active & ~waiting) {
			waiting |= st[i].mask & ~w->active;
			pc = pc == PC_DONE ? st[i].pc : pc;
		}
	if (!waiting || !m)
		return;
	if (gpu_conf(g)->isa_threads == ISA_THREADS_SPLITS) {
		tell_splits(m, st, MIN(n, (u32)ARRAY_LEN(st)), out, depth);
		return;
	}
	why_indent(out, depth);
	strbuf_addf(out, "active lanes 0x%08x; lanes 0x%08x of the same warp wait on the SIMT stack for them", w->active,
	            waiting);
	if (pc < m->ncode)
		strbuf_addf(out, " (line %u)", module_pc_line(m, pc));
	strbuf_adds(out, ": if one of those holds the lock, it can never release it (with isa.threads=splits, Volta and "
	                 "later, it can)\n");
}

static void tell_undispatched(struct gpu *g, const struct warp_info *w, struct strbuf *out, u32 depth)
{
	struct kernel_info k;
	why_kernel(g, w->launch, &k);
	if (w->launch < 0 || k.dispatched >= k.launch->ctas)
		return;
	why_indent(out, depth);
	strbuf_addf(
	    out,
	    "%llu of %llu CTA%s of %s are not dispatched yet (an SM holds %u, limited by %s): if it waits for one of "
	    "them, neither can go on\n",
	    (unsigned long long)(k.launch->ctas - k.dispatched), (unsigned long long)k.launch->ctas, plural(k.launch->ctas),
	    k.label, k.ctas_per_sm, k.limiter);
}

static void tell_mshrs(struct gpu *g, u32 sm, struct strbuf *out, u32 depth)
{
	struct mshr_info info[256], *oldest = NULL;
	u32 n = mem_mshrs(gpu_mem(g), sm, MC_L1D, info, ARRAY_LEN(info));
	n = MIN(n, (u32)ARRAY_LEN(info));
	for (u32 i = 0; i < n; i++)
		if (!oldest || info[i].since < oldest->since)
			oldest = &info[i];
	why_indent(out, depth);
	if (!oldest) {
		u32 flying = mem_outstanding(gpu_mem(g), sm);
		strbuf_addf(out, "SM %u has no L1D MSHR in use; %u request%s in flight\n", sm, flying,
		            by_number(flying, " is", "s are"));
		return;
	}
	strbuf_addf(out,
	            "SM %u has %u L1D MSHR%s in use; the oldest: line 0x%llx, %u waiting, since cycle %llu, now in: %s\n",
	            sm, n, plural(n), (unsigned long long)oldest->addr, oldest->merged, (unsigned long long)oldest->since,
	            oldest->where);
}

static const char *refusal(enum mem_result r)
{
	switch (r) {
	case MR_RF_LINE: return "every line of the set is reserved";
	case MR_RF_MSHR: return "no MSHR is free";
	case MR_RF_MERGE: return "the MSHR's merge list is full";
	case MR_RF_QUEUE: return "the miss queue is full";
	default: return "it is not refused";
	}
}

static bool is_full(const struct queue_info *q)
{
	return q->size && q->used >= q->size;
}

/* The SM's own queue that refuses, and the full ones behind it, towards DRAM: what it waits for. */
static void tell_miss_queue(struct gpu *g, u32 sm, struct strbuf *out, u32 depth)
{
	struct queue_info q[512];
	u32 n = MIN(mem_queues(gpu_mem(g), q, ARRAY_LEN(q)), (u32)ARRAY_LEN(q)), full = 0;
	char own[24];
	snprintf(own, sizeof(own), "SM %u ", sm);
	for (u32 i = 0; i < n; i++) {
		if (!is_full(&q[i]) || (!strncmp(q[i].name, "SM ", 3) && strncmp(q[i].name, own, strlen(own))))
			continue;
		why_indent(out, depth);
		strbuf_addf(out, "%s: %u of %u\n", q[i].name, q[i].used, q[i].size);
		if (++full == 6)
			break;
	}
	why_indent(out, depth);
	strbuf_adds(out, full ? "they empty towards DRAM, whose queue waits for nobody: this goes on, if slowly\n"
	                      : "it has emptied since: the head tries again in the next cycle\n");
}

static void tell_lsu(struct gpu *g, u32 sm, struct strbuf *out, u32 depth)
{
	struct sm_info s;
	gpu_sm_info(g, sm, &s);
	if (s.lsu_warp < 0)
		return;
	why_indent(out, depth);
	if (s.lsu_warp >= WARP_SLOTS)
		strbuf_adds(out, "the LSU serves a warp without a slot");
	else
		strbuf_addf(out, "the LSU serves warp %d", s.lsu_warp);
	strbuf_addf(out, " (%u queued, %u transaction%s left)", s.lsu_queued, s.lsu_left, plural(s.lsu_left));
	if (s.lsu_held)
		strbuf_addf(out, "; its head waits for the re-execution queue (%u of %u), last refused: %s", s.replay_used,
		            s.replay_size, refusal(s.lsu_refused));
	else if (s.lsu_refused != MR_HIT)
		strbuf_addf(out, "; its head is refused: %s", refusal(s.lsu_refused));
	strbuf_addc(out, '\n');
	if (s.lsu_refused == MR_RF_QUEUE)
		tell_miss_queue(g, sm, out, depth);
	if (s.lsu_refused != MR_HIT)
		tell_mshrs(g, sm, out, depth);
}

/* What the warp has in the re-execution queue. */
static void tell_replay(struct gpu *g, u32 sm, u32 warp, struct strbuf *out, u32 depth)
{
	struct replay_info q[64], *first = NULL;
	u32 n = gpu_replay(g, sm, q, ARRAY_LEN(q)), of_warp = 0;
	for (u32 i = 0; i < n; i++)
		if (q[i].warp == warp && !of_warp++)
			first = &q[i];
	if (!first)
		return;
	const u64 age = gpu_cycle(g) - first->since;
	why_indent(out, depth);
	strbuf_addf(
	    out,
	    "%u of its transactions wait%s in the re-execution queue (%u in all); the oldest: 0x%llx, for %llu cycle%s, ",
	    of_warp, by_number(of_warp, "s", ""), n, (unsigned long long)first->addr, (unsigned long long)age, plural(age));
	if (first->refused == MR_HIT)
		strbuf_adds(out, "not tried yet: it may not pass an older one\n");
	else
		strbuf_addf(out, "accesses so far: %u, refused: %s\n", first->tries, refusal(first->refused));
}

static void tell_passed_over(struct gpu *g, u32 sm, const struct warp_info *w, struct strbuf *out, u32 depth)
{
	if (!is_passed_over(g, w))
		return;
	struct strbuf own = STRBUF_INIT;
	gpu_sched_text(g, sm, w->scheduler, UINT32_MAX, &own);
	why_indent(out, depth);
	strbuf_addf(out, "passed over by the warp scheduler (%s)", gpu_conf(g)->warp_sched);
	if (w->priority > 0)
		strbuf_addf(out, ", which puts %lld of its warps before it", (long long)w->priority);
	strbuf_addf(out, "%s%s\n", own.len ? "; its state: " : "", strbuf_str(&own));
	strbuf_release(&own);
}

/* The instruction whose result it waits for: the load, not what needs its value. */
static void tell_producer(const struct gpu *g, u32 sm, u32 warp, const struct warp_info *w, struct strbuf *out,
                          u32 depth)
{
	const struct module *m = module_of_launch(g, w->launch);
	if (!m || (w->state != WS_MEM && w->state != WS_SHORT && w->state != WS_FETCH))
		return;
	const u32 pc = gpu_producer(g, sm, warp);
	if (pc == w->pc || pc >= m->ncode)
		return;
	why_indent(out, depth);
	strbuf_adds(out, w->state == WS_FETCH ? "behind the branch " : "produced by ");
	line_place(m, pc, out);
	strbuf_adds(out, "  ");
	line_text(m, pc, out);
	strbuf_addc(out, '\n');
}

/* griddepcontrol.wait: the kernel whose end the warp waits for. */
static void tell_awaited(struct gpu *g, u32 launch, struct strbuf *out, u32 depth)
{
	struct kernel_info k;
	why_kernel(g, (s32)launch, &k);
	why_indent(out, depth);
	strbuf_addf(
	    out,
	    "its launch is programmatic and began early: it waits for the end of kernel %u (%s), %llu of whose %llu "
	    "CTA%s have ended, %u are on SMs\n",
	    launch, k.label, (unsigned long long)k.done, (unsigned long long)k.launch->ctas, plural(k.launch->ctas),
	    k.resident);
	if (k.done == k.launch->ctas && k.overlaps >= 0) {
		why_indent(out, depth);
		strbuf_addf(out, "that one ends with kernel %d, which it overlaps\n", k.overlaps);
	}
}

static void tell_wait(struct gpu *g, const struct jam *j, u32 sm, u32 warp, const struct warp_info *w,
                      struct strbuf *out, u32 depth)
{
	if (*w->waits) {
		why_indent(out, depth);
		strbuf_addf(out, "waits for %s\n", w->waits);
	}
	tell_producer(g, sm, warp, w, out, depth + 1);
	if (w->state == WS_PAUSED) {
		kept_tell_warp(g, sm, w, out, depth);
		return;
	}
	if (j->warps[sm] >> warp & 1) {
		jam_tell_warp(g, j, sm, warp, out, depth);
		return;
	}
	if (gpu_awaited_kernel(g, sm, warp) >= 0) {
		tell_awaited(g, (u32)gpu_awaited_kernel(g, sm, warp), out, depth);
		return;
	}
	switch (w->state) {
	case WS_MEM:
	case WS_FENCE:
		tell_replay(g, sm, warp, out, depth);
		tell_mshrs(g, sm, out, depth);
		break;
	case WS_READY_LSU: tell_lsu(g, sm, out, depth); break;
	default: break;
	}
	struct mbarrier_wait at;
	if (w->state == WS_SLEEP && gpu_mbarrier_wait(g, sm, warp, &at)) {
		mbarrier_tell_wait(g, sm, warp, w, out, depth);
		tell_waiting_lanes(g, sm, warp, w, out, depth);
		tell_undispatched(g, w, out, depth);
		return;
	}
	tell_passed_over(g, sm, w, out, depth);
	tell_spin(g, sm, warp, w, out, depth);
	struct spin sp;
	if (spin_find(g, sm, warp, &sp)) {
		spin_tell_holder(g, sm, warp, out, depth);
		tell_waiting_lanes(g, sm, warp, w, out, depth);
		tell_undispatched(g, w, out, depth);
		kept_tell(g, w->launch, out, depth); /* it may be what this one waits for */
	}
}

/* Tells about one warp; returns the next one of the chain, -1 at its end. */
static s32 tell_barrier(struct gpu *g, u32 sm, u32 warp, const struct warp_info *w, struct strbuf *out, u32 depth)
{
	struct barrier_info b;
	struct cta_info c;
	if (!barrier_of(g, sm, w->cta_slot, warp, &b))
		return -1;
	gpu_cta_info(g, sm, w->cta_slot, &c);
	struct missing m = missing_warps(g, sm, &c, &b);
	why_indent(out, depth);
	strbuf_addf(out, "waits at barrier %u: %u of %u warp%s arrived; not there: ", b.id, b.arrived, b.expected,
	            by_number(b.expected, " has", "s have"));
	warp_list(m.warps, out);
	if (!m.warps)
		strbuf_adds(out, "none of its CTA");
	if (m.exited) {
		strbuf_adds(out, "; exited without arriving: ");
		warp_list(m.exited, out);
	}
	strbuf_addc(out, '\n');
	s32 next = holder(&m);
	if (next < 0) {
		why_indent(out, depth);
		strbuf_adds(out, "nobody is left who could arrive: the barrier never opens\n");
	}
	return next;
}

static void chain(struct gpu *g, const struct jam *j, u32 sm, u32 warp, struct strbuf *out)
{
	u64 seen = 0;
	for (u32 depth = 0; depth < DEPTH_MAX; depth++) {
		struct warp_info w;
		gpu_warp_info(g, sm, warp, &w);
		why_indent(out, depth);
		why_place(g, sm, warp, &w, out);
		if (seen >> warp & 1) {
			strbuf_adds(out, ": we have been here: a cycle, none of these warps can go on\n");
			return;
		}
		seen |= BIT(warp);
		strbuf_addf(out, ": %s%s", warp_state_descs[w.state].name, w.refused ? ", refused by its unit" : "");
		const u64 age = gpu_cycle(g) - MIN(w.since, gpu_cycle(g));
		if (w.state != WS_NONE)
			strbuf_addf(out, " for %llu cycle%s", (unsigned long long)age, plural(age));
		strbuf_addc(out, '\n');
		next_instruction(g, sm, warp, &w, out, depth + 1);
		if (w.state != WS_BARRIER) {
			tell_wait(g, j, sm, warp, &w, out, depth + 1);
			return;
		}
		s32 next = tell_barrier(g, sm, warp, &w, out, depth + 1);
		if (next < 0)
			return;
		warp = (u32)next;
	}
}

void why_warp(struct gpu *g, u32 sm, u32 warp, struct strbuf *out)
{
	struct jam j;
	jam_find(g, &j);
	chain(g, &j, sm, warp, out);
}

/* --- the machine --- */

/* Warps with the same end: what holds them up, and where. One chain is told for each. */
#define GROUPS_MAX 48
#define GROUPS_TOLD 6
struct group {
	enum end_kind kind;
	enum warp_state state; /* WS_NONE: any, of warps that spin */
	s32 launch;
	u32 pc, end_pc;
	u32 sm, warp;
	u64 count;
};
struct groups {
	struct group g[GROUPS_MAX];
	u32 n;
	u64 dropped;
};

static bool same_group(const struct group *a, const struct group *b)
{
	return a->kind == b->kind && a->state == b->state && a->launch == b->launch && a->pc == b->pc &&
	       a->end_pc == b->end_pc;
}

static void group_warp(struct groups *gs, const struct group *one)
{
	for (u32 i = 0; i < gs->n; i++)
		if (same_group(&gs->g[i], one)) {
			gs->g[i].count++;
			return;
		}
	if (gs->n < GROUPS_MAX)
		gs->g[gs->n++] = *one;
	else
		gs->dropped++;
}

/* Where in its loop a spinning warp happens to be makes no difference. */
static void one_loop(const struct gpu *g, u32 end_warp, struct group *x)
{
	struct spin sp;
	if (x->kind != END_SPIN || !spin_find(g, x->sm, end_warp, &sp))
		return;
	x->end_pc = sp.from;
	if (x->state == WS_BARRIER)
		return;
	x->pc = sp.from;
	x->state = WS_NONE;
}

static u64 collect(const struct gpu *g, const struct jam *j, struct groups *gs)
{
	u64 resident = 0;
	for (u32 sm = 0; sm < gpu_conf(g)->num_sms; sm++)
		for (u32 i = 0; i < gpu_warps_per_sm(g); i++) {
			struct warp_info w, last;
			gpu_warp_info(g, sm, i, &w);
			if (w.state == WS_NONE)
				continue;
			resident++;
			struct chain_end end = find_end(g, j, sm, i);
			gpu_warp_info(g, sm, end.warp, &last);
			const struct module *m = module_of_launch(g, w.launch);
			struct group one = {
			    end.kind, w.state, w.launch, m ? standing_pc(g, sm, i, &w) : w.pc, end.kind == END_CYCLE ? 0 : last.pc,
			    sm,       i,       1};
			one_loop(g, end.warp, &one);
			group_warp(gs, &one);
		}
	return resident;
}

/* Groups that can never go on come first, then the large ones. */
static u32 severity(enum end_kind k)
{
	return k >= END_JAM ? 2 : k == END_SPIN || k == END_KEPT || k == END_PASSED ? 1 : 0;
}

static bool before(const struct group *a, const struct group *b)
{
	u32 sa = severity(a->kind), sb = severity(b->kind);
	return sa != sb ? sa > sb : a->count > b->count;
}

static void sort_groups(struct groups *gs)
{
	for (u32 i = 1; i < gs->n; i++)
		for (u32 j = i; j && before(&gs->g[j], &gs->g[j - 1]); j--) {
			struct group t = gs->g[j];
			gs->g[j] = gs->g[j - 1];
			gs->g[j - 1] = t;
		}
}

static void tell_kernels(struct gpu *g, struct strbuf *out)
{
	for (u32 i = 0; i < gpu_num_kernels(g); i++) {
		struct kernel_info k;
		gpu_kernel_info(g, i, &k);
		if (k.state == KS_DONE)
			continue;
		strbuf_addf(out, "%s#%u: %s, %llu of %llu CTA%s dispatched, %u resident", k.label, i,
		            k.state == KS_QUEUED ? "queued" : "running", (unsigned long long)k.dispatched,
		            (unsigned long long)k.launch->ctas, plural(k.launch->ctas), k.resident);
		if (k.state == KS_QUEUED && k.ready_at != NEVER && k.ready_at > gpu_cycle(g))
			strbuf_addf(out, ", %s cycle %llu", k.launch->start_at == k.ready_at ? "not before" : "launch latency to",
			            (unsigned long long)k.ready_at);
		if (k.dispatched < k.launch->ctas)
			strbuf_addf(out, " (an SM holds %u, limited by %s)", k.ctas_per_sm, k.limiter);
		strbuf_addc(out, '\n');
	}
}

static void tell_group(struct gpu *g, const struct jam *j, const struct group *x, struct strbuf *out)
{
	struct kernel_info k;
	const struct module *m = module_of_launch(g, x->launch);
	strbuf_addf(out, "%llu warp%s of %s#%d", (unsigned long long)x->count, plural(x->count),
	            why_kernel(g, x->launch, &k), x->launch);
	if (m && x->pc < m->ncode)
		strbuf_addf(out, " at line %u", module_pc_line(m, x->pc));
	strbuf_addf(out, ": %s%s", x->state == WS_BARRIER ? "at a barrier; the chain ends " : "",
	            x->state == WS_BARRIER && x->kind < END_CYCLE ? "with a warp that is " : "");
	strbuf_addf(out, "%s. One of them:\n", end_texts[x->kind]);
	struct strbuf one = STRBUF_INIT;
	chain(g, j, x->sm, x->warp, &one);
	for (const char *p = strbuf_str(&one); *p;) {
		const char *nl = strchr(p, '\n');
		strbuf_adds(out, "  ");
		strbuf_add(out, p, (size_t)(nl ? nl + 1 - p : (s64)strlen(p)));
		p = nl ? nl + 1 : p + strlen(p);
	}
	strbuf_release(&one);
}

static void tell_queues(struct gpu *g, struct strbuf *out)
{
	struct queue_info q[512];
	u32 n = MIN(gpu_queues(g, q, ARRAY_LEN(q)), (u32)ARRAY_LEN(q)), full = 0;
	for (u32 i = 0; i < n; i++)
		if (q[i].size && q[i].used >= q[i].size && full++ < 8)
			strbuf_addf(out, "full: %s (%u of %u)\n", q[i].name, q[i].used, q[i].size);
	if (full > 8)
		strbuf_addf(out, "... and %u more full queue%s\n", full - 8, plural(full - 8));
}

bool why_kept(struct gpu *g)
{
	struct jam j;
	struct groups gs = {.n = 0};
	if (!kept_any(g))
		return false;
	jam_find(g, &j);
	collect(g, &j, &gs);
	for (u32 i = 0; i < gs.n; i++)
		if (gs.g[i].kind != END_KEPT && gs.g[i].kind != END_DONE)
			return false;
	return !gs.dropped;
}

void why_machine(struct gpu *g, struct strbuf *out)
{
	struct groups gs = {.n = 0};
	struct jam j;
	jam_find(g, &j);
	u64 resident = collect(g, &j, &gs);
	strbuf_addf(out, "cycle %llu: %llu warp%s resident\n", (unsigned long long)gpu_cycle(g),
	            (unsigned long long)resident, plural(resident));
	tell_kernels(g, out);
	kept_tell(g, -1, out, 0);
	if (gpu_stands_still(g) && why_kept(g))
		strbuf_adds(out, "nothing goes on until one of them does: the program does not hang\n");
	jam_tell(g, &j, out);
	sort_groups(&gs);
	for (u32 i = 0; i < MIN(gs.n, (u32)GROUPS_TOLD); i++)
		tell_group(g, &j, &gs.g[i], out);
	u64 rest = gs.dropped;
	for (u32 i = GROUPS_TOLD; i < gs.n; i++)
		rest += gs.g[i].count;
	if (rest)
		strbuf_addf(out, "... and %llu more warp%s in smaller groups (`why warp N` after `focus sm S` tells one)\n",
		            (unsigned long long)rest, plural(rest));
	tell_queues(g, out);
}
