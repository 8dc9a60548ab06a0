#include "gpu/query.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "gpu/scope.h"
#include "gpu/state.h"
#include "gpu/sync.h"
#include "sm/l1_pipe.h"
#include "sm/replay.h"
#include "sm/tensor.h"
#include "conf/virtual.h"

const struct conf *gpu_conf(const struct gpu *g)
{
	return &g->conf;
}
const struct starve *gpu_starved(const struct gpu *g)
{
	return g->starve;
}

bool gpu_livelocked(const struct gpu *g)
{
	return g->hang->livelocked;
}

u64 gpu_cycle(const struct gpu *g)
{
	return g->st->cycle;
}
void gpu_counted_range(const struct gpu *g, u64 *from, u64 *to)
{
	*from = 0;
	*to = g->st->cycle;
	if (g->scope)
		gpu_scope_range(g, from, to);
}

u64 gpu_counted_cycles(const struct gpu *g)
{
	u64 from, to;
	gpu_counted_range(g, &from, &to);
	return to - from;
}

u32 gpu_num_l2(const struct gpu *g)
{
	return g->conf.partitions * g->conf.l2_slices;
}
u32 gpu_num_channels(const struct gpu *g)
{
	return g->conf.partitions;
}
struct control_word *gpu_control_words(const struct gpu *g, const struct module *m)
{
	if (g->conf.sm_dependences != DEPENDENCES_COUNTERS)
		return NULL;
	struct code_tables t = code_tables_make(&g->conf, m);
	struct control_word *w = t.word;
	t.word = NULL;
	code_tables_free(&t);
	return w;
}

u32 gpu_warps_per_sm(const struct gpu *g)
{
	return g->conf.sm_threads / WARP_SIZE;
}
const struct front *gpu_front(const struct gpu *g)
{
	return g->front;
}
const struct mem *gpu_mem(const struct gpu *g)
{
	return g->mem;
}
const struct devmem *gpu_devmem(const struct gpu *g)
{
	return &g->mem_values;
}

/* The SM's masks of the last simulated cycle: who issued, who was ready and did not. */
static void last_cycle(const struct gpu *g, const struct sm *s, u64 *issued, u64 *refused)
{
	*issued = g->st->cycle && s->issued_cycle == g->st->cycle - 1 ? s->issued_mask : 0;
	*refused = 0;
	bool lsu = s->lsu_refused || s->reason[0] == ST_LSU || s->reason[1] == ST_LSU || s->reason[2] == ST_LSU ||
	           s->reason[3] == ST_LSU;
	if (lsu)
		*refused |= s->in[WS_READY_LSU] & ~*issued;
}

static void fill_units(const struct gpu *g, const struct sm *s, struct sm_info *o)
{
	static const struct {
		enum unit unit;
		const char *name[SM_MAX_UNITS];
	} kinds[] = {{UNIT_SP, {"SP0", "SP1", "SP2", "SP3", "SP4", "SP5", "SP6", "SP7"}},
	             {UNIT_SFU, {"SFU0", "SFU1", "SFU2", "SFU3"}},
	             {UNIT_DP, {"DP0", "DP1", "DP2", "DP3"}},
	             {UNIT_INT, {"INT0", "INT1", "INT2", "INT3"}},
	             {UNIT_TENSOR, {"TC0", "TC1", "TC2", "TC3", "TC4", "TC5", "TC6", "TC7"}}};
	const u32 *n = g->ctx[s->id].nunits;
	for (u32 k = 0; k < ARRAY_LEN(kinds); k++)
		for (u32 i = 0; i < n[kinds[k].unit]; i++)
			o->unit[o->nunits++] = (struct unit_info){kinds[k].name[i], s->unit_free[kinds[k].unit][i]};
}

/* Virtual threads: warps of CTAs that have left their slots have places behind those, which nobody knows outside. */
static s32 served_warp(u32 place)
{
	return (s32)MIN(place, (u32)WARP_SLOTS);
}

