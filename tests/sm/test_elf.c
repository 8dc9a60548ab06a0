/* Earliest load first (Park 2016, chapter III): what the scheduler chooses and when it computes a distance anew, on
 * machines made by hand and on the simulated one. */
#include "gpu/policies.h"
#include "tests/rig/sm_rig.h"

#include <unistd.h>

#include "session/catalog.h"
#include "session/machine.h"
#include "gpu/gpu.h"
#include "sm/sched/sched.h"
#include "tests/rig/debug_rig.h"

/* --- a machine as in figure 3.1 -------------------------------------------------------------------------------------
 * In order, one scheduler, every instruction depends on the one before it; computations take one cycle, loads four. */

#define C_CYCLES 1
#define M_CYCLES 4
#define MAX_CODE 32

struct ideal {
	struct sm sm;
	struct conf conf;
	struct issue_info info[MAX_CODE];
	struct code_hint hint[MAX_CODE];
	struct inst code[MAX_CODE];
	struct module mod;
	struct launch launch;
	struct program prog;
	struct sched_view v;
	const struct warp_sched_ops *ops;
	u64 state[512];
	u64 ready_at[WARP_SLOTS];
	u32 n; /* instructions */
};

/* text: one letter an instruction, C or M. The distances are what counting by hand gives. */
static void ideal_open(struct ideal *m, const char *sched, const char *text, const u32 *start, u32 warps)
{
	memset(m, 0, sizeof *m);
	conf_defaults(&m->conf);
	m->ops = (const struct warp_sched_ops *)policy_find(POLICY_WARP, sched);
	assert_non_null(m->ops);
	assert_true(m->ops->state_bytes <= sizeof m->state);
	m->n = (u32)strlen(text);
	u32 d = m->conf.elf_max_score;
	for (u32 pc = m->n; pc-- > 0;) {
		d = text[pc] == 'M' ? 0 : MIN(d + 1, m->conf.elf_max_score);
		m->hint[pc].load_distance = (u16)d;
		m->hint[pc].flags = text[pc] == 'M' ? HINT_LOAD : 0;
		m->info[pc].cost = 1;
	}
	m->mod.code = m->code;
	m->launch.mod = &m->mod;
	m->prog = (struct program){.launch = &m->launch, .info = m->info, .hint = m->hint};
	m->v = (struct sched_view){
	    .conf = &m->conf, .sm = &m->sm, .mask = bit_range(warps), .prog = &m->prog, .first = m->state, .k = &m->sm.k};
	for (u32 w = 0; w < warps; w++) {
		m->sm.warp[w] = (struct warp){.pc = start[w], .age = w};
		m->sm.used |= BIT(w);
	}
	if (m->ops->warps_started)
		m->ops->warps_started(m->state, &m->v, bit_range(warps));
}

/* Runs to the end; row[w][c] is what warp w issued in cycle c ('.' nothing). Returns the cycle the last result came. */
static u32 ideal_run(struct ideal *m, u32 warps, char row[][64])
{
	u64 end = 0;
	memset(row, 0, warps * 64);
	for (u64 now = 0;; now++) {
		u64 ready = 0, left = 0;
		for (u32 w = 0; w < warps; w++) {
			row[w][now] = '.';
			left |= m->sm.warp[w].done ? 0 : BIT(w);
			ready |= m->sm.warp[w].done || m->ready_at[w] > now ? 0 : BIT(w);
		}
		if (!left)
			break;
		assert_true(now < 60);
		if (!ready)
			continue;
		m->v.now = now;
		u32 w = m->ops->pick(m->state, &m->v, ready), pc = m->sm.warp[w].pc;
		assert_true(ready >> w & 1);
		bool load = m->hint[pc].flags & HINT_LOAD;
		row[w][now] = load ? 'M' : 'c';
		m->ready_at[w] = now + (load ? M_CYCLES : C_CYCLES);
		end = MAX(end, m->ready_at[w]);
		m->sm.warp[w].pc = pc + 1 < m->n ? pc + 1 : PC_DONE;
		m->sm.warp[w].done = pc + 1 == m->n;
		if (m->ops->issued)
			m->ops->issued(m->state, &m->v, w, &m->info[pc]);
	}
	for (u32 w = 0; w < warps; w++)
		row[w][end] = 0;
	return (u32)end;
}

