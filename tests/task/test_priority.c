/* Priorities of streams and programs: who starts first, whose CTAs come first, and what partition policies make of
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "dbg/debugger.h"
#include "tests/rig/debug_rig.h"

static char dir[] = "/tmp/warpdbg-priority-XXXXXX";
static const char ptx[] = ".version 4.3\n.target sm_20\n.address_size 64\n"
                          ".visible .entry spin(.param .u64 p, .param .u32 n)\n{\n"
                          ".reg .u64 %rd<4>;\n.reg .u32 %r<6>;\n.reg .pred %p<2>;\n"
                          "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\nmov.u32 %r2, 0;\n"
                          "L:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r1;\n@%p1 bra L;\n"
                          "mov.u32 %r3, %ctaid.x;\nmul.wide.u32 %rd2, %r3, 4;\nadd.u64 %rd1, %rd1, %rd2;\n"
                          "st.global.u32 [%rd1], %r2;\nret;\n}\n";

static const char *file(const char *name, const char *text)
{
	static char path[4][96];
	static u32 turn;
	char *p = path[turn++ % 4];
	snprintf(p, sizeof path[0], "%s/%s", dir, name);
	FILE *f = fopen(p, "w");
	assert_true(f && fputs(text, f) >= 0 && !fclose(f));
	return p;
}

/* A program; `go(ctas, rounds[, stream[, options]])` launches CTAs of 32 threads, eight of which fit an SM, and notes
 * who is to be checked. */
static const char *program(const char *name, const char *body)
{
	struct strbuf text = STRBUF_INIT;
	strbuf_addf(
	    &text,
	    "return { name = 'x', run = function(cuda, p)\nlocal m, list = cuda.module('spin.ptx'), {}\n"
	    "local function go(ctas, n, stream, with)\nlocal b = cuda.malloc(4 * ctas)\n"
	    "local o = with or stream and {}\nif o then o.stream = stream end\ncuda.launch(m.spin, ctas, 32, {b, n}, o)\n"
	    "list[#list + 1] = {b, ctas, n}\nend\n%s\n"
	    "for _, k in ipairs(list) do\nlocal h = cuda.host('u32', k[2])\n"
	    "cuda.check(function() cuda.copy(h, k[1])\nfor i = 0, k[2] - 1 do if h[i] ~= k[3] then return false, 'CTA ' "
	    ".. i end end\nreturn true end)\nend\nend }\n",
	    body);
	const char *path = file(name, text.buf);
	strbuf_release(&text);
	return path;
}

static void must(struct rig *r, const char *fmt, ...)
{
	char line[200];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (!rig_try(r, line))
		fail_msg("%s: %s", line, r->e.msg);
}

static void open_with(struct rig *r, const char *path, const char *const *more)
{
	char *argv[16] = {"warpdbg", "debug", (char *)path};
	for (u32 i = 0; more && more[i]; i++)
		argv[3 + i] = (char *)more[i];
	rig_open(r, argv);
}

static void finish(struct rig *r)
{
	struct err e = {0};
	if (r->d->run.rest != DBG_FINISHED)
		must(r, "continue");
	assert_int_equal(r->d->run.rest, DBG_FINISHED);
	if (r->s->check != CHECK_PASS)
		fail_msg("%s", strbuf_str(&r->s->check_message));
	if (!sim_check(r->s->sim, &e))
		fail_msg("%s", e.msg);
}

static struct kernel_info kernel(struct rig *r, u32 id)
{
	struct kernel_info k;
	gpu_kernel_info(sim_gpu(r->s->sim), id, &k);
	return k;
}

/* Streams whose launches may start at the same cycle start in the order of their priorities, equal ones as launched. */
static void the_least_starts_first(void **state)
{
	static const u32 order[] = {3, 1, 4, 0, 2};
	struct rig r;
	open_with(&r,
	          program("a.lua", "for i, p in ipairs{0, -2, 3, -5, -2} do go(1, 50, cuda.stream(p)) end\ncuda.sync()"),
	          NULL);
	must(&r, "step 100");
	for (u32 i = 0; i < ARRAY_LEN(order); i++) { /* one CTA each: the first kernel's came to the first SM */
		struct cta_info c;
		gpu_cta_info(sim_gpu(r.s->sim), i, 0, &c);
		assert_true(c.used);
		assert_int_equal(c.launch, order[i]);
	}
	finish(&r);
	rig_has(&r, "info kernels", "stream 4 (priority -5)");
	rig_has(&r, "info kernels", "stream 1: done");
	rig_has(&r, "lua print(gpu.kernel[3].priority, gpu.kernel[0].priority)", "-5\t0");
	rig_close(&r);
}