void gpu_sm_info(const struct gpu *g, u32 sm, struct sm_info *o)
{
	const struct sm *s = g->sm[sm];
	u64 issued, refused;
	last_cycle(g, s, &issued, &refused);
	*o = (struct sm_info){.warps = bit_count(s->used),
	                      .max_warps = gpu_warps_per_sm(g),
	                      .ctas = s->nctas,
	                      .max_ctas = g->conf.sm_ctas,
	                      .regs_used = s->regs_used,
	                      .regs = g->conf.sm_regs,
	                      .shared_used = s->shared_used,
	                      .shared = g->conf.sm_shared,
	                      .awake = g->st->awake[sm / 64] >> (sm % 64) & 1,
	                      .issued = ((const struct sm_counters *)gpu_counters_again(g, CG_sm, sm))->issued,
	                      .issued_last = bit_count(issued),
	                      .lsu_queued = s->lsu_q.n,
	                      .lsu_warp = -1,
	                      .lsu_refused = s->lsu_refused,
	                      .loads_in_flight = s->nloads};
	for (u32 i = 0; i < g->conf.sm_ctas; i++)
		o->lowered += sm_cta_state(&g->ctx[sm], s, i) == CS_LOW;
	o->inactive = gpu_inactive_ctas(g, sm, NULL, 0);
	for (u32 i = 0; i < SM_MAX_SCHEDS; i++)
		o->last_reason[i] = s->reason[i];
	fill_units(g, s, o);
	const struct replay *r = g->ctx[sm].replay;
	if (r) {
		o->lsu_held = r->held;
		o->replay_used = r->n;
		o->replay_size = g->conf.lsu_replay_entries;
	}
	const struct l1_pipe *p = g->ctx[sm].pipe;
	const u32 bank = p ? l1_pipe_refused(p) : L1_PIPE_BANKS;
	if (bank < L1_PIPE_BANKS) {
		o->lsu_refused = p->bank[bank].refused;
		o->lsu_warp = served_warp(l1_pipe_of(&g->ctx[sm], bank, 0)->warp);
		o->lsu_left = p->n;
	} else if (s->lsu_q.n) {
		const struct lsu_entry *e = sm_lsu_at(s, 0);
		o->lsu_warp = served_warp(e->warp);
		o->lsu_left = e->ntxn - e->next;
	}
}

void gpu_warp_states(const struct gpu *g, u32 sm, u8 *out, u64 *issued, u64 *refused)
{
	const struct sm *s = g->sm[sm];
	for (u32 w = 0; w < gpu_warps_per_sm(g); w++)
		out[w] = s->warp[w].state;
	last_cycle(g, s, issued, refused);
}

/* --- what a warp waits for ---------------------------------------------------------------------------------------- */

/* Does the instruction's line name the register? Names whose spans overlap may share a place. */
static bool is_named(const struct module *m, const struct inst *in, const char *name)
{
	u32 len, n = (u32)strlen(name);
	const char *s = module_line(m, in->line, &len);
	for (u32 i = 0; s && i + n <= len; i++)
		if (!memcmp(s + i, name, n) && (i + n == len || !(isalnum((u8)s[i + n]) || strchr("_$%", s[i + n]))))
			return true;
	return false;
}

/* The name of the first pending register that the next instruction needs, of a warp that waits for memory the first
 * from there: "%f3". */
static const char *pending_name(const struct sm_ctx *x, const struct warp *wp, u32 w, const struct module *m,
                                const struct inst *in)
{
	const bool memory = wp->state == WS_MEM;
	for (u32 i = 0; i < (u32)in->n_sb_src + in->n_sb_dst; i++) {
		u32 id = i < in->n_sb_src ? inst_sb_src(in)[i] : inst_sb_dst(in)[i - in->n_sb_src];
		const u64 *set = id >= 128 ? x->big[w][memory] : memory ? wp->pendm : wp->pend;
		bool pending = set[id / 64] >> (id % 64) & 1;
		if (!pending)
			continue;
		const char *name = NULL;
		for (u32 r = 0; r < m->nregnames; r++) {
			const struct regname *n = &m->regnames[r];
			const struct func *f = &m->funcs[n->func];
			if (wp->pc >= f->entry && wp->pc < f->end && n->sb == id && wp->pc >= n->live_from &&
			    wp->pc <= n->live_to && (!name || is_named(m, in, n->name)))
				name = n->name;
		}
		return name ? name : "a register";
	}
	return "a result";
}

