/* fuzz_screen: random keys, commands, sizes and interrupts for the debugger on a pseudo-terminal. Meant for a build
 * with sanitizers:  fuzz_screen PROGRAM [SECONDS [SEED]]
 *
 * Fails when the program ends by a signal or with the sanitizers' exit status (memory lost at `quit` counts), or when
 * it does not answer a command within WAIT after an interrupt; then it prints the seed and the inputs that led there.
 * Run from the root of the tree: the libraries' own leaks are named in tests/tools/leaks.supp. */
#include "tests/rig/vt.h"
#include "tests/rig/fuzz_words.h"

#define WAIT 60000 /* ms; sanitized builds on busy machines are slow */
#define SANITIZER_STATUS 99
#define ROUND 150 /* inputs between two signs of life */

#define COUNT FUZZ_COUNT

static uint64_t state;
static unsigned rnd(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)((state >> 32) % n);
}

/* --- inputs ------------------------------------------------------------------------------------------------------ */
static const char *const keys[] = {
    "_",          "w",
    "1",          "2",
    "4",          "5",
    "6",          "7",
    "8",          "0",
    "3",          "9",
    " ",          ".",
    "?",          "/",
    "\t",         "\033[Z",
    "+",          "-",
    "t",          "T",
    "a",          "f",
    "m",          "n",
    "N",          "j",
    "k",          "\033[A",
    "\033[B",     "\033[C",
    "\033[D",     "\033OA",
    "\033OB",     "\033OC",
    "\033OD",     "\033[5~",
    "\033[6~",    "\033[H",
    "\033[F",     "\033[3~",
    "\r",         "\r",
    "\n",         "\003",
    "\003",       "\014",
    "\020",       "\016",
    "\022",       "\007",
    "\025",       "\027",
    "\010",       "\177",
    "\001",       "\005",
    "\031",       "\024",
    "\026",       "\033",
    "\033b",      "\033d",
    "\0335",      "qn",
    "q\033",      ":",
    "=",          ",",
    "[",          "]",
    "\303\244",   "\342\226",
    "\377",       "\200",
    "\033[M !!",  "\033[200~x\033[201~",
    "\033[999~",  "\033]0;x\007",
    "\030\005",   "h",
    "c",          "o",
    "<",          ">",
    "\033[200~",  "\033[201~",
    "....,,.",    "\033[200~step 3\r(wd) print 1\r\302",
    "  step 2\r", "\tcontinue",
    "\033[6~",    "\033[5~",
};
static const char *const commands[] = {
    "step",
    "next",
    "finish",
    "until",
    "continue",
    "run",
    "compare",
    "compare --warp-sched lrr",
    "compare by insts --seed 1",
    "compare off",
    "break",
    "tbreak",
    "watch",
    "delete",
    "enable",
    "disable",
    "ignore",
    "condition",
    "commands",
    "focus",
    "info",
    "list",
    "why",
    "explain",
    "print",
    "display",
    "undisplay",
    "x",
    "set",
    "lua",
    "source",
    "echo",
    "help",
    "backtrace",
    "set palette light",
    "set palette dark",
    "set palette auto",
    "save breakpoints /dev/null",
    "disable $bpnum",
    "goto 3000",
    "print threadIdx.x",
    "export trace /dev/null",
    "export csv '/dev/null'",
    "report /dev/null",
    "screenshot '",
    "s",
    "c",
    "i",
    "p",
    "x/8xw",
    "p/x",
    "b",
    "end",
    "silent",
    "tb",
    "rs",
    "rn",
    "rc",
    "goto",
    "undo",
    "bookmark",
    "reverse-step 20",
    "reverse-finish",
    "goto 300",
    "set warp-sched lrr",
    "set cta-sched lcs",
    "set cta-sched dyncta",
    "set cta-sched rr",
    "pause cta 0",
    "resume cta 0",
    "halt cta 1",
    "drop cta 1",
    "save cta 2",
    "restore cta 2",
    "restore cta",
    "help keys",
    "help breakpoints",
    "help cta",
    "explain cta_limit",
    "lua print(pcall(gpu.pause, 0)) print(pcall(gpu.resume, 0))",
    "lua error(setmetatable({}, {__tostring = error}))",
    "lua for i = 1, 200 do print(i) end",
    "set warp-sched lua:gto",
    "set mouse on",
    "set mouse off",
    "set pagination on",
    "set editing vi",
    "set editing emacs",
    "alias q1 = step 3",
    "q1",
    "unalias q1",
    "break stat gpu.ipc > 3",
    "break becomes memory",
    "break cta-done count=7",
    "break divergence --warp-sched lrr",
    "watch %r1",
    "watch shared:0:8",
};
static const char *const words[] = {
    "sms",
    "ctas",
    "warps",
    "lanes",
    "cache",
    "cache slice 1",
    "reuse",
    "reuse lines",
    "kernels",
    "registers",
    "stack",
    "events",
    "breakpoints",
    "mshrs",
    "queues",
    "allocation",
    "stalls",
    "display",
    "line",
    "barriers",
    "focus",
    "all",
    "sm",
    "warp",
    "lane",
    "cta",
    "kernel",
    "pc",
    "cycle",
    "if",
    "hotspot",
    "hotspot:150",
    "cta-done",
    "barrier-arrive",
    "issue",
    "stall",
    "l1-miss",
    "0",
    "1",
    "2",
    "7",
    "31",
    "99",
    "-1",
    "4294967296",
    "18446744073709551616",
    "0x100220900",
    "%r1",
    "%rd1",
    "%p9",
    "$pc",
    "gpu.cycle",
    "gpu.sm[3].l1d.misses",
    "gpu.sm[0].warp[0].pc",
    "gpu.sm",
    "gpu.l2",
    "gpu.nothing",
    "==",
    "<",
    "(",
    ")",
    "{",
    "}",
    "[",
    "\"",
    "'",
    ",",
    "%",
    "%s%n",
    "nil",
    "true",
    "function() end",
    "while true do end",
    "error('x')",
    "string.rep('x',1e6)",
    "dbg.step(3)",
    "dbg.on('cta-done', function(e) dbg.step() end)",
    "dbg.break_on('cta-dispatch')",
    "dbg.run_until(function() return true end)",
    "warp-sched",
    "lrr",
    "gto",
    "tlv",
    "cta-sched",
    "rr",
    "taxonomy",
    "elf",
    "nsight",
    "log",
    "none",
    "keep-going",
    "on",
    "off",
    "deadlock_cycles",
    "max_ctas_per_sm",
    "/nonexistent",
    "/",
    "\303\244\342\202\254",
    "\001",
    "power",
    "shared:0",
    "machine",
    "gpu.hash",
    "mem.read_u8(0)",
    "mem.write_u32(0x100220900, 7)",
    "mem.read_f32(0x100220900, 1e9)",
    "setmetatable(_G, nil)",
};

