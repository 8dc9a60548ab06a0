/* diagnose: each rule finds what a kernel was made slow with, and keeps silent about the same kernel without it; bounds
 * are no more than was lost; rules that fail are named, and break nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dbg/diagnose.h"
#include "session/explain.h"
#include "tests/rig/debug_rig.h"
#include "tests/rig/rounds.h"

#define FILE_PTX "tests/kernels/diagnose.ptx "
#define OUT " --arg u32[64]=zero"
#define SHARED_STRIDE FILE_PTX "--kernel shared_stride --block 256" OUT
#define WALK FILE_PTX "--kernel walk --arg u32[4194304]=zero" OUT
#define PART FILE_PTX "--kernel part --grid 60 --block 256" OUT
#define WORK FILE_PTX "--kernel work --arg f32[64]=zero"
#define SINES FILE_PTX "--kernel sines --grid 60 --block 256 --arg f32[64]=zero"
/* Arguments of walk: words between lanes, words between two loads of a lane, words in all, loads. */
#define STEPS(stride, step, words, n) " --arg u32=" stride " --arg u32=" step " --arg u32=" words " --arg u32=" n
/* Of work: rounds, more rounds for each warp of a CTA, bits that a warp's number has which does nothing. */
#define ROUNDS(n, more, mask) " --arg u32=" n " --arg u32=" more " --arg u32=" mask

static void run_words(struct rig *r, const char *words)
{
	rig_words(r, words);
	rig_try(r, "continue");
}

static struct diagnosis *of_run(struct rig *r)
{
	struct err e = {0};
	struct diagnosis *d = diagnose(r->s, &e);
	if (!d)
		fail_msg("%s", e.msg);
	if (d->broken.n)
		fail_msg("%s", d->broken.text[0]);
	return d;
}

static const struct finding *find(const struct diagnosis *d, const char *rule)
{
	for (u32 i = 0; i < d->n; i++)
		if (!strcmp(d->finding[i].rule, rule))
			return &d->finding[i];
	return NULL;
}

/* Highest first; none is more than what was lost, or used; there is all that a reader needs. */
static void sound(const struct diagnosis *d)
{
	u64 sum = 0;
	for (u32 i = 0; i < ST_COUNT; i++)
		sum += d->reason[i];
	assert_true(sum == d->slots && d->used + d->lost == d->slots && d->reason[ST_ISSUED] == d->used);
	for (u32 i = 0; i < d->n; i++) {
		const struct finding *f = &d->finding[i];
		assert_true(f->slots >= 0 && f->slots <= (double)(f->of_used ? d->used : d->lost) + 1);
		assert_true(!i || f->slots <= d->finding[i - 1].slots);
		assert_true(*f->title && f->evidence.n && *f->evidence.text[0] && *f->remedy && *f->test && f->uses.n);
		assert_true(!*f->place == !*f->code);
	}
}

/* Every name that a finding says it used is one that `explain` knows. */
static void explained(struct rig *r, const struct diagnosis *d)
{
	for (u32 i = 0; i < d->n; i++)
		for (u32 k = 0; k < d->finding[i].uses.n; k++) {
			struct strbuf text = STRBUF_INIT;
			struct err e = {0};
			if (!explain_name(d->finding[i].uses.text[k], false, &text, &e))
				fail_msg("%s: %s", d->finding[i].rule, e.msg);
			strbuf_release(&text);
		}
}

static void list_rules(const struct diagnosis *d)
{
	for (u32 i = 0; i < d->n; i++)
		print_message("  %-16s %5.1f %%  %s  %s\n", d->finding[i].rule, diagnosis_percent(d, &d->finding[i]),
		              d->finding[i].place, d->finding[i].title);
}

/* The rule finds the one, at this line ("" = of no line, NULL = any), with a bound of so many percent of the slots
 * (within a fiftieth: whoever changes the model says which bound moves) and this test; and not the other. */