/* Transactions of a warp in the SM's re-execution queue. */
static u32 replayed(const struct gpu *g, const struct sm *s, u32 w)
{
	const struct replay *r = g->ctx[s->id].replay;
	u32 n = 0;
	for (u32 i = 0; r && (r->warps >> w & 1) && i < r->n; i++)
		n += r->e[r->order[i]].warp == w;
	return n;
}

static void describe_memory(const struct gpu *g, const struct sm *s, u32 w, char *out, size_t n)
{
	u32 waiting = replayed(g, s, w);
	if (waiting) {
		snprintf(out, n, "%u to re-execute, %u in flight", waiting, s->warp[w].outstanding - waiting);
		return;
	}
	const struct l1_pipe *p = g->ctx[s->id].pipe;
	for (u32 i = 0, bank; p && i < p->n; i++)
		if (l1_pipe_at(&g->ctx[s->id], i, &bank)->warp == w) {
			bool refused = p->bank[bank].refused && l1_pipe_of(&g->ctx[s->id], bank, 0)->warp == w;
			snprintf(out, n, "%s", refused ? "at L1D's tags, refused" : "on the way to L1D's tags");
			return;
		}
	for (u32 i = 0; i < s->lsu_q.n; i++) {
		const struct lsu_entry *e = sm_lsu_at(s, i);
		if (e->warp == w) {
			snprintf(out, n, i ? "queued at the LSU" : "at the LSU, %u of %u sent", e->next, e->ntxn);
			return;
		}
	}
	snprintf(out, n, "%u transaction%s in flight", s->warp[w].outstanding, s->warp[w].outstanding == 1 ? "" : "s");
}

/* "CTA halted until cycle 812" */
static void describe_stop(const struct gpu *g, u32 sm, const struct warp *wp, struct warp_info *o)
{
	struct cta_standing is;
	char until[40] = "";
	sm_cta_standing(&g->ctx[sm], g->sm[sm], wp->cta_slot, &is);
	if (is.until && is.until != NEVER)
		snprintf(until, sizeof until, " until cycle %llu", (unsigned long long)is.until);
	else if (*cta_state_descs[is.state].undo)
		snprintf(until, sizeof until, " until `%s cta %llu`", cta_state_descs[is.state].undo,
		         (unsigned long long)g->sm[sm]->cta[wp->cta_slot].id);
	else
		snprintf(until, sizeof until, ": its context is under way");
	snprintf(o->waits, sizeof o->waits, "CTA %s%s", cta_state_descs[is.state].name, until);
}

/* "mbarrier 0x40: 3 of 128 arrivals, 4096 bytes to come" */
static void describe_sleep(const struct gpu *g, u32 sm, u32 w, struct warp_info *o)
{
	struct mbarrier_wait at;
	char bytes[24] = "";
	if (!g->sm[sm]->warp[w].awaits || !front_mbarrier_wait(g->front, sm, w, &at))
		return;
	if (at.at.tx)
		snprintf(bytes, sizeof bytes, ", %d bytes", at.at.tx);
	snprintf(o->waits, sizeof o->waits, "mbarrier 0x%x: lacks %u of %u%s", at.at.addr, at.at.pending, at.at.expected,
	         bytes);
}

