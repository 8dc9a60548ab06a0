/* info topics about SMs, CTAs, kernels, caches, queues and stalls */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "commands/commands.h"
#include "session/programs.h"
#include "views/appearance.h"

bool arg_launch(struct debugger *d, const char *what, const char *args, u32 *launch, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	const u32 n = gpu_num_kernels(g);
	struct kernel_info k;
	u64 v = UINT64_MAX;
	if (!n)
		return err_set(e, "%s: nothing has been launched yet", what);
	if (!arg_number(args, "kernel", n - 1, &v, e))
		return false;
	if (v == UINT64_MAX && d->focus.kernel >= 0)
		v = MIN((u64)d->focus.kernel, n - 1);
	for (u32 i = n; i-- > 0 && v == UINT64_MAX;) {
		gpu_kernel_info(g, i, &k);
		v = k.state == KS_RUNNING ? i : v;
	}
	*launch = v == UINT64_MAX ? n - 1 : (u32)v;
	return true;
}

bool arg_sm(struct debugger *d, const char *args, u32 *sm, struct err *e)
{
	u64 v = d->focus.sm;
	if (!arg_number(args, "SM", gpu_conf(dbg_gpu(d))->num_sms - 1, &v, e))
		return false;
	*sm = (u32)v;
	return true;
}