static void random_command(char *out, size_t size)
{
	size_t n = 0;
	unsigned more = rnd(2) ? rnd(5) : 0;
	if (rnd(2))
		fuzz_line(rnd, out, size);
	else
		snprintf(out, size, "%s", commands[rnd(COUNT(commands))]);
	n = strlen(out);
	for (unsigned i = 0; i < more && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s", rnd(8) ? " " : rnd(2) ? "=" : "", words[rnd(COUNT(words))]);
	if (!rnd(20))
		for (unsigned i = 0; i < 300 && n + 3 < size; i++)
			out[n++] = (char)(' ' + rnd(95));
	n = n < size - 2 ? n : size - 2;
	snprintf(out + n, size - n, "%s", rnd(10) ? "\r" : rnd(2) ? "\t\t" : "\003");
}

/* --- what was sent, for the report ------------------------------------------------------------------------------- */
#define REMEMBERED 400
static char sent[REMEMBERED][640];
static unsigned nsent;

static void send_input(struct vt *v, const char *text)
{
	snprintf(sent[nsent++ % REMEMBERED], sizeof sent[0], "%s", text);
	vt_send(v, text);
}

static int report(struct vt *v, uint64_t seed, const char *what)
{
	char row[VT_TEXT_MAX];
	fprintf(stderr, "fuzz_screen: %s (seed %llu, status %#x); inputs, oldest first:\n", what, (unsigned long long)seed,
	        v->status);
	for (unsigned i = nsent > REMEMBERED ? nsent - REMEMBERED : 0; i < nsent; i++) {
		for (const char *p = sent[i % REMEMBERED]; *p; p++)
			fprintf(stderr, *p > ' ' - 1 && *p < 127 ? "%c" : "\\x%02x", (unsigned char)*p);
		fputc('\n', stderr);
	}
	for (int y = 0; y < v->h; y++)
		fprintf(stderr, "%2d|%s\n", y, vt_row(v, y, row));
	vt_free(v);
	return 1;
}

/* --- rounds ------------------------------------------------------------------------------------------------------ */
static void start(struct vt *v, const char *program)
{
	static const char *const workloads[] = {"hotspot",    "vecadd",          "bfs",   "reduction",
	                                        "ikra_steal", "concurrent/pair", "vecadd"};
	const char *workload = FUZZ_PICK(workloads);
	const char *argv[28] = {program, "debug", workload, "--size", "small"};
	int argc = 5;
	if (strchr(workload, '/')) {
		static const char *const pair[] = {"--param", "a=reduction", "--param", "b=vecadd"};
		for (unsigned i = 0; i < COUNT(pair); i++)
			argv[argc++] = pair[i];
	}
	if (!strcmp(workload, "vecadd") && rnd(2)) { /* programs that share the machine */
		argv[argc++] = "bfs";
		if (rnd(2))
			argv[argc++] = "--again";
	}
	/* Policies that go together: a machine that is refused would show nothing. */
	static char policy[POLICY_KINDS][64];
	bool idempotence = rnd(2);
	if (idempotence)
		argv[argc++] = "--dynamic-idempotence";
	for (unsigned k = 0; k < POLICY_KINDS; k++) {
		if (k == POLICY_PREEMPT || rnd(3))
			continue; /* preempt: `set` has it */
		snprintf(policy[k], sizeof(policy[k]), "--%s=%s", policy_kinds[k].key, fuzz_policy(rnd, k));
		argv[argc++] = policy[k];
	}
	if (rnd(2)) {
		argv[argc++] = "--gpu";
		argv[argc++] = rnd(2) ? "kepler" : "gtx980";
	}
	/* The sanitizer's handlers before the program's own, which only restore the terminal. Leaks count, but for what
	 * readline and ncurses keep (known by their frames, so stacks have to be whole). More options may come from outside
	 * (log_path=FILE). */
	static char asan[512], ubsan[512];
	const char *more = getenv("ASAN_OPTIONS"), *more_ub = getenv("UBSAN_OPTIONS");
	snprintf(asan, sizeof asan,
	         "ASAN_OPTIONS=exitcode=99:detect_leaks=1:fast_unwind_on_malloc=0:malloc_context_size=15:handle_segv=2:"
	         "handle_sigbus=2:handle_sigfpe=2:handle_abort=2:handle_sigill=2:%s",
	         more ? more : "");
	snprintf(ubsan, sizeof ubsan, "UBSAN_OPTIONS=exitcode=99:print_stacktrace=1:%s", more_ub ? more_ub : "");
	const char *env[] = {"HOME=/nonexistent",
	                     "XDG_STATE_HOME=/nonexistent",
	                     "INPUTRC=/dev/null",
	                     asan,
	                     ubsan,
	                     "LSAN_OPTIONS=suppressions=tests/tools/leaks.supp:print_suppressions=0",
	                     rnd(4) ? "X=" : "NO_COLOR=1",
	                     rnd(4) ? "Y=" : "LC_ALL=C",
	                     NULL};
	vt_spawn(v, 24, 80, (char **)argv, env);
	vt_wait(v, "(wd)", WAIT);
	v->deaf = true;
}

static void one_input(struct vt *v)
{
	char text[600];
	unsigned what = rnd(20);
	if (what < 9) {
		send_input(v, keys[rnd(COUNT(keys))]);
	} else if (what < 18) {
		random_command(text, sizeof text);
		send_input(v, text);
	} else {
		int h = rnd(6) ? 1 + (int)rnd(70) : 24, w = rnd(6) ? 1 + (int)rnd(250) : 80;
		snprintf(text, sizeof text, "(size %dx%d)", w, h);
		snprintf(sent[nsent++ % REMEMBERED], sizeof sent[0], "%s", text);
		vt_resize(v, h, w);
	}
	vt_read(v, (int)rnd(12));
}

/* After an interrupt the prompt must take a command. */
static bool alive(struct vt *v, unsigned id)
{
	char text[64], want[32];
	snprintf(want, sizeof want, "%u", 7000000 + id); /* the answer, not the command as it was typed */
	snprintf(text, sizeof text, "print 7000000 + %u\r", id);
	vt_resize(v, 24, 80);
	vt_settle(v, 100, 2000); /* what was drawn for other sizes */
	vt_hear(v);
	int64_t end = vt_ms() + WAIT;
	while (!v->ended && vt_ms() < end) {
		static const char *const calm[] = {"\003", "\033", "\033", "\003", "\014"};
		for (unsigned i = 0; i < COUNT(calm); i++) {
			send_input(v, calm[i]);
			vt_settle(v, 150, 2000);
		}
		send_input(v, text);
		if (vt_wait(v, want, 5000) >= 0) {
			v->deaf = true;
			return true;
		}
	}
	return v->ended;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
	int64_t end = vt_ms() + 1000ll * (argc > 2 ? atoi(argv[2]) : 60);
	unsigned inputs = 0, starts = 0;
	if (argc < 2) {
		fprintf(stderr, "usage: fuzz_screen PROGRAM [SECONDS [SEED]]\n");
		return 2;
	}
	state = seed * 0x9e3779b97f4a7c15ull + 1;
	while (vt_ms() < end) {
		struct vt v;
		nsent = 0;
		start(&v, argv[1]);
		starts++;
		for (unsigned i = 1; !v.ended && i < ROUND * 8 && vt_ms() < end; i++, inputs++) {
			one_input(&v);
			if (i % ROUND == 0 && !alive(&v, i))
				return report(&v, seed, "no answer");
		}
		if (!v.ended) {
			alive(&v, 0);
			vt_hear(&v); /* a sanitizer's report is worth showing */
			vt_send(&v, "quit\r");
			vt_wait_end(&v, WAIT);
		}
		if (!v.ended)
			return report(&v, seed, "it does not leave");
		if (!WIFEXITED(v.status) || WEXITSTATUS(v.status) == SANITIZER_STATUS)
			return report(&v, seed, "it crashed");
		vt_free(&v);
	}
	printf("fuzz_screen: %u inputs in %u sessions, no crash\n", inputs, starts);
	return 0;
}