static void describe_wait(const struct gpu *g, const struct sm *s, u32 sm, u32 w, struct warp_info *o)
{
	const struct warp *wp = &s->warp[w];
	const struct module *m = g->launch[wp->launch]->mod;
	char where[48] = "";
	switch (wp->state) {
	case WS_MEM:
	case WS_SHORT:
		if (wp->state == WS_MEM)
			describe_memory(g, s, w, where, sizeof where);
		else
			snprintf(where, sizeof where, "pipeline");
		snprintf(o->waits, sizeof o->waits, "%s: %s", pending_name(&g->ctx[sm], wp, w, m, &m->code[wp->pc]), where);
		break;
	case WS_BARRIER: {
		const struct barrier *b = &s->cta[wp->cta_slot].bar[wp->barrier - 1];
		snprintf(o->waits, sizeof o->waits, "barrier %u: %u/%u warps", wp->barrier - 1, b->arrived, b->expected);
		break;
	}
	case WS_FENCE:
		if (wp->fence == FENCE_GRIDS) {
			snprintf(o->waits, sizeof o->waits, "end of kernel %u", g->grids[wp->launch].before - 1);
			break;
		}
		snprintf(o->waits, sizeof o->waits, "%u access%s to finish", wp->outstanding,
		         by_number(wp->outstanding, "", "es"));
		break;
	case WS_FETCH:
		snprintf(o->waits, sizeof o->waits,
		         wp->fetching         ? "instruction fetch"
		         : s->astray >> w & 1 ? "flush of the path not taken"
		                              : "its turn to fetch");
		break;
	case WS_SLEEP: describe_sleep(g, sm, w, o); break;
	case WS_PAUSED: describe_stop(g, sm, wp, o); break;
	case WS_READY_LSU:
		if (o->refused && sm_lsu_at(s, 0)->warp >= WARP_SLOTS)
			snprintf(o->waits, sizeof o->waits, "LSU, serving a warp without a slot");
		else if (o->refused)
			snprintf(o->waits, sizeof o->waits, "LSU, serving warp %u", sm_lsu_at(s, 0)->warp);
		break;
	default: break;
	}
}

/* Phase of the next instruction of a warp that has one. */
static void phase_info(const struct program *p, u32 pc, struct warp_info *o)
{
	const struct module *m = p->launch->mod;
	for (u32 i = 0; i < m->nfuncs; i++) {
		const struct func *f = &m->funcs[i];
		if (pc < f->entry || pc >= f->end)
			continue;
		o->phase = p->hint[pc].phase;
		o->phases = p->hint[f->end - 1].phase + 1u; /* phases are numbered in pc order */
		o->phase_distance = p->hint[pc].phase_distance;
	}
}

u64 gpu_issued_in(const struct gpu *g, u32 sm, u64 cycle)
{
	return g->sm[sm]->issued_cycle == cycle ? g->sm[sm]->issued_mask : 0;
}

u32 gpu_warp_in_cta(const struct gpu *g, u32 sm, u32 warp)
{
	return g->sm[sm]->warp[warp].warp_in_cta;
}

bool gpu_warp_at_barrier(const struct gpu *g, u32 sm, u32 warp)
{
	const struct sm *s = g->sm[sm];
	return (s->used >> warp & 1) && s->warp[warp].barrier;
}

void gpu_warp_info(const struct gpu *g, u32 sm, u32 warp, struct warp_info *o)
{
	const struct sm *s = g->sm[sm];
	const struct sm_ctx *x = &g->ctx[sm];
	const struct warp *wp = &s->warp[warp];
	u64 issued, refused;
	last_cycle(g, s, &issued, &refused);
	*o = (struct warp_info){.state = wp->state,
	                        .scheduler = warp % x->nscheds,
	                        .launch = -1,
	                        .phase = -1,
	                        .pc = PC_DONE,
	                        .since = wp->since};
	if (!(s->used >> warp & 1))
		return;
	o->issued_last = issued >> warp & 1;
	o->refused = refused >> warp & 1;
	o->pc = wp->done ? PC_DONE : wp->pc;
	o->active = front_active_mask(g->front, sm, warp);
	o->launch = (s32)wp->launch;
	o->cta = s->cta[wp->cta_slot].id;
	o->cta_slot = wp->cta_slot;
	o->warp_in_cta = wp->warp_in_cta;
	o->started_at = wp->started_at;
	o->insts = wp->insts;
	o->pending_loads = wp->loads;
	struct sched_view v = sm_sched_view(x, g->sm[sm], o->scheduler, g->st->cycle);
	v.ev = NULL; /* looking is no decision */
	o->priority = x->sched->rank ? x->sched->rank(x->sched_state[o->scheduler], &v, warp) : 0;
	bool ready = warp_state_is_ready(wp->state);
	o->by_policy = ready || (wp->state == WS_FETCH && !wp->fetching && x->sched->fetch);
	if (wp->done)
		return;
	phase_info(&x->prog[wp->launch], wp->pc, o);
	describe_wait(g, s, sm, warp, o);
}