/* The example of figure 3.1: ten instructions, four consecutive computations between two loads, four warps at different
 * places. The figure's own program is not in the text, so this one has the properties the text gives it. */
static const char figure[] = "CCMCCCCMCC";
static const u32 figure_start[] = {3, 0, 2, 1};

static void figure_is(const char *sched, u32 cycles, const char *const want[4])
{
	struct ideal *m = calloc(1, sizeof *m);
	char row[4][64];
	ideal_open(m, sched, figure, figure_start, 4);
	assert_int_equal(ideal_run(m, 4, row), cycles);
	for (u32 w = 0; w < 4; w++)
		assert_string_equal(row[w], want[w]);
	free(m);
}

/* Greedy, then oldest: the younger warps' first loads (cycles 10 and 24) wait for the older ones' computations. */
static void test_figure_gto(void **state)
{
	figure_is("gto", 38,
	          (const char *const[]){"ccccM...cc............................", //
	                                ".....ccM...ccccM.....cc...............", //
	                                "..........M.....ccccM....cc...........", //
	                                ".......................cM...ccccM...cc"});
}

/* ELF: W2 stands at a load, W3 one before it, W1 two: 0, 1-2, 3-5. Then all are four before the second load, and the
 * older goes first until it has issued it; behind it no load is ahead, so the warps before one come first. */
static void test_figure_elf(void **state)
{
	figure_is("elf", 34,
	          (const char *const[]){"......ccccM...............cc......", //
	                                "...ccM.....ccccM............cc....", //
	                                "M...............ccccM.........cc..", //
	                                ".cM..................ccccM......cc"});
}

/* Two at the same distance: the one that goes on keeps its turn when its equal becomes ready; an older one at a smaller
 * distance takes it. */
static void test_ties(void **state)
{
	struct ideal *m = calloc(1, sizeof *m);
	ideal_open(m, "elf", "CCCCCCCM", (const u32[]){0, 0, 4}, 3);
	assert_int_equal(m->ops->pick(m->state, &m->v, 3), 0); /* equal: the older */
	assert_int_equal(m->ops->pick(m->state, &m->v, 2), 1); /* it cannot */
	assert_int_equal(m->ops->pick(m->state, &m->v, 3), 1); /* equal: goes on */
	assert_int_equal(m->ops->pick(m->state, &m->v, 7), 2); /* nearer */
	free(m);
}

/* --- when the priority calculator is asked ------------------------------------------------------------------------ */

/* Warp 0 issues the instruction at `pc`, which brings it to `next`; what the table says then, and whether it asked. */
static u32 after(struct ideal *m, u32 pc, u32 next, bool *asked)
{
	u64 was = m->sm.k.elf_recalcs;
	m->sm.warp[0].pc = pc;
	assert_int_equal(m->ops->pick(m->state, &m->v, 1), 0);
	was += m->sm.k.elf_recalcs - was; /* what the pick had to settle is not the instruction's */
	m->sm.warp[0].pc = next;
	m->ops->issued(m->state, &m->v, 0, &m->info[pc]);
	*asked = m->sm.k.elf_recalcs != was;
	struct strbuf text = STRBUF_INIT;
	m->ops->describe(m->state, &m->v, 0, &text);
	unsigned d = m->conf.elf_max_score;
	assert_true(sscanf(strbuf_str(&text), "%u to load", &d) == 1 || !strncmp(text.buf, "no load", 7));
	strbuf_release(&text);
	return d;
}

static void make_branch(struct ideal *m, u32 pc, u32 target, bool recalc)
{
	m->code[pc] = (struct inst){.op = OP_BRA, .target = (s32)target};
	m->hint[pc].flags = (u8)(HINT_BRANCH | (recalc ? HINT_RECALC : 0));
}

static void test_triggers(void **state)
{
	struct ideal *m = calloc(1, sizeof *m);
	bool asked;
	/*                       0123456789..            */
	ideal_open(m, "elf", "CCCCCMCCCCCCMCC", (const u32[]){0}, 1);
	assert_int_equal(after(m, 0, 1, &asked), 4); /* counted down from 5 */
	assert_false(asked);
	m->hint[2].load_distance = 77; /* would be seen if it asked */
	assert_int_equal(after(m, 1, 2, &asked), 3);
	assert_false(asked);
	make_branch(m, 2, 9, true); /* bit set: taken asks */
	assert_int_equal(after(m, 2, 9, &asked), 3);
	assert_true(asked);
	ideal_open(m, "elf", "CCCCCMCCCCCCMCC", (const u32[]){2}, 1);
	make_branch(m, 2, 9, true); /* falling through does not */
	assert_int_equal(after(m, 2, 3, &asked), 2);
	assert_false(asked);
	make_branch(m, 3, 6, false); /* bit clear: falling through asks */
	m->hint[4].load_distance = 50;
	assert_int_equal(after(m, 3, 4, &asked), 50);
	assert_true(asked);
	make_branch(m, 4, 6, false); /* taken does not */
	assert_int_equal(after(m, 4, 6, &asked), 49);
	assert_false(asked);
	free(m);
}

