/* Ctrl-C at every moment and inside everything (base/leaving.h): the program ends by the signal, whatever it was doing;
 * a file is as it was or complete, and no part of one is left. Nothing here depends on how fast the machine is: signals
 * come at parts of the processor time that the same command takes undisturbed, or after the program has said where it
 * is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS 60
#define WAIT_MS 60000 /* then it hangs */

/* --- a program under test ------------------------------------------------------------------------------------------ */

struct child {
	pid_t pid;
	int in, out; /* its standard input; its output, errors among them */
	char said[1 << 16];
	size_t n;
	int status;
	struct rusage used;
};

static char dir[] = "/tmp/test_interrupt_XXXXXX";

static void sleep_us(double us)
{
	struct timespec t = {.tv_sec = (time_t)(us / 1e6)};
	t.tv_nsec = (long)((us - (double)t.tv_sec * 1e6) * 1e3);
	nanosleep(&t, NULL);
}

static double now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* A word with the test's directory in place of '@'. */
static char *word(const char *text)
{
	char *w = malloc(strlen(text) + sizeof dir);
	const char *at = strchr(text, '@');
	if (at)
		sprintf(w, "%.*s%s%s", (int)(at - text), text, dir, at + 1);
	else
		strcpy(w, text);
	return w;
}

/* Words separated by blanks; what stands between two '|' is one word. */
static void split(const char *line, char *argv[WORDS])
{
	int n = 0;
	argv[n++] = word(getenv("WARPDBG") ? getenv("WARPDBG") : "./warpdbg");
	while (*(line += strspn(line, " "))) {
		const bool quoted = *line == '|';
		const size_t len = strcspn(line += quoted, quoted ? "|" : " ");
		char *w = strndup(line, len);
		argv[n++] = word(w);
		free(w);
		line += len + (quoted && line[len]);
		assert_true(n < WORDS);
	}
	argv[n] = NULL;
}

static void start_into(struct child *c, const char *line, int out)
{
	char *argv[WORDS];
	int in[2];
	memset(c, 0, sizeof *c);
	c->out = -1;
	split(line, argv);
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	c->pid = fork();
	if (!c->pid) {
		dup2(in[0], 0);
		dup2(out, 1);
		dup2(out, 2);
		signal(SIGINT, SIG_DFL);
		execv(argv[0], argv);
		_exit(127);
	}
	close(in[0]);
	c->in = in[1];
	for (char **w = argv; *w; w++)
		free(*w);
}

static void start(struct child *c, const char *line)
{
	int out[2];
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	start_into(c, line, out[1]);
	close(out[1]);
	c->out = out[0];
}

/* More of what it says. False: there is no more. */
static bool hear(struct child *c)
{
	struct pollfd p = {.fd = c->out, .events = POLLIN};
	if (poll(&p, 1, WAIT_MS) != 1) {
		kill(c->pid, SIGKILL);
		fail_msg("it hangs; so far: %s", c->said);
	}
	if (c->n > sizeof c->said / 2) { /* the end is what counts */
		memmove(c->said, c->said + c->n / 2, c->n - c->n / 2);
		c->n -= c->n / 2;
	}
	const ssize_t n = read(c->out, c->said + c->n, sizeof c->said - 1 - c->n);
	c->n += n > 0 ? (size_t)n : 0;
	c->said[c->n] = 0;
	return n > 0;
}

static void until_said(struct child *c, const char *text)
{
	while (!strstr(c->said, text))
		if (!hear(c))
			fail_msg("it never says '%s': %s", text, c->said);
}

static void say(struct child *c, const char *line)
{
	c->n = 0;
	c->said[0] = 0;
	assert_int_equal(write(c->in, line, strlen(line)), (ssize_t)strlen(line));
}