void gpu_sched_text(const struct gpu *g, u32 sm, u32 scheduler, u32 warp, struct strbuf *out)
{
	const struct sm_ctx *x = &g->ctx[sm];
	struct sched_view v = sm_sched_view(x, g->sm[sm], scheduler, g->st->cycle);
	v.ev = NULL;
	bool there = warp == NO_WARP || (v.mask & g->sm[sm]->used & BIT(warp));
	if (there && x->sched->describe)
		x->sched->describe(x->sched_state[scheduler], &v, warp, out);
}

void gpu_cta_sched_text(const struct gpu *g, u32 launch, struct strbuf *out)
{
	dispatch_describe(&g->dispatch, launch, g->st->cycle, out);
}

bool gpu_cta_share(const struct gpu *g, u32 launch, u32 sm, struct cta_share *out)
{
	return dispatch_share(&g->dispatch, launch, sm, g->st->cycle, out);
}

void gpu_partition_text(const struct gpu *g, struct strbuf *out)
{
	if (g->partition.ops->describe)
		g->partition.ops->describe(g->partition.st->state, &g->conf, out);
}

const char *gpu_sm_role(const struct gpu *g, u32 sm)
{
	return g->partition.ops->role ? partition_role_names[g->partition.ops->role(g->partition.st->state, sm)] : "";
}

bool gpu_cta_resident(const struct gpu *g, u32 sm, u32 launch, u64 cta)
{
	u32 place[SM_CTA_PLACES];
	const u32 n = gpu_cta_slot(g, sm, launch, cta) < 0 ? gpu_inactive_ctas(g, sm, place, SM_CTA_PLACES) : 0;
	for (u32 i = 0; i < n; i++)
		if (g->sm[sm]->cta[place[i]].launch == launch && g->sm[sm]->cta[place[i]].id == cta)
			return true;
	return gpu_cta_slot(g, sm, launch, cta) >= 0;
}

void gpu_cta_info(const struct gpu *g, u32 sm, u32 slot, struct cta_info *o)
{
	const struct sm *s = g->sm[sm];
	const struct cta *c = &s->cta[slot];
	*o = (struct cta_info){.used = c->used, .slot = slot};
	if (!c->used)
		return;
	const struct launch *l = g->launch[c->launch];
	sm_cta_standing(&g->ctx[sm], s, slot, &o->is);
	o->launch = c->launch;
	o->cta = c->id;
	o->id = (struct dim3){(u32)(c->id % l->grid.x), (u32)(c->id / l->grid.x % l->grid.y),
	                      (u32)(c->id / l->grid.x / l->grid.y)};
	o->warps = c->warps;
	FOR_EACH_BIT(w, c->warps)
	if (s->warp[c->inactive ? sm_away_place(c->word, (u32)w) : w].done)
		o->warps_done |= BIT(w);
	o->started_at = c->started_at;
	o->insts = c->insts;
	o->reg_first = c->reg_first;
	o->reg_size = c->reg_size;
	o->shared_first = c->shared_first;
	o->shared_size = c->shared_size;
}

u32 gpu_barriers(const struct gpu *g, u32 sm, u32 slot, struct barrier_info *out, u32 max)
{
	const struct cta *c = &g->sm[sm]->cta[slot];
	u32 n = 0;
	for (u32 i = 0; c->used && i < SM_MAX_BARRIERS && n < max; i++)
		if (c->bar[i].arrived)
			out[n++] = (struct barrier_info){i, c->bar[i].arrived, c->bar[i].expected, c->bar[i].waiting};
	return n;
}

bool gpu_idempotent_now(const struct gpu *g, u32 sm, u32 slot)
{
	return g->sm[sm]->cta[slot].used && restart_possible(g->restart, sm, slot);
}

const struct restart_cta *gpu_restart_cta(const struct gpu *g, u32 sm, u32 slot)
{
	return g->sm[sm]->cta[slot].used ? restart_cta(g->restart, sm, slot) : NULL;
}

const struct checks *gpu_checks(const struct gpu *g)
{
	return g->checks;
}

const struct restart_launch *gpu_restart_launch(const struct gpu *g, u32 launch)
{
	return restart_launch(g->restart, launch);
}

const struct restart_point *gpu_restart_points(const struct gpu *g, u32 *n, u64 *lost)
{
	return restart_points(g->restart, n, lost);
}

