/* sim_check_state(): a machine in the middle of mixed work holds every invariant wherever it is stopped, under several
 * configurations; and whatever of its state is falsified, one number at a time, is found and named. */
/* Names that two parts have, each for itself. */
#include <sys/mman.h>

#include "mem/impl.h"
#include "tests/rig/sm_rig.h"
#define warp front_warp
#define cta front_cta
#include "front/ptx/runtime/state.h"
#undef warp
#undef cta
#include "gpu/gpu.h"

/* Every kind of instruction, warps apart from one another, stores that fill queues; four warps a CTA. */
static const char mixed[] = PTX_HEAD
    ".global .align 128 .b8 buf[262144];\n.global .align 4 .u32 sum;\n"
    ".func (.reg .b32 %out) twice(.reg .b32 %in)\n{\nadd.u32 %out, %in, %in; ret;\n}\n"
    ".visible .entry k()\n{\n"
    ".reg .pred %p<3>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %a<8>; .shared .align 4 .b8 sh[512];\n"
    ".local .align 4 .b8 own[64];\n"
    "mov.u32 %r3, %tid.x; mov.u32 %r9, %ctaid.x; mov.u32 %r10, 0; mov.u64 %a1, buf; mov.u64 %a4, sum;\n"
    "mad.lo.u32 %r2, %r9, 128, %r3; mad.wide.u32 %a2, %r2, 68, %a1; mov.u64 %a3, own;\n"
    "shl.b32 %r4, %r3, 2; mov.u32 %r5, sh; add.u32 %r5, %r5, %r4; cvt.rn.f32.u32 %f1, %r3;\n"
    "L: ld.global.u32 %r6, [%a2]; sin.approx.f32 %f2, %f1; div.rn.f32 %f3, %f2, %f1; st.shared.u32 [%r5], %r6;\n"
    "st.local.u32 [%a3], %r6; bar.sync 0; ld.shared.u32 %r7, [%r5]; atom.global.add.u32 %r8, [%a4], 1;\n"
    "and.b32 %r11, %r3, 1; setp.eq.u32 %p1, %r11, 0; @%p1 bra ODD; call (%r12), twice, (%r7); bra JOIN;\n"
    "ODD: ld.local.u32 %r12, [%a3]; red.global.add.u32 [%a1+16004], %r12;\n"
    "JOIN: setp.gt.u32 %p2, %r3, 40; @%p2 st.global.u32 [%a2], %r12; membar.gl; add.u32 %r10, %r10, 1;\n"
    "setp.lt.u32 %p1, %r10, 3; @%p1 bra L;\n"
    "setp.gt.u32 %p1, %r3, 95; @%p1 bra SLOW; ret;\n"
    "SLOW: nanosleep.u32 3000; ret;\n}\n";

static struct sim *start(const char *const *sets)
{
	struct sim *s = machine(sets);
	struct module *m = rig_load(s, mixed);
	rig_launch(s, m, "k", 7, 128, 0, NULL, 0);
	rig_launch(s, m, "k", 3, 96, 1, NULL, 0);
	return s;
}

static void test_holds_at_every_stop(void **state)
{
	static const char *const machines[][8] = {
	    {"num_sms=2", NULL},
	    {"num_sms=3", "sm.issue_width=2", "l1d.mshrs=2", "l2.miss_queue=1", "coalesce=sector32", NULL},
	    {"num_sms=2", "lsu.replay=newcar", "l1d.mshrs=2", "sm.fetch_prefetch=true", NULL},
	    {"num_sms=2", "lsu.replay=car", "l1d.miss_queue=1", "isa.issue_cost=ptx", "l1d.cache_global=false", NULL},
	    {"num_sms=2", "noc.request_queue=1", "noc.reply_queue=1", "dram.queue=2", "l1d.sets=1", "l1d.ways=2", NULL},
	};
	for (u32 i = 0; i < ARRAY_LEN(machines); i++) {
		struct sim *s = start(machines[i]);
		struct err e = {0};
		struct stop st = {0};
		do {
			bool look = sim_cycle(s) % 1024 == 700;
			u64 before = look ? sim_hash(s) : 0;
			if (!sim_check_state(s, &e))
				fail_msg("machine %u, cycle %llu: %s", i, (unsigned long long)sim_cycle(s), e.msg);
			assert_true(!look || sim_hash(s) == before);
			sim_run(s, sim_cycle(s) + 1 + sim_cycle(s) % 61, &st);
		} while (st.why == STOP_CYCLE);
		assert_int_equal(st.why, STOP_IDLE);
		sim_drain(s);
		if (!sim_check_state(s, &e))
			fail_msg("machine %u, at the end: %s", i, e.msg);
		sim_destroy(s);
	}
}

