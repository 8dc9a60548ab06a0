/* `scope`: figures of a part of the run. Parts sum to the whole, counter by counter; a part is the same whichever way
 * its ends were found; who records or waits does not see it; the machine's state is untouched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

#include "dbg/rival.h"
#include "dbg/scope.h"
#include "gpu/launch_slots.h"
#include "gpu/lines.h"
#include "obs/stats/heat.h"
#include "obs/stats/stats.h"
#include "tests/rig/debug_rig.h"
#include "tests/rig/rounds.h"

#define FIGURES (1u << 19)
#define LAUNCHES 64u

/* --- all that is counted, as one list --- */

struct figures {
	u64 *v;
	u32 n;
	u32 energy, nenergy; /* where energies lie: what is gated is cut at whole fJ, of each SM for itself */
};

static void put(struct figures *f, const u64 *v, size_t n)
{
	assert_true(f->n + n <= FIGURES);
	memcpy(f->v + f->n, v, n * sizeof *v);
	f->n += (u32)n;
}

/* Of a launch, the first five counters are no sums. */
#define NO_SUMS (offsetof(struct kernel_counters, ctas_done) / sizeof(u64))

static void put_lines(struct figures *f, struct rig *r)
{
	struct gpu *g = dbg_gpu(r->d);
	for (u32 i = 0; i < gpu_num_modules(g); i++) {
		const struct module *m = gpu_module(g, i);
		put(f, (const u64 *)gpu_line_counters(g, m), m->ncode * LC_COUNT);
		const struct heat_module *h = heat_of(r->s->heat, m);
		for (u32 pc = 0; pc < m->ncode; pc++)
			for (u32 s = 0; s < HEAT_STATES; s++) {
				const u64 two[2] = {h ? h->at[pc][s] : 0, h ? h->caused[pc][s] : 0};
				put(f, two, 2);
			}
		put(f, (const u64[]){h ? h->samples : 0, h ? h->waiting : 0}, 2);
	}
}

static struct figures figures(struct rig *r)
{
	struct figures f = {.v = xcalloc(FIGURES, sizeof *f.v)};
	const struct run_info run = {.workload = "", .check = "none", .check_message = "", .stop = ""};
	struct stats *s = stats_gather_counters(dbg_gpu(r->d), &run);
	u64 slots = 0;
	put(&f, &s->cycles, 1);
	for (u32 g = 0; g < CG_COUNT; g++)
		for (u32 i = 0; i < s->group[g].n && g != CG_kernel; i++)
			put(&f, s->group[g].instance[i].counters, s->group[g].ncounters);
	assert_true(s->group[CG_kernel].n <= LAUNCHES);
	for (u32 i = 0; i < LAUNCHES; i++) { /* those that there are not yet have counted nothing */
		static const u64 nothing[NO_SUMS + 100];
		const u64 *k = i < s->group[CG_kernel].n ? s->group[CG_kernel].instance[i].counters : nothing;
		put(&f, k + NO_SUMS, s->group[CG_kernel].ncounters - NO_SUMS);
	}
	for (u32 i = 0; i < s->conf->num_sms * s->conf->sm_schedulers; i++) {
		u64 sum = 0;
		for (u32 k = 0; k < ST_COUNT; k++)
			sum += s->sched_stalls[i][k];
		assert_int_equal(sum, s->cycles); /* every slot is charged once, in a scope as well */
		put(&f, s->sched_stalls[i], ST_COUNT);
	}
	for (u32 k = 0; k < ST_COUNT; k++)
		slots += s->stalls[k];
	assert_int_equal(slots, s->cycles * s->conf->num_sms * s->conf->sm_schedulers);
	f.energy = f.n;
	put(&f, (const u64 *)&s->energy, sizeof s->energy / sizeof(u64));
	put(&f, (const u64 *)s->energy_sms, s->conf->num_sms * sizeof s->energy / sizeof(u64));
	f.nenergy = f.n - f.energy;
	put_lines(&f, r);
	stats_free(s);
	return f;
}

static void add(struct figures *to, const struct figures *f)
{
	assert_true(to->n >= f->n);
	for (u32 i = 0; i < f->n; i++)
		to->v[i] += f->v[i];
}

#define CUTS 64 /* fJ of 10^10 */