u64 gpu_events_dropped(const struct gpu *g)
{
	u64 sum = 0;
	for (u32 i = 0; i <= g->conf.num_sms; i++)
		sum += g->ev[i].dropped;
	return sum;
}

u32 gpu_num_kernels(const struct gpu *g)
{
	return g->task->nlaunches;
}

/* The record of restartable CTAs is not part of the hashed state, so the queue's own counters of it stay 0. */
static void add_restart(struct kernel_counters *k, const struct restart_launch *l)
{
	k->ctas_idempotent = l->idempotent;
	k->ctas_overwrote = l->with[RESTART_OVERWRITE];
	k->ctas_atomic = l->with[RESTART_ATOMIC];
	k->ctas_printed = l->with[RESTART_PRINT];
	k->ctas_unknown = l->with[RESTART_LOST];
	k->idem_of = l->insts;
	k->idem_insts = l->before;
}

/* stays: it holds warp slots. */
static void add_cta(struct kernel_counters *k, const struct cta *c, u64 now, bool stays)
{
	k->warp_insts += c->insts;
	k->thread_insts += lanes_sum(&c->lanes);
	lanes_add(kernel_lanes(k), &c->lanes);
	k->warp_cycles += c->warp_cycles + (stays ? (now - c->came_at) * c->nwarps : 0);
	k->transactions += c->transactions;
	k->insts_dropped += c->insts_dropped;
}

static void add_saved(struct kernel_counters *k, const struct gpu *g, u32 launch)
{
	for (u32 i = 0; g->resume.r->n && i < g->resume.r->top; i++)
		if (g->resume.cta[i].state != SAVED_FREE && g->resume.cta[i].launch == launch)
			add_cta(k, resume_cta(&g->resume, &g->resume.cta[i]), g->st->cycle, false);
}

/* The kernel's counters with those of its resident and saved CTAs added: a CTA's own are folded in when it ends. */
static const struct kernel_counters *live_counters(const struct gpu *g, u32 launch)
{
	struct kernel_counters *k = &g->live[launch];
	*k = g->task->kcb[launch].k;
	memcpy(kernel_messages(k), mem_kernel_messages(g->mem, launch), MSG_CLASSES * sizeof(struct msg_counters));
	if (g->restart)
		add_restart(k, restart_launch(g->restart, launch));
	for (u32 i = 0; g->task->kcb[launch].state == KCB_RUNNING && i < g->conf.num_sms; i++)
		for (u32 c = 0; c < (conf_is_vt(&g->conf) ? SM_CTA_PLACES : SM_MAX_CTAS); c++)
			if (g->sm[i]->cta[c].used && (c < SM_MAX_CTAS || g->sm[i]->cta[c].inactive) &&
			    g->sm[i]->cta[c].launch == launch)
				add_cta(k, &g->sm[i]->cta[c], g->st->cycle, !g->sm[i]->cta[c].inactive);
	add_saved(k, g, launch);
	return k;
}

const struct launch *gpu_launched(const struct gpu *g, u32 launch)
{
	return g->launch[launch];
}

u32 gpu_cta_limit(const struct gpu *g, u32 launch, u32 sm)
{
	return dispatch_sm_limit(&g->dispatch, launch, sm, g->st->cycle);
}

/* The launch before it in its stream that ended after it had begun, or -1. */
static s32 overlaps(const struct gpu *g, u32 launch)
{
	const struct kcb *k = &g->task->kcb[launch];
	const s32 before = (s32)g->grids[launch].before - 1;
	if (before < 0 || k->state == KCB_QUEUED)
		return -1;
	const struct kcb *b = &g->task->kcb[before];
	return b->state != KCB_DONE || b->k.ended_at > k->k.started_at ? before : -1;
}

