/* Waits are charged to the instruction that causes them: the load and not the store that needs its value, the barrier
 * and not the instruction behind it; and every waiting warp, on every way that a result may take, has such a one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "debug_rig.h"
#include "views/heat.h"

static const char code[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                           ".visible .entry k(.param .u64 p)\n{\n"
                           ".reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .pred %q;\n"
                           "ld.param.u64 %rd1, [p];\n"
                           "mov.u32 %r1, %tid.x;\n"
                           "mul.wide.u32 %rd2, %r1, 4;\n"
                           "add.u64 %rd3, %rd1, %rd2;\n"
                           "ld.global.u32 %r2, [%rd3];\n" /* line 11 */
                           "add.u32 %r3, %r1, 5;\n"
                           "st.global.u32 [%rd3+4096], %r2;\n" /* line 13 */
                           "setp.lt.u32 %q, %r1, 32;\n"
                           "@%q bra ON;\n"
                           "ld.global.u32 %r4, [%rd3+8192];\n"
                           "st.global.u32 [%rd3+4096], %r4;\n"
                           "ON:\n"
                           "bar.sync 0;\n" /* line 19 */
                           "add.u32 %r3, %r3, 1;\n"
                           "ld.global.u32 %r5, [%rd3+16384];\n" /* line 21 */
                           "ld.global.u32 %r6, [%rd3+20480];\n"
                           "add.u32 %r7, %r6, %r5;\n" /* line 23: waits for %r6 first, then %r5 */
                           "membar.gl;\n"
                           "st.global.u32 [%rd3], %r7;\n"
                           "membar.gl;\n" /* line 26 */
                           "add.u32 %r8, %r7, 1;\n"
                           "st.global.u32 [%rd3], %r8;\n"
                           "ret;\n}\n";

static char dir[] = "/tmp/warpdbg-producers-XXXXXX", path[64];

static void write_code(void)
{
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/k.ptx", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(code, 1, sizeof code - 1, f), sizeof code - 1);
	fclose(f);
}

static void open_code(struct rig *r)
{
	char *argv[] = {"warpdbg", "debug", path,    "--kernel",       "k",     "--grid",        "1",
	                "--block", "64",    "--arg", "u32[8192]=iota", "--set", "schedule=none", NULL};
	rig_open(r, argv);
}

enum { LINES = 32 };
static void charges_the_cause(void **state)
{
	struct rig r;
	open_code(&r);
	struct gpu *g = sim_gpu(r.s->sim);
	u32 charged[LINES] = {0}, barrier = 0, fence = 0, first = 0, second = 0, by[256];
	bool was_second[2] = {false};
	for (u32 i = 0; i < 6000; i++) {
		if (!rig_try(&r, "step 1"))
			break;
		gpu_producers(g, 0, by);
		for (u32 w = 0; w < 2; w++) {
			struct warp_info o;
			gpu_warp_info(g, 0, w, &o);
			if (o.launch < 0 || o.pc == PC_DONE) {
				assert_int_equal(by[w], PC_DONE);
				continue;
			}
			const struct module *m = gpu_launched(g, (u32)o.launch)->mod;
			const u32 felt = m->code[o.pc].line, caused = m->code[by[w]].line;
			assert_in_range(caused, 1, LINES - 1);
			charged[caused] += o.state == WS_MEM;
			if (o.state == WS_MEM && felt == 13)
				assert_int_equal(caused, 11);
			if (o.state == WS_BARRIER) {
				assert_int_equal(felt, 20);
				assert_int_equal(caused, 19);
				barrier++;
			}
			if (o.state == WS_FENCE) {
				assert_true(caused == 24 || caused == 26);
				assert_true(felt == caused + 1);
				fence++;
			}
			if (o.state == WS_MEM && felt == 23) { /* the first operand that is pending */
				assert_true(caused == 22 || (caused == 21 && ++second));
				assert_false(caused == 22 && was_second[w]);
				was_second[w] = caused == 21;
				first += caused == 22;
			}
			if (o.state >= WS_READY_SP && o.state <= WS_READY_LSU)
				assert_int_equal(caused, felt);
		}
	}
	assert_true(charged[11] > 50);
	assert_int_equal(charged[13], 0);
	assert_true(barrier > 20);
	assert_true(fence > 10);
	assert_true(first > 20);
	rig_close(&r);
}