static void assert_same(const struct figures *a, const struct figures *b, const char *what)
{
	assert_int_equal(a->n, b->n);
	for (u32 i = 0; i < a->n; i++)
		if (a->v[i] != b->v[i] && (i - a->energy >= a->nenergy || MAX(a->v[i], b->v[i]) - MIN(a->v[i], b->v[i]) > CUTS))
			fail_msg("%s: figure %u of %u: %llu, not %llu", what, i, a->n, (unsigned long long)b->v[i],
			         (unsigned long long)a->v[i]);
}

static void release(struct figures *f)
{
	free(f->v);
	*f = (struct figures){0};
}

static struct figures of(struct rig *r, const char *scope)
{
	char line[80];
	snprintf(line, sizeof line, "scope %s", scope);
	rig_say(r, line);
	return figures(r);
}

static const char *const machines[] = {
    "hotspot --gpu gtx480",
    "kmeans --gpu v100",
    "bfs --gpu gtx480 --set lsu.replay=newcar",
    "tensor/hgemm --gpu a100",
    "matmul --gpu rtx3070 --set sm.dependences=counters --set sm.read_ports=true",
    "spmv --gpu apu15",
    "kmeans --gpu fermi28 --cta-virtual vt",
    "vecadd matmul --gpu gtx480 --partition spatial",
};

/* Three parts, asked for in a wild order, are the whole. */
static void parts_sum(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(machines); i += rounds(NULL, 1, 3)) {
		struct rig r;
		char line[300], hash[64];
		snprintf(line, sizeof line, "%s --size small", machines[i]);
		print_message("%s\n", line);
		rig_words(&r, line);
		rig_say(&r, "continue");
		const u64 end = sim_cycle(r.s->sim), a = end / 3 + 7, b = end / 2 + 11;
		snprintf(hash, sizeof hash, "%s", rig_say(&r, "print gpu.hash"));
		struct figures whole = figures(&r), part[3], sum;
		snprintf(line, sizeof line, "%llu now", (unsigned long long)b);
		part[2] = of(&r, line);
		snprintf(line, sizeof line, "0 %llu", (unsigned long long)a);
		part[0] = of(&r, line);
		snprintf(line, sizeof line, "%llu %llu", (unsigned long long)a, (unsigned long long)b);
		part[1] = of(&r, line);
		rig_has(&r, "print gpu.hash", hash);
		assert_int_equal(sim_cycle(r.s->sim), end);
		assert_int_equal(part[1].v[0], b - a);
		sum = (struct figures){.v = xcalloc(FIGURES, sizeof(u64)), .n = whole.n};
		for (u32 k = 0; k < 3; k++)
			add(&sum, &part[k]);
		assert_same(&whole, &sum, "sum of the parts");
		/* Live from there on, and from a place in the past: the same. */
		rig_say(&r, "scope off");
		snprintf(line, sizeof line, "goto %llu", (unsigned long long)a);
		rig_say(&r, line);
		rig_say(&r, "scope now");
		assert_int_equal(gpu_counted_cycles(dbg_gpu(r.d)), 0);
		snprintf(line, sizeof line, "goto %llu", (unsigned long long)b);
		rig_say(&r, line);
		struct figures live = figures(&r);
		assert_same(&part[1], &live, "as far as the machine is");
		rig_say(&r, "goto 3");
		struct figures none = figures(&r);
		for (u32 k = 0; k < none.n; k++)
			assert_int_equal(none.v[k], 0); /* the machine is before the scope */
		rig_say(&r, "scope off");
		snprintf(line, sizeof line, "goto %llu", (unsigned long long)end);
		rig_say(&r, line);
		struct figures again = figures(&r);
		assert_same(&whole, &again, "the whole run again");
		struct figures *all[] = {&whole, &part[0], &part[1], &part[2], &sum, &live, &none, &again};
		for (u32 k = 0; k < ARRAY_LEN(all); k++)
			release(all[k]);
		rig_close(&r);
	}
}