void gpu_kernel_info(const struct gpu *g, u32 launch, struct kernel_info *o)
{
	const struct kcb *k = &g->task->kcb[launch];
	*o = (struct kernel_info){.launch = g->launch[launch],
	                          .program = k->program,
	                          .run = k->run,
	                          .name = g->launch[launch]->fn->name,
	                          .label = func_label(g->launch[launch]->fn),
	                          .state = (enum kernel_state)k->state,
	                          .ready_at = k->state == KCB_QUEUED && k->behind ? NEVER : k->ready_at,
	                          .dispatched = task_dispatched(g->task, launch),
	                          .done = k->k.ctas_done,
	                          .overlaps = overlaps(g, launch),
	                          .programmatic = k->programmatic,
	                          .counters = (const struct kernel_counters *)gpu_counters_again(g, CG_kernel, launch)};
	o->ctas_per_sm = sm_occupancy(&g->conf, g->launch[launch], &o->limiter);
	for (u32 i = 0; k->state == KCB_RUNNING && i < g->conf.num_sms; i++)
		o->resident += sm_resident(g->sm[i], launch);
}

s32 gpu_awaited_kernel(const struct gpu *g, u32 sm, u32 warp)
{
	const struct warp *wp = &g->sm[sm]->warp[warp];
	return wp->state == WS_FENCE && wp->fence == FENCE_GRIDS ? (s32)g->grids[wp->launch].before - 1 : -1;
}

u64 gpu_kernel_ended(const struct gpu *g, u32 launch)
{
	const struct kcb *k = &g->task->kcb[launch];
	return k->state == KCB_DONE ? MAX(k->k.ended_at, 1u) : 0;
}

/* --- counters ----------------------------------------------------------------------------------------------------- */

const u64 *gpu_counters(struct gpu *g, enum counter_group group, u32 i)
{
	if (group != CG_kernel)
		gpu_sync(g);
	return gpu_counters_again(g, group, i);
}

static const u64 *total_of(const struct gpu *g, enum counter_group group, u32 i)
{
	switch (group) {
	case CG_sm: return (const u64 *)&g->sm[i]->k;
	case CG_l1i: return (const u64 *)mem_cache_counters(g->mem, MC_L1I, i);
	case CG_l1d: return (const u64 *)mem_cache_counters(g->mem, MC_L1D, i);
	case CG_l1c: return (const u64 *)mem_cache_counters(g->mem, MC_L1C, i);
	case CG_l1t: return (const u64 *)mem_cache_counters(g->mem, MC_L1T, i);
	case CG_tensor: return (const u64 *)&g->ctx[i].tensor->k;
	case CG_l2: return (const u64 *)mem_l2_counters(g->mem, i);
	case CG_noc: return (const u64 *)mem_noc_counters(g->mem);
	case CG_dram: return (const u64 *)mem_dram_counters(g->mem, i);
	case CG_kernel: return (const u64 *)live_counters(g, i);
	case CG_COUNT: break;
	}
	BUG("no counter group %d", group);
}

const u64 *gpu_counters_again(const struct gpu *g, enum counter_group group, u32 i)
{
	const u64 *now = total_of(g, group, i);
	return g->scope ? gpu_scope_counters(g, group, i, now) : now;
}

u32 gpu_counter_instances(const struct gpu *g, enum counter_group group)
{
	switch (group) {
	case CG_l2: return gpu_num_l2(g);
	case CG_noc: return 1;
	case CG_dram: return gpu_num_channels(g);
	case CG_kernel: return g->task->nlaunches;
	default: return g->conf.num_sms;
	}
}

void gpu_stalls(struct gpu *g, u32 sm, u32 scheduler, u64 out[ST_COUNT])
{
	sm_sync(&g->ctx[sm], g->sm[sm], g->st->cycle);
	memcpy(out, g->sm[sm]->stall[scheduler], sizeof(u64) * ST_COUNT);
	if (g->scope)
		gpu_scope_stalls(g, sm, scheduler, out);
}

void gpu_stalls_sum(struct gpu *g, s32 sm, u64 out[ST_COUNT])
{
	memset(out, 0, sizeof(u64) * ST_COUNT);
	for (u32 i = sm < 0 ? 0 : (u32)sm; i < (sm < 0 ? g->conf.num_sms : (u32)sm + 1); i++)
		for (u32 sch = 0; sch < g->conf.sm_schedulers; sch++) {
			u64 slots[ST_COUNT];
			gpu_stalls(g, i, sch, slots);
			for (u32 r = 0; r < ST_COUNT; r++)
				out[r] += slots[r];
		}
}