static const struct {
	const char *rule, *slow, *place;
	double percent;
	const char *test, *well;
} cases[] = {
    {"bank_conflicts", SHARED_STRIDE " --grid 15 --arg u32=32 --arg u32=64", "diagnose.ptx:24", 86.0,
     "whatif shared.banks=64 from 0", SHARED_STRIDE " --grid 15 --arg u32=1 --arg u32=64"},
    {"strided", WALK STEPS("32", "1", "1048576", "8") " --grid 60 --block 256", "diagnose.ptx:56", 86.5,
     "info code transactions", WALK STEPS("1", "15360", "1048576", "8") " --grid 60 --block 256"},
    {"no_mshr", WALK STEPS("1", "15360", "1048576", "8") " --grid 60 --block 256 --set l1d.mshrs=4", "diagnose.ptx:56",
     35.0, "whatif l1d.mshrs=8 from 0",
     WALK STEPS("1", "15360", "1048576", "8") " --grid 60 --block 256 --set l1d.mshrs=512 --set l1d.ways=64"},
    {"no_line", WALK STEPS("1", "15360", "1048576", "8") " --grid 60 --block 256 --set l1d.mshrs=512 --set l1d.ways=1",
     "diagnose.ptx:56", 13.6, "whatif l1d.ways=2 from 0",
     WALK STEPS("1", "15360", "1048576", "8") " --grid 60 --block 256 --set l1d.mshrs=512 --set l1d.ways=64"},
    {"miss_queue", "histogram --size small", "histogram.ptx:165", 46.4, "whatif l1d.miss_queue=16 from 0",
     WALK STEPS("32", "997", "1048576",
                "8") " --grid 15 --block 256 --set l1d.mshrs=1024 --set l1d.miss_queue=256 --set "
                     "l1d.ways=256"},
    {"divergence", PART " --arg u32=3 --arg u32=200", "diagnose.ptx:81", 58.8, "inspect divergence",
     PART " --arg u32=0 --arg u32=200"},
    {"tail", WORK ROUNDS("400", "0", "0") " --grid 16 --block 256", "", 44.7, "inspect cta_lifetimes",
     WORK ROUNDS("400", "0", "0") " --grid 15 --block 256"},
    {"small_grid", WORK ROUNDS("400", "0", "0") " --grid 3 --block 256", "", 80.0, "info launches",
     WORK ROUNDS("400", "0", "0") " --grid 15 --block 256"},
    {"launch_gaps", "bfs --size small --set launch.latency=20000", "", 85.2, "whatif launch.latency=0 from 0",
     "bfs --size small"},
    {"slow_launch", "bfs --size small", "", 12.7, "diagnose kernel 10", "hotspot --size small"},
    {"occupancy", WALK STEPS("1", "30720", "1048576", "16") " --grid 120 --block 256 --regs 63", "", 33.4,
     "whatif sm.regs=49152 from 0", WALK STEPS("1", "30720", "1048576", "16") " --grid 120 --block 256"},
    {"cold_misses", WALK STEPS("1", "480", "4194304", "16") " --grid 15 --block 32", "diagnose.ptx:56", 56.7,
     "info code dram", WALK STEPS("1", "0", "1024", "400") " --grid 15 --block 32"},
    {"thrash", WALK STEPS("32", "8192", "65536", "8") " --grid 90 --block 256", "diagnose.ptx:56", 66.6,
     "whatif max_ctas_per_sm=3 from 0", WALK STEPS("1", "0", "4096", "32") " --grid 90 --block 256"},
    {"barrier", WORK ROUNDS("50", "100", "0") " --grid 15 --block 256", "diagnose.ptx:124", 17.8,
     "whatif warp-sched=lrr from 0", WORK ROUNDS("400", "0", "0") " --grid 15 --block 256"},
    {"dram_rows",
     WALK STEPS("65536", "997", "4194304", "8") " --grid 45 --block 64 --set l1d.mshrs=1024 --set l1d.ways=64",
     "diagnose.ptx:56", 2.6, "whatif dram.banks=32 from 0",
     WALK STEPS("1", "480", "4194304", "16") " --grid 15 --block 32"},
    {"camping", WALK STEPS("1536", "0", "4194304", "4") " --grid 60 --block 32 --set map.hash=none --set partitions=8",
     "diagnose.ptx:56", 72.2, "whatif map.hash=ipoly from 0",
     WALK STEPS("1", "1920", "4194304", "16") " --grid 60 --block 32 --set map.hash=none --set partitions=8"},
    {"held_back", "kmeans --size small --warp-sched ccws", "", 39.0, "whatif warp-sched=gto from 0",
     "kmeans --size small --warp-sched gto"},
    {"sched_imbalance", WORK ROUNDS("400", "0", "1") " --grid 15 --block 256", "", 36.7, "info warps 0",
     WORK ROUNDS("400", "0", "0") " --grid 15 --block 256"},
    {"lsu_held", "hotspot --size small", "hotspot.ptx:94", 11.7, "whatif lsu.queue=8 from 0",
     WORK ROUNDS("400", "0", "0") " --grid 15 --block 256"},
    {"few_warps", WALK STEPS("1", "480", "1048576", "16") " --grid 15 --block 32", "diagnose.ptx:56", 84.9,
     "inspect occupancy", WALK STEPS("1", "30720", "1048576", "16") " --grid 120 --block 256"},
    {"pipe_peak", SINES " --arg u32=50", NULL, 74.7, "info code slots",
     WALK STEPS("32", "1", "1048576", "8") " --grid 60 --block 256"},
    {"bandwidth", WALK STEPS("1", "61440", "4194304", "16") " --grid 240 --block 256 --set dram_clock=100",
     "diagnose.ptx:56", 32.9, "whatif dram_clock=200 from 0",
     WALK STEPS("1", "61440", "4194304", "16") " --grid 240 --block 256 --set dram_clock=5000"},
};

