/* Runs on the model what was measured: each microbenchmark on a machine of its own, so that caches are cold as after a
 * flush; workloads by their host programs. */
#include "commands/commands.h"
#include "cli/correlate/correlate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CYCLES (4ull << 30) /* of one microbenchmark */

struct machine {
	struct sim *sim;
	struct module *mod;
	u64 out, buf;
};

static void close_machine(struct machine *m)
{
	if (m->sim)
		sim_destroy(m->sim);
	*m = (struct machine){0};
}

static bool open_machine(struct machine *m, const struct conf *conf, const char *dir, const struct corr_micro *b,
                         struct err *e)
{
	struct strbuf ptx = STRBUF_INIT;
	strbuf_addf(&ptx, "%s/%s.ptx", dir, b->text);
	*m = (struct machine){.sim = sim_create(conf, e)};
	m->mod = m->sim ? sim_load(m->sim, strbuf_str(&ptx), e) : NULL;
	strbuf_release(&ptx);
	m->out = m->mod ? devmem_alloc(sim_devmem(m->sim), MAX(b->grid, 2u) * 8ull, "out", e) : 0;
	m->buf = m->out ? devmem_alloc(sim_devmem(m->sim), MAX(b->buffer, (u64)256), "buf", e) : 0;
	if (m->buf)
		return true;
	close_machine(m);
	return false;
}

static bool launch(struct machine *m, const char *kernel, const struct corr_micro *b, struct err *e)
{
	const struct func *fn = module_func(m->mod, kernel, true);
	struct {
		u64 out, buf;
		u32 n, stride, seed;
	} params = {m->out, m->buf, b->n, b->stride, b->seed};
	if (!fn)
		return err_set(e, "%s has no kernel %s", m->mod->path, kernel);
	if (fn->param_bytes > sizeof params)
		return err_set(e, "%s: %s is no microbenchmark", m->mod->path, kernel);
	struct launch_spec l = {.mod = m->mod, .fn = fn, .grid = {b->grid, 1, 1}, .block = {b->block, 1, 1}};
	l.params = &params;
	l.param_bytes = fn->param_bytes;
	return sim_launch(m->sim, &l, e) >= 0;
}

static bool run(struct machine *m, struct err *e)
{
	struct stop stop;
	enum stop_why why = sim_run(m->sim, MAX_CYCLES, &stop);
	struct strbuf text = STRBUF_INIT;
	if (why == STOP_IDLE)
		return true;
	if (why == STOP_FAULT)
		sim_fault_text(m->sim, &text);
	else if (why == STOP_POLICY)
		strbuf_adds(&text, sim_policy_error(m->sim));
	else
		strbuf_adds(&text, why == STOP_DEADLOCK ? "deadlock" : "not finished after 4 G cycles");
	err_set(e, "%s", strbuf_str(&text));
	strbuf_release(&text);
	return false;
}

static double kernel_cycles(struct sim *s, u32 id)
{
	struct kernel_info k;
	gpu_kernel_info(sim_gpu(s), id, &k);
	return (double)kernel_run_cycles(k.counters, 0, gpu_cycle(sim_gpu(s)));
}

static double largest_clock(struct machine *m, u32 ctas)
{
	u64 most = 0, t;
	struct err e = {0};
	for (u32 i = 0; i < ctas; i++)
		if (devmem_read(sim_devmem(m->sim), m->out + 8ull * i, &t, sizeof t, &e))
			most = MAX(most, t);
	return (double)most;
}

/* Cycles of an empty kernel, which are in every time taken from outside. */
static bool empty_cycles(const struct correlation *c, const char *dir, double *out, struct err *e)
{
	struct machine m;
	struct corr_micro b = {.grid = 1, .block = 32, .text = "micro"};
	bool ok = open_machine(&m, &c->conf, dir, &b, e) && launch(&m, "empty", &b, e) && run(&m, e);
	if (ok)
		*out = kernel_cycles(m.sim, 0);
	close_machine(&m);
	return ok;
}

