/* Line counters (src/probe/line_counters.def): every sum of them is a figure of the machine's, on machines of every
 * kind and in the middle of a run; time travel brings them back; and they find the line that costs the slots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

#include "obs/record/line_rows.h"
#include "tests/rig/debug_rig.h"

#define MAX_ARGS 24

/* What differs of: the sum of a line counter, the same from the machine's counters. */
#define SUMS                                                                                                           \
	"lua local sum = {} for _, l in ipairs(dbg.lines()) do for k, v in pairs(l) do if math.type(v) == 'integer' then " \
	"sum[k] = (sum[k] or 0) + v end end end "                                                                          \
	"local sms = setmetatable({}, {__index = function(_, k) local n = 0 for _, m in pairs(gpu.sm) do n = n + m[k] "    \
	"end return n end}) "                                                                                              \
	"local s, lost = gpu.stalls(), 0 "                                                                                 \
	"for _, k in ipairs{'lsu busy', 'l1 no line', 'l1 no mshr', 'l1 merge full', 'l1 queue full', 'pipe busy'} do "    \
	"lost = lost + (s[k] or 0) end "                                                                                   \
	"local bad = '' local function law(name, a, b) if a ~= b then "                                                    \
	"bad = bad .. name .. ' ' .. tostring(a) .. ' ~= ' .. tostring(b) .. '; ' end end "                                \
	"law('executed', sum.executed or 0, sms.issued) law('lanes', sum.lanes or 0, sms.thread_insts) "                   \
	"law('slots', sum.slots or 0, sms.issue_slots) law('conflicts', sum.shared_conflicts or 0, sms.shared_conflicts) " \
	"law('refused', sum.refused or 0, sms.lsu_blocked) law('blocked', sum.blocked or 0, sum.suffered or 0) "           \
	"law('evicted', sum.evicted or 0, gpu.l1d.evictions) "                                                             \
	"law('suffered', sum.suffered or 0, lost) law('diverged', sum.diverged or 0, sms.divergent) "                      \
	"print(bad == '' and 'every sum closes' or bad)"

/* At the end every transaction of a load has been answered from one place. */
#define ANSWERS                                                                                                        \
	"lua local bad, n = '', 0 for _, l in ipairs(dbg.lines('pc')) do local t = l.l1_hits + l.l2_hits + l.dram "        \
	"n = n + t if t > 0 and t ~= l.transactions then bad = bad .. l.place .. ': ' .. t .. ' of ' .. l.transactions "   \
	".. '; ' end end print(bad == '' and n > 0 and 'all answered' or bad)"

static const char *const machines[] = {
    "hotspot --gpu gtx480",
    "kmeans --gpu v100",
    "spmv --gpu gpgpusim_v100",
    "bfs --gpu gtx480 --set lsu.replay=newcar",
    "histogram --gpu kepler",
    "tensor/hgemm --gpu a100",
    "matmul --gpu rtx3070 --set sm.dependences=counters --set sm.read_ports=true",
    "sgemm --gpu gtx980 --warp-sched gty",
    "lud --gpu fermi28",
    "btree --gpu rtx2080ti --warp-sched ccws",
    "kmeans --gpu fermi28 --cta-virtual vt",
};

static void sums_close(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(machines); i++) {
		struct rig r;
		char line[300];
		snprintf(line, sizeof line, "%s --size small", machines[i]);
		print_message("%s\n", line);
		rig_words(&r, line);
		for (u32 k = 0; k < 3; k++) {
			rig_say(&r, "step 1733");
			rig_has(&r, SUMS, "every sum closes");
		}
		rig_say(&r, "continue");
		rig_has(&r, SUMS, "every sum closes");
		rig_has(&r, ANSWERS, "all answered");
		rig_close(&r);
	}
}