static bool needs(const struct inst *in, const struct inst *from)
{
	for (u32 k = 0; k < from->n_sb_dst; k++) {
		for (u32 i = 0; i < in->n_sb_src; i++)
			if (in->sb_src[i] == from->sb_dst[k])
				return true;
		for (u32 i = 0; i < in->n_sb_dst; i++)
			if (in->sb_dst[i] == from->sb_dst[k])
				return true;
	}
	return false;
}

/* Every warp that waits for a result waits for an instruction that makes one of its operands. */
static u32 each_has_one(struct gpu *g)
{
	const struct conf *c = gpu_conf(g);
	u32 n = 0, by[256];
	for (u32 sm = 0; sm < c->num_sms; sm++) {
		gpu_producers(g, sm, by);
		for (u32 w = 0; w < gpu_warps_per_sm(g); w++) {
			struct warp_info o;
			gpu_warp_info(g, sm, w, &o);
			if (o.launch < 0 || o.pc == PC_DONE || (o.state != WS_MEM && o.state != WS_SHORT))
				continue;
			const struct module *m = gpu_launched(g, (u32)o.launch)->mod;
			const struct inst *in = &m->code[o.pc], *from = &m->code[by[w]];
			if (in->op == OP_RET || in->op == OP_CALL)
				continue;
			n++;
			if (!needs(in, from))
				fail_msg("cycle %llu, SM %u, warp %u: line %u waits, line %u is charged",
				         (unsigned long long)gpu_cycle(g), sm, w, in->line, from->line);
			if (o.state == WS_MEM)
				assert_true(from->cls >= IC_GLOBAL);
		}
	}
	return n;
}

static u64 sum(const struct heat_module *m, u32 (*of)[HEAT_STATES], u32 state)
{
	u64 n = 0;
	for (u32 pc = 0; pc < m->mod->ncode; pc++)
		n += of[pc][state];
	return n;
}

/* What is caused is what is felt, by state; the instructions differ. */
static void sums_close(const struct heat *h)
{
	u32 moved = 0;
	for (u32 i = 0; i < h->nmods; i++) {
		const struct heat_module *m = &h->mods[i];
		u64 waiting = 0;
		for (u32 s = 0; s < HEAT_STATES; s++) {
			assert_int_equal(sum(m, m->at, s), sum(m, m->caused, s));
			waiting += heat_is_waiting(s) ? sum(m, m->caused, s) : 0;
		}
		assert_int_equal(waiting, m->waiting);
		for (u32 pc = 0; pc < m->mod->ncode; pc++) {
			moved += m->at[pc][WS_MEM] != m->caused[pc][WS_MEM];
			assert_true(!m->caused[pc][WS_MEM] || m->mod->code[pc].cls >= IC_GLOBAL);
			assert_true(!m->caused[pc][WS_BARRIER] || m->mod->code[pc].op == OP_BAR);
		}
	}
	assert_true(moved > 0);
}

static void on_every_way(void **state)
{
	static const char *const runs[][3] = {
	    {"hotspot", "gtx480", "lsu.replay=none"}, {"bfs", "titanv", "lsu.replay=none"},
	    {"sgemm", "titanv", "lsu.replay=none"},   {"spmv", "gtx480", "lsu.replay=newcar"},
	    {"lps", "gtx480", "lsu.replay=none"},     {"transpose", "titanv", "lsu.replay=none"}};
	for (u32 i = 0; i < ARRAY_LEN(runs); i++) {
		struct rig r;
		struct heat h;
		char *argv[] = {"warpdbg",          "debug", (char *)runs[i][0], "--size", "small", "--gpu",
		                (char *)runs[i][1], "--set", (char *)runs[i][2], NULL};
		u32 n = 0;
		rig_open(&r, argv);
		heat_attach(&h, r.s->sim);
		for (u32 k = 0; k < 400 && n < 20000 && rig_try(&r, "step 97"); k++) {
			n += each_has_one(sim_gpu(r.s->sim));
		}
		if (n < 1000)
			fail_msg("%s: %u waits seen", runs[i][0], n);
		sums_close(&h);
		heat_detach(&h);
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(charges_the_cause),
	    cmocka_unit_test(on_every_way),
	};
	write_code();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	rmdir(dir);
	return failed;
}
