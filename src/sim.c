#include "sim.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "gpu/gpu.h"
#include "gpu/scope.h"
#include "sim_internal.h"

struct sim *sim_create(const struct conf *c, struct err *e)
{
	const struct front_ops *front = front_find(c->front, e);
	return front ? sim_create_front(c, front, e) : NULL;
}

struct sim *sim_create_front(const struct conf *c, const struct front_ops *front, struct err *e)
{
	struct gpu *g = gpu_create(c, front, e);
	if (!g)
		return NULL;
	struct sim *s = xcalloc(1, sizeof *s);
	s->gpu = g;
	s->next_sample = NEVER;
	return s;
}

void sim_destroy(struct sim *s)
{
	if (!s)
		return;
	travel_free(s);
	gpu_destroy(s->gpu);
	free(s);
}

/* --- programs and memory ------------------------------------------------------------------------------------------ */

static struct module *add(struct sim *s, struct module *m, struct err *e)
{
	if (m)
		m->owner = s->gpu->mem_values.owner;
	return m && gpu_add_module(s->gpu, m, e) ? m : NULL;
}

struct module *sim_load(struct sim *s, const char *path, struct err *e)
{
	return sim_load_linked(s, &path, 1, e);
}

struct module *sim_load_linked(struct sim *s, const char *const *paths, u32 n, struct err *e)
{
	return add(s, front_load_files(s->gpu->front, &s->gpu->conf, paths, n, e), e);
}

struct module *sim_load_text(struct sim *s, const char *name, const char *text, size_t len, struct err *e)
{
	return sim_load_linked_text(s, &(struct source_text){name, text, len}, 1, e);
}

struct module *sim_load_linked_text(struct sim *s, const struct source_text *parts, u32 n, struct err *e)
{
	return add(s, front_load_texts(s->gpu->front, &s->gpu->conf, parts, n, e), e);
}

u32 sim_num_modules(const struct sim *s)
{
	return s->gpu->nmodules;
}
struct module *sim_module(const struct sim *s, u32 i)
{
	return s->gpu->module[i];
}
struct devmem *sim_devmem(struct sim *s)
{
	return &s->gpu->mem_values;
}
struct front *sim_front(struct sim *s)
{
	return s->gpu->front;
}
struct gpu *sim_gpu(struct sim *s)
{
	return s->gpu;
}

static bool check_dims(const struct launch *l, const struct conf *c, struct err *e)
{
	const char *k = func_label(l->fn);
	u64 threads = (u64)l->block.x * l->block.y * l->block.z;
	if (!threads)
		return err_set(e, "%s: empty block", k);
	if (!l->grid.x || !l->grid.y || !l->grid.z)
		return err_set(e, "%s: empty grid", k);
	if (l->grid.y > 65535 || l->grid.z > 65535 || l->grid.x > 0x7fffffff)
		return err_set(e, "%s: grid %ux%ux%u exceeds 2147483647 x 65535 x 65535", k, l->grid.x, l->grid.y, l->grid.z);
	if (l->block.x > 1024 || l->block.y > 1024 || l->block.z > 64 || threads > 1024)
		return err_set(e, "%s: a block of %ux%ux%u = %llu threads exceeds 1024 threads (1024 x 1024 x 64)", k,
		               l->block.x, l->block.y, l->block.z, (unsigned long long)threads);
	if (threads > c->sm_threads)
		return err_set(e, "%s: a block of %llu threads does not fit an SM's %u (sm.threads)", k,
		               (unsigned long long)threads, c->sm_threads);
	const u32 *r = l->fn->reqntid;
	if (r[0] && (r[0] != l->block.x || MAX(r[1], 1u) != l->block.y || MAX(r[2], 1u) != l->block.z))
		return err_set(e, "%s: the kernel requires blocks of %ux%ux%u (.reqntid)", k, r[0], MAX(r[1], 1u),
		               MAX(r[2], 1u));
	u64 most = (u64)l->fn->maxntid[0] * MAX(l->fn->maxntid[1], 1u) * MAX(l->fn->maxntid[2], 1u);
	if (most && threads > most)
		return err_set(e, "%s: a block of %llu threads, the kernel allows %llu (.maxntid)", k,
		               (unsigned long long)threads, (unsigned long long)most);
	return true;
}

/* Registers per thread that residency counts. An estimate above what a thread may have is cut: a compiler would spill.
 */
