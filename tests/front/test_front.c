/* Front ends behind front_ops: a second one beside PTX, recorded and hand-made traces (trace_front.h), runs through the
 * whole machine. */
#include "tests/rig/machine.h"

#include "gpu/gpu.h"
#include "obs/report/report.h"
#include "tests/rig/trace_front.h"

static struct sim *machine_with(const struct front_ops *front)
{
	struct conf c;
	struct err e = {0};
	conf_defaults(&c);
	struct sim *s = sim_create_front(&c, front, &e);
	if (!s)
		fail_msg("%s", e.msg);
	return s;
}

static void launch(struct sim *s, struct module *m, u32 grid, u32 block, u64 *arg)
{
	struct err e = {0};
	const struct func *f = module_func(m, "kernel", true);
	assert_non_null(f);
	struct launch_spec l = {
	    .mod = m, .fn = f, .grid = {grid, 1, 1}, .block = {block, 1, 1}, .params = arg, .param_bytes = arg ? 8 : 0};
	if (sim_launch(s, &l, &e) < 0)
		fail_msg("%s", e.msg);
}

/* To the end, with the laws. */
static u64 run(struct sim *s)
{
	struct err e = {0};
	struct stop st;
	sim_run(s, 10000000, &st);
	assert_int_equal(st.why, STOP_IDLE);
	sim_drain(s);
	if (!sim_check(s, &e))
		fail_msg("%s", e.msg);
	return st.cycle;
}

/* Every counter of the machine, as CSV: without the figures of the host, and without what memory holds. */
static char *counters(struct sim *s)
{
	struct strbuf out = STRBUF_INIT, kept = STRBUF_INIT;
	const struct run_info info = {.workload = "", .check = "none", .check_message = "", .stop = "finished"};
	struct stats *st = stats_gather(sim_gpu(s), &info);
	report_csv(st, &out);
	stats_free(st);
	for (const char *p = strbuf_str(&out); *p; p += strcspn(p, "\n") + 1)
		if (strncmp(p, "host,", 5) && !strstr(strndupa(p, strcspn(p, "\n")), "result_hash"))
			strbuf_add(&kept, p, strcspn(p, "\n") + 1);
	strbuf_release(&out);
	assert_true(kept.len > 10000);
	return kept.buf;
}

/* --- a recorded trace --------------------------------------------------------------------------------------------- */

/* Loads by a stride, a loop whose length differs by lane, a branch, shared memory between barriers, atomics, stores. */
static const char busy[] = PTX_HEAD
    ".visible .entry kernel(.param .u64 buf)\n{\n"
    ".reg .b32 %r<20>; .reg .b64 %rd<10>; .reg .pred %p<4>; .reg .f32 %f<4>; .shared .b32 tile[128];\n"
    "ld.param.u64 %rd1, [buf];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r3, %r2, 128, %r1;\n"
    "mul.wide.u32 %rd2, %r3, 4;\nadd.u64 %rd3, %rd1, %rd2;\nand.b32 %r4, %r1, 7;\nmov.u32 %r5, 0;\n"
    "LOOP:\nmul.wide.u32 %rd4, %r4, 512;\nadd.u64 %rd5, %rd3, %rd4;\nld.global.u32 %r6, [%rd5];\n"
    "add.u32 %r5, %r5, %r6;\nsub.u32 %r4, %r4, 1;\nsetp.gt.s32 %p1, %r4, 0;\n@%p1 bra LOOP;\n"
    "shl.b32 %r7, %r1, 2;\nmov.u32 %r8, tile;\nadd.u32 %r9, %r8, %r7;\nst.shared.u32 [%r9], %r5;\nbar.sync 0;\n"
    "xor.b32 %r10, %r7, 64;\nadd.u32 %r10, %r8, %r10;\nld.shared.u32 %r11, [%r10];\nbar.sync 0;\n"
    "setp.lt.u32 %p2, %r1, 40;\n@!%p2 bra ELSE;\ncvt.rn.f32.u32 %f1, %r11;\nsqrt.approx.f32 %f1, %f1;\n"
    "cvt.rzi.u32.f32 %r11, %f1;\nbra DONE;\nELSE:\natom.global.add.u32 %r12, [%rd1], 1;\nadd.u32 %r11, %r11, %r12;\n"
    "DONE:\nst.global.u32 [%rd3], %r11;\nret;\n}\n";