/* Breakpoints, watchpoints, callbacks and what is written on the way count from the start. */
static void recorders_do_not_see_it(void **state)
{
	static const char *const lines[] = {"break stat gpu.issued > 60000",
	                                    "continue",
	                                    "watch gpu.sm[1].ctas_done",
	                                    "watch gpu.sm[2].issued // 1000",
	                                    "continue",
	                                    "continue",
	                                    "break issue sm=0 warp=3 if gpu.sm[0].issued > 9000",
	                                    "continue"};
	struct strbuf said[2] = {STRBUF_INIT, STRBUF_INIT};
	for (u32 scoped = 0; scoped < 2; scoped++) {
		struct rig r;
		rig_words(&r, "hotspot --size small");
		rig_say(&r, "lua sampled = {} dbg.sample(500, function(c) sampled[#sampled + 1] = gpu.sm[3].issued end)");
		rig_say(&r, "until 1500");
		if (scoped)
			rig_say(&r, "scope 200 1400");
		for (u32 i = 0; i < ARRAY_LEN(lines); i++)
			strbuf_adds(&said[scoped], rig_say(&r, lines[i]));
		rig_say(&r, "goto 1200"); /* watchpoints begin again there */
		strbuf_adds(&said[scoped], rig_say(&r, "continue"));
		if (scoped)
			rig_say(&r, "scope 200");
		rig_say(&r, "delete");
		rig_say(&r, "continue");
		strbuf_adds(&said[scoped], rig_say(&r, "print table.concat(sampled, ' '), dbg.over('gpu.ipc', 512)"));
		strbuf_adds(&said[scoped], rig_say(&r, "lua local s = dbg.series('ipc') print(#s, s[1], s[#s])"));
		rig_close(&r);
	}
	assert_string_equal(strbuf_str(&said[0]), strbuf_str(&said[1]));
	assert_true(said[0].len > 300);
	for (u32 i = 0; i < 2; i++)
		strbuf_release(&said[i]);
}

static u64 counted(struct rig *r)
{
	return strtoull(rig_say(r, "print gpu.counted"), NULL, 10);
}

/* The run of a launch, while it runs and afterwards; what a launch has of the scope. */
static void launches(void **state)
{
	struct rig r;
	rig_words(&r, "bfs --size small");
	rig_say(&r, "break kernel-done kernel=1");
	rig_say(&r, "continue");
	rig_say(&r, "continue 2");
	const u64 start = strtoull(rig_say(&r, "print gpu.kernel[1].started_at"), NULL, 10);
	const u64 end = strtoull(rig_say(&r, "print gpu.kernel[1].ended_at"), NULL, 10);
	const u64 insts = strtoull(rig_say(&r, "print gpu.kernel[1].warp_insts"), NULL, 10);
	rig_has(&r, "scope kernel 1", "kernel 1, ");
	assert_true(end > start && insts > 0);
	assert_int_equal(counted(&r), end - start);
	assert_int_equal(strtoull(rig_say(&r, "print gpu.kernel[1].warp_insts"), NULL, 10), insts);
	assert_int_equal(strtoull(rig_say(&r, "print gpu.kernel[0].warp_insts"), NULL, 10), 0);
	assert_int_equal(strtoull(rig_say(&r, "print gpu.issued"), NULL, 10), insts); /* nothing else ran */
	assert_int_equal(strtoull(rig_say(&r, "print gpu.kernel[1].cycles"), NULL, 10), end - start);
	char line[80];
	snprintf(line, sizeof line, "scope %llu %llu", (unsigned long long)(start + 100), (unsigned long long)(end + 100));
	rig_say(&r, line);
	assert_int_equal(strtoull(rig_say(&r, "print gpu.kernel[1].cycles"), NULL, 10), end - start - 100);
	assert_int_equal(strtoull(rig_say(&r, "print gpu.kernel[1].started_at"), NULL, 10), start);
	snprintf(line, sizeof line, "scope %llu %llu", (unsigned long long)start, (unsigned long long)end);
	rig_say(&r, line);
	assert_int_equal(strtoull(rig_say(&r, "print gpu.kernel[1].ended_at"), NULL, 10), end);
	rig_fails(&r, "scope kernel 999", "launch 999 does not exist");
	rig_fails(&r, "scope kernel", "the number of a launch");
	rig_fails(&r, "scope kernel x", "the number of a launch");
	assert_int_equal(counted(&r), end - start); /* mistakes change nothing */
	rig_close(&r);
}