static void rules(void **state)
{
	const char *only = getenv("DIAGNOSE_RULE");
	for (u32 i = 0; i < ARRAY_LEN(cases); i += rounds(NULL, 1, 3)) {
		struct rig r;
		if (only && strcmp(only, cases[i].rule) != 0)
			continue;
		print_message("%s\n", cases[i].rule);
		run_words(&r, cases[i].slow);
		struct diagnosis *d = of_run(&r);
		sound(d);
		explained(&r, d);
		const struct finding *f = find(d, cases[i].rule);
		const double p = f ? diagnosis_percent(d, f) : -1;
		print_message("  %.2f %%  %s\n", p, f ? f->test : "");
		if (!f || fabs(p - cases[i].percent) > cases[i].percent / 50 || strcmp(f->test, cases[i].test) != 0 ||
		    (cases[i].place && strcmp(f->place, cases[i].place) != 0)) {
			list_rules(d);
			fail_msg("%s: at %s with %g %% expected, test %s", cases[i].rule,
			         cases[i].place ? cases[i].place : "any line", cases[i].percent, cases[i].test);
		}
		diagnosis_free(d);
		rig_close(&r);
		run_words(&r, cases[i].well);
		d = of_run(&r);
		sound(d);
		if (find(d, cases[i].rule)) {
			list_rules(d);
			fail_msg("%s: found where it is not", cases[i].rule);
		}
		diagnosis_free(d);
		rig_close(&r);
	}
}

/* Every rule there is has a case here. */
static void all_have_cases(void **state)
{
	struct rig r;
	char name[40];
	rig_vecadd(&r);
	u32 n = 0;
	for (const char *line = rig_say(&r, "diagnose rules"); *line; line = strchr(line, '\n') + 1) {
		if (*line == ' ')
			continue;
		bool any = false;
		assert_int_equal(sscanf(line, "%39s", name), 1);
		for (u32 i = 0; i < ARRAY_LEN(cases); i++)
			any |= !strcmp(cases[i].rule, name);
		if (!any)
			fail_msg("%s has no case", name);
		n++;
	}
	assert_int_equal(n, ARRAY_LEN(cases));
	rig_close(&r);
}

/* --- whole programs --- */

static void first_is(const char *words, const char *rule, const char *place, const char *title)
{
	struct rig r;
	run_words(&r, words);
	struct diagnosis *d = of_run(&r);
	sound(d);
	const struct finding *f = d->n ? &d->finding[0] : NULL;
	if (!f || strcmp(f->rule, rule) != 0 || (place && strcmp(f->place, place) != 0) || !strstr(f->title, title)) {
		list_rules(d);
		fail_msg("%s: %s first, at %s, expected", words, rule, place ? place : "any line");
	}
	diagnosis_free(d);
	rig_close(&r);
}

/* Of three loads of shared memory beside each other the one with 32 words in a bank: see
 * tests/obs/test_line_counters.c. */