static int end(struct child *c)
{
	while (c->out >= 0 && hear(c)) {
	}
	for (int i = 0; !wait4(c->pid, &c->status, WNOHANG, &c->used); i++) {
		if (i == WAIT_MS)
			kill(c->pid, SIGKILL);
		sleep_us(i < 100 ? 100 : 1000);
	}
	close(c->in);
	if (c->out >= 0)
		close(c->out);
	return c->status;
}

static void assert_ended_by(struct child *c, int sig, const char *what)
{
	const int status = end(c);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != sig)
		fail_msg("%s: signal %d ends it with wait status 0x%x, after: %s", what, sig, (unsigned)status, c->said);
}

/* --- its files ----------------------------------------------------------------------------------------------------- */

#define FILES " --stats @/s.json --trace @/t.json --timeline @/l.csv --phases @/p.svg"
static const struct output {
	const char *name, *tail;
} outputs[] = {{"s.json", "}\n"}, {"t.json", "\n]}\n"}, {"l.csv", "\n"}, {"p.svg", "</svg>\n"}};
#define NOUTPUTS (sizeof outputs / sizeof *outputs)

static void write_file(const char *name, const char *text)
{
	char path[100];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	fputs(text, f);
	fclose(f);
}

static void old_files(void)
{
	for (size_t i = 0; i < NOUTPUTS; i++)
		write_file(outputs[i].name, "old");
}

/* The end of a file; "" when it is not there. */
static void tail_of(const char *name, char tail[16])
{
	char path[100];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *f = fopen(path, "r");
	size_t n = 0;
	if (f) {
		if (fseek(f, -10, SEEK_END))
			rewind(f);
		n = fread(tail, 1, 15, f);
		fclose(f);
	}
	tail[n] = 0;
}

/* All old, or all complete: what has run has written everything. */
static void assert_files(const char *what, bool may_be_old)
{
	struct dirent *x;
	size_t old = 0;
	DIR *d = opendir(dir);
	while ((x = readdir(d)))
		if (strstr(x->d_name, ".part"))
			fail_msg("%s: %s is left", what, x->d_name);
	closedir(d);
	for (size_t i = 0; i < NOUTPUTS; i++) {
		char tail[16];
		const size_t k = strlen(outputs[i].tail);
		tail_of(outputs[i].name, tail);
		if (!strcmp(tail, "old"))
			old++;
		else if (strlen(tail) < k || strcmp(tail + strlen(tail) - k, outputs[i].tail))
			fail_msg("%s: %s is lost or torn: '%s'", what, outputs[i].name, tail);
	}
	if (old && (!may_be_old || old != NOUTPUTS))
		fail_msg("%s: %d of its files are the old ones", what, (int)old);
}

/* --- at every moment ----------------------------------------------------------------------------------------------- */

/* Processor time, user's and system's, that a child has taken: the clock of its moments, on which a busy machine has no
 * effect. */