/* A kernel that comes later with a higher priority: from then on room goes to it, until it has no CTAs left. */
static void its_ctas_come_first(void **state)
{
	for (u32 urgent = 0; urgent < 2; urgent++) {
		struct rig r;
		char body[200];
		snprintf(body, sizeof body, "go(400, 100, cuda.stream())\ngo(200, 100, cuda.stream(%s), {start_us = 1})",
		         urgent ? "-1" : "0");
		open_with(&r, program("a.lua", body), NULL);
		must(&r, "step 800");
		const u64 low = kernel(&r, 0).dispatched, high = kernel(&r, 1).dispatched;
		assert_in_range(low, 1, 399);
		must(&r, "step 2500");
		if (urgent) {
			assert_true(kernel(&r, 1).dispatched > high);
			if (kernel(&r, 1).dispatched < 200)
				assert_int_equal(kernel(&r, 0).dispatched, low);
		} else {
			assert_true(kernel(&r, 0).dispatched > low);
			assert_int_equal(kernel(&r, 1).dispatched, 0);
		}
		finish(&r);
		assert_int_equal(kernel(&r, 1).counters->ended_at < kernel(&r, 0).counters->ended_at, urgent);
		rig_close(&r);
	}
}

/* SMs with CTAs of a kernel. */
static u32 sms_of(struct rig *r, u32 launch)
{
	u32 n = 0;
	for (u32 i = 0; i < gpu_conf(sim_gpu(r->s->sim))->num_sms; i++)
		for (u32 c = 0; c < SM_MAX_CTAS; c++) {
			struct cta_info o;
			gpu_cta_info(sim_gpu(r->s->sim), i, c, &o);
			if (o.used && o.launch == launch) {
				n++;
				break;
			}
		}
	return n;
}

/* spatial: what the urgent one can fill is its own, beside 15 SMs for one that could fill them all; equals share. */
static void spatial_gives_it_what_it_can_fill(void **state)
{
	static const struct {
		const char *priority;
		u32 ctas, low, high; /* SMs in the end */
	} rows[] = {{"0", 200, 8, 7}, {"-1", 200, 0, 15}, {"-1", 18, 12, 3}, {"1", 200, 15, 0}};
	static const char *const more[] = {"--partition", "spatial", "--preempt", "flush", NULL};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		struct rig r;
		char body[200];
		snprintf(body, sizeof body, "go(400, 100, cuda.stream())\ngo(%u, 100, cuda.stream(%s), {start_us = 5})",
		         rows[i].ctas, rows[i].priority);
		open_with(&r, program("a.lua", body), more);
		must(&r, "step 5000");
		assert_int_equal(sms_of(&r, 0), rows[i].low);
		assert_int_equal(sms_of(&r, 1), rows[i].high);
		const u64 hash = sim_hash(r.s->sim);
		must(&r, "step 500");
		must(&r, "reverse-step 500");
		assert_true(sim_hash(r.s->sim) == hash);
		finish(&r);
		rig_close(&r);
	}
}

/* smk: on each SM it has what it can fill; the other the rest (of the eight CTAs that fit). */
static void smk_gives_it_what_it_can_fill(void **state)
{
	static const struct {
		const char *priority;
		u32 low, high; /* resident CTAs on 15 SMs */
	} rows[] = {{"0", 60, 60}, {"-1", 0, 120}, {"1", 120, 0}};
	static const char *const more[] = {"--partition", "smk", "--preempt", "flush", NULL};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		struct rig r;
		char body[200];
		snprintf(body, sizeof body, "go(400, 100, cuda.stream())\ngo(200, 100, cuda.stream(%s), {start_us = 5})",
		         rows[i].priority);
		open_with(&r, program("a.lua", body), more);
		must(&r, "step 3700");
		assert_int_equal(kernel(&r, 0).resident, rows[i].low);
		assert_int_equal(kernel(&r, 1).resident, rows[i].high);
		finish(&r);
		rig_close(&r);
	}
}