static bool micro_cycles(const struct correlation *c, const char *dir, const struct corr_micro *b, double empty,
                         double *out, struct err *e)
{
	struct machine m;
	u32 launches = b->timer == CORR_LAUNCHES ? (u32)MIN(b->steps, 1000.) : 1;
	bool ok = open_machine(&m, &c->conf, dir, b, e);
	for (u32 i = 0; ok && i < launches; i++)
		ok = launch(&m, b->kernel, b, e);
	ok = ok && run(&m, e);
	if (ok && b->timer == CORR_CLOCK)
		*out = largest_clock(&m, b->grid);
	else if (ok && b->timer == CORR_ELAPSED)
		*out = kernel_cycles(m.sim, 0) - empty;
	else if (ok)
		*out = (double)sim_cycle(m.sim) / launches * b->steps;
	close_machine(&m);
	return ok;
}

static void set_why(struct corr_row *row, const char *why)
{
	free(row->why_not);
	row->why_not = xstrdup(why);
}

/* --- workloads --- */

static struct options workload_options(const struct options *o, const struct corr_workload *w, char seed[32],
                                       const char **sets)
{
	struct options r = *o;
	r.command = "run";
	r.workload = w->name;
	r.size = w->size;
	r.params = (const char **)w->params;
	r.nparams = w->nparams;
	r.max_cycles = NEVER;
	r.format = r.stats = NULL;
	snprintf(seed, 32, "seed=%u", w->seed);
	for (u32 i = 0; i < o->nsets; i++)
		sets[i] = o->sets[i];
	sets[o->nsets] = seed;
	r.sets = sets;
	r.nsets = o->nsets + 1;
	return r;
}

static void take_launches(struct correlation *c, struct corr_workload *w, struct session *s, double empty)
{
	u32 n = gpu_num_kernels(sim_gpu(s->sim));
	for (u32 i = 0; i < w->nlaunches; i++) {
		struct corr_row *row = &c->rows[w->launches[i].row];
		struct kernel_info k = {0};
		if (i < n)
			gpu_kernel_info(sim_gpu(s->sim), i, &k);
		if (i >= n || strcmp(k.name, w->launches[i].kernel))
			set_why(row, n == w->nlaunches ? "another kernel is launched here" : "another number of launches");
		else
			row->modelled += MAX(kernel_cycles(s->sim, i) - empty, 1.0);
	}
}

static void model_workload(struct correlation *c, struct corr_workload *w, const struct options *o, double empty)
{
	struct err e = {0};
	char seed[32];
	const char **sets = xcalloc(o->nsets + 1, sizeof *sets);
	struct options r = workload_options(o, w, seed, sets);
	struct session *s = session_open(&r, console_modules, &e);
	enum session_stop why = s ? session_run(s, NEVER, &e) : SS_HOST_ERROR;
	struct strbuf text = STRBUF_INIT;
	if (s)
		session_stop_reason(s, why, &e, &text);
	else
		strbuf_adds(&text, e.msg);
	if (why == SS_FINISHED)
		take_launches(c, w, s, empty);
	for (u32 i = 0; why != SS_FINISHED && i < w->nlaunches; i++)
		set_why(&c->rows[w->launches[i].row], strbuf_str(&text));
	strbuf_release(&text);
	if (s)
		session_close(s);
	free(sets);
}

bool corr_model(struct correlation *c, struct options *o, const char *data_dir, struct err *e)
{
	struct strbuf dir = STRBUF_INIT;
	double empty = 0;
	strbuf_addf(&dir, "%s/scripts/hardware", data_dir);
	bool ok = empty_cycles(c, dir.buf, &empty, e);
	for (u32 i = 0; ok && i < c->nmicro; i++) {
		const struct corr_micro *b = &c->micro[i];
		struct corr_row *row = &c->rows[b->row];
		struct err why = {0};
		double cycles = 0;
		if (!micro_cycles(c, dir.buf, b, empty, &cycles, &why))
			set_why(row, why.msg);
		else if (cycles <= 0)
			set_why(row, "it takes no longer than an empty kernel");
		else
			row->modelled = cycles / b->steps;
	}
	for (u32 i = 0; ok && i < c->nworkloads; i++)
		model_workload(c, &c->workloads[i], o, empty);
	strbuf_release(&dir);
	return ok;
}