/* Where CTAs are taken off their SMs, dropped and brought back. */
static void preempted(void **state)
{
	static const char *const by[] = {"switch", "drain", "flush"};
	struct rig r;
	rig_words(&r, "kmeans --size small --dynamic-idempotence");
	rig_say(&r, "until 5000");
	for (u32 i = 0; i < 6; i++) {
		char line[80];
		snprintf(line, sizeof line, "preempt sms 3 within 5 by %s", by[i % 3]);
		rig_say(&r, line);
		rig_say(&r, "step 1700");
		rig_has(&r, SUMS, "every sum closes");
		rig_try(&r, "release sms");
		rig_say(&r, "step 500");
		rig_has(&r, SUMS, "every sum closes");
	}
	assert_true(atof(rig_say(&r, "print gpu.kernel[0].ctas_switched")) > 0);
	rig_close(&r);
}

#define ROWS                                                                                                           \
	"lua local s = '' for _, l in ipairs(dbg.lines()) do s = s .. l.pc .. ':' for _, k in ipairs{'executed', "         \
	"'transactions', 'l1_hits', 'dram', 'held', 'refused', 'blocked', 'suffered', 'awaited', 'awaited_memory', "       \
	"'awaited_fetch'} do s = s .. l[k] .. ' ' end end print(s, gpu.hash)"

/* Where one is, and not how one came there, says what has been counted. */
static void travels(void **state)
{
	static const char *const at[] = {"6700", "9001", "10400"};
	for (u32 m = 0; m < 4; m++) {
		struct rig r;
		char line[300], was[ARRAY_LEN(at)][32768];
		snprintf(line, sizeof line, "%s --size small", machines[m]);
		rig_words(&r, line);
		for (u32 i = 0; i < ARRAY_LEN(at); i++) {
			snprintf(line, sizeof line, "until %s", at[i]);
			rig_say(&r, line);
			snprintf(was[i], sizeof was[i], "%s", rig_say(&r, ROWS));
		}
		assert_non_null(strchr(was[1], ':'));
		rig_try(&r, "step 3000");
		for (u32 k = 0; k < 2 * ARRAY_LEN(at); k++) {
			const u32 i = k * 2 % ARRAY_LEN(at);
			snprintf(line, sizeof line, "goto %s", at[i]);
			rig_say(&r, line);
			assert_string_equal(rig_say(&r, ROWS), was[i]);
			rig_say(&r, "reverse-step 40");
			rig_say(&r, "step 40");
			assert_string_equal(rig_say(&r, ROWS), was[i]);
			rig_has(&r, SUMS, "every sum closes");
		}
		rig_close(&r);
	}
}

/* Snapshots in the middle of everything: what is charged next depends on what was in the way then. */
static void snapshots(void **state)
{
	enum { PLACES = 24 };
	for (u32 m = 0; m < 4; m++) {
		struct rig r;
		char line[300], *was[PLACES];
		snprintf(line, sizeof line, "%s --size small", machines[m]);
		rig_words(&r, line);
		rig_say(&r, "until 7000");
		for (u32 i = 0; i < PLACES; i++) {
			snprintf(line, sizeof line, "until %u", 7000 + 91 * (i + 1));
			rig_say(&r, line);
			rig_say(&r, "lua assert(dbg.snapshot())");
			rig_say(&r, "step 7");
			was[i] = xstrdup(rig_say(&r, ROWS));
		}
		for (u32 k = 0; k < PLACES; k++) {
			const u32 i = (k * 7 + 3) % PLACES;
			snprintf(line, sizeof line, "goto %u", 7000 + 91 * (i + 1));
			rig_say(&r, line);
			rig_say(&r, "step 7");
			assert_string_equal(rig_say(&r, ROWS), was[i]);
		}
		for (u32 i = 0; i < PLACES; i++)
			free(was[i]);
		rig_close(&r);
	}
}