static u32 choose_regs(const struct conf *c, const struct launch_spec *sp)
{
	u32 regs = sp->regs ? sp->regs : sp->fn->maxnreg ? MIN(sp->fn->maxnreg, sp->fn->regs) : sp->fn->regs;
	u64 threads = round_up((u64)sp->block.x * MAX(sp->block.y, 1u) * MAX(sp->block.z, 1u), WARP_SIZE);
	if (!sp->regs && sp->fn->minnctapersm) /* the compiler would keep within what that many CTAs leave */
		regs = MIN(regs, MAX((u32)(c->sm_regs / (sp->fn->minnctapersm * threads)), 16u));
	return MIN(MAX(regs, 1u), c->sm_max_regs_thread);
}

static bool check_fits(const struct conf *c, const struct launch *l, struct err *e)
{
	const char *k = func_label(l->fn);
	if ((u64)l->fn->shared_bytes + l->dynamic_shared > c->sm_shared || sm_cta_shared(c, l) > c->sm_shared)
		return err_set(e, "%s: a CTA needs %llu B of shared memory, an SM has %u (sm.shared)", k,
		               (unsigned long long)l->fn->shared_bytes + l->dynamic_shared, c->sm_shared);
	if (sm_cta_regs(c, l) > c->sm_regs)
		return err_set(e, "%s: a CTA needs %u registers (%u a thread x %u warps), an SM has %u (sm.regs)", k,
		               sm_cta_regs(c, l), l->regs, l->warps, c->sm_regs);
	const char *why;
	return sm_occupancy(c, l, &why) > 0 || err_set(e, "%s: a CTA does not fit an SM (%s)", k, why);
}

/* A grid with a barrier ends only when all its CTAs are there at once. */
static bool check_resident(const struct conf *c, const struct launch *l, struct err *e)
{
	const char *why;
	struct sm_limits n;
	sm_limits(c, l, &n); /* those without a slot would not come to the barrier */
	const u32 each = n.active;
	why = n.active == n.ctas ? n.limiter : n.threads < n.slots ? "threads" : "CTAs";
	const u64 most = (u64)each * c->num_sms;
	return l->ctas <= most ||
	       err_set(
	           e,
	           "%s: a cooperative launch of %llu CTAs, at most %llu are resident at once (%u on each of %u SMs, by %s)",
	           func_label(l->fn), (unsigned long long)l->ctas, (unsigned long long)most, each, c->num_sms, why);
}

void sim_copied(struct sim *s, u64 addr, u64 n, u64 following)
{
	mem_copied(s->gpu->mem, addr, n, following);
}

/* The launch without its parameters, as far as it can be made. */
static bool describe_launch(const struct conf *c, const struct launch_spec *sp, struct launch *l, struct err *e)
{
	memset(l, 0, offsetof(struct launch, params));
	l->mod = sp->mod;
	l->fn = sp->fn;
	l->grid = (struct dim3){sp->grid.x, MAX(sp->grid.y, 1u), MAX(sp->grid.z, 1u)};
	l->block = (struct dim3){sp->block.x, MAX(sp->block.y, 1u), MAX(sp->block.z, 1u)};
	l->stream = sp->stream;
	l->cooperative = sp->cooperative;
	l->programmatic = sp->programmatic;
	l->priority = sp->priority;
	l->start_at = sp->start_at;
	l->call = sp->call;
	l->dynamic_shared = sp->dynamic_shared;
	if (!sp->fn->is_kernel)
		return err_set(e, "%s is a device function, not a kernel", func_label(sp->fn));
	char *why = func_unsupported(sp->mod, sp->fn);
	if (why) {
		err_set(e, "kernel %s cannot be launched: %s", func_label(sp->fn), why);
		free(why);
		return false;
	}
	if (!sim_has_what_it_needs(c, sp->mod, sp->fn, e))
		return false;
	if (sp->param_bytes != sp->fn->param_bytes)
		return err_set(e, "%s: %zu bytes of parameters given, %u expected", func_label(sp->fn), sp->param_bytes,
		               sp->fn->param_bytes);
	if (sp->param_bytes > PARAM_BYTES_MAX)
		return err_set(e, "%s: %zu bytes of parameters, at most %d are possible", func_label(sp->fn), sp->param_bytes,
		               PARAM_BYTES_MAX);
	if (!check_dims(l, c, e))
		return false;
	l->ctas = (u64)l->grid.x * l->grid.y * l->grid.z;
	l->warps = (u32)ceil_div((u64)l->block.x * l->block.y * l->block.z, WARP_SIZE);
	if (sp->regs > c->sm_max_regs_thread)
		return err_set(e, "%s: %u registers a thread asked for, at most %u are possible (sm.max_regs_per_thread)",
		               func_label(sp->fn), sp->regs, c->sm_max_regs_thread);
	l->regs = choose_regs(c, sp);
	l->regs_from = (u8)(sp->regs ? sp->regs_from : REGS_ESTIMATE);
	l->shared_bytes = sp->fn->shared_bytes;
	if (sp->dynamic_shared)
		l->shared_bytes = MAX(sp->fn->shared_bytes, sp->fn->dynamic_shared_off) + sp->dynamic_shared;
	return true;
}