static void test_loads_and_floor(void **state)
{
	struct ideal *m = calloc(1, sizeof *m);
	bool asked;
	ideal_open(m, "elf", "CMCCMCCC", (const u32[]){0}, 1);
	assert_int_equal(after(m, 0, 1, &asked), 0);
	assert_int_equal(after(m, 1, 2, &asked), 2); /* a load asks */
	assert_true(asked);
	assert_int_equal(after(m, 2, 3, &asked), 1);
	assert_int_equal(after(m, 3, 4, &asked), 0);
	m->hint[4].flags = 0;                        /* as if merged away: nobody knows of this load */
	assert_int_equal(after(m, 4, 5, &asked), 0); /* never below 0 */
	assert_false(asked);
	assert_int_equal(m->sm.k.elf_issues, 5);
	ideal_open(m, "elf", "MCCC", (const u32[]){0}, 1);
	assert_int_equal(after(m, 0, 1, &asked), 256); /* no load ahead: that stays so */
	assert_int_equal(after(m, 1, 2, &asked), 256);
	assert_false(asked);
	free(m);
}

/* Instructions without a slot count as walked over; control that arrives where neither program order nor the branch
 * leads asks anew. */
static void test_free_and_paths(void **state)
{
	struct ideal *m = calloc(1, sizeof *m);
	bool asked;
	ideal_open(m, "elf", "CCCCCCCCCCMCCC", (const u32[]){0}, 1);
	m->info[1].cost = m->info[2].cost = 0;
	assert_int_equal(after(m, 0, 3, &asked), 7); /* 1 and 2 ran on the way */
	assert_false(asked);
	m->info[3].cost = m->info[4].cost = 0; /* they run before the next choice */
	u64 was = m->sm.k.elf_recalcs;
	assert_int_equal(after(m, 5, 6, &asked), 4);
	assert_int_equal(m->sm.k.elf_recalcs, was);
	assert_int_equal(after(m, 6, 2, &asked), 8); /* the SIMT stack's other path */
	assert_true(asked);
	was = m->sm.k.elf_recalcs;
	assert_int_equal(after(m, 8, 9, &asked), 1); /* moved from 2 to 8 over instructions that take slots: another path */
	assert_int_equal(m->sm.k.elf_recalcs, was + 1);
	make_branch(m, 9, 2, true); /* falls through, then a jump without a slot */
	m->info[10].cost = 0;
	m->hint[10].flags = HINT_BRANCH | HINT_RECALC;
	assert_int_equal(after(m, 9, 5, &asked), 5);
	assert_true(asked);
	free(m);
}

/* --- fetch -------------------------------------------------------------------------------------------------------- */

/* Scheduler 0 has warps 0, 2, 4 at distances 3, 1, 5; scheduler 1 has 1, 3, 5 at 2, 2, 0. */
static void test_fetch_order(void **state)
{
	struct ideal *m = calloc(1, sizeof *m);
	static const u32 start[] = {2, 3, 4, 3, 0, 5}, order[] = {2, 5, 0, 1, 4, 3};
	static u64 other[512];
	memset(other, 0, sizeof other);
	ideal_open(m, "elf", "CCCCCMCC", start, 6);
	m->conf.sm_schedulers = 2;
	memset(m->state, 0, sizeof m->state);
	m->ops->warps_started(m->state, &m->v, 0x15);
	m->ops->warps_started(other, &m->v, 0x2a);
	void *states[] = {m->state, other};
	u64 want = 0x3f;
	for (u32 i = 0; i < 6; i++) {
		assert_int_equal(m->ops->fetch(states, &m->v, want), order[i]);
		want &= ~BIT(order[i]);
	}
	/* The place counts, not the distance: warps that want nothing stay in the order. */
	assert_int_equal(m->ops->fetch(states, &m->v, BIT(4) | BIT(1)), 1); /* third of 0, second of 1 */
	assert_int_equal(m->ops->fetch(states, &m->v, BIT(0) | BIT(3)), 0); /* second of 0, third of 1 */
	/* An exited warp leaves it: 4 becomes the second of 0. */
	m->sm.in[WS_DONE] = BIT(0);
	assert_int_equal(m->ops->fetch(states, &m->v, BIT(4) | BIT(1)), 4);
	m->ops->warps_gone(other, &m->v, BIT(5)); /* and 3 the second of 1 */
	assert_int_equal(m->ops->fetch(states, &m->v, BIT(3) | BIT(2)), 2);
	assert_int_equal(m->ops->rank(other, &m->v, 1), 0);
	assert_int_equal(m->ops->rank(other, &m->v, 3), 1);
	free(m);
}