/* A module that comes in the middle of a run comes again after going back, and its counters with it. */
static void later_modules(void **state)
{
	struct rig r;
	char was[32768];
	rig_words(&r, "tests/kernels/two_modules.lua");
	rig_say(&r, "continue");
	snprintf(was, sizeof was, "%s", rig_say(&r, ROWS));
	rig_has(
	    &r,
	    "lua local n = 0 for _, l in ipairs(dbg.lines()) do if l.place:find 'transpose' then n = n + l.executed end "
	    "end print(n > 0 and 'both' or 'one')",
	    "both");
	for (u32 i = 0; i < 3; i++) {
		rig_say(&r, "goto 100"); /* before the second one */
		rig_say(&r, "continue");
		assert_string_equal(rig_say(&r, ROWS), was);
		rig_has(&r, SUMS, "every sum closes");
	}
	rig_close(&r);
}

/* Nobody counts in a run without JSON, and the machine's state is the same there. */
static void changes_nothing(void **state)
{
	for (u32 i = 0; i < 4; i++) {
		struct options o = {0};
		struct err e = {0};
		char words[300], *argv[MAX_ARGS];
		u32 n = 0;
		snprintf(words, sizeof words, "warpdbg run %s --size small", machines[i]);
		for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
			argv[n++] = w;
		assert_int_equal(cmdline_parse(&o, (int)n, argv, &e), CMDLINE_OK);
		struct session *s = session_open(&o, console_modules, &e);
		assert_non_null(s);
		assert_true(session_run_script(s, &e));
		session_run(s, 3000, &e);
		assert_true(sim_cycle(s->sim) == 3000);
		char line[300], hash[40];
		snprintf(hash, sizeof hash, "%016llx", (unsigned long long)sim_hash(s->sim));
		u32 rows;
		assert_null(line_rows(sim_gpu(s->sim), LINE_BY_PC, &rows));
		session_close(s);
		cmdline_free(&o);
		struct rig r;
		snprintf(line, sizeof line, "%s --size small", machines[i]);
		rig_words(&r, line);
		rig_say(&r, "until 3000");
		rig_has(&r, "lua print(gpu.hash)", hash);
		rig_close(&r);
	}
}

/* Lines that nobody has read before come from DRAM, all of them. */
static void from_dram(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "continue");
	rig_has(&r,
	        "lua for _, l in ipairs(dbg.lines()) do if l.dram > 0 then print(l.requests, l.transactions, l.sectors, "
	        "l.dram, l.l1_hits, l.l2_hits) end end",
	        "512\t512\t2048\t512\t0\t0\n512\t512\t2048\t512\t0\t0\n");
	rig_close(&r);
}