static double percent(u64 part, u64 whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* IPC of an instance; 0 before anything has run. */
static double ipc(struct gpu *g, enum counter_group group, u32 instance)
{
	double v = probe_rate(g, (u32)probe_find_rate(group, "ipc", 3), instance);
	return isnan(v) ? 0 : v;
}

/* The reason other than "issued" that cost an SM most slots. */
static const char *top_loss(struct gpu *g, u32 sm, double *share)
{
	u64 slots[ST_COUNT], sum = 0;
	u32 top = ST_COUNT;
	gpu_stalls_sum(g, (s32)sm, slots);
	for (u32 i = 0; i < ST_COUNT; i++) {
		sum += slots[i];
		if (i != ST_ISSUED && slots[i] && (top == ST_COUNT || slots[i] > slots[top]))
			top = i;
	}
	*share = top == ST_COUNT ? 0 : percent(slots[top], sum);
	return top == ST_COUNT ? "-" : stall_descs[top].name[TAX_BASE];
}

static void states_text(struct gpu *g, u32 sm, struct strbuf *out)
{
	u8 states[64];
	u64 issued, refused;
	gpu_warp_states(g, sm, states, &issued, &refused);
	for (u32 i = 0; i < gpu_warps_per_sm(g); i++)
		strbuf_addc(out, issued >> i & 1 ? '>' : refused >> i & 1 ? 's' : warp_state_descs[states[i]].ascii);
}

#define LINES_SHOWN 256 /* CTAs */

bool info_sms(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	if (!arg_none(args, "info sms", e))
		return false;
	strbuf_addf(out, "  SM warps%*s  CTA   regs  shared   IPC  most slots lost to\n", (int)gpu_warps_per_sm(g) - 5, "");
	for (u32 i = 0; i < gpu_conf(g)->num_sms; i++) {
		struct sm_info s;
		double share;
		gpu_sm_info(g, i, &s);
		const char *top = top_loss(g, i, &share);
		strbuf_addf(out, "%c %2u ", i == d->focus.sm ? '*' : ' ', i);
		states_text(g, i, out);
		strbuf_addf(out, " %2u/%-2u %4.0f%%   %4.0f%%  %5.2f  %s %.0f%%\n", s.ctas, s.max_ctas,
		            percent(s.regs_used, s.regs), percent(s.shared_used, s.shared), ipc(g, CG_sm, i), top, share);
	}
	return true;
}

/* What modules have that cannot be launched. */
static void add_unsupported(struct debugger *d, struct strbuf *out)
{
	const struct sim *sim = d->s->sim;
	for (u32 i = 0; i < sim_num_modules(sim); i++) {
		const struct module *m = sim_module(sim, i);
		for (u32 k = 0; k < m->nfuncs; k++) {
			char *why = m->funcs[k].is_kernel ? func_unsupported(m, &m->funcs[k]) : NULL;
			if (why)
				strbuf_addf(out, " - %s cannot be launched: %s\n", func_label(&m->funcs[k]), why);
			free(why);
		}
	}
}

bool info_kernels(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	static const char *const states[] = {"queued", "running", "done"};
	struct gpu *g = dbg_gpu(d);
	if (!arg_none(args, "info kernels", e))
		return false;
	if (!gpu_num_kernels(g))
		strbuf_adds(out, "Nothing is launched yet.\n");
	for (u32 i = 0; i < gpu_num_kernels(g); i++) {
		struct kernel_info k;
		gpu_kernel_info(g, i, &k);
		const struct launch *l = k.launch;
		const char *program = programs_blame(d->s, k.program);
		char priority[24] = "";
		if (l->priority)
			snprintf(priority, sizeof priority, " (priority %d)", l->priority);
		strbuf_addf(
		    out, "%c%2u %s%s%s<<<(%u,%u,%u),(%u,%u,%u)>>> stream %u%s: %s, %llu of %llu CTA%s done, %u resident\n",
		    (s32)i == d->focus.kernel ? '*' : ' ', i, program ? program : "", program ? ": " : "", k.label, l->grid.x,
		    l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z, l->stream, priority, states[k.state],
		    (unsigned long long)k.done, (unsigned long long)l->ctas, plural(l->ctas), k.resident);
		if (k.state == KS_QUEUED && k.ready_at != NEVER && k.ready_at > gpu_cycle(g))
			strbuf_addf(out, "    %s cycle %llu\n", l->start_at == k.ready_at ? "not before" : "launch latency to",
			            (unsigned long long)k.ready_at);
		strbuf_addf(out, "    %u register%s a thread, %u B shared: %u CTA%s per SM, limited by %s; IPC %.2f\n", l->regs,
		            plural(l->regs), l->shared_bytes, k.ctas_per_sm, plural(k.ctas_per_sm), k.limiter,
		            ipc(g, CG_kernel, i));
		if (k.overlaps >= 0)
			strbuf_addf(out, "    programmatic: it began before kernel %d had ended\n", k.overlaps);
		else if (k.programmatic && k.state == KS_QUEUED)
			strbuf_adds(out, "    programmatic: it may begin before the kernel before it has ended\n");
		if (l->call)
			strbuf_addf(out, "    by %s\n", l->call);
		const struct cta_tally t = gpu_cta_tally(g, (s32)i);
		if (t.paused || t.saved)
			strbuf_addf(out, "    %u of its CTAs on SMs paused or halted, %u saved\n", t.paused, t.saved);
		if (t.moving)
			strbuf_addf(out, "    %u of its CTAs moving: halted while preemption moves a context\n", t.moving);
		if (t.queued || t.restarts)
			strbuf_addf(out, "    waiting for room on an SM: %u of the saved; to begin again: %u of them\n", t.queued,
			            t.restarts);
		if (t.lowered)
			strbuf_addf(out, "    %u of its CTAs lowered: by their CTA scheduler behind all others\n", t.lowered);
		if (t.inactive)
			strbuf_addf(out, "    %u of its CTAs inactive: on SMs, without a slot\n", t.inactive);
		struct strbuf says = STRBUF_INIT;
		gpu_cta_sched_text(g, i, &says);
		if (says.len)
			strbuf_addf(out, "    %s: %s\n", gpu_conf(g)->cta_sched, strbuf_str(&says));
		strbuf_release(&says);
	}
	add_unsupported(d, out);
	gpu_partition_text(g, out);
	return true;
}

bool info_mshrs(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	static const char *const caches[MC_COUNT] = {"l1i", "l1d", "l1c", "l1t"};
	struct gpu *g = dbg_gpu(d);
	struct mshr_info m[1024];
	u32 sm, shown = 0;
	if (!arg_sm(d, args, &sm, e))
		return false;
	for (u32 c = 0; c < MC_COUNT; c++) {
		u32 n = MIN(mem_mshrs(gpu_mem(g), sm, (enum mem_cache)c, m, ARRAY_LEN(m)), (u32)ARRAY_LEN(m));
		for (u32 i = 0; i < n; i++) {
			if (!shown++)
				strbuf_adds(out, "cache  line          waiting  age     where\n");
			strbuf_addf(out, "%-5s  0x%010llx  %7u  %-6llu  %s\n", caches[c], (unsigned long long)m[i].addr,
			            m[i].merged, (unsigned long long)(gpu_cycle(g) - m[i].since), m[i].where);
		}
	}
	if (!shown)
		strbuf_addf(out, "SM %u has no MSHR in use.\n", sm);
	return true;
}

bool info_lines(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	struct cta_lines c[LINES_SHOWN];
	u32 sm, lines;
	if (!arg_sm(d, args, &sm, e))
		return false;
	u32 n = mem_lines_by_cta(gpu_mem(g), sm, c, ARRAY_LEN(c), &lines);
	if (!n)
		strbuf_addf(out, "L1D of SM %u holds no line.\n", sm);
	else
		strbuf_adds(out, "kernel  CTA        lines  share\n");
	for (u32 i = 0; i < n; i++)
		strbuf_addf(out, "%-6u  %-9llu  %5u  %4.0f%%  %s\n", c[i].launch, (unsigned long long)c[i].cta, c[i].lines,
		            percent(c[i].lines, lines), gpu_cta_resident(g, sm, c[i].launch, c[i].cta) ? "" : "ended");
	if (n)
		strbuf_addf(out, "%s%u of %u lines of SM %u's L1D alive\n", n == ARRAY_LEN(c) ? "... " : "", lines,
		            mem_l1d_lines(gpu_mem(g), sm), sm);
	return true;
}

bool info_queues(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct queue_info *q = xcalloc(4096, sizeof(*q));
	bool all = !strcmp(args, "all");
	u32 n = MIN(gpu_queues(dbg_gpu(d), q, 4096), 4096u), shown = 0;
	if (*args && !all) {
		free(q);
		return err_set(e, "info queues: '%.40s' is not 'all'", args);
	}
	for (u32 i = 0; i < n; i++)
		if (all || q[i].used) {
			strbuf_addf(out, "%-32s %4u of %-4u%s%s%s\n", q[i].name, q[i].used, q[i].size,
			            q[i].used >= q[i].size ? " full" : "", *q[i].holds ? "  " : "", q[i].holds);
			shown++;
		}
	if (!shown)
		strbuf_addf(out, "All %u queues are empty.\n", n);
	free(q);
	return true;
}

static int taxonomy_named(const char *name)
{
	for (int i = 0; i < TAX_COUNT; i++)
		if (!strcmp(taxonomy_names[i], name))
			return i;
	return -1;
}

static bool stall_args(struct debugger *d, const char *args, s32 *sm, enum taxonomy *t, struct err *e)
{
	char word[32];
	u64 v;
	while ((args = next_word(args, word, sizeof(word)))) {
		int tax = taxonomy_named(word);
		if (word_number(word, &v)) {
			if (v >= gpu_conf(dbg_gpu(d))->num_sms)
				return err_set(e, "SM %s does not exist (0..%u)", word, gpu_conf(dbg_gpu(d))->num_sms - 1);
			*sm = (s32)v;
		} else if (tax >= 0) {
			*t = (enum taxonomy)tax;
		} else {
			return err_set(e, "info stalls: '%s' is no SM number and no taxonomy (%s)", word, taxonomy_list());
		}
	}
	return true;
}

bool info_stalls(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	struct stall_class c[TAX_MAX_CLASSES];
	enum taxonomy t = debugger_appearance(d)->taxonomy;
	s32 sm = -1;
	u64 base[ST_COUNT], sum = 0;
	if (!stall_args(d, args, &sm, &t, e))
		return false;
	gpu_stalls_sum(g, sm, base);
	u32 n = stall_map(t, base, c);
	for (u32 i = 0; i < n; i++)
		sum += c[i].slots;
	for (u32 i = 0; i < n; i++)
		strbuf_addf(out, "%-20s %14llu  %5.1f %%\n", c[i].name, (unsigned long long)c[i].slots,
		            percent(c[i].slots, sum));
	u32 sms = sm < 0 ? gpu_conf(g)->num_sms : 1;
	strbuf_addf(out, "%-20s %14llu  slots = %u scheduler%s x %u SM%s x %llu cycle%s (taxonomy %s)\n", "sum",
	            (unsigned long long)sum, gpu_conf(g)->sm_schedulers, plural(gpu_conf(g)->sm_schedulers), sms,
	            plural(sms), (unsigned long long)gpu_counted_cycles(g), plural(gpu_counted_cycles(g)),
	            taxonomy_names[t]);
	return true;
}

bool info_barriers(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	u32 sm, shown = 0, place[GPU_CTAS_MAX];
	if (!arg_sm(d, args, &sm, e))
		return false;
	const u32 ctas = gpu_ctas(g, sm, place, GPU_CTAS_MAX);
	for (u32 k = 0; k < ctas; k++) {
		struct barrier_info b[16];
		struct cta_info c;
		gpu_cta_info(g, sm, place[k], &c);
		const u32 n = MIN(gpu_barriers(g, sm, place[k], b, ARRAY_LEN(b)), (u32)ARRAY_LEN(b));
		const bool slotless = cta_state_slotless(c.is.state);
		for (u32 i = 0; i < n; i++, shown++) {
			strbuf_addf(out, "CTA %llu%s%s%s barrier %u: %u of %u arrived; waiting warps%s:", (unsigned long long)c.cta,
			            slotless ? " (" : "", slotless ? cta_state_descs[c.is.state].name : "", slotless ? ")" : "",
			            b[i].id, b[i].arrived, b[i].expected, slotless ? " of the CTA" : "");
			FOR_EACH_BIT(w, b[i].waiting) strbuf_addf(out, " %u", (u32)w);
			strbuf_addc(out, '\n');
		}
	}
	if (!shown)
		strbuf_addf(out, "No warp of SM %u waits at a barrier.\n", sm);
	return true;
}