static bool check_launch(const struct sim *s, const struct launch *l, struct err *e)
{
	const struct conf *c = &s->gpu->conf;
	return check_fits(c, l, e) && front_check_launch(s->gpu->front, l, e) &&
	       (!l->cooperative || check_resident(c, l, e));
}

bool sim_may_launch(const struct sim *s, const struct launch_spec *sp, struct err *e)
{
	struct launch l;
	return describe_launch(&s->gpu->conf, sp, &l, e) && check_launch(s, &l, e);
}

u32 sim_ctas_per_sm(const struct sim *s, const struct launch_spec *sp)
{
	struct launch l;
	const char *limiter;
	return describe_launch(&s->gpu->conf, sp, &l, NULL) ? sm_occupancy(&s->gpu->conf, &l, &limiter) : 0;
}

int sim_launch(struct sim *s, const struct launch_spec *sp, struct err *e)
{
	struct launch l;
	if (!describe_launch(&s->gpu->conf, sp, &l, e) || !check_launch(s, &l, e))
		return -1;
	memset(l.params, 0, sizeof l.params);
	if (sp->param_bytes)
		memcpy(l.params, sp->params, sp->param_bytes);
	if (l.cooperative && !(l.workspace = front_grid_workspace(s->gpu->front, e)))
		return -1;
	return gpu_launch(s->gpu, &l, e);
}

bool sim_idle(const struct sim *s)
{
	return task_idle(s->gpu->task);
}
void sim_act_for(struct sim *s, u32 program, u32 run)
{
	struct devmem *d = &s->gpu->mem_values;
	d->owner = OWNER(program, run);
	d->several |= program || run;
}

void sim_free_owned(struct sim *s, u32 program, u32 run)
{
	devmem_free_owned(&s->gpu->mem_values, OWNER(program, run));
}

bool sim_program_idle(const struct sim *s, u32 program)
{
	return task_program_idle(s->gpu->task, program);
}
bool sim_stream_idle(const struct sim *s, u32 program, u32 stream)
{
	return task_stream_idle(s->gpu->task, program, stream);
}

void sim_await_programs(struct sim *s, u64 programs)
{
	s->awaited = programs;
	s->awaited_ended = NEVER;
}

/* Looked at when a kernel has ended, and when the past has been left (sim_travel.c, restore()). */
static bool awaited_idle(struct sim *s)
{
	struct sim_history_info h;
	bool idle = false;
	if (s->awaited_ended == s->gpu->kernels_ended)
		return false;
	s->awaited_ended = s->gpu->kernels_ended;
	FOR_EACH_BIT(p, s->awaited)
	{
		idle |= task_program_idle(s->gpu->task, (u32)p);
	}
	if (idle)
		sim_history_info(s, &h);
	return idle && !h.turn_ahead;
}

/* --- running ------------------------------------------------------------------------------------------------------ */

void sim_interrupt(struct sim *s)
{
	s->interrupted = 1;
}
void sim_clear_interrupt(struct sim *s)
{
	s->interrupted = 0;
}
u64 sim_cycle(const struct sim *s)
{
	return s->gpu->st->cycle;
}
bool sim_faulted(const struct sim *s)
{
	return s->gpu->st->faulted;
}

void sim_find_next_sample(struct sim *s)
{
	s->next_sample = NEVER;
	for (u32 i = 0; i < s->nsamplers; i++)
		if (s->sampler[i].period)
			s->next_sample = MIN(s->next_sample, s->sampler[i].next);
}

static void run_samplers(struct sim *s)
{
	u64 now = sim_cycle(s);
	for (u32 i = 0; i < s->nsamplers; i++) {
		struct sampler *p = &s->sampler[i];
		if (!p->period || now < p->next)
			continue;
		p->next = (now / p->period + 1) * p->period;
		p->fn(p->ctx, now);
	}
	sim_find_next_sample(s);
}