static double cpu_us(pid_t pid)
{
	clockid_t clock;
	struct timespec t = {0};
	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return 1e18; /* it is gone */
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = {0};
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

static void until_cpu(struct child *c, double us)
{
	for (double left; (left = us - cpu_us(c->pid)) > 0 && !has_ended(c->pid);) {
		struct pollfd p = {.fd = c->out, .events = POLLIN};
		if (poll(&p, 1, 0) == 1 && p.revents & POLLIN)
			hear(c);
		sleep_us(left > 50 ? left : 50); /* that long at least */
	}
}

static double time_of(const char *line)
{
	struct child c;
	start(&c, line);
	end(&c);
	return (double)(c.used.ru_utime.tv_sec + c.used.ru_stime.tv_sec) * 1e6 +
	       (double)(c.used.ru_utime.tv_usec + c.used.ru_stime.tv_usec);
}

/* Signals at `moments` times from its start to behind its end. */
static void at_moments(const char *line, int moments, bool files)
{
	const double whole = time_of(line);
	for (int i = 0; i < moments; i++) {
		const int sig = i % 4 == 3 ? SIGTERM : SIGINT;
		char what[300];
		struct child c;
		snprintf(what, sizeof what, "%.200s, %d/%d of %.1f ms", line, i, moments, whole / 1e3);
		old_files();
		start(&c, line);
		until_cpu(&c, whole * 1.1 * i / moments);
		kill(c.pid, sig);
		const int status = end(&c);
		const bool ended = WIFEXITED(status) && !WEXITSTATUS(status); /* it was quicker */
		if (!ended && (!WIFSIGNALED(status) || WTERMSIG(status) != sig))
			fail_msg("%s: wait status 0x%x: %s", what, (unsigned)status, c.said);
		if (files)
			assert_files(what, !ended);
	}
}

#define VECADD                                                                                                         \
	"configs/kernels/vecadd.ptx --kernel vecadd --grid 16 --block 256 --arg f32[4096]=iota --arg f32[4096]=1 "         \
	"--arg f32[4096]=zero --arg u32=4096"

static void of_a_run(void **state)
{
	at_moments("run " VECADD " --inspect occupancy" FILES, 80, true);
}

static void of_a_batch(void **state)
{
	at_moments("debug " VECADD " --batch" FILES " -ex |step 100| -ex continue -ex |goto 50|", 80, true);
}

static void of_everything_else(void **state)
{
	static const char *const lines[] = {
	    "list workloads",
	    "explain l1d.hit_rate",
	    "help break",
	    "paper",
	    "compare vecadd --size small --a || --b |--warp-sched lrr| --stats @/s.json",
	    "analyze dependencies vecadd --size small --stats @/s.json",
	    "run vecadd vecadd --size small --alone",
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		at_moments(lines[i], 5, false);
		char tail[16];
		tail_of("s.json", tail);
		assert_true(!strcmp(tail, "old") || !strcmp(tail + strlen(tail) - 2, "}\n"));
	}
}

/* --- inside Lua ---------------------------------------------------------------------------------------------------- */

#define HERE "io.stderr:write('here\\n')"
/* Few instructions a second: a budget of instructions is not used up before the signal comes. */
#define HANG HERE " while true do local s = ('x'):rep(10000) end"
#define ENDLESS "(function() " HANG " end)()"
#define LATER "(function() if gpu.cycle > 9 then " HANG " end return 1 end)()"
#define BACKTRACKS HERE " string.find(('a'):rep(40), ('a*'):rep(25) .. 'b')"
#define BATCH "debug vecadd --size small --batch --allow-io "
#define ON " -ex |echo went on|"

static const struct kind {
	const char *what, *line, *script;
} kinds[] = {
    {"a callback", "run vecadd --size small --allow-io --script @/x.lua", "dbg.on('issue', function() " HANG " end)"},
    {"a sample", "run vecadd --size small --allow-io --script @/x.lua", "dbg.sample(16, function() " HANG " end)"},
    {"a report", "run vecadd --size small --allow-io --script @/x.lua", "dbg.at_end(function() " HANG " end)"},
    {"a coroutine", "run vecadd --size small --allow-io --script @/x.lua",
     "dbg.on('issue', coroutine.wrap(function() " HANG " end))"},
    {"a pattern", "run vecadd --size small --allow-io --script @/x.lua",
     "dbg.on('issue', function() " BACKTRACKS " end)"},
    {"a script", "run vecadd --size small --allow-io --script @/x.lua", HANG},
    {"a host program", "run @/x.lua --allow-io", "return {run = function(cuda) " HANG " end}"},
    {"a check", "run @/x.lua --allow-io", "return {run = function(cuda) cuda.check(function() " HANG " end) end}"},
    {"a batch's host program", "debug @/x.lua --allow-io --batch -ex continue" ON,
     "return {run = function(cuda) " HANG " end}"},
    {"a batch's script", BATCH "--script @/x.lua" ON, HANG},
    {"a condition", BATCH "-ex |break issue if " ENDLESS "| -ex continue" ON, ""},
    {"a line of Lua", BATCH "-ex |lua " HANG "|" ON, ""},
    {"a command file", BATCH "-x @/x.lua" ON, HANG},
    {"print", BATCH "-ex |print " ENDLESS "|" ON, ""},
    {"print that runs the machine",
     BATCH "-ex |print (function() " HERE " while true do pcall(dbg.step, 1) pcall(dbg.goto_cycle, 0) end end)()|" ON,
     ""},
    {"a watched expression", BATCH "-ex |watch " LATER "| -ex continue" ON, ""},
    {"a display", BATCH "-ex |display " LATER "| -ex |step 20|" ON, ""},
    {"until", BATCH "-ex |until " ENDLESS "|" ON, ""},
    {"dbg.over", BATCH "-ex |print (function() " HERE " while true do dbg.over('gpu.ipc', 100) end end)()|" ON, ""},
    {"dbg.run_until", BATCH "-ex |lua dbg.run_until(function() " HANG " end)|" ON, ""},
};

static void of_lua(void **state)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const struct kind *k = &kinds[i];
		struct child c;
		write_file("x.lua", k->script);
		start(&c, k->line);
		until_said(&c, "here\n");
		sleep_us(i % 2 ? 60000 : 0); /* the clock of Lua ticks every 50 ms */
		kill(c.pid, SIGINT);
		assert_ended_by(&c, SIGINT, k->what);
		if (strstr(c.said, "went on") || strstr(c.said, "failed") || !strstr(c.said, "nterrupted"))
			fail_msg("%s: %s", k->what, c.said);
	}
}