/* --- the simulated machine ---------------------------------------------------------------------------------------- */

/* The distance a warp is described with. */
static u32 said(struct sim *s, u32 warp, u32 none)
{
	struct strbuf text = STRBUF_INIT;
	unsigned d = none;
	gpu_sched_text(sim_gpu(s), 0, 0, warp, &text);
	sscanf(strbuf_str(&text), "%u to load", &d);
	strbuf_release(&text);
	return d;
}

struct picked {
	s32 warp;
	u64 ready;
	bool load;
};
static bool see(void *ctx, const struct event *e)
{
	struct picked *p = ctx;
	if (e->type == EV_SCHED_PICK) {
		p->warp = e->warp;
		p->ready = e->arg[1];
	} else if (e->type == EV_ELF_RECALC) {
		p->load |= e->arg[2] == 0;
	}
	return false;
}

static const char loop_kernel[] =
    PTX_HEAD ".visible .entry k(.param .u64 p0)\n{\n.reg .b32 %r<16>; .reg .b64 %d<8>; .reg .pred %p<4>;\n"
             "ld.param.u64 %d0, [p0];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d1, %r1, 4;\nadd.u64 %d2, %d0, %d1;\n"
             "mov.u32 %r2, 0;\nmov.u32 %r5, 0;\n"
             "L:\nld.global.u32 %r3, [%d2];\nadd.u32 %r5, %r5, %r3;\nadd.u32 %r2, %r2, 1;\n"
             "setp.lt.u32 %p1, %r2, 10;\n@%p1 bra L;\n"
             "st.global.u32 [%d2], %r5;\nret;\n}\n";

/* Every choice of a whole run: nobody ready is nearer to a load than the chosen warp, and of equals it is the one that
 * went on, else the oldest. Cycle by cycle, from outside. */
static void test_every_choice(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=1", "sm.schedulers=1", "isa.issue_cost=ptx", "schedule=none",
	                                         "warp-sched=elf", NULL});
	struct module *m = rig_load(s, loop_kernel);
	u64 buf = rig_alloc(s, 1024);
	struct picked p = {.warp = -1};
	sim_subscribe(s, EVENT(EV_SCHED_PICK) | EVENT(EV_ELF_RECALC), see, &p);
	rig_launch(s, m, "k", 1, 256, 0, &buf, 1);
	s32 went_on = -1;
	u32 choices = 0, contested = 0;
	for (struct stop st = {.why = STOP_CYCLE}; st.why == STOP_CYCLE && st.cycle < 100000;) {
		u32 before[8];
		for (u32 w = 0; w < 8; w++)
			before[w] = said(s, w, 256);
		p = (struct picked){.warp = -1};
		sim_run(s, sim_cycle(s) + 1, &st);
		if (p.warp < 0)
			continue;
		choices++;
		contested += bit_count(p.ready) > 1;
		FOR_EACH_BIT(w, p.ready)
		{
			assert_true(before[p.warp] <= before[w]);
			if (before[w] == before[p.warp] && p.warp != went_on)
				assert_true((u32)w >= (u32)p.warp && (s32)w != went_on);
		}
		went_on = p.load ? -1 : p.warp;
	}
	assert_int_equal(choices, 8 * (6 + 5 * 10 + 2));
	assert_true(contested > 100);
	sim_destroy(s);
}

/* Ten loads ask. The backward branch's taken way is the nearer one, so its bit is set: nine ask; the tenth falls
 * through and does not. */
