#include "session/app/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "cudart/clock.h"
#include "cudart/wire.h"

#define PRELOAD "libwarpdbg-preload.so"
#define CLOCK "libwarpdbg-clock.so"

/* --- where the library is --- */

char *process_library_dir(struct err *e)
{
	static const char *const places[] = {"cudart", "build/cudart", "../lib/warpdbg", "../../cudart", "../cudart"};
	char exe[4096], *slash;
	const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	exe[MAX(n, 0)] = 0;
	if ((slash = strrchr(exe, '/')))
		*slash = 0;
	for (u32 i = 0; i < ARRAY_LEN(places); i++) {
		struct strbuf path = STRBUF_INIT;
		strbuf_addf(&path, "%s/%s/" PRELOAD, exe, places[i]);
		if (!access(path.buf, R_OK)) {
			path.buf[path.len - strlen("/" PRELOAD)] = 0;
			char *dir = realpath(path.buf, NULL);
			strbuf_release(&path);
			return dir;
		}
		strbuf_release(&path);
	}
	err_set(e, PRELOAD " is not where the program is (%s): build it with make, or install it", exe);
	return NULL;
}

/* --- start --- */

/* "NAME=first:what was there" */
static void put_first(const char *name, const char *first, char between)
{
	const char *was = getenv(name);
	struct strbuf v = STRBUF_INIT;
	strbuf_adds(&v, first);
	if (was && *was)
		strbuf_addf(&v, "%c%s", between, was);
	setenv(name, v.buf, 1);
	strbuf_release(&v);
}

static void set_environment(const struct app_start *how)
{
	struct strbuf preload = STRBUF_INIT;
	strbuf_addf(&preload, "%s/" PRELOAD, how->library_dir);
	if (how->clock) {
		strbuf_addf(&preload, " %s/" CLOCK, how->library_dir);
		setenv(CLOCK_VARIABLE, how->clock, 1);
	}
	put_first("LD_LIBRARY_PATH", how->library_dir, ':');
	put_first("LD_PRELOAD", preload.buf, ' ');
	setenv(WIRE_VARIABLE, how->socket, 1);
	setenv("OMP_WAIT_POLICY", "passive", 0); /* threads that wait by spinning take the machine's processors */
	if (how->apart || how->copied)
		setenv(WIRE_LINES, "1", 1);
	strbuf_release(&preload);
}

/* In the child: does not return. */
static void become(const struct app_start *how, const int output[2], int report)
{
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int sig = 1; sig < 32; sig++)
		if (sig != SIGHUP) /* nohup is for both */
			signal(sig, SIG_DFL);
	if (how->apart) {
		const int in = open(how->input ? how->input : "/dev/null", O_RDONLY);
		if (in < 0 || dup2(in, STDIN_FILENO) < 0)
			goto failed;
		setpgid(0, 0);
	}
	if (how->apart || how->copied) {
		dup2(output[0], STDOUT_FILENO);
		dup2(output[how->copied], STDERR_FILENO);
	}
	/* The same addresses in each process: what the application prints of them, and what it asks, is then the same, too.
	 */
	personality(ADDR_NO_RANDOMIZE);
	set_environment(how);
	execvp(how->words[0], (char *const *)(uintptr_t)how->words);
failed:;
	const int error = errno;
	if (write(report, &error, sizeof error) < 0)
		_exit(126);
	_exit(127);
}

static bool await_start(struct app_process *p, const char *name, int report, struct err *e)
{
	int error = 0;
	ssize_t n;
	do
		n = read(report, &error, sizeof error);
	while (n < 0 && errno == EINTR);
	if (n != sizeof error)
		return true; /* the descriptor was closed by exec */
	waitpid(p->pid, NULL, 0);
	p->pid = 0;
	return err_set(e, "%s: %s", name, strerror(error));
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Reading ends to p->output, writing ends to `write`. */
static bool open_pipes(struct app_process *p, const struct app_start *how, int write[2])
{
	const u32 n = how->copied ? 2 : how->apart;
	for (u32 i = 0; i < n; i++) {
		int both[2];
		if (pipe2(both, O_CLOEXEC))
			return false;
		p->output[i] = both[0];
		write[i] = both[1];
		fcntl(both[0], F_SETFL, O_NONBLOCK);
	}
	return true;
}

static void close_outputs(struct app_process *p)
{
	for (u32 i = 0; i < ARRAY_LEN(p->output); i++)
		process_close_output(p, i);
}

bool process_start(struct app_process *p, const struct app_start *how, struct err *e)
{
	int report[2], write[2] = {-1, -1};
	*p = APP_PROCESS_NONE;
	if (pipe2(report, O_CLOEXEC))
		return err_set(e, "%s: %s", how->words[0], strerror(errno));
	const bool piped = open_pipes(p, how, write);
	fflush(NULL);
	p->pid = piped ? fork() : -1;
	if (!p->pid)
		become(how, write, report[1]);
	const int error = errno;
	close(report[1]);
	close_fd(&write[0]);
	close_fd(&write[1]);
	bool ok =
	    p->pid > 0 ? await_start(p, how->words[0], report[0], e) : err_set(e, "%s: %s", how->words[0], strerror(error));
	close(report[0]);
	if (!ok) {
		close_outputs(p);
		*p = APP_PROCESS_NONE;
		return false;
	}
	p->fd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	if (p->fd >= 0)
		fcntl(p->fd, F_SETFD, FD_CLOEXEC);
	return true;
}

/* --- while it runs --- */

bool process_ended(struct app_process *p)
{
	int status;
	if (p->ended || !p->pid)
		return true;
	if (waitpid(p->pid, &status, WNOHANG) != p->pid)
		return false;
	p->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	p->pid = 0;
	return p->ended = true;
}

u64 process_output(struct app_process *p, u32 i, struct strbuf *out, u64 *skip)
{
	char buf[4096];
	ssize_t n;
	u64 all = 0;
	while (p->output[i] >= 0 && (n = read(p->output[i], buf, sizeof buf)) > 0) {
		const u64 old = MIN(*skip, (u64)n);
		*skip -= old;
		strbuf_add(out, buf + old, (size_t)((u64)n - old));
		all += (u64)n;
	}
	return all;
}

u32 process_threads(s32 pid)
{
	char path[48];
	struct stat st;
	snprintf(path, sizeof path, "/proc/%d/task", pid);
	return pid > 0 && !stat(path, &st) && st.st_nlink > 2 ? (u32)st.st_nlink - 2 : 0;
}

void process_close_output(struct app_process *p, u32 i)
{
	close_fd(&p->output[i]);
}

/* --- end --- */

static bool wait_for(struct app_process *p, u32 ms)
{
	struct timespec nap = {.tv_nsec = 2000000};
	for (u32 i = 0; i <= ms / 2; i++) {
		if (process_ended(p))
			return true;
		struct pollfd f = {.fd = p->fd, .events = POLLIN};
		if (p->fd >= 0)
			poll(&f, 1, 2);
		else
			nanosleep(&nap, NULL);
	}
	return process_ended(p);
}

void process_end(struct app_process *p, u32 ms)
{
	if (p->pid && !wait_for(p, ms)) {
		kill(p->pid, SIGTERM);
		kill(p->pid, SIGCONT); /* a stopped one takes it only then */
		if (!wait_for(p, 500)) {
			kill(p->pid, SIGKILL);
			waitpid(p->pid, NULL, 0);
			p->pid = 0;
			p->ended = true;
			p->status = 128 + SIGKILL;
		}
	}
	close_fd(&p->fd);
	close_outputs(p);
}
