/* Executes runs as child processes of the same program, several at a time. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/leaving.h"
#include "cli/papers/paper.h"
#include "session/progress.h"

#define GRACE_NS 3000000000ull /* from the signal to a child until it is killed */

struct workers {
	struct plan *plan;
	u32 jobs, running, next; /* next: the first run that may not have been looked at */
	u32 done, reused, failed;
	u64 started_ns, drawn_ns;
	bool interrupted, terminal;
	sigset_t signals, before;
};

/* --- files of a run --- */

/* Calls fn with the unfinished and the final path of everything that a run writes. */
static bool each_file(const struct plan *p, const struct paper_run *r, bool (*fn)(const char *part, const char *path))
{
	bool ok = true;
	for (u32 i = 0; i <= r->nfiles; i++) {
		struct strbuf name = STRBUF_INIT;
		if (i < r->nfiles)
			strbuf_addf(&name, "%s.%s", r->files[i].option, r->files[i].ending);
		else
			strbuf_adds(&name, "json"); /* last: it says that the run is complete */
		char *part = run_path(p, r, name.buf, true), *path = run_path(p, r, name.buf, false);
		ok = fn(part, path) && ok;
		free(part);
		free(path);
		strbuf_release(&name);
	}
	return ok;
}

static bool file_exists(const char *part, const char *path)
{
	return !access(path, R_OK);
}
static bool file_finish(const char *part, const char *path)
{
	return !rename(part, path);
}
static bool file_drop(const char *part, const char *path)
{
	struct strbuf own = STRBUF_INIT;
	strbuf_addf(&own, "%s.part", part); /* the child's, if it was killed */
	unlink(own.buf);
	unlink(part);
	strbuf_release(&own);
	return true;
}

static bool have_result(const struct plan *p, const struct paper_run *r)
{
	if (!each_file(p, r, file_exists))
		return false;
	char *path = run_path(p, r, "json", false);
	json_t *o = json_load_file(path, 0, NULL);
	bool ok = json_is_object(o);
	json_decref(o);
	free(path);
	return ok;
}

/* --- one child --- */

/* The words for exec: the program, the run, where it writes. They live until exec, or in the child. */
static char **child_words(const struct plan *p, const struct paper_run *r)
{
	char **argv = xcalloc(r->nwords + 2 * r->nfiles + 8, sizeof *argv);
	u32 n = 0, options = 0;
	while (options < r->nwords && strcmp(r->words[options], "--"))
		options++; /* behind them: an application */
	argv[n++] = xstrdup(p->program);
	for (u32 i = 0; i < options; i++)
		argv[n++] = xstrdup(r->words[i]);
	for (u32 i = 0; i < r->nfiles; i++) {
		struct strbuf option = STRBUF_INIT, name = STRBUF_INIT;
		strbuf_addf(&option, "--%s", r->files[i].option);
		strbuf_addf(&name, "%s.%s", r->files[i].option, r->files[i].ending);
		argv[n++] = option.buf;
		argv[n++] = run_path(p, r, name.buf, true);
		strbuf_release(&name);
	}
	argv[n++] = xstrdup("--stats");
	argv[n++] = run_path(p, r, "json", true);
	argv[n++] = xstrdup("--format");
	argv[n++] = xstrdup("json");
	for (u32 i = options; i < r->nwords; i++)
		argv[n++] = xstrdup(r->words[i]);
	return argv;
}