static void test_counted(void **state)
{
	struct sim *s =
	    machine((const char *[]){"num_sms=1", "isa.issue_cost=ptx", "schedule=none", "warp-sched=elf", NULL});
	u64 buf = rig_alloc(s, 1024);
	struct rig_log log = {0};
	struct module *m = rig_load(s, loop_kernel);
	sim_subscribe(s, EVENT(EV_ELF_RECALC), rig_record, &log);
	rig_launch(s, m, "k", 1, 32, 0, &buf, 1);
	rig_finish(s);
	assert_int_equal(rig_counter(s, CG_sm, "elf_issues"), 6 + 5 * 10 + 2);
	assert_int_equal(rig_counter(s, CG_sm, "elf_recalcs"), 19);
	assert_int_equal(log.n, 19);
	for (u32 i = 0; i < log.n; i++) {
		const struct event *e = &log.e[i];
		assert_int_equal(e->arg[0], i % 2 ? 1 : 0); /* at the load; at the branch, one before it */
		assert_int_equal(e->arg[1], i % 2 ? 0 : 4); /* add, add, setp, bra, then the load again */
		assert_int_equal(e->arg[2], i % 2 ? 1 : 0);
		assert_int_equal(e->warp, 0);
	}
	free(log.e);
	sim_destroy(s);
}

/* The other way round: a forward branch whose taken way is the longer one has its bit clear, so falling through asks. A
 * warp whose lanes part goes to the other path without a branch. */
static const char fork_kernel[] =
    PTX_HEAD ".visible .entry k(.param .u64 p0)\n{\n.reg .b32 %r<16>; .reg .b64 %d<8>; .reg .pred %p<4>;\n"
             "ld.param.u64 %d0, [p0];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d1, %r1, 4;\nadd.u64 %d2, %d0, %d1;\n"
             "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra A;\n"
             "ld.global.u32 %r2, [%d2];\nadd.u32 %r3, %r2, 1;\nbra.uni B;\nret;\n"
             "A:\nadd.u32 %r3, %r1, 2;\nadd.u32 %r4, %r3, 2;\nadd.u32 %r3, %r4, 2;\n"
             "B:\nadd.u32 %r3, %r3, 1;\nadd.u32 %r3, %r3, 1;\nld.global.u32 %r5, [%d2];\n"
             "add.u32 %r3, %r3, %r5;\nst.global.u32 [%d2], %r3;\nret;\n}\n";

static void test_divergence(void **state)
{
	struct sim *s =
	    machine((const char *[]){"num_sms=1", "isa.issue_cost=ptx", "schedule=none", "warp-sched=elf", NULL});
	u64 buf = rig_alloc(s, 1024);
	struct rig_log log = {0};
	struct module *m = rig_load(s, fork_kernel);
	sim_subscribe(s, EVENT(EV_ELF_RECALC), rig_record, &log);
	rig_launch(s, m, "k", 1, 32, 0, &buf, 1);
	rig_finish(s);
	/* The way not taken goes first: falling through asks, then the load. The jump over the return ends at A, the other
	 * path, where neither its target nor program order leads; A runs into B, and the second load asks. */
	u32 by_cause[3] = {0};
	for (u32 i = 0; i < log.n; i++) {
		by_cause[log.e[i].arg[2]]++;
		assert_int_equal(log.e[i].arg[1], sim_gpu(s)->prog[0].hint[log.e[i].pc].load_distance);
	}
	assert_int_equal(by_cause[0], 2);
	assert_int_equal(by_cause[1], 1);
	assert_int_equal(by_cause[2], 1);
	free(log.e);
	sim_destroy(s);
}

/* --- instruction prefetch ----------------------------------------------------------------------------------------- */

struct fetched {
	u64 cycles, misses, prefetches, used, held;
};
/* One warp through 64 lines of straight code. */
static struct fetched straight(const char *prefetch, const char *mshrs)
{
	struct sim *s =
	    machine((const char *[]){"num_sms=1", "isa.issue_cost=ptx", "schedule=none", prefetch, mshrs, NULL});
	struct strbuf text = STRBUF_INIT;
	strbuf_adds(&text, PTX_HEAD ".visible .entry k(.param .u64 p0)\n{\n.reg .b32 %r<4>;\n");
	for (u32 i = 0; i < 64 * 16 - 1; i++)
		strbuf_adds(&text, "add.u32 %r1, %r1, 1;\n");
	strbuf_adds(&text, "ret;\n}\n");
	u64 none = 0;
	struct run r = run_ptx(s, text.buf, 1, 32, &none, 1);
	assert_int_equal(r.why, STOP_IDLE);
	struct fetched f = {r.cycles, rig_counter(s, CG_l1i, "misses"), rig_counter(s, CG_sm, "prefetches"),
	                    rig_counter(s, CG_sm, "prefetches_used"), rig_counter(s, CG_sm, "prefetches_held")};
	assert_int_equal(rig_counter(s, CG_sm, "prefetches_refused"), 0);
	strbuf_release(&text);
	sim_destroy(s);
	return f;
}