/* Loads into so many registers that the scoreboard needs its second word. */
static void test_holds_with_many_registers(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct err e = {0};
	struct stop st = {0};
	strbuf_adds(&text, PTX_HEAD ".global .align 128 .b8 buf[32768];\n.visible .entry k()\n{\n"
	                            ".reg .b32 %r<160>; .reg .b64 %a<2>;\nmov.u64 %a1, buf; mov.u32 %r0, 0;\n");
	for (u32 i = 1; i < 100; i++)
		strbuf_addf(&text, "ld.global.u32 %%r%u, [%%a1+%u];\n", i, i * 128);
	for (u32 i = 99; i; i--) /* the last one first: it is waited for */
		strbuf_addf(&text, "add.u32 %%r0, %%r0, %%r%u;\n", i);
	strbuf_adds(&text, "st.global.u32 [%a1], %r0; ret;\n}\n");
	struct sim *s = machine(
	    (const char *[]){"num_sms=1", "lsu.loads=512", "l1d.mshrs=256", "l1d.miss_queue=256", "l1d.ways=16", NULL});
	struct module *m = rig_load(s, strbuf_str(&text));
	rig_launch(s, m, "k", 1, 32, 0, NULL, 0);
	rig_finish(s); /* its code is there now, so that the loads follow one another at once */
	rig_launch(s, m, "k", 1, 64, 0, NULL, 0);
	u64 used[2] = {0};
	u32 waits = 0;
	do {
		for (u32 w = 0; w < 2; w++) {
			used[0] |= sim_gpu(s)->sm[0]->warp[w].pend[0];
			used[1] |= sim_gpu(s)->sm[0]->warp[w].pend[1];
		}
		const struct warp *wp = &sim_gpu(s)->sm[0]->warp[0];
		waits += wp->state == WS_MEM && wp->pend[1] & sim_gpu(s)->ctx[0].prog[1].info[wp->pc].use[1];
		if (!sim_check_state(s, &e))
			fail_msg("cycle %llu: %s", (unsigned long long)sim_cycle(s), e.msg);
		sim_run(s, sim_cycle(s) + 1, &st);
	} while (st.why == STOP_CYCLE);
	assert_int_equal(st.why, STOP_IDLE);
	if (!used[0] || !used[1] || waits < 20)
		fail_msg("%u cycles waited", waits);
	strbuf_release(&text);
	sim_destroy(s);
}

/* --- falsehoods -----------------------------------------------------------------------------------------------------
 * Each falsifies something of the machine, if it is in a state where it can; `says` is part of what must be found. */

struct lie {
	const char *says;
	bool (*tell)(struct gpu *g);
};

static struct warp *warp_that_is(struct gpu *g, enum warp_state st, u32 *w)
{
	u64 m = g->sm[0]->in[st];
	*w = m ? bit_first(m) : 0;
	return m ? &g->sm[0]->warp[*w] : NULL;
}
static struct cta *cta_of(struct gpu *g, u32 n)
{
	for (u32 i = 0; i < SM_MAX_CTAS; i++)
		if (g->sm[0]->cta[i].used && !n--)
			return &g->sm[0]->cta[i];
	return NULL;
}
static struct warp *any_warp(struct gpu *g)
{
	return g->sm[0]->used ? &g->sm[0]->warp[bit_first(g->sm[0]->used)] : NULL;
}