/* The machine's slots in the time of each launch: so many as there were, all reasons together; in parts they sum. */
static void slots_of_launches(void **state)
{
	static const char *const words[] = {"bfs --size small", "vecadd matmul --size small --gpu v100"};
	for (u32 i = 0; i < ARRAY_LEN(words); i++) {
		struct rig r;
		u64 whole[LAUNCHES][ST_COUNT], sum = 0, from, to;
		rig_words(&r, words[i]);
		rig_say(&r, "until 3000");
		struct gpu *g = dbg_gpu(r.d);
		const u32 each = gpu_conf(g)->num_sms * gpu_conf(g)->sm_schedulers;
		for (u32 turn = 0; turn < 2; turn++) { /* while one runs, and at the end */
			sum = 0;
			for (u32 k = 0; k < gpu_num_kernels(g); k++) {
				struct kernel_info info;
				gpu_kernel_info(g, k, &info);
				const u64 cycles = kernel_run_cycles(info.counters, 0, gpu_cycle(g));
				assert_int_equal(gpu_launch_slots(g, k, whole[k]), cycles * each);
				sum += cycles;
			}
			if (!turn)
				rig_say(&r, "continue");
		}
		assert_true(sum > gpu_cycle(g) / 2);
		const u64 end = gpu_cycle(g);
		for (u32 part = 0; part < 3; part++) {
			char line[80];
			from = part ? end * part / 3 + part : 0;
			to = part < 2 ? end * (part + 1) / 3 + part + 1 : end;
			snprintf(line, sizeof line, "scope %llu %llu", (unsigned long long)from, (unsigned long long)to);
			rig_say(&r, line);
			for (u32 k = 0; k < gpu_num_kernels(g); k++) {
				u64 slots[ST_COUNT];
				struct kernel_info info;
				gpu_kernel_info(g, k, &info);
				assert_int_equal(gpu_launch_slots(g, k, slots), kernel_run_cycles(info.counters, from, to) * each);
				for (u32 s = 0; s < ST_COUNT; s++)
					whole[k][s] -= slots[s];
			}
		}
		for (u32 k = 0; k < gpu_num_kernels(g); k++)
			for (u32 s = 0; s < ST_COUNT; s++)
				assert_int_equal(whole[k][s], 0);
		rig_close(&r);
	}
}

/* `info launches by`: the first rows are those that have most of it. */
static void ranked(void **state)
{
	struct rig r;
	rig_words(&r, "bfs --size small");
	rig_say(&r, "continue");
	rig_has(&r, "info launches 1 by cycles", "bfs_expand");
	const char *by[] = {"cycles", "lost", "memory_dependency", "ipc"};
	u32 most[4];
	for (u32 i = 0; i < 4; i++) {
		char line[80];
		snprintf(line, sizeof line, "info launches 1 by %s", by[i]);
		const char *row = strchr(rig_say(&r, line), '\n') + 1;
		most[i] = (u32)strtoul(row + (*row == '*'), NULL, 10);
	}
	struct gpu *g = dbg_gpu(r.d);
	u64 best[4];
	for (u32 turn = 0; turn < 2; turn++)
		for (u32 k = 0; k < gpu_num_kernels(g); k++) {
			u64 slots[ST_COUNT];
			struct kernel_info info;
			gpu_kernel_info(g, k, &info);
			const u64 cycles = kernel_run_cycles(info.counters, 0, gpu_cycle(g));
			const u64 sum = gpu_launch_slots(g, k, slots);
			const u64 key[4] = {cycles, sum - slots[ST_ISSUED], slots[ST_MEM],
			                    UINT64_MAX - info.counters->warp_insts * 1000000 / cycles};
			for (u32 i = 0; i < 4; i++)
				if (!turn && k == most[i])
					best[i] = key[i];
				else if (turn)
					assert_true(key[i] <= best[i]);
		}
	assert_int_not_equal(most[0], most[3]); /* the keys do not all say the same */
	rig_fails(&r, "info launches by nonsense", "not 'nonsense'");
	rig_fails(&r, "info launches 3 of 4", "`by KEY` is expected");
	rig_fails(&r, "info launches x", "'x': a number");
	rig_close(&r);
}

static void programs(void **state)
{
	struct rig r;
	rig_words(&r, "vecadd matmul --size small");
	rig_say(&r, "continue");
	rig_has(&r, "scope program vecadd", "program vecadd: cycles ");
	const u64 one = counted(&r);
	rig_has(&r, "scope program matmul", "program matmul: cycles ");
	assert_true(one > 0 && counted(&r) > one);
	struct kernel_info k;
	u64 end = 0;
	for (u32 i = 0; i < gpu_num_kernels(dbg_gpu(r.d)); i++) {
		gpu_kernel_info(dbg_gpu(r.d), i, &k);
		end = k.program == 1 ? MAX(end, k.counters->ended_at) : end;
	}
	rig_say(&r, "goto 500"); /* while its launch runs: as far as the machine is */
	rig_has(&r, "scope program matmul", "where the machine is");
	rig_say(&r, "scope off");
	rig_say(&r, "continue");
	rig_say(&r, "scope program matmul");
	u64 from, to;
	assert_true(scope_range(r.d, &from, &to));
	assert_int_equal(to, end);
	rig_fails(&r, "scope program bfs", "there is no program 'bfs'");
	rig_close(&r);
}