static void test_prefetch(void **state)
{
	struct fetched off = straight("sm.fetch_prefetch=false", "sm.prefetch_mshrs=16");
	assert_int_equal(off.misses, 64);
	assert_int_equal(off.prefetches + off.used + off.held, 0);
	struct fetched on = straight("sm.fetch_prefetch=true", "sm.prefetch_mshrs=16");
	assert_int_equal(on.misses, 64); /* the first line, and 63 prefetched */
	assert_int_equal(on.prefetches, 63);
	assert_int_equal(on.used, 63);
	assert_int_equal(on.held, 0);
	/* 63 lines of 16 instructions are executed while the next one is on its way. */
	assert_true(on.cycles + 63 * 16 < off.cycles);
	struct fetched never = straight("sm.fetch_prefetch=true", "sm.prefetch_mshrs=0");
	assert_int_equal(never.prefetches, 0);
	assert_int_equal(never.cycles, off.cycles);
	assert_true(never.held >= 63);
	/* One MSHR: the first line's own miss holds its prefetch back until a later fetch of the line finds it free. */
	struct fetched one = straight("sm.fetch_prefetch=true", "sm.prefetch_mshrs=1");
	assert_true(one.held > 0 && one.prefetches == 63);
	assert_in_range(one.cycles, on.cycles + 1, off.cycles - 1);
}

/* --- cost and bundle ---------------------------------------------------------------------------------------------- */

/* Table 3.3, in KiB. */
static void test_storage(void **state)
{
	struct conf c;
	struct strbuf text = STRBUF_INIT;
	conf_defaults(&c);
	sim_policy_storage(&c, policy_find(POLICY_WARP, "elf++"), &text);
	assert_string_equal(strbuf_str(&text), "priority calculator: 32 x 42 bit = 0.16 KiB\n"
	                                       "warp priority table: 48 x 8 bit = 0.05 KiB\n"
	                                       "NewCAR queue: 32 x 301 bit = 1.18 KiB\n"
	                                       "in all 1.39 KiB an SM\n");
	strbuf_clear(&text);
	c.elf_max_score = 1000;
	c.elf_max_points = 16;
	c.sm_threads = 2048;
	sim_policy_storage(&c, policy_find(POLICY_WARP, "elf"), &text);
	assert_string_equal(strbuf_str(&text), "priority calculator: 16 x 44 bit = 0.09 KiB\n"
	                                       "warp priority table: 64 x 10 bit = 0.08 KiB\n"
	                                       "in all 0.16 KiB an SM\n");
	strbuf_clear(&text);
	sim_policy_storage(&c, policy_find(POLICY_WARP, "gto"), &text);
	assert_int_equal(text.len, 0);
	strbuf_release(&text);
}

/* Every policy's implied keys exist and have such values. */
static void test_implied(void **state)
{
	u32 some = 0;
	const struct policy *p;
	for (u32 k = 0; k < POLICY_KINDS; k++)
		for (u32 i = 0; (p = sim_policy(k, i)); i++) {
			struct conf c, d;
			struct err e = {0};
			conf_defaults(&c);
			assert_true(conf_set_pair(&c, "noc.switch=islip", &e)); /* what the mesh implies is the default */
			d = c;
			if (!sim_imply(&c, policy_kinds[k].key, p->name, &e))
				fail_msg("%s: %s", p->name, e.msg);
			assert_true(!p->implies == !memcmp(&c, &d, sizeof c));
			some += p->implies != NULL;
		}
	assert_true(some >= 1);
}