static void names_the_conflict(void **state)
{
	first_is("tests/kernels/conflict.ptx --kernel k --grid 16 --block 256 --arg u32[64]=zero", "bank_conflicts",
	         "conflict.ptx:22", "32 cycles");
	first_is("tests/kernels/conflict.ptx --kernel k --grid 16 --block 256 --arg u32[64]=zero --gpu v100",
	         "bank_conflicts", "conflict.ptx:22", "32 cycles");
}

static void kmeans_thrashes(void **state)
{
	first_is("kmeans --size small", "thrash", "kmeans.ptx:67", "kmeans_swap throws out lines of its own CTA");
}

static void bfs_names_the_launch(void **state)
{
	struct rig r;
	u32 longest = 0;
	run_words(&r, "bfs --size small");
	struct diagnosis *d = of_run(&r);
	for (u32 i = 0; i < gpu_num_kernels(sim_gpu(r.s->sim)); i++) {
		struct kernel_info k, l;
		gpu_kernel_info(sim_gpu(r.s->sim), i, &k);
		const u64 cycles = kernel_run_cycles(k.counters, 0, NEVER);
		gpu_kernel_info(sim_gpu(r.s->sim), longest, &l);
		if (cycles > kernel_run_cycles(l.counters, 0, NEVER))
			longest = i;
	}
	char title[60], test[60];
	snprintf(title, sizeof title, "launch %u of bfs_expand", longest);
	snprintf(test, sizeof test, "diagnose kernel %u", longest);
	const struct finding *f = find(d, "slow_launch");
	assert_non_null(f);
	assert_non_null(strstr(f->title, title));
	assert_string_equal(f->test, test);
	diagnosis_free(d);
	rig_close(&r);
}

/* All costs of lines together are at most what was lost, on machines of several kinds and in the middle of a run. */
#define COSTS                                                                                                          \
	"lua local lib = require 'diagnose.lib' local s = lib.scope(lib.look(), {finished = false}) local sum = 0 "        \
	"for _, l in ipairs(s.lines) do sum = sum + lib.cost(s, l) + lib.share(s, l, 'barrier') end "                      \
	"local empty = 0 for _, n in pairs(lib.empty_slots(s)) do empty = empty + n end "                                  \
	"local gaps = (s.cycles - lib.busy_cycles(s)) * lib.per_cycle(s) "                                                 \
	"print(sum <= s.lost * 1.000001 and lib.bound(s, sum) <= s.lost * 1.000001 and "                                   \
	"sum + empty + gaps <= s.lost * 1.000001 and sum > 0 and 'closes' or 'open')"

/* Cycles in which any launch ran, counted one by one, where launches overlap. */
#define BUSY                                                                                                           \
	"lua local lib = require 'diagnose.lib' local s, n = lib.scope(lib.look(), {}), 0 "                                \
	"for c = s.from, s.to - 1 do for _, k in ipairs(s.launches) do if k.from <= c and c < k.to then n = n + 1 break "  \
	"end end end print(#s.launches > 5 and n == lib.busy_cycles(s) and 'counted' or n)"

static void overlapping(void **state)
{
	struct rig r;
	rig_words(&r, "bfs kmeans --size small --partition spatial");
	rig_say(&r, "until 20000");
	rig_has(&r, BUSY, "counted");
	rig_has(&r, COSTS, "closes");
	struct diagnosis *d = of_run(&r);
	sound(d);
	diagnosis_free(d);
	rig_close(&r);
}

static void costs_close(void **state)
{
	static const char *const runs[] = {"kmeans --size small", "hotspot --size small --gpu v100",
	                                   "bfs --size small --set lsu.replay=newcar", "lud --size small --gpu kepler",
	                                   "matmul --size small --gpu rtx3070 --set sm.dependences=counters"};
	for (u32 i = 0; i < ARRAY_LEN(runs); i++) {
		struct rig r;
		print_message("%s\n", runs[i]);
		rig_words(&r, runs[i]);
		rig_say(&r, "step 4000");
		rig_has(&r, COSTS, "closes");
		struct diagnosis *d = of_run(&r);
		sound(d);
		diagnosis_free(d);
		rig_say(&r, "continue");
		rig_has(&r, COSTS, "closes");
		d = of_run(&r);
		sound(d);
		explained(&r, d);
		diagnosis_free(d);
		rig_close(&r);
	}
}

/* --- the command --- */