static u64 run_busy(const struct front_ops *front, char **report)
{
	struct err e = {0};
	struct sim *s = machine_with(front);
	struct module *m = sim_load_text(s, "busy.ptx", busy, strlen(busy), &e);
	if (!m)
		fail_msg("%s", e.msg);
	u64 buf = devmem_alloc(sim_devmem(s), 1 << 20, "buf", &e);
	launch(s, m, 40, 128, &buf);
	launch(s, m, 3, 128, &buf);
	const u64 cycles = run(s);
	*report = counters(s);
	sim_destroy(s);
	return cycles;
}

/* The pipeline sees the same instructions, so every cycle and counter is the same, though nobody executes anything. */
static void test_recorded(void **st)
{
	const struct front_ops *ptx = front_find("ptx", NULL);
	const struct front_ops recorder = trace_recorder(ptx);
	struct front_ops replayer = trace_front;
	replayer.load_texts = ptx->load_texts;
	char *plain, *recorded, *replayed;
	const u64 cycles = run_busy(ptx, &plain);
	assert_int_equal(run_busy(&recorder, &recorded), cycles);
	assert_true(trace[0][0].n > 40 && trace[1][11].n > 40 && !trace[1][12].n);
	assert_int_equal(run_busy(&replayer, &replayed), cycles);
	assert_string_equal(plain, recorded);
	assert_string_equal(plain, replayed);
	free(plain);
	free(recorded);
	free(replayed);
	trace_clear();
}

/* --- traces by hand ----------------------------------------------------------------------------------------------- */

static const char by_hand[] =
    "# a load, two adds of what it brings, a barrier, a store of the lower half; once more\n"
    "i ld 1 -\n"
    "i add 2 1\n"
    "i add 3 2\n"
    "i bar - -\n"
    "i st - 3\n"
    "i bra - 0\n"
    "i exit - -\n"
    "w 0 0\n"
    "0 ffffffff 40000000 4\n1 ffffffff\n2 ffffffff\n3 ffffffff\n4 0000ffff 50000000 4\n5 ffffffff\n"
    "0 ffffffff 40000000 128\n1 ffffffff\n2 ffffffff\n3 ffffffff\n4 0000ffff 50000000 4\n"
    "5 ffffffff\n6 ffffffff\n"
    "w 0 1\n3 ffffffff\n3 ffffffff\n6 ffffffff\n"
    "w 1 0\n0 0000000f 60000000 4\n1 0000000f\n6 ffffffff\n"
    "w 1 1\n6 ffffffff\n";

static u64 of_all(const struct sim *s, size_t offset)
{
	u64 n = 0;
	for (u32 i = 0; i < sim_gpu((struct sim *)s)->conf.num_sms; i++)
		n += *(const u64 *)(const void *)((const char *)&sim_gpu((struct sim *)s)->sm[i]->k + offset);
	return n;
}
#define OF_ALL(s, counter) of_all(s, offsetof(struct sm_counters, counter))

static struct sim *hand_made(const char *text, u32 grid)
{
	struct err e = {0};
	struct sim *s = machine_with(&trace_front);
	struct module *m = sim_load_text(s, "by hand", text, strlen(text), &e);
	if (!m)
		fail_msg("%s", e.msg);
	launch(s, m, grid, 64, NULL);
	return s;
}

static void test_by_hand(void **st)
{
	struct sim *s = hand_made(by_hand, 2);
	run(s);
	assert_int_equal(OF_ALL(s, issued), 13 + 3 + 3 + 1);
	assert_int_equal(OF_ALL(s, thread_insts), 32 * (11 + 3 + 1 + 1) + 16 * 2 + 4 * 2);
	assert_int_equal(OF_ALL(s, loads), 3);
	assert_int_equal(OF_ALL(s, stores), 2);
	assert_int_equal(OF_ALL(s, barriers), 4);
	/* Of the loads: one line, one a lane, one; of the stores a line each. */
	assert_int_equal(OF_ALL(s, transactions), 1 + 32 + 1 + 2);
	assert_int_equal(OF_ALL(s, ctas_done), 2);
	sim_destroy(s);
	trace_clear();
}