#define BUSY_MAX 10000 /* cycles: no single way through a machine takes as long */

/* Is a result or a request on its way, to arrive at a time that is known? However long that is, the machine goes on
 * then. What is due at once, at every look for so long, is no arrival but something that is tried again and again. */
static bool on_its_way(struct sim *s)
{
	struct hang_watch *w = s->gpu->hang;
	const u64 due = gpu_next_due(s->gpu), now = s->gpu->st->cycle;
	if (due > now + 1)
		w->busy_since = NEVER;
	else if (w->busy_since == NEVER)
		w->busy_since = now;
	return due != NEVER && (w->busy_since == NEVER || now - w->busy_since < BUSY_MAX);
}

/* Looked at every quarter of deadlock_cycles, and at what the search for livelocks asks for: have the warps stopped? */
enum hang_kind { NO_HANG, DEADLOCK, LIVELOCK };
static enum hang_kind hang(struct sim *s)
{
	const struct gpu_state *st = s->gpu->st;
	struct hang_watch *w = s->gpu->hang;
	u64 sum = gpu_progress(s->gpu), quarter = s->gpu->conf.deadlock_cycles / 4;
	const bool livelock = livelock_look(s->gpu);
	w->at = MIN((st->cycle / quarter + 1) * quarter, livelock_next(s->gpu));
	if (sum != w->progress_sum || !s->gpu->task->dispatcher.n) {
		w->progress_sum = sum;
		w->progress_at = st->cycle;
	}
	if (st->cycle - w->progress_at < s->gpu->conf.deadlock_cycles)
		w->busy_since = NEVER;
	else if (!on_its_way(s))
		return DEADLOCK; /* nothing has issued, started or been answered for so long */
	if (mem_cycle(s->gpu->mem, NULL, 0))
		return DEADLOCK; /* what waits in full queues that wait for each other never comes, whatever others still do */
	return livelock ? LIVELOCK : NO_HANG;
}

/* One step of the machine up to `until` at most, with the samplers due. */
static bool advance(struct sim *s, u64 until)
{
	struct gpu_scope *scope = gpu_scope_off(s->gpu); /* whoever listens counts from the start of the run */
	bool stop = gpu_advance(s->gpu, MIN(until, s->next_sample));
	sim_check_periodic(s);
	if (s->gpu->st->cycle >= s->next_sample)
		run_samplers(s);
	gpu_scope_on(s->gpu, scope);
	stop |= s->stop_wanted;
	s->stop_wanted = false;
	return stop;
}

static enum stop_why stopped(const struct sim *s, struct stop *out, enum stop_why why)
{
	if (out)
		*out = (struct stop){why, sim_cycle(s)};
	return why;
}

enum stop_why sim_run(struct sim *s, u64 until, struct stop *out)
{
	struct gpu *g = s->gpu;
	bool moved = false;
	if (unlikely(g->turn_open)) /* it has come to nothing */
		gpu_turn_ends(g);
	for (;;) {
		u64 travel = s->history ? travel_step(s) : NEVER;
		const bool due = !travel;
		if (due && !moved && g->st->cycle < until) {
			travel_take_turn(s);
			continue;
		}
		if (g->st->faulted)
			return stopped(s, out, STOP_FAULT);
		if (g->hang->deadlocked)
			return stopped(s, out, STOP_DEADLOCK);
		if (s->interrupted) {
			s->interrupted = 0;
			return stopped(s, out, STOP_INTERRUPT);
		}
		if (unlikely(sim_policy_error(s) != NULL))
			return stopped(s, out, STOP_POLICY);
		if (!due && (task_idle(g->task) || (s->awaited && awaited_idle(s))))
			return stopped(s, out, STOP_IDLE);
		if (g->st->cycle >= until)
			return stopped(s, out, STOP_CYCLE);
		moved = !due;
		if (due) {
			travel_take_turn(s);
			continue;
		}
		bool stop;
		if (g->st->cycle >= g->starve->next)
			starve_look(g);
		enum hang_kind h = g->st->cycle >= g->hang->at ? hang(s) : NO_HANG;
		if (h)
			stop = h == LIVELOCK ? gpu_livelock(g) : gpu_deadlock(g);
		else
			stop = advance(s, MIN(MIN(until, travel), MIN(g->hang->at, g->starve->next)));
		if (stop && !g->st->faulted && !g->hang->deadlocked && !sim_policy_error(s)) {
			if (s->history)
				travel_step(s);
			return stopped(s, out, STOP_REQUEST);
		}
	}
}