/* A policy is not cut: the machine stops behind the cycle. */
static void of_policies(void **state)
{
#define SLOW "for i = 1, 40000 do end "
	static const struct kind policies[] = {
	    {"warp", "--warp-sched lua:@/p.lua",
	     "policy.warp { pick = function(sm, ready) " SLOW "return sm:oldest(ready) end }"},
	    {"CTA", "--cta-sched lua:@/p.lua", "policy.cta { next = function(k, sm) " SLOW "return k:first() end }"},
	    {"partition", "--partition lua:@/p.lua", "policy.partition { plan = function(m) " SLOW "end }"},
	};
	for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
		char line[200];
		struct child c;
		write_file("p.lua", policies[i].script);
		write_file("x.lua", "dbg.sample(1, function(cycle) if cycle == 20 then " HERE " end end)");
		snprintf(line, sizeof line, "run hotspot --allow-io --script @/x.lua %s", policies[i].line);
		start(&c, line);
		until_said(&c, "here\n");
		kill(c.pid, SIGINT);
		assert_ended_by(&c, SIGINT, policies[i].what);
		assert_non_null(strstr(c.said, "interrupted at cycle"));
	}
}

/* --- the prompt ---------------------------------------------------------------------------------------------------- */

/* Ctrl-C in each of these gives the prompt back, and leaves it on. */
static void stays_on(void **state)
{
#define CUT " n = n + 1 if hang then " HANG " end "
	static const char *const lines[][2] = {
	    {"lua dbg.on('cta-done', function() " CUT " end)\n", "dbg.on callback"},
	    {"lua dbg.sample(64, function() " CUT " end)\n", "dbg.sample function"},
	    {"break cta-done if (function() " CUT " end)()\n", "the condition of breakpoint 1"},
	    {"watch (function() if gpu.cycle % 50 == 9 then " CUT " end return 1 end)()\n", "watchpoint 1"},
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct child c;
		start(&c, "debug vecadd --size small --allow-io");
		say(&c, "lua n, hang = 0, false\n");
		say(&c, lines[i][0]);
		say(&c, "lua hang = true\n");
		say(&c, "continue\nprint 'prompt'\n");
		until_said(&c, "here\n");
		kill(c.pid, SIGINT);
		until_said(&c, "prompt\n");
		assert_non_null(strstr(c.said, lines[i][1]));
		assert_non_null(strstr(c.said, "which stays on"));
		say(&c, "lua hang, n = false, 0\n");
		say(&c, "continue\nprint n > 0, 'again'\n");
		until_said(&c, "again\n");
		assert_non_null(strstr(c.said, "check passed"));
		assert_non_null(strstr(c.said, "true"));
		kill(c.pid, SIGINT); /* while it waits for a command: nothing */
		say(&c, "print 6 * 7\n");
		until_said(&c, "42\n");
		close(c.in);
		c.in = open("/dev/null", O_RDONLY);
		assert_int_equal(end(&c), 0);
	}
}