static bool two_states(struct gpu *g)
{
	u32 w;
	if (!warp_that_is(g, WS_MEM, &w))
		return false;
	g->sm[0]->in[WS_SHORT] |= BIT(w);
	return true;
}
static bool no_state(struct gpu *g)
{
	u32 w;
	if (!warp_that_is(g, WS_MEM, &w))
		return false;
	g->sm[0]->in[WS_MEM] &= ~BIT(w);
	return true;
}
static bool wrong_state(struct gpu *g)
{
	u32 w;
	struct warp *wp = warp_that_is(g, WS_MEM, &w);
	if (!wp)
		return false;
	g->sm[0]->in[WS_MEM] &= ~BIT(w);
	g->sm[0]->in[WS_READY_SP] |= BIT(w);
	wp->state = WS_READY_SP;
	return true;
}
static bool id_lost(struct gpu *g)
{
	u32 w;
	struct warp *wp = warp_that_is(g, WS_MEM, &w);
	if (!wp || !wp->pend[0])
		return false;
	wp->pend[0] &= wp->pend[0] - 1;
	wp->pendm[0] &= wp->pend[0];
	return true;
}
static bool id_stays(struct gpu *g)
{
	struct warp *wp = any_warp(g);
	if (!wp || wp->pend[0] & 1)
		return false;
	wp->pend[0] |= 1;
	return true;
}
static bool result_uncounted(struct gpu *g)
{
	struct warp *wp = any_warp(g);
	if (!wp || !wp->inflight)
		return false;
	wp->inflight--;
	return true;
}
static bool answer_uncounted(struct gpu *g)
{
	struct warp *wp = any_warp(g);
	if (!wp || !wp->outstanding)
		return false;
	wp->outstanding--;
	return true;
}
static bool load_short(struct gpu *g)
{
	for (u32 i = 0; i < SM_MAX_LOADS; i++)
		if (g->sm[0]->load[i].left > 1) {
			g->sm[0]->load[i].left--;
			return true;
		}
	return false;
}
static bool wheel_node_lost(struct gpu *g)
{
	for (u32 slot = 0; slot < SM_WHEEL; slot++)
		if (g->sm[0]->wheel[slot]) {
			g->sm[0]->wheel[slot] = 0;
			g->sm[0]->wheel_busy[slot / 64] &= ~BIT(slot % 64);
			if (!g->sm[0]->wheel_busy[slot / 64])
				g->sm[0]->wheel_words &= ~(1u << slot / 64);
			return true;
		}
	return false;
}
static bool slot_unmarked(struct gpu *g)
{
	for (u32 slot = 0; slot < SM_WHEEL; slot++)
		if (g->sm[0]->wheel[slot]) {
			g->sm[0]->wheel_busy[slot / 64] &= ~BIT(slot % 64);
			return true;
		}
	return false;
}
static bool word_unmarked(struct gpu *g)
{
	const u32 before = g->sm[0]->wheel_words;
	g->sm[0]->wheel_words &= before - 1;
	return before != 0;
}
static bool fetch_lost(struct gpu *g)
{
	struct warp *wp = any_warp(g);
	if (!wp || !wp->fetching)
		return false;
	wp->fetching = 0;
	return true;
}
static bool never_fetched(struct gpu *g)
{
	if (!g->sm[0]->need_fetch)
		return false;
	g->sm[0]->need_fetch &= g->sm[0]->need_fetch - 1;
	return true;
}
static struct barrier *closed_barrier(struct gpu *g, struct cta **c)
{
	for (u32 n = 0; (*c = cta_of(g, n)) != NULL; n++)
		if ((*c)->bar[0].arrived)
			return &(*c)->bar[0];
	return NULL;
}
static bool barrier_forgets(struct gpu *g)
{
	struct cta *c;
	struct barrier *b = closed_barrier(g, &c);
	if (!b)
		return false;
	b->arrived--;
	return true;
}
static bool barrier_stays(struct gpu *g)
{
	struct cta *c;
	struct barrier *b = closed_barrier(g, &c);
	if (!b)
		return false;
	b->expected = b->arrived;
	return true;
}
static bool waits_unknown(struct gpu *g)
{
	u32 w;
	struct cta *c;
	struct barrier *b = closed_barrier(g, &c);
	if (!b || !warp_that_is(g, WS_BARRIER, &w))
		return false;
	g->sm[0]->cta[g->sm[0]->warp[w].cta_slot].bar[0].waiting &= ~BIT(w);
	return true;
}
static bool registers_shared(struct gpu *g)
{
	struct cta *a = cta_of(g, 0), *b = cta_of(g, 1);
	if (!b)
		return false;
	b->reg_first = a->reg_first;
	return true;
}
static bool memory_shared(struct gpu *g)
{
	struct cta *a = cta_of(g, 0), *b = cta_of(g, 1);
	if (!b)
		return false;
	b->shared_first = a->shared_first;
	return true;
}
static bool registers_beyond(struct gpu *g)
{
	struct cta *a = cta_of(g, 0);
	if (!a)
		return false;
	a->reg_first = g->conf.sm_regs - 1;
	return true;
}
static bool registers_uncounted(struct gpu *g)
{
	if (!g->sm[0]->regs_used)
		return false;
	g->sm[0]->regs_used--;
	return true;
}
static bool cta_uncounted(struct gpu *g)
{
	g->sm[0]->k.ctas_started++;
	return true;
}
static bool instruction_uncounted(struct gpu *g)
{
	struct cta *c = cta_of(g, 0);
	if (!c)
		return false;
	c->insts++;
	return true;
}
static bool slot_twice(struct gpu *g)
{
	g->sm[0]->stall[0][ST_MEM]++;
	return true;
}
static bool flight_uncounted(struct gpu *g)
{
	g->sm[0]->alu_flying++;
	return true;
}
static bool sleeps_on(struct gpu *g)
{
	if (g->st->awake[0] & 1 || g->st->wake_at[0] == NEVER)
		return false;
	g->st->wake_at[0]++;
	return true;
}
static bool done_unnoticed(struct gpu *g)
{
	if (!g->st->finished[0])
		return false;
	g->st->finished[0] = 0;
	return true;
}
static bool dispatched_twice(struct gpu *g)
{
	struct dispatcher *d = &g->task->dispatcher;
	if (!d->n)
		return false;
	d->k[d->order[0]].dispatched++;
	return true;
}
static bool start_missed(struct gpu *g)
{
	if (g->task->next_start == NEVER)
		return false;
	g->task->next_start++;
	return true;
}
static bool event_kept(struct gpu *g)
{
	if (!g->st->cycle)
		return false;
	g->ev[0].n = 1;
	g->ev[0].e[0].cycle = g->st->cycle - 1;
	return true;
}
static bool pc_apart(struct gpu *g)
{
	struct warp *wp = any_warp(g);
	if (!wp || wp->done || wp->pc + 1 >= wp->ib_end)
		return false;
	wp->pc++;
	return true;
}