/* A cooperative kernel of a lower priority that is ready holds back nobody of a higher one; one of the highest does. */
static void a_cooperative_kernel_waits_its_turn(void **state)
{
	struct rig r;
	open_with(&r,
	          program("a.lua", "go(15, 400, cuda.stream())\ngo(15, 50, cuda.stream(2), {cooperative = true})\n"
	                           "go(15, 50, cuda.stream(1))"),
	          NULL);
	finish(&r);
	assert_true(kernel(&r, 2).counters->started_at < kernel(&r, 0).counters->ended_at);
	assert_true(kernel(&r, 1).counters->started_at >= kernel(&r, 0).counters->ended_at);
	rig_close(&r);
	open_with(&r,
	          program("a.lua",
	                  "go(15, 400, cuda.stream())\ngo(15, 50, cuda.stream(-2), {cooperative = true, start_us = 1})\n"
	                  "go(15, 50, cuda.stream(-1), {start_us = 1})"),
	          NULL);
	finish(&r);
	assert_true(kernel(&r, 1).counters->started_at >= kernel(&r, 0).counters->ended_at);
	assert_true(kernel(&r, 2).counters->started_at > kernel(&r, 1).counters->started_at);
	rig_close(&r);
}

/* --priority is that of the program before it; its streams inherit it, a stream's own wins. */
static void programs_have_them(void **state)
{
	struct rig r;
	char *argv[] = {"warpdbg",
	                "debug",
	                (char *)program("a.lua", "go(2, 50)"),
	                (char *)program("b.lua", "go(2, 50)\ngo(2, 50, cuda.stream())\ngo(2, 50, cuda.stream(0))"),
	                "--priority",
	                "-4",
	                NULL};
	rig_open(&r, argv);
	finish(&r);
	static const int want[] = {0, -4, -4, 0};
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(kernel(&r, i).launch->priority, want[i]);
	must(&r, "run");
	finish(&r);
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(kernel(&r, i).launch->priority, want[i]);
	must(&r, "run %s/b.lua --priority 2", dir);
	finish(&r);
	assert_int_equal(kernel(&r, 0).launch->priority, 2);
	must(&r, "run %s/a.lua", dir); /* another program: what was said of the one before is not said of it */
	finish(&r);
	assert_int_equal(kernel(&r, 0).launch->priority, 0);
	rig_close(&r);
	struct options o;
	struct err e = {0};
	static const char *const wrong[] = {"6", "-6", "", "1.5", "high", "99999999999"};
	for (u32 i = 0; i < ARRAY_LEN(wrong); i++) {
		char *bad[] = {"warpdbg", "run", "vecadd", "--priority", (char *)wrong[i], NULL};
		assert_int_equal(cmdline_parse(&o, 5, bad, &e), CMDLINE_ERROR);
		assert_non_null(strstr(e.msg, "--priority"));
		cmdline_free(&o);
		err_clear(&e);
	}
	char *argv2[] = {"warpdbg", "run", (char *)program("a.lua", "cuda.stream(-6)"), NULL};
	assert_int_equal(cmdline_parse(&o, 3, argv2, &e), CMDLINE_OK);
	struct session *s = session_open(&o, console_modules, &e);
	assert_non_null(s);
	assert_int_equal(session_run(s, NEVER, &e), SS_HOST_ERROR);
	assert_non_null(strstr(e.msg, "a priority from -5 (comes first) to 5 expected"));
	session_close(s);
	cmdline_free(&o);
}

static int make_dir(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	file("spin.ptx", ptx);
	return 0;
}

static int remove_dir(void **state)
{
	static const char *const names[] = {"spin.ptx", "a.lua", "b.lua"};
	char path[128];
	for (u32 i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		unlink(path);
	}
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_least_starts_first),
	    cmocka_unit_test(its_ctas_come_first),
	    cmocka_unit_test(spatial_gives_it_what_it_can_fill),
	    cmocka_unit_test(smk_gives_it_what_it_can_fill),
	    cmocka_unit_test(a_cooperative_kernel_waits_its_turn),
	    cmocka_unit_test(programs_have_them),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