/* The machine is what it was, and the answer the same again; a launch's figures are those of its cycles. */
static void changes_nothing(void **state)
{
	struct rig r;
	char hash[40], *was;
	rig_words(&r, "bfs --size small");
	rig_say(&r, "until 40000");
	snprintf(hash, sizeof hash, "%s", rig_say(&r, "lua print(gpu.hash, gpu.turn)"));
	was = xstrdup(rig_say(&r, "diagnose all"));
	rig_has(&r, "lua print(gpu.hash, gpu.turn)", hash);
	rig_say(&r, "diagnose kernel 3");
	rig_has(&r, "lua print(gpu.hash, gpu.turn)", hash);
	rig_has(&r,
	        "lua local d = dbg.diagnose(3) local k = gpu.kernel[3] "
	        "print(d.launch == 3 and d.from == k.started_at and d.to == k.ended_at and "
	        "d.slots == (d.to - d.from) * gpu.num_sms * gpu.conf['sm.schedulers'] and d.used > 0 and 'its cycles')",
	        "its cycles");
	rig_say(&r, "step 10");
	rig_say(&r, "reverse-step 10");
	rig_say(&r, "diagnose"); /* of the whole run again */
	rig_say(&r, "scope 10000 20000");
	rig_has(&r, "diagnose", "cycles 10,000 to 20,000");
	rig_say(&r, "scope off");
	assert_string_equal(rig_say(&r, "diagnose all"), was);
	rig_has(&r, "lua print(gpu.hash, gpu.turn)", hash);
	rig_fails(&r, "diagnose kernel 99", "99");
	rig_fails(&r, "lua dbg.diagnose(99)", "launch 99 does not exist");
	rig_fails(&r, "diagnose 0", "from 1 to");
	rig_fails(&r, "diagnose 77", "from 1 to");
	rig_fails(&r, "diagnose wrong", "not 'wrong'");
	rig_has(&r, "lua dbg.on('issue', function() dbg.diagnose() end) dbg.step(50)", "dbg.diagnose: callbacks");
	free(was);
	rig_close(&r);
}

/* Two runs say the same, byte for byte. */
static void same_again(void **state)
{
	char *was = NULL;
	for (u32 i = 0; i < 2; i++) {
		struct rig r;
		struct strbuf json = STRBUF_INIT;
		run_words(&r, "kmeans --size small");
		struct diagnosis *d = of_run(&r);
		diagnosis_json(d, &json);
		if (was)
			assert_string_equal(strbuf_str(&json), was);
		free(was);
		was = xstrdup(strbuf_str(&json));
		strbuf_release(&json);
		diagnosis_free(d);
		rig_close(&r);
	}
	assert_non_null(strstr(was, "\"rule\": \"thrash\""));
	free(was);
}