/* --- not at all, and at once --------------------------------------------------------------------------------------- */

/* A pipe that takes no more; its other end. */
static int full_pipe(int *reader)
{
	int p[2];
	static const char block[4096];
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	fcntl(p[1], F_SETFL, O_NONBLOCK);
	while (write(p[1], block, sizeof block) > 0) {
	}
	while (write(p[1], block, 1) > 0) {
	}
	fcntl(p[1], F_SETFL, 0);
	*reader = p[0];
	return p[1];
}

static void until_file(const char *name)
{
	char path[100];
	struct stat st;
	snprintf(path, sizeof path, "%s/%s", dir, name);
	for (double until = now_us() + WAIT_MS * 1e3; stat(path, &st);) {
		assert_true(now_us() < until);
		sleep_us(1000);
	}
}

/* Its report is not taken: one signal makes it wait and write everything, a second one, not the first one's echo, end
 * it at once. Nobody who reads any more ends it at once, too. */
static void with_output_that_nobody_takes(void **state)
{
	enum { TAKEN, AGAIN, GONE };
	static const char line[] = "run vecadd --size small --stats @/s.json --phases @/p.svg";
	for (int how = TAKEN; how <= GONE; how++) {
		struct child c;
		int reader, out = full_pipe(&reader), status;
		old_files();
		start_into(&c, line, out);
		close(out);
		until_file("s.json.part");
		sleep_us(100000);
		if (how != GONE) {
			kill(c.pid, SIGINT);
			kill(c.pid, SIGINT);
			sleep_us(200000);
			assert_int_equal(waitpid(c.pid, &status, WNOHANG), 0);
		}
		if (how == TAKEN)
			c.out = reader;
		else if (how == AGAIN)
			kill(c.pid, SIGINT);
		if (how == GONE)
			close(reader);
		assert_ended_by(&c, how == GONE ? SIGPIPE : SIGINT, line);
		if (how == AGAIN)
			close(reader);
		struct dirent *x;
		DIR *d = opendir(dir);
		while ((x = readdir(d)))
			if (strstr(x->d_name, ".part"))
				fail_msg("%d: %s is left", how, x->d_name);
		closedir(d);
		char tail[16];
		tail_of("s.json", tail);
		assert_true(!strcmp(tail + strlen(tail) - 2, "}\n") || (how != TAKEN && !strcmp(tail, "old")));
	}
}

static int make_dir(void **state)
{
	signal(SIGPIPE, SIG_IGN);
	setenv("XDG_CACHE_HOME", mkdtemp(dir), 1);
	signal(SIGPIPE, SIG_DFL);
	return 0;
}

static int remove_dir(void **state)
{
	char line[100];
	snprintf(line, sizeof line, "rm -rf %s", dir);
	return system(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(of_a_run),
	    cmocka_unit_test(of_a_batch),
	    cmocka_unit_test(of_lua),
	    cmocka_unit_test(of_everything_else),
	    cmocka_unit_test(of_policies),
	    cmocka_unit_test(stays_on),
	    cmocka_unit_test(with_output_that_nobody_takes),
	};
	return cmocka_run_group_tests_name("interrupt", tests, make_dir, remove_dir);
}
