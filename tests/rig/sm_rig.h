/* sm_rig: helpers of the tests that run several kernels on one machine: load, launch by name, run, read back. */
#ifndef TESTS_RIG_SM_RIG_H
#define TESTS_RIG_SM_RIG_H
#include "tests/rig/machine.h"

static inline struct module *rig_load(struct sim *s, const char *text)
{
	struct err e = {0};
	struct module *m = sim_load_text(s, "test.ptx", text, strlen(text), &e);
	if (!m)
		fail_msg("%s\n%s", e.msg, text);
	return m;
}

static inline u64 rig_alloc(struct sim *s, u64 bytes)
{
	struct err e = {0};
	u64 at = devmem_alloc(sim_devmem(s), bytes, "buf", &e);
	if (!at)
		fail_msg("%s", e.msg);
	return at;
}

/* Launches a kernel by name with 64-bit parameters; its id. */
static inline u32 rig_launch(struct sim *s, struct module *m, const char *name, u32 grid, u32 block, u32 stream,
                             const u64 *args, u32 nargs)
{
	struct err e = {0};
	const struct func *f = module_func(m, name, true);
	assert_non_null(f);
	struct launch_spec l = {.mod = m,
	                        .fn = f,
	                        .grid = {grid, 1, 1},
	                        .block = {block, 1, 1},
	                        .stream = stream,
	                        .params = args,
	                        .param_bytes = nargs * 8};
	int id = sim_launch(s, &l, &e);
	if (id < 0)
		fail_msg("%s", e.msg);
	return (u32)id;
}

/* Runs on until the machine stops for a reason other than a slice's end. */
static inline struct stop rig_run(struct sim *s, u64 slice)
{
	struct stop st;
	u64 end = sim_cycle(s) + 50000000;
	do
		sim_run(s, slice == NEVER ? end : sim_cycle(s) + slice, &st);
	while (st.why == STOP_CYCLE && st.cycle < end);
	return st;
}

/* To the end, with the laws checked. */
static inline void rig_finish(struct sim *s)
{
	struct err e = {0};
	struct strbuf why = STRBUF_INIT;
	struct stop st = rig_run(s, NEVER);
	sim_fault_text(s, &why);
	if (st.why != STOP_IDLE)
		fail_msg("stopped with %d at cycle %llu: %s", st.why, (unsigned long long)st.cycle, strbuf_str(&why));
	strbuf_release(&why);
	sim_drain(s);
	if (!sim_check(s, &e))
		fail_msg("%s", e.msg);
}

static inline u32 rig_u32(struct sim *s, u64 addr)
{
	u32 v = 0;
	struct err e = {0};
	if (!devmem_read(sim_devmem(s), addr, &v, sizeof v, &e))
		fail_msg("%s", e.msg);
	return v;
}

/* A counter by name, summed over the group's instances. */
static inline u64 rig_counter(struct sim *s, enum counter_group g, const char *name)
{
	u64 sum = 0;
	for (u32 i = 0; i < counter_ndescs; i++)
		if (counter_descs[i].group == g && !strcmp(counter_descs[i].name, name)) {
			for (u32 k = 0; k < gpu_counter_instances(sim_gpu(s), g); k++)
				sum += gpu_counters(sim_gpu(s), g, k)[counter_descs[i].index];
			return sum;
		}
	fail_msg("no counter %s", name);
	return 0;
}

/* Every event of the types subscribed to, in order. */
struct rig_log {
	u32 n, cap;
	struct event *e;
};
static inline bool rig_record(void *ctx, const struct event *e)
{
	struct rig_log *l = ctx;
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 1024;
		l->e = realloc(l->e, l->cap * sizeof *l->e);
	}
	l->e[l->n++] = *e;
	return false;
}
static inline u32 rig_count(const struct rig_log *l, enum event_type t)
{
	u32 n = 0;
	for (u32 i = 0; i < l->n; i++)
		n += l->e[i].type == t;
	return n;
}
/* The n-th event of a type; it must exist. */
static inline const struct event *rig_event(const struct rig_log *l, enum event_type t, u32 n)
{
	for (u32 i = 0; i < l->n; i++)
		if (l->e[i].type == t && !n--)
			return &l->e[i];
	fail_msg("fewer %s events", event_descs[t].name);
	return NULL;
}
#endif