/* No line of an answer is wider than 80 columns, but for tests, which are to be copied. */
static void narrow(const char *text)
{
	while (*text) {
		const size_t n = strcspn(text, "\n");
		if (n > 80 && !strstr(text, "test: "))
			fail_msg("%zu columns: %.*s", n, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static void told(void **state)
{
	struct rig r;
	rig_words(&r, "kmeans --size small");
	rig_has(&r, "diagnose", "None of");
	rig_fails(&r, "diagnose 1", "there is no finding");
	rig_say(&r, "continue");
	rig_has(&r, "diagnose", "1. thrashing of L1D");
	narrow(strbuf_str(&r.out));
	rig_has(&r, "diagnose", "lost to: no warp");
	rig_has(&r, "diagnose", "   test: whatif l1d.ways=8 from 0\n");
	rig_has(&r, "diagnose 1", "Rule thrash");
	narrow(strbuf_str(&r.out));
	rig_has(&r, "diagnose 1", "belonged to other CTAs of the launch");
	rig_has(&r, "diag all", "kmeans.ptx:67 (kmeans.cu:13)");
	rig_has(&r, "diagnose rules", "bank_conflicts");
	narrow(strbuf_str(&r.out));
	rig_has(&r, "help diagnose", "diagnose verify");
	rig_has(&r, "complete diagnose v", "verify");
	rig_has(&r, "complete diagnose kernel 1", "kernel 1");
	rig_fails(&r, "export diagnose-jso /tmp/x", "did you mean 'diagnose-json'");
	rig_close(&r);
}

/* The test of a finding runs from cycle 0 though the program has ended, and the machine is where it was. */
static void verified(void **state)
{
	struct rig r;
	char hash[40];
	double speed = 0, gain = 0, bound = 0;
	run_words(&r, "tests/kernels/conflict.ptx --kernel k --grid 15 --block 256 --arg u32[64]=zero");
	snprintf(hash, sizeof hash, "%s", rig_say(&r, "lua print(gpu.hash, gpu.turn)"));
	const char *says = rig_say(&r, "diagnose verify 1"), *at = strstr(says, "(");
	assert_non_null(strstr(says, "test: whatif shared.banks=64 from 0"));
	assert_non_null(at);
	/* half the conflicts, so nearly half the time: and the run with 64 banks says by itself how long it takes */
	if (sscanf(at, "(%lf %% of the run; speed %lf)", &gain, &speed) != 2) {
		char flat[900];
		snprintf(flat, sizeof flat, "%s", at);
		for (char *c = flat; *c; c++)
			*c = *c == '\n' ? ' ' : *c;
		assert_int_equal(sscanf(flat, "(%lf %% of the run; speed %lf)", &gain, &speed), 2);
	}
	assert_non_null(at = strstr(says, "The bound is"));
	assert_non_null(at = strstr(at, "("));
	assert_int_equal(sscanf(at, "(%lf", &bound), 1);
	assert_true(gain > 30 && gain < bound && bound < 100);
	rig_has(&r, "lua print(gpu.hash, gpu.turn)", hash);
	rig_has(&r, "info history", "");
	rig_fails(&r, "step", "has finished");
	const double cycles = atof(rig_say(&r, "print gpu.cycle"));
	rig_close(&r);
	run_words(&r,
	          "tests/kernels/conflict.ptx --kernel k --grid 15 --block 256 --arg u32[64]=zero --set shared.banks=64");
	assert_true(fabs(cycles / atof(rig_say(&r, "print gpu.cycle")) - speed) < 0.001);
	rig_close(&r);
	run_words(&r, WALK STEPS("32", "1", "1048576", "8") " --grid 60 --block 256");
	rig_has(&r, "diagnose verify 1", "No setting of the machine tests this. Look at: info code transactions");
	rig_close(&r);
}

/* What a setting gains is no more than the bound of its finding. */
static void no_gain_exceeds(void **state)
{
	static const char *const runs[] = {"kmeans --size small", "hotspot --size small", "matmul --size small",
	                                   "spmv --size small --gpu v100"};
	for (u32 i = 0; i < ARRAY_LEN(runs); i++) {
		struct rig r;
		print_message("%s\n", runs[i]);
		run_words(&r, runs[i]);
		rig_has(&r, "diagnose verify", "measured with --set");
		if (strstr(strbuf_str(&r.out), "exceeds"))
			fail_msg("%s", strbuf_str(&r.out));
		rig_close(&r);
	}
}

/* In the middle of a run: both machines run to the present cycle. */
static void whatif_from(void **state)
{
	struct rig r;
	char hash[40];
	rig_words(&r, "kmeans --size small");
	rig_say(&r, "until 20000");
	snprintf(hash, sizeof hash, "%s", rig_say(&r, "lua print(gpu.hash, gpu.turn)"));
	rig_has(&r, "whatif warp-sched=lrr from 5000 to 20000 print hash", "from cycle 5000 to cycle 20000");
	rig_has(&r, "lua print(gpu.hash, gpu.turn)", hash);
	char bare[20];
	snprintf(bare, sizeof bare, "%.16s", hash);
	rig_has(&r, "whatif", bare); /* row 0 has come to the same state */
	rig_has(&r, "diagnose", "from 0 to 20000");
	rig_fails(&r, "whatif warp-sched=lrr from", "a cycle is expected");
	rig_fails(&r, "whatif warp-sched=lrr from 9 from 10", "once");
	rig_fails(&r, "whatif warp-sched=lrr from 999999", "999999");
	rig_has(&r, "lua print(gpu.hash, gpu.turn)", hash);
	rig_say(&r, "step");
	rig_close(&r);
}

/* --- rules that fail --- */

static void put_rule(const char *dir, const char *name, const char *text)
{
	char path[200];
	snprintf(path, sizeof path, "%s/%s.lua", dir, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

#define GOOD "title = 't', slots = 1, evidence = {'e'}, remedy = 'r', test = 'info code'"
static const struct {
	const char *name, *text, *says;
} bad[] = {
    {"aa_error", "return function(s)\n\tlocal x = nil\n\treturn x.y\nend\n",
     "aa_error.lua:3: attempt to index a nil value"},
    {"ab_syntax", "return function(s)\n\treturn {\nend\n", "ab_syntax.lua:3:"},
    {"ac_type", "return function(s)\n\treturn 'slow'\nend\n",
     "ac_type.lua:1: the rule that begins here: returns a string"},
    {"ad_none", "local x = 1\n", "ad_none.lua: the file returns a nil"},
    {"ae_missing", "\nreturn function(s)\n\treturn {title = 't', evidence = {'e'}, remedy = 'r', test = 'x'}\nend\n",
     "ae_missing.lua:2: the rule that begins here: finding 1 has no 'slots'"},
    {"af_title", "return function(s) return {{" GOOD "}, {slots = 3}} end\n", "finding 2 has no 'title', a string"},
    {"ag_unknown", "return function(s) return {" GOOD ", cost = 3} end\n", "has a field 'cost'; there are: title"},
    {"ah_loop", "return function(s)\n\twhile true do end\nend\n", "ah_loop.lua:2: the script used up its budget"},
    {"ai_much",
     "return function(s) return {title = 't', slots = s.lost + 10, evidence = {'e'}, remedy = 'r', test = 't'} end\n",
     "ai_much.lua:1: the rule that begins here: finding 1 says it cost"},
    {"aj_nan", "return function(s) return {title = 't', slots = 0/0, evidence = {'e'}, remedy = 'r', test = 't'} end\n",
     "a number from 0 on is expected"},
    {"ak_place", "return function(s) return {" GOOD ", at = {kernel = 0, pc = 99999}} end\n",
     "there is no such instruction"},
    {"al_list", "return function(s) return {1, 2} end\n", "returns a list with a number in it"},
    {"am_evidence",
     "return function(s) return {title = 't', slots = 1, evidence = {3}, remedy = 'r', test = 't'} end\n",
     "has a 'evidence' with a number in it"},
    {"an_of", "return function(s) return {" GOOD ", of = 'wasted'} end\n", "neither \"lost\" nor \"used\""},
    {"ao_spoils", "return function(s)\n\ts.stalls = nil\n\ts.lines = {}\n\ts.sum = 3\n\tlost = 5\n\treturn nil\nend\n",
     NULL},
    {"ap_good", "return function(s) return {" GOOD ", title = tostring(lost)} end\n", NULL}, /* no global of another */
    {"aq_meta", "return function(s) return setmetatable({}, {__index = function() error('no') end, __len = 3}) end\n",
     NULL},
    {"ar_steps", "return function(s)\n\tdbg.step(10)\nend\n", NULL},
};

static void bad_rules(void **state)
{
	char dir[] = "/tmp/diagnose-rules-XXXXXX", path[300];
	struct rig r;
	assert_non_null(mkdtemp(dir));
	run_words(&r, "kmeans --size small");
	struct err e = {0};
	struct diagnosis *well = of_run(&r), *d;
	char hash[40];
	snprintf(hash, sizeof hash, "%s", rig_say(&r, "lua print(gpu.hash, gpu.turn)"));
	for (u32 i = 0; i < ARRAY_LEN(bad); i++)
		put_rule(dir, bad[i].name, bad[i].text);
	setenv("WARPDBG_DIAGNOSE", dir, 1);
	assert_non_null(d = diagnose(r.s, &e));
	for (u32 i = 0; i < ARRAY_LEN(bad); i++) {
		bool any = false;
		for (u32 k = 0; bad[i].says && k < d->broken.n; k++)
			any |= strstr(d->broken.text[k], bad[i].says) && strstr(d->broken.text[k], bad[i].name) &&
			       !strchr(d->broken.text[k], '\n');
		for (u32 k = 0; bad[i].says && !any && k < d->broken.n; k++)
			print_message("  %s\n", d->broken.text[k]);
		if (bad[i].says && !any)
			fail_msg("%s: '%s' expected", bad[i].name, bad[i].says);
	}
	/* all the others are there as without them, and the good one */
	const struct finding *good = find(d, "ap_good");
	assert_non_null(good);
	assert_string_equal(good->title, "nil");
	assert_int_equal(d->n, well->n + 1);
	for (u32 i = 0, k = 0; i < well->n; i++, k++) {
		k += !strcmp(d->finding[k].rule, "ap_good");
		assert_string_equal(d->finding[k].title, well->finding[i].title);
		assert_true(d->finding[k].slots == well->finding[i].slots);
	}
	rig_has(&r, "lua print(gpu.hash, gpu.turn)", hash);
	rig_has(&r, "diagnose", "rule not heard: ");
	rig_has(&r, "lua print(#dbg.diagnose().broken_rules > 10)", "true");
	rig_has(&r, "lua print(pcall(string.rep, 'x', 3))", "xxx"); /* the budget is the command's again */
	diagnosis_free(d);
	diagnosis_free(well);
	/* a rule of the user's takes the place of the bundled one of its name */
	put_rule(dir, "thrash", "return function(s) return {" GOOD ", title = 'mine'} end\n");
	assert_non_null(d = diagnose(r.s, &e));
	assert_string_equal(find(d, "thrash")->title, "mine");
	diagnosis_free(d);
	unsetenv("WARPDBG_DIAGNOSE");
	for (u32 i = 0; i < ARRAY_LEN(bad); i++) {
		snprintf(path, sizeof path, "%s/%s.lua", dir, bad[i].name);
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/thrash.lua", dir);
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
	rig_close(&r);
}

/* What a rule sees of a launch: that launch alone, and what the machine did from its start to its end. */
static void scopes(void **state)
{
	char dir[] = "/tmp/diagnose-rules-XXXXXX", path[300], want[200];
	struct rig r;
	struct err e = {0};
	assert_non_null(mkdtemp(dir));
	put_rule(
	    dir, "probe",
	    "return function(s)\n\tlocal n, k = 0, s.launches[1]\n\tfor _, l in ipairs(s.lines) do n = n + l.executed end\n"
	    "\treturn {title = string.format('%d %d %d %d %d', #s.launches, s.launch or -1, s.cycles, n, s.sum.sm.issued), "
	    "slots = 0, evidence = {k.name}, remedy = 'r', test = 't'}\nend\n");
	setenv("WARPDBG_DIAGNOSE", dir, 1);
	run_words(&r, "bfs --size small");
	for (u32 launch = 3; launch < 6; launch++) {
		struct kernel_info k;
		gpu_kernel_info(sim_gpu(r.s->sim), launch, &k);
		struct diagnosis *d = diagnose_launch(r.d, (s32)launch, &e);
		assert_non_null(d);
		const struct kernel_counters *c = k.counters;
		snprintf(want, sizeof want, "1 %u %llu %llu %llu", launch, (unsigned long long)(c->ended_at - c->started_at),
		         (unsigned long long)c->warp_insts, (unsigned long long)c->warp_insts);
		assert_string_equal(find(d, "probe")->title, want);
		assert_string_equal(find(d, "probe")->evidence.text[0], k.name);
		diagnosis_free(d);
	}
	rig_close(&r);
	run_words(&r,
	          "bfs kmeans --size small --partition spatial"); /* launch 2 is another program's, and runs meanwhile */
	struct diagnosis *d = diagnose_launch(r.d, 3, &e);
	assert_non_null(d);
	assert_memory_equal(find(d, "probe")->title, "1 3 ", 4);
	diagnosis_free(d);
	unsetenv("WARPDBG_DIAGNOSE");
	snprintf(path, sizeof path, "%s/probe.lua", dir);
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
	rig_close(&r);
}

int main(void)
{
	setenv("HOME", "/nonexistent", 1); /* no rules of whoever runs the test */
	unsetenv("WARPDBG_DIAGNOSE");
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rules),
	    cmocka_unit_test(all_have_cases),
	    cmocka_unit_test(names_the_conflict),
	    cmocka_unit_test(kmeans_thrashes),
	    cmocka_unit_test(bfs_names_the_launch),
	    cmocka_unit_test(costs_close),
	    cmocka_unit_test(overlapping),
	    cmocka_unit_test(scopes),
	    cmocka_unit_test(changes_nothing),
	    cmocka_unit_test(same_again),
	    cmocka_unit_test(told),
	    cmocka_unit_test(verified),
	    cmocka_unit_test(whatif_from),
	    cmocka_unit_test(bad_rules),
	    cmocka_unit_test(no_gain_exceeds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