/* From stop to stop, forward and back. */
static void since_last(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "until 2000");
	rig_has(&r, "scope since last", "cycles 2,000 to 2,000, since the last stop");
	rig_say(&r, "step 300");
	rig_has(&r, "scope", "cycles 2,000 to 2,300, since the last stop");
	assert_int_equal(counted(&r), 300);
	const u64 issued = strtoull(rig_say(&r, "print gpu.issued"), NULL, 10);
	rig_say(&r, "until 3000");
	assert_int_equal(counted(&r), 700);
	rig_say(&r, "goto 2300");
	assert_int_equal(counted(&r), 700); /* what has been undone */
	rig_say(&r, "reverse-step 300");
	assert_int_equal(counted(&r), 300);
	assert_int_equal(strtoull(rig_say(&r, "print gpu.issued"), NULL, 10), issued);
	for (u32 i = 0; i < 40; i++) /* more stops than are remembered */
		rig_say(&r, "step 10");
	assert_int_equal(counted(&r), 10);
	rig_close(&r);
}

/* A change of the past makes void what came later; so does another run. */
static void forks(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "until 4000");
	rig_say(&r, "scope 1000 3000");
	rig_say(&r, "goto 2000");
	rig_say(&r, "set warp-sched lrr");
	rig_has(&r, "scope", "the whole run");
	rig_say(&r, "continue");
	rig_say(&r, "scope 1000 2000"); /* before the change: nothing of it is void */
	const u64 before = strtoull(rig_say(&r, "print gpu.issued"), NULL, 10);
	rig_say(&r, "scope 1000 3000");
	const u64 lrr = strtoull(rig_say(&r, "print gpu.issued"), NULL, 10) - before;
	rig_say(&r, "goto 2000");
	rig_say(&r, "set warp-sched gto");
	rig_say(&r, "until 4000");
	rig_say(&r, "scope 2000 3000");
	assert_int_not_equal(strtoull(rig_say(&r, "print gpu.issued"), NULL, 10), lrr);
	rig_say(&r, "run");
	rig_has(&r, "scope", "the whole run");
	rig_close(&r);
}

/* Without a history: from where the machine stands on, and what is known. */
static void without_history(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small --set history.mb=0");
	rig_say(&r, "until 1000");
	rig_fails(&r, "scope 10 500", "there is no history");
	rig_say(&r, "scope now");
	rig_say(&r, "step 100");
	assert_int_equal(counted(&r), 100);
	rig_say(&r, "scope 1000 now");
	rig_say(&r, "step 50");
	assert_int_equal(counted(&r), 100);
	rig_say(&r, "scope 1000 1100"); /* both are remembered */
	rig_say(&r, "scope since last");
	rig_say(&r, "step 3");
	assert_int_equal(counted(&r), 3);
	rig_close(&r);
}

static void mistakes(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "until 1000");
	rig_fails(&r, "scope 500 400", "cycles 500 to 400 are none");
	rig_fails(&r, "scope 500 500", "cycles 500 to 500 are none");
	rig_fails(&r, "scope 5 2000", "cycle 2000 has not been simulated; the farthest is 1000");
	rig_fails(&r, "scope 2000", "cycle 2000 has not been simulated");
	rig_fails(&r, "scope yesterday", "not 'yesterday'");
	rig_fails(&r, "scope 1 2 3", "scope");
	rig_fails(&r, "scope since", "`last` is expected");
	rig_fails(&r, "diff", "diff: two cycles");
	rig_fails(&r, "diff 0 100", "diff: two cycles");
	rig_fails(&r, "diff kernel 0 kernel 7", "launch 7 does not exist");
	rig_has(&r, "scope", "the whole run");
	assert_string_equal(debugger_prompt(r.d), "(wd) ");
	rig_say(&r, "scope 100 900");
	assert_string_equal(debugger_prompt(r.d), "(wd 100-900) ");
	rig_say(&r, "scope 100");
	assert_string_equal(debugger_prompt(r.d), "(wd 100-) ");
	rig_close(&r);
}