/* --- the front end's --- */
static struct front_warp *front_of(struct gpu *g)
{
	return g->sm[0]->used && !any_warp(g)->done ? &ptx_of(g->front)->warps[bit_first(g->sm[0]->used)] : NULL;
}
static bool dead_lanes(struct gpu *g)
{
	struct front_warp *w = front_of(g);
	if (!w || w->depth < 1)
		return false;
	simt_entry_at(ptx_of(g->front), 0, bit_first(g->sm[0]->used), w->depth - 1)->mask |= ~w->live;
	w->live &= ~1u;
	w->mask &= ~1u;
	return true;
}
static bool frame_beyond(struct gpu *g)
{
	struct front_warp *w = front_of(g);
	if (!w)
		return false;
	w->frame = ptx_of(g->front)->window_bytes;
	return true;
}
static bool store_left(struct gpu *g)
{
	ptx_of(g->front)->side[0].queue->n = 1;
	return true;
}

/* --- the memory system's --- */
static struct mshr_entry *entry_of(const struct mshr_table *t, bool lined)
{
	for (u32 i = 0; i < t->st->fresh; i++)
		if (t->e[i].used && (!lined || t->e[i].slot != TAGS_NONE))
			return &t->e[i];
	return NULL;
}
static struct l1 *l1d(struct gpu *g)
{
	return &g->mem->l1[MC_L1D];
}
static bool mshr_leaks(struct gpu *g)
{
	if (!l1d(g)->mshr.st->used)
		return false;
	l1d(g)->mshr.st->used--;
	return true;
}
static bool sectors_apart(struct gpu *g)
{
	struct mshr_entry *m = entry_of(&l1d(g)->mshr, true);
	if (!m)
		return false;
	l1d(g)->tags.line[m->slot].pending = 0;
	return true;
}
static bool line_unreserved(struct gpu *g)
{
	struct mshr_entry *m = entry_of(&l1d(g)->mshr, true);
	if (!m)
		return false;
	l1d(g)->tags.key[m->slot] &= ~TAGS_RESERVED;
	return true;
}
static bool waiter_lost(struct gpu *g)
{
	struct mshr_entry *m = entry_of(&l1d(g)->mshr, false);
	if (!m || !m->n)
		return false;
	m->n--;
	return true;
}
static bool line_twice(struct gpu *g)
{
	struct tags *t = &l1d(g)->tags;
	for (u32 set = 0; set < t->sets; set++)
		for (u32 k = 1; k < t->ways; k++) {
			u32 a = tags_place(t, set, 0), b = tags_place(t, set, k);
			if (t->tag[a] && t->tag[b] && !t->line[b].pending) {
				t->tag[b] = t->tag[a];
				return true;
			}
		}
	return false;
}
static bool request_uncounted(struct gpu *g)
{
	g->mem->port[0].outstanding++;
	return true;
}
static bool store_uncounted(struct gpu *g)
{
	g->mem->port[0].stores++;
	return true;
}
static bool queue_uncounted(struct gpu *g)
{
	l1d(g)->st->queued++;
	return true;
}
static bool reply_uncounted(struct gpu *g)
{
	g->mem->port[0].replies++;
	return true;
}
static bool packet_lost(struct gpu *g)
{
	for (u32 i = 0; i < g->mem->nslices; i++)
		if (g->mem->slice[i].st->in_n > 1) {
			struct slice_state *st = g->mem->slice[i].st;
			g->mem->packet[st->in_head - 1].next = 0;
			return true;
		}
	return false;
}
static bool packet_leaks(struct gpu *g)
{
	g->mem->pool->used++;
	return true;
}
static bool promise_forgotten(struct gpu *g)
{
	g->mem->slice[0].st->promised++;
	return true;
}
static bool dram_leaks(struct gpu *g)
{
	g->mem->dram_pool->used++;
	return true;
}
static bool row_misjudged(struct gpu *g)
{
	for (u32 i = 0; i < g->mem->nchannels; i++)
		if (g->mem->chan[i].st->n) {
			window_at(&g->mem->chan[i], 0)->hit ^= 1;
			return true;
		}
	return false;
}
static bool bank_unmasked(struct gpu *g)
{
	for (u32 i = 0; i < g->mem->nchannels; i++)
		if (g->mem->chan[i].st->open_banks) {
			g->mem->chan[i].st->open_banks = 0;
			return true;
		}
	return false;
}
static bool command_lost(struct gpu *g)
{
	for (u32 i = 0; i < g->mem->nchannels; i++)
		if (g->mem->chan[i].st->n) {
			g->mem->chan[i].st->due = NEVER;
			return true;
		}
	return false;
}
static bool timer_late(struct gpu *g)
{
	u32 s = g->mem->wheel.st->now % WHEEL_SLOTS;
	for (u32 i = 0; i < WHEEL_SLOTS; i++, s = (s + 1) % WHEEL_SLOTS)
		if (g->mem->wheel.st->slot[s].head) {
			g->mem->wheel.node[g->mem->wheel.st->slot[s].head - 1].at++;
			return true;
		}
	return false;
}