static _Noreturn void child(const struct workers *w, char **argv, int log, pid_t parent)
{
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* whatever happens to us, nothing goes on without us */
	if (getppid() != parent)
		_exit(127);
#endif
	setpgid(0, 0); /* Ctrl-C comes to us alone, we pass it on */
	int in = open("/dev/null", O_RDONLY);
	if (in < 0 || dup2(in, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		_exit(127);
	sigprocmask(SIG_SETMASK, &w->before, NULL);
	execv("/proc/self/exe", argv); /* this very program, even if its file has been replaced meanwhile */
	_exit(127);
}

static void start(struct workers *w, struct paper_run *r)
{
	char **argv = child_words(w->plan, r);
	pid_t parent = getpid();
	fflush(NULL);
	r->log = memfd_create("log", MFD_CLOEXEC);
	r->pid = r->log < 0 ? -1 : fork();
	if (!r->pid)
		child(w, argv, r->log, parent);
	if (r->pid < 0) {
		struct strbuf why = STRBUF_INIT;
		strbuf_addf(&why, "cannot start a process: %s", strerror(errno));
		r->state = JOB_FAILED;
		r->error = why.buf;
		w->failed++;
		if (r->log >= 0)
			close(r->log);
	} else {
		r->state = JOB_RUNNING;
		w->running++;
	}
	for (u32 i = 0; argv[i]; i++)
		free(argv[i]);
	free(argv);
}

#define LOG_END 65536 /* bytes: errors come last */

/* The end of what the child has printed. */
static void read_log(int log, struct strbuf *out)
{
	char chunk[4096];
	off_t size = lseek(log, 0, SEEK_END), at = size > LOG_END ? size - LOG_END : 0;
	for (ssize_t n; (n = pread(log, chunk, sizeof chunk, at)) > 0; at += n)
		strbuf_add(out, chunk, (size_t)n);
}

/* How the child ended and what it said of that: its first line with the program's name. */
static char *failure_text(int log, int status)
{
	static const char prefix[] = "warpdbg: ";
	struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
	if (WIFSIGNALED(status))
		strbuf_addf(&out, "killed by signal %d", WTERMSIG(status));
	else
		strbuf_addf(&out, "exit status %d", WEXITSTATUS(status));
	read_log(log, &text);
	const char *line = strstr(strbuf_str(&text), prefix);
	if (!line && strstr(strbuf_str(&text), "CHECK FAILED"))
		strbuf_adds(&out, ": the workload's check failed");
	else if (line)
		strbuf_addf(&out, ": %.*s", (int)strcspn(line + strlen(prefix), "\n"), line + strlen(prefix));
	strbuf_release(&text);
	return out.buf;
}

static void clear_line(const struct workers *w)
{
	if (w->terminal)
		fputs("\r\033[K", stderr);
}

static void finish(struct workers *w, struct paper_run *r, int status)
{
	bool ok = WIFEXITED(status) && !WEXITSTATUS(status);
	w->running--;
	if (ok && each_file(w->plan, r, file_finish)) {
		r->state = JOB_DONE;
		w->done++;
	} else if (w->interrupted) {
		r->state = JOB_WAITING;
	} else {
		struct strbuf text = STRBUF_INIT;
		r->state = JOB_FAILED;
		r->error = ok ? xstrdup("its results are not there") : failure_text(r->log, status);
		w->failed++;
		run_text(r, &text);
		clear_line(w);
		fprintf(stderr, "warpdbg: run failed: %s: %s\n", strbuf_str(&text), r->error);
		strbuf_release(&text);
	}
	if (r->state != JOB_DONE)
		each_file(w->plan, r, file_drop);
	close(r->log);
}

static void reap(struct workers *w)
{
	for (u32 i = 0; i < w->next; i++) {
		struct paper_run *r = &w->plan->runs[i];
		int status;
		if (r->state != JOB_RUNNING)
			continue;
		pid_t got = waitpid(r->pid, &status, WNOHANG);
		if (got == r->pid)
			finish(w, r, status);
		else if (got < 0 && errno != EINTR)
			BUG("a child is lost");
	}
}

/* --- all of them --- */

static void time_left(const struct workers *w, struct strbuf *out)
{
	u32 finished = w->done + w->failed, left = w->plan->n - finished - w->reused;
	if (!finished || !left)
		return;
	double s = (double)(host_ns() - w->started_ns) * 1e-9 / finished * left;
	strbuf_addf(out, s < 90 ? "  about %.0f s left" : "  about %.0f min left", s < 90 ? s : s / 60);
}

static void draw(struct workers *w)
{
	u64 now = host_ns();
	if (!w->terminal || now - w->drawn_ns < 200000000ull)
		return;
	struct strbuf text = STRBUF_INIT;
	w->drawn_ns = now;
	strbuf_addf(&text, "%u of %u runs", w->done + w->failed + w->reused, w->plan->n);
	if (w->reused)
		strbuf_addf(&text, ", %u from before", w->reused);
	if (w->failed)
		strbuf_addf(&text, ", %u failed", w->failed);
	time_left(w, &text);
	fprintf(stderr, "\r\033[K%.79s", text.buf);
	fflush(stderr);
	strbuf_release(&text);
}

static void start_more(struct workers *w)
{
	while (w->running < w->jobs && w->next < w->plan->n) {
		struct paper_run *r = &w->plan->runs[w->next++];
		if (have_result(w->plan, r)) {
			r->state = JOB_REUSED;
			w->reused++;
		} else {
			start(w, r);
		}
	}
}

static void signal_children(const struct workers *w, int sig)
{
	for (u32 i = 0; i < w->next; i++)
		if (w->plan->runs[i].state == JOB_RUNNING)
			kill(w->plan->runs[i].pid, sig);
}

/* The next signal, or none within a fifth of a second. */
static int wait_signal(const struct workers *w)
{
	const struct timespec tick = {.tv_nsec = 200000000};
	return sigtimedwait(&w->signals, NULL, &tick);
}

static void stop_children(struct workers *w, int sig)
{
	u64 until = host_ns() + GRACE_NS;
	bool killed = false;
	w->interrupted = true;
	leaving_note(sig);
	clear_line(w);
	signal_children(w, SIGINT);
	for (reap(w); w->running; reap(w)) {
		sig = wait_signal(w);
		bool again = sig > 0 && sig != SIGCHLD;
		if (!killed && (again || host_ns() > until)) {
			signal_children(w, SIGKILL);
			killed = true;
		}
	}
}

static void begin(struct workers *w)
{
	static const int wanted[] = {SIGCHLD, SIGINT, SIGTERM};
	struct sigaction hangup;
	sigemptyset(&w->signals);
	for (u32 i = 0; i < ARRAY_LEN(wanted); i++)
		sigaddset(&w->signals, wanted[i]);
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN) /* nohup */
		sigaddset(&w->signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &w->signals, &w->before);
	w->terminal = isatty(STDERR_FILENO);
	w->started_ns = host_ns();
}

static void end(struct workers *w)
{
	clear_line(w);
	sigprocmask(SIG_SETMASK, &w->before, NULL);
	fprintf(stderr, "%u runs: %u done, %u from before, %u failed%s\n", w->plan->n, w->done, w->reused, w->failed,
	        w->interrupted ? "; interrupted: the same command goes on from here" : "");
}

bool plan_execute(struct plan *p, u32 jobs)
{
	struct workers w = {.plan = p, .jobs = jobs};
	begin(&w);
	start_more(&w);
	while (w.running && !w.interrupted) {
		int sig = wait_signal(&w);
		if (sig > 0 && sig != SIGCHLD) {
			stop_children(&w, sig);
			break;
		}
		reap(&w);
		start_more(&w);
		draw(&w);
	}
	end(&w);
	return !w.interrupted;
}