/* Texts and files have the scope's figures and say so; `diff` leaves it as it is. */
static void told(void **state)
{
	struct rig r;
	char file[] = "/tmp/test_scope.XXXXXX", line[80], text[1 << 16];
	close(mkstemp(file));
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "until 4000");
	rig_say(&r, "scope 1000 3000");
	rig_has(&r, "info stalls", "x 2000 cycles");
	rig_has(&r, "info energy", "in 2000 cycles");
	const u64 issued = strtoull(rig_say(&r, "print gpu.issued"), NULL, 10);
	assert_int_equal(
	    strtoull(rig_say(&r, "lua local n = 0 for _, l in ipairs(dbg.lines()) do n = n + l.executed end print(n)"),
	             NULL, 10),
	    issued);
	snprintf(line, sizeof line, "export json %s", file);
	rig_say(&r, line);
	FILE *f = fopen(file, "r");
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	snprintf(line, sizeof line, "\"warp_insts\": %llu", (unsigned long long)issued);
	assert_non_null(strstr(text, line));
	assert_non_null(strstr(text, "\"from\": 1000"));
	rig_has(&r, "diff 0 1000 1000 4000", "A  cycles 0 to 1,000\nB  cycles 1,000 to 4,000\n");
	assert_non_null(strstr(strbuf_str(&r.out), "run.ipc"));
	rig_has(&r, "diff 1000 2000 1000 2000", "No figure differs.");
	for (u32 i = 0; i < 12; i++) { /* other ends than are remembered */
		snprintf(line, sizeof line, "diff %u %u %u %u", 10 + i, 1000 + i, 2000 + i, 3001 + i);
		rig_say(&r, line);
	}
	rig_has(&r, "lua local d = dbg.diagnose() print(d.from, d.to, d.used)", "1000\t3000\t"); /* the scope's */
	const u64 used = strtoull(strrchr(strbuf_str(&r.out), '\t') + 1, NULL, 10);
	u64 slots[ST_COUNT];
	gpu_stalls_sum(dbg_gpu(r.d), -1, slots);
	assert_int_equal(used, slots[ST_ISSUED]);
	char of_launch[64];
	snprintf(of_launch, sizeof of_launch, "%s",
	         rig_say(&r, "lua local d = dbg.diagnose(0) print(d.from, d.to, d.used)"));
	rig_say(&r, "scope off");
	rig_has(&r, "lua local d = dbg.diagnose(0) print(d.from, d.to, d.used)", of_launch); /* not of the scope */
	rig_say(&r, "scope 1000 3000");
	rig_has(&r, "scope", "cycles 1,000 to 3,000");
	assert_int_equal(strtoull(rig_say(&r, "print gpu.issued"), NULL, 10), issued);
	unlink(file);
	rig_close(&r);
}

/* The second machine is compared in the same part of its run. */
static void beside(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "compare --warp-sched lrr");
	rig_say(&r, "delete");
	rig_say(&r, "until 4000");
	rig_say(&r, "scope 1000 3000");
	struct stats *a = rival_stats(r.d, false), *b = rival_stats(r.d, true);
	assert_int_equal(a->cycles, 2000);
	assert_int_equal(b->cycles, 2000);
	const u64 insts = b->warp_insts;
	stats_free(a);
	stats_free(b);
	assert_int_equal(sim_cycle(r.d->rival->s->sim), 4000);
	rig_say(&r, "compare off");
	struct rig lrr;
	rig_words(&lrr, "hotspot --size small --warp-sched lrr");
	rig_say(&lrr, "until 3000");
	rig_say(&lrr, "scope 1000 3000");
	assert_int_equal(strtoull(rig_say(&lrr, "print gpu.issued"), NULL, 10), insts);
	rig_close(&lrr);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(parts_sum),
	    cmocka_unit_test(recorders_do_not_see_it),
	    cmocka_unit_test(launches),
	    cmocka_unit_test(slots_of_launches),
	    cmocka_unit_test(ranked),
	    cmocka_unit_test(programs),
	    cmocka_unit_test(since_last),
	    cmocka_unit_test(forks),
	    cmocka_unit_test(without_history),
	    cmocka_unit_test(mistakes),
	    cmocka_unit_test(told),
	    cmocka_unit_test(beside),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