bool sim_goes_on(const struct sim *s, const struct stop *stop)
{
	return stop->why == STOP_CYCLE || stop->why == STOP_REQUEST || (stop->why != STOP_INTERRUPT && sim_turn_due(s));
}

void sim_fault_text(const struct sim *s, struct strbuf *out)
{
	const struct fault *f = front_fault(s->gpu->front);
	if (f->code != FAULT_NONE)
		front_fault_text(s->gpu->front, f, s->gpu->launch[f->launch], out);
}

void sim_take_printf_of(struct sim *s, u32 program, struct strbuf *out)
{
	front_take_printf(s->gpu->front, program, out);
}

void sim_take_printf(struct sim *s, struct strbuf *out)
{
	front_take_printf(s->gpu->front, FRONT_ALL_PROGRAMS, out);
}

/* --- external policies -------------------------------------------------------------------------------------------- */

void sim_register_policy(struct sim *s, enum policy_kind k, const char *name, struct policy_user *p)
{
	policies_register(s->gpu, k, name, p);
	if (sim_policy_blind(s))
		sim_history(s, 0, NULL);
}

const char *sim_policy_error(const struct sim *s)
{
	static const char *const unregistered[POLICY_KINDS] = {
#define POLICY_KIND(id, field, kind, key, def, when, help) key " names an external policy that is not registered",
#include "conf/policy_kinds.def"
#undef POLICY_KIND
	};
	const struct gpu *g = s->gpu;
	FOR_EACH_BIT(k, g->policies_external)
	{
		if (!g->policy_user[k])
			return unregistered[k];
		if (g->policy_user[k]->failure.set)
			return g->policy_user[k]->failure.msg;
	}
	return NULL;
}

bool sim_policy_blind(const struct sim *s)
{
	bool blind = false;
	for (u32 k = 0; k < POLICY_KINDS; k++)
		blind |= s->gpu->policy_user[k] && !s->gpu->policy_user[k]->stateless;
	return blind;
}

void sim_clear_policy_errors(struct sim *s)
{
	for (u32 k = 0; k < POLICY_KINDS; k++)
		if (s->gpu->policy_user[k])
			err_clear(&s->gpu->policy_user[k]->failure);
}

const char *sim_live_key(u32 i)
{
	static const char *const live[] = {"max_ctas_per_sm", "deadlock_cycles",   "tlv.group",
	                                   "launch.latency",  "sm.fetch_prefetch", "sm.prefetch_mshrs"};
	if (i < POLICY_KINDS)
		return policy_kinds[i].key;
	return i - POLICY_KINDS < ARRAY_LEN(live) ? live[i - POLICY_KINDS] : NULL;
}

bool sim_is_live(const char *key)
{
	u32 i = 0;
	while (sim_live_key(i) && strcmp(sim_live_key(i), key))
		i++;
	return sim_live_key(i);
}

/* May this key change now? Of a policy's key also the number of the policy that it names. */
static bool may_set(const struct sim *s, const char *key, const char *value, struct conf *c, u32 *policy, struct err *e)
{
	const struct gpu *g = s->gpu;
	enum policy_kind k = policy_kind_of(key);
	*c = g->conf;
	if (!conf_set(c, key, value, e) || !conf_check(c, e))
		return false;
	if (!sim_is_live(key))
		return err_set(e, "%s is part of the machine: it can be set when it is built (--set %s=%s), not while it runs",
		               key, key, value);
	if (k == POLICY_KINDS)
		return true;
	if (!policies_number(g, k, policy_named(c, k), policy, e))
		return false;
	if (*policy != policies_in_use(g, k) && policy_kinds[k].when == POLICY_BETWEEN_KERNELS && g->task->dispatcher.n)
		return err_set(e, "%s: kernels are running; it can be changed between kernels", key);
	struct err why = {0};
	if (*policy != policies_in_use(g, k) && !policies_may_change(g, k, &why))
		return err_set(e, "%s: %s", key, why.msg);
	return true;
}

bool sim_may_set(const struct sim *s, const char *key, const char *value, struct err *e)
{
	struct conf c;
	u32 policy;
	return may_set(s, key, value, &c, &policy, e);
}