/* n adds, each of what the one before has brought, of one warp. */
static u64 chain(u32 n)
{
	struct strbuf text = STRBUF_INIT;
	strbuf_adds(&text, "i add 1 1\ni bra - 0\ni exit - -\nw 0 0\n");
	for (u32 i = 0; i < n; i++)
		strbuf_adds(&text, "0 ffffffff\n1 ffffffff\n");
	strbuf_adds(&text, "2 ffffffff\nw 0 1\n2 ffffffff\n");
	struct sim *s = hand_made(strbuf_str(&text), 1);
	const u64 cycles = run(s);
	sim_destroy(s);
	trace_clear();
	strbuf_release(&text);
	return cycles;
}

/* Once the code is in L1I, a round of the loop takes the same time, so twice as many rounds take twice as long. */
static void test_chain(void **st)
{
	const u64 a = chain(100), b = chain(200), c = chain(300);
	assert_int_equal(c - b, b - a);
	assert_true(b - a >= 100 * 4); /* lat.int_add */
}

/* Its state is in the arena, so a machine with it goes back in time. */
static void test_travel(void **st)
{
	struct err e = {0};
	struct stop stop;
	struct sim *s = hand_made(by_hand, 2);
	assert_true(sim_history(s, 16, &e));
	sim_turn(s);
	sim_run(s, 200, &stop);
	const u64 then = sim_hash(s);
	sim_run(s, 400, &stop);
	const u64 later = sim_hash(s);
	assert_true(then != later);
	if (!sim_goto(s, 200, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(sim_hash(s), then);
	sim_run(s, 400, &stop);
	assert_int_equal(sim_hash(s), later);
	sim_destroy(s);
	trace_clear();
}

/* --- what a front end lacks --------------------------------------------------------------------------------------- */

static void test_lacking(void **st)
{
	struct err e = {0};
	struct stop stop;
	struct texture t = {0};
	struct simt_entry top[2];
	u32 bytes;
	u64 start, size;
	struct sim *s = hand_made(by_hand, 2);
	struct front *f = sim_front(s);
	assert_null(sim_load(s, "no.file", &e));
	assert_string_equal(e.msg, "no.file: the front end 'trace' reads no files");
	err_clear(&e);
	assert_int_equal(front_texture_object(f, &t, &e), 0);
	assert_string_equal(e.msg, "the front end 'trace' has no textures and surfaces");
	err_clear(&e);
	assert_false(front_bind_texture(f, sim_module(s, 0), "t", &t, NULL));
	assert_int_equal(front_surface_object(f, &t, NULL), 0);
	assert_int_equal(front_grid_workspace(f, &e), 0);
	assert_string_equal(e.msg, "the front end 'trace' has no cooperative launches");
	sim_run(s, 100, &stop);
	assert_int_equal(front_stack(f, 0, 0, top, 2), 1);
	assert_int_equal(top[0].pc, front_pc(f, 0, 0));
	assert_int_equal(top[0].mask, 0xffffffff);
	assert_int_equal(front_read_reg(f, 0, 0, 0, 0, T_U32), 0);
	assert_false(front_write_reg(f, 0, 0, 0, 0, T_U32, 1));
	assert_false(front_read_local(f, 0, 0, 0, 0, &size, 4));
	assert_null(front_shared(f, 0, 0, &bytes));
	assert_int_equal(bytes, 0);
	assert_false(front_heap_block(f, 4096, &start, &size));
	assert_int_equal(front_fault(f)->code, FAULT_NONE);
	const u64 before = front_warp_hash(f, 0, 0);
	const u32 pc = front_pc(f, 0, 0);
	while (front_pc(f, 0, 0) == pc)
		sim_run(s, sim_cycle(s) + 1, &stop);
	assert_int_equal(front_active_mask(f, 0, 0), 0xffffffff);
	assert_true(front_warp_hash(f, 0, 0) != before);
	run(s);
	assert_int_equal(front_stack(f, 0, 0, top, 2), 0);
	sim_destroy(s);
	trace_clear();
}

static void test_by_name(void **st)
{
	struct conf c;
	struct err e = {0};
	conf_defaults(&c);
	assert_string_equal(c.front, "ptx");
	assert_ptr_equal(front_find(c.front, &e), front_nth(0));
	assert_null(front_nth(1));
	assert_true(conf_set(&c, "front", "dream", &e));
	assert_null(sim_create(&c, &e));
	assert_string_equal(e.msg, "front: there is no front end 'dream' (there is: ptx)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_recorded), cmocka_unit_test(test_by_hand), cmocka_unit_test(test_chain),
	    cmocka_unit_test(test_travel),   cmocka_unit_test(test_lacking), cmocka_unit_test(test_by_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