static bool let_go_uncounted(struct gpu *g)
{
	const struct dispatcher *d = &g->task->dispatcher;
	if (!d->n)
		return false;
	g->grids[d->k[d->order[0]].launch].let_go++;
	return true;
}
static bool wait_never_ends(struct gpu *g)
{
	u32 w;
	if (!warp_that_is(g, WS_FENCE, &w))
		return false;
	g->sm[0]->warp[w].fence = FENCE_GRIDS;
	return true;
}
static bool order_forgotten(struct gpu *g)
{
	if (task_idle(g->task))
		return false;
	g->grids[g->task->first_open].open = 1;
	return true;
}

static const struct lie lies[] = {
    {"in two states", two_states},
    {"in no state", no_state},
    {"should be", wrong_state},
    {"those of its instructions in flight", id_lost},
    {"those of its instructions in flight", id_stays},
    {"results are under way, counted", result_uncounted},
    {"transactions are under way, counted", answer_uncounted},
    {"waits for", load_short},
    {"SM 0", wheel_node_lost},
    {"not marked busy", slot_unmarked},
    {"busy slots is not empty", word_unmarked},
    {"fetches are under way, counted", fetch_lost},
    {"does not ask to be fetched", never_fetched},
    {"arrivals, warps", barrier_forgets},
    {"nobody is missing, but it is closed", barrier_stays},
    {"believes to wait at barrier", waits_unknown},
    {"the same registers or shared memory", registers_shared},
    {"the same registers or shared memory", memory_shared},
    {"CTA slot", registers_beyond},
    {"registers (", registers_uncounted},
    {"CTAs started", cta_uncounted},
    {"its warps executed", instruction_uncounted},
    {"slots are charged", slot_twice},
    {"ALU and", flight_uncounted},
    {"but has work at", sleeps_on},
    {"are done, it is not noted", done_unnoticed},
    {"CTAs dispatched", dispatched_twice},
    {"a kernel may start at", start_missed},
    {"events of a cycle that is over", event_kept},
    {"SM 0, warp", pc_apart},
    {"of the SIMT stack holds lanes", dead_lanes},
    {"the window has", frame_beyond},
    {"have not taken effect", store_left},
    {"MSHRs in use, counted", mshr_leaks},
    {"its line for", sectors_apart},
    {"not reserved", line_unreserved},
    {"somewhere in the memory system", waiter_lost},
    {"lies ", line_twice},
    {"somewhere in the memory system", request_uncounted},
    {"stores and atomics are somewhere", store_uncounted},
    {"in the miss queue, counted", queue_uncounted},
    {"replies", reply_uncounted},
    {"read messages", packet_lost},
    {"packets", packet_leaks},
    {"are promised", promise_forgotten},
    {"DRAM requests", dram_leaks},
    {"whether its row is open", row_misjudged},
    {"the masks of bank", bank_unmasked},
    {"next command at", command_lost},
    {"timing wheel", timer_late},
    {"have let its dependents go, counted", let_go_uncounted},
    {"it waits for the kernel before", wait_never_ends},
    {"noted otherwise", order_forgotten},
};