bool sim_set(struct sim *s, const char *key, const char *value, struct err *e)
{
	struct gpu *g = s->gpu;
	enum policy_kind k = policy_kind_of(key);
	struct conf c;
	u32 policy;
	if (!may_set(s, key, value, &c, &policy, e))
		return false;
	gpu_sync(g);
	g->conf = c;
	if (k != POLICY_KINDS && policy != policies_in_use(g, k))
		policies_use(g, k, policy);
	if (!strcmp(key, "tlv.group") && !strcmp(c.warp_sched, "tlv"))
		policies_use(g, POLICY_WARP, policies_in_use(g, POLICY_WARP));
	if (sim_policy_blind(s))
		sim_history(s, 0, NULL);
	g->dispatch.d->wanted = 1;
	if (!strcmp(key, "deadlock_cycles"))
		g->hang->at = 0; /* due by the old period */
	return true;
}

/* --- observing ---------------------------------------------------------------------------------------------------- */

static void update_mask(struct gpu *g)
{
	event_set mask = 0;
	for (u32 i = 0; i < g->nconsumers; i++)
		mask |= g->consumer[i].mask;
	gpu_set_event_mask(g, mask);
}

int sim_subscribe(struct sim *s, event_set mask, event_fn *fn, void *ctx)
{
	struct gpu *g = s->gpu;
	u32 id = 0;
	while (id < g->nconsumers && g->consumer[id].fn)
		id++;
	if (id == g->nconsumers)
		g->consumer = xrealloc(g->consumer, ++g->nconsumers * sizeof *g->consumer);
	g->consumer[id].mask = mask;
	g->consumer[id].fn = fn;
	g->consumer[id].ctx = ctx;
	update_mask(g);
	return (int)id;
}

void sim_resubscribe(struct sim *s, int id, event_set mask)
{
	s->gpu->consumer[id].mask = mask;
	update_mask(s->gpu);
}

void sim_unsubscribe(struct sim *s, int id)
{
	s->gpu->consumer[id].fn = NULL;
	sim_resubscribe(s, id, 0);
}

int sim_add_sampler(struct sim *s, u64 period, sample_fn *fn, void *ctx)
{
	BUG_ON(s->nsamplers == ARRAY_LEN(s->sampler));
	u32 id = s->nsamplers++;
	s->sampler[id] = (struct sampler){.fn = fn, .ctx = ctx};
	sim_set_sampler(s, (int)id, period);
	return (int)id;
}

void sim_set_sampler(struct sim *s, int id, u64 period)
{
	struct sampler *p = &s->sampler[id];
	p->period = period;
	p->next = period ? (sim_cycle(s) / period + 1) * period : NEVER;
	sim_find_next_sample(s);
}

void sim_hear_again(struct sim *s, int id)
{
	s->sampler[id].hears_again = true;
}

void sim_on_fork(struct sim *s, int id, rewind_fn *fn)
{
	s->sampler[id].fork = fn;
}

void sim_on_snapshot(struct sim *s, int id, keep_fn *keep, recall_fn *recall)
{
	s->sampler[id].keep = keep;
	s->sampler[id].recall = recall;
}

void sim_on_leave(struct sim *s, int id, rewind_fn *fn)
{
	s->sampler[id].leave = fn;
}

void sim_hear(struct sim *s, const struct hop_ear *ear)
{
	s->ear = ear;
	gpu_hear(s->gpu, ear);
}

void sim_request_stop(struct sim *s)
{
	s->stop_wanted = true;
}

u64 sim_hash(struct sim *s)
{
	u64 parts[5];
	const struct task *t = s->gpu->task;
	gpu_sync(s->gpu);
	arena_spare(&s->gpu->arena, &t->kcb[t->nlaunches], &t->kcb[TASK_MAX_LAUNCHES]);
	parts[0] = arena_hash(&s->gpu->arena);
	parts[1] = devmem_hash(&s->gpu->mem_values);
	parts[2] = front_deep_hash(s->gpu->front);
	parts[3] = resume_hash(&s->gpu->resume);
	parts[4] = preempt_hash(&s->gpu->preempt);
	u32 n = ARRAY_LEN(parts);
	while (n > 2 && !parts[n - 1]) /* what there is nothing of is left out */
		n--;
	return hash_bytes(parts, n * sizeof *parts, 0);
}

void sim_drain(struct sim *s)
{
	struct gpu *g = s->gpu;
	while (task_idle(g->task) && !gpu_is_drained(g))
		advance(s, NEVER);
}