static const char conflict[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".visible .entry k(.param .u64 out)\n{\n"
                               ".reg .b32 %r<16>;\n.reg .b64 %d<4>;\n.reg .pred %p;\n"
                               ".shared .align 4 .b8 s[4096];\n"
                               "mov.u32 %r1, %tid.x;\n"
                               "mov.u32 %r5, s;\n"
                               "and.b32 %r9, %r1, 31;\n"
                               "shl.b32 %r2, %r9, 7;\n"
                               "add.u32 %r2, %r2, %r5;\n"
                               "shl.b32 %r3, %r9, 2;\n"
                               "add.u32 %r3, %r3, %r5;\n"
                               "mov.u32 %r4, 0;\n"
                               "L:\n"
                               "ld.shared.u32 %r6, [%r3];\n"   /* line 19 */
                               "ld.shared.u32 %r7, [%r2];\n"   /* line 20: 32 words of one bank */
                               "ld.shared.u32 %r8, [%r3+4];\n" /* line 21 */
                               "add.u32 %r10, %r6, %r7;\n"
                               "add.u32 %r10, %r10, %r8;\n"
                               "add.u32 %r4, %r4, 1;\n"
                               "setp.lt.u32 %p, %r4, 64;\n"
                               "@%p bra L;\n"
                               "ld.param.u64 %d1, [out];\n"
                               "st.global.u32 [%d1], %r10;\n"
                               "ret;\n}\n";

/* A 32-way bank conflict: of three loads beside each other the tables name the one that costs. */
static void finds_the_conflict(void **state)
{
	char path[] = "/tmp/line-counters-XXXXXX.ptx", words[200], *to = NULL;
	const int fd = mkstemps(path, 4);
	assert_true(fd >= 0 && write(fd, conflict, strlen(conflict)) == (ssize_t)strlen(conflict));
	close(fd);
	struct rig r;
	snprintf(words, sizeof words, "%s --kernel k --grid 16 --block 256 --arg u32[64]=zero", path);
	rig_words(&r, words);
	rig_say(&r, "continue");
	static const char *const by[] = {"blocked", "shared_conflicts", "held", "transactions", "awaited"};
	for (u32 i = 0; i < ARRAY_LEN(by); i++) {
		char line[40];
		snprintf(line, sizeof line, "info code %s 1", by[i]);
		const char *row = strchr(rig_say(&r, line), '\n');
		assert_non_null(row);
		to = strstr(row, ".ptx:");
		assert_non_null(to);
		if (strncmp(to, ".ptx:20 ", 8) != 0)
			fail_msg("%s names another line: %s", by[i], strbuf_str(&r.out));
	}
	rig_has(
	    &r,
	    "lua for _, l in ipairs(dbg.lines('ptx')) do if l.shared_conflicts > 0 then print(l.shared_conflicts, l.requests, "
	    "l.transactions) end end",
	    "253952\t8192\t262144\n"); /* 16 CTAs x 8 warps x 64 times, 31 cycles more than 1 each */
	rig_close(&r);
	unlink(path);
}

/* Whose lines are replaced: as the event l1-evict says of each. */
static void evictions(void **state)
{
	static const char *const runs[] = {"kmeans", "bfs kmeans --size small --partition smk"};
	for (u32 i = 0; i < ARRAY_LEN(runs); i++) {
		struct rig r;
		rig_words(&r, runs[i]);
		rig_say(&r, "lua n = {0, 0, 0} dbg.on('l1-evict', function(e) n[1] = n[1] + 1 "
		            "if e.owner_kernel ~= e.kernel then n[3] = n[3] + 1 "
		            "elseif e.owner_cta ~= e.cta then n[2] = n[2] + 1 end end)");
		rig_say(&r, "until 20000");
		rig_has(&r,
		        "lua local s = {0, 0, 0} for _, l in ipairs(dbg.lines()) do s[1] = s[1] + l.evicted "
		        "s[2] = s[2] + l.evicted_ctas s[3] = s[3] + l.evicted_launches end "
		        "print(s[1] == n[1] and s[2] == n[2] and s[3] == n[3] and s[2] + s[3] > 0 and 'as told', "
		        "table.concat(s, ' '), table.concat(n, ' '))",
		        "as told");
		print_message("%s", strbuf_str(&r.out));
		rig_close(&r);
	}
}

static void told(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_has(&r, "info code", "No code has been executed yet.");
	rig_say(&r, "until 4000");
	rig_has(&r, "info code", "slots %*");
	rig_has(&r, "info code cuda 3", "hotspot.cu:");
	rig_has(&r, "info code pc by transactions 2", "txn/req*");
	rig_has(&r, "info hot 1", "slots %*");
	rig_has(&r, "info code diverged", "diverged*");
	rig_fails(&r, "info code transaction", "no such column 'transaction' (did you mean 'transactions'?)");
	rig_fails(&r, "info code 99999999999", "info code");
	rig_fails(&r, "lua dbg.lines('file')", "invalid option 'file'");
	rig_has(&r, "explain line.blocked", "issue slots that other warps lost");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sums_close),         cmocka_unit_test(preempted),     cmocka_unit_test(travels),
	    cmocka_unit_test(snapshots),          cmocka_unit_test(later_modules), cmocka_unit_test(changes_nothing),
	    cmocka_unit_test(finds_the_conflict), cmocka_unit_test(told),          cmocka_unit_test(from_dram),
	    cmocka_unit_test(evictions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