/* The arena as it was, without the pages that nobody has touched, which are most of it: room for launches to come. */
#define PAGE 4096
struct saved {
	u8 *arena, *there; /* there: a byte for each page */
	size_t pages;
};

static void look_for_pages(const struct gpu *g, size_t pages, u8 *there)
{
	if (mincore(g->arena.base, pages * PAGE, there))
		fail_msg("mincore fails");
}

static void save(struct saved *v, const struct gpu *g)
{
	look_for_pages(g, v->pages, v->there);
	for (size_t i = 0; i < v->pages; i++)
		if (v->there[i] & 1)
			memcpy(v->arena + i * PAGE, g->arena.base + i * PAGE, PAGE);
}

static void restore(const struct saved *v, const struct gpu *g)
{
	u8 *now = xmalloc(v->pages);
	look_for_pages(g, v->pages, now);
	for (size_t i = 0; i < v->pages; i++)
		if (v->there[i] & 1)
			memcpy(g->arena.base + i * PAGE, v->arena + i * PAGE, PAGE);
		else if (now[i] & 1)
			memset(g->arena.base + i * PAGE, 0, PAGE);
	free(now);
}

/* Returns whether the machine was in a state for it. */
static bool expect_found(struct sim *s, const struct lie *l, struct saved *v)
{
	struct gpu *g = sim_gpu(s);
	struct err e = {0};
	if (!l->tell(g))
		return false;
	bool holds = sim_check_state(s, &e);
	restore(v, g);
	g->ev[0].n = 0;
	ptx_of(g->front)->side[0].queue->n = 0;
	if (holds || !strstr(e.msg, l->says))
		fail_msg("cycle %llu, '%s' (row %zu): %s", (unsigned long long)sim_cycle(s), l->says, (size_t)(l - lies),
		         holds ? "not noticed" : e.msg);
	return true;
}

static void test_falsehoods_are_found(void **state)
{
	static const char *const sets[] = {"num_sms=1",         "mem.heap_mb=16",      "l2.sets=16", "l1d.ways=2",
	                                   "launch.latency=50", "noc.request_queue=4", "sm.ctas=4",  NULL};
	struct sim *s = start(sets);
	struct gpu *g = sim_gpu(s);
	struct saved v = {.pages = ceil_div(g->arena.used, PAGE)};
	struct stop st = {.why = STOP_CYCLE};
	bool told[ARRAY_LEN(lies)] = {0};
	u32 left = ARRAY_LEN(lies);
	v.arena = xmalloc(v.pages * PAGE);
	v.there = xmalloc(v.pages);
	while (left && st.why == STOP_CYCLE) {
		save(&v, g);
		for (u32 i = 0; i < ARRAY_LEN(lies); i++) {
			if (told[i] || !expect_found(s, &lies[i], &v))
				continue;
			told[i] = true;
			left--;
		}
		sim_run(s, sim_cycle(s) + 1, &st);
	}
	for (u32 i = 0; i < ARRAY_LEN(lies); i++)
		if (!told[i])
			fail_msg("never in a state for '%s' (row %u)", lies[i].says, i);
	free(v.arena);
	free(v.there);
	sim_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_holds_at_every_stop),
	    cmocka_unit_test(test_holds_with_many_registers),
	    cmocka_unit_test(test_falsehoods_are_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