/* Chosen by name, by a machine file's or the command line's keys: what is said explicitly wins. */
static void test_bundle(void **state)
{
	struct conf c;
	struct err e = {0};
	char *dir = catalog_data_dir(&e);
	assert_non_null(dir);
	assert_true(machine_conf(&c, dir, NULL, (const char *const[]){"warp-sched=elf"}, 1, &e));
	assert_false(c.sm_fetch_prefetch);
	assert_true(machine_conf(&c, dir, NULL, (const char *const[]){"warp-sched=elf++"}, 1, &e));
	assert_true(c.sm_fetch_prefetch);
	assert_int_equal(c.lsu_replay, LSU_REPLAY_NEWCAR);
	const char *const mixed[] = {"lsu.replay=none", "warp-sched=gto", "warp-sched=elf++", "sm.prefetch_mshrs=4"};
	assert_true(machine_conf(&c, dir, NULL, mixed, 4, &e));
	assert_true(c.sm_fetch_prefetch);
	assert_int_equal(c.lsu_replay, LSU_REPLAY_NONE);
	assert_true(machine_conf(&c, dir, NULL, (const char *const[]){"warp-sched=elf++", "warp-sched=gto"}, 2, &e));
	assert_false(c.sm_fetch_prefetch);
	char path[] = "/tmp/elf_machine_XXXXXX.lua";
	int fd = mkstemps(path, 4);
	static const char text[] = "return { base = 'gtx480', ['warp-sched'] = 'elf++', ['lsu.replay'] = 'car' }\n";
	assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
	close(fd);
	assert_true(machine_conf(&c, dir, path, NULL, 0, &e));
	unlink(path);
	free(dir);
	assert_true(c.sm_fetch_prefetch);
	assert_int_equal(c.lsu_replay, LSU_REPLAY_CAR);
}

static void test_console(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "step 300");
	const char *said = rig_say(&r, "set warp-sched elf++");
	assert_non_null(strstr(said, "sm.fetch_prefetch is now true: elf++ implies it."));
	assert_non_null(
	    strstr(said, "lsu.replay stays none, not newcar: it is part of the machine. `run --warp-sched elf++` "));
	assert_non_null(strstr(said, "`compare --warp-sched elf++` sets such a machine beside this one."));
	assert_true(gpu_conf(sim_gpu(r.s->sim))->sm_fetch_prefetch);
	assert_int_equal(gpu_conf(sim_gpu(r.s->sim))->lsu_replay, LSU_REPLAY_NONE);
	rig_has(&r, "info policies", "* warp       elf++");
	rig_has(&r, "info policies", "        priority calculator: 32 x 42 bit = 0.16 KiB\n");
	rig_has(&r, "explain elf", "warp priority table: 48 x 8 bit = 0.05 KiB");
	rig_has(&r, "explain elf++", "implies sm.fetch_prefetch=true lsu.replay=newcar, unless set otherwise");
	rig_close(&r);
}

/* Changed in the middle of a run, taken back and run again. */
static void test_travel(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "step 300");
	rig_say(&r, "set warp-sched elf++");
	rig_say(&r, "step 200");
	u64 hash = sim_hash(r.s->sim);
	rig_say(&r, "step 700");
	u64 later = sim_hash(r.s->sim);
	assert_true(hash != later);
	rig_say(&r, "reverse-step 700");
	assert_int_equal(sim_cycle(r.s->sim), 500);
	assert_true(sim_hash(r.s->sim) == hash);
	rig_say(&r, "step 700");
	assert_true(sim_hash(r.s->sim) == later);
	rig_say(&r, "reverse-step 950");
	assert_string_equal(gpu_conf(sim_gpu(r.s->sim))->warp_sched, "gto");
	assert_false(gpu_conf(sim_gpu(r.s->sim))->sm_fetch_prefetch);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_figure_gto),
	    cmocka_unit_test(test_figure_elf),
	    cmocka_unit_test(test_ties),
	    cmocka_unit_test(test_triggers),
	    cmocka_unit_test(test_loads_and_floor),
	    cmocka_unit_test(test_free_and_paths),
	    cmocka_unit_test(test_fetch_order),
	    cmocka_unit_test(test_every_choice),
	    cmocka_unit_test(test_counted),
	    cmocka_unit_test(test_divergence),
	    cmocka_unit_test(test_prefetch),
	    cmocka_unit_test(test_storage),
	    cmocka_unit_test(test_implied),
	    cmocka_unit_test(test_bundle),
	    cmocka_unit_test(test_console),
	    cmocka_unit_test(test_travel),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
