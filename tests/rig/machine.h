/* machine: a tiny harness for tests that run PTX text on a whole machine. */
#ifndef TESTS_RIG_MACHINE_H
#define TESTS_RIG_MACHINE_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sim.h"
#include "sm/sm.h"

#define PTX_HEAD ".version 6.3\n.target sm_70\n.address_size 64\n"

/* A machine with the default configuration and "key=value" changes, NULL-terminated. It executes the text in the order
 * in which a test has written it. */
static inline struct sim *machine(const char *const *sets)
{
	struct conf c;
	struct err e = {0};
	conf_defaults(&c);
	c.schedule = SCHEDULE_NONE;
	for (; sets && *sets; sets++)
		if (!conf_set_pair(&c, *sets, &e))
			fail_msg("%s", e.msg);
	struct sim *s = sim_create(&c, &e);
	if (!s)
		fail_msg("%s", e.msg);
	return s;
}

struct run {
	u64 cycles, insts;
	enum stop_why why;
};

/* Loads PTX text and runs its only kernel with 64-bit parameters to the end; the laws must hold. */
static inline struct run run_ptx(struct sim *s, const char *text, u32 grid, u32 block, const u64 *args, u32 nargs)
{
	struct err e = {0};
	struct module *m = sim_load_text(s, "test.ptx", text, strlen(text), &e);
	if (!m)
		fail_msg("%s\n%s", e.msg, text);
	const struct func *f = NULL;
	for (u32 i = 0; i < m->nfuncs; i++)
		if (m->funcs[i].is_kernel)
			f = &m->funcs[i];
	u64 start = sim_cycle(s);
	struct launch_spec l = {
	    .mod = m, .fn = f, .grid = {grid, 1, 1}, .block = {block, 1, 1}, .params = args, .param_bytes = nargs * 8};
	if (sim_launch(s, &l, &e) < 0)
		fail_msg("%s", e.msg);
	struct stop st;
	sim_run(s, start + 50000000, &st);
	struct strbuf text_out = STRBUF_INIT;
	if (st.why == STOP_FAULT) {
		sim_fault_text(s, &text_out);
		print_message("%s\n", strbuf_str(&text_out));
	}
	strbuf_release(&text_out);
	if (st.why == STOP_IDLE)
		sim_drain(s);
	if (!sim_check(s, &e))
		fail_msg("%s", e.msg);
	struct kernel_info k;
	gpu_kernel_info(sim_gpu(s), gpu_num_kernels(sim_gpu(s)) - 1, &k);
	return (struct run){.cycles = st.cycle - start, .insts = k.counters->warp_insts, .why = st.why};
}
#endif
