#include "dbg/elsewhen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dbg/apart.h"
#include "dbg/lua_side.h"

/* --- the copy ----------------------------------------------------------------------------------------------------- */

bool elsewhen_go(struct debugger *d, u64 cycle, struct err *e)
{
	struct sim_history_info h;
	sim_history_info(d->s->sim, &h);
	if (!h.on)
		return err_set(e, "%s", h.off);
	const struct sim_place at = cycle ? sim_before_turns(d->s->sim, cycle) : sim_rest(d->s->sim, 0);
	return session_go(d->s, at, e);
}

static bool send_all(int to, const char *p, size_t n)
{
	while (n) {
		const ssize_t done = write(to, p, n);
		if (done < 0 && errno != EINTR)
			return false;
		p += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return true;
}

/* Its answer is one byte, '+' or '-', and the answer's bytes or the error's message. */
static _Noreturn void answer_in_copy(struct debugger *d, elsewhen_fn *fn, void *ctx, int to, pid_t parent)
{
	struct strbuf answer = STRBUF_INIT;
	struct err e = {0};
	apart_let_go(to, parent);
	session_forked(d->s);
	d->run.in_run = false;
	const bool ok = fn(d, ctx, &answer, &e);
	const char *text = ok ? strbuf_str(&answer) : e.msg;
	const size_t n = ok ? answer.len : strlen(e.msg);
	_exit(send_all(to, ok ? "+" : "-", 1) && send_all(to, text, n) ? 0 : 1);
}

/* --- the debugger ------------------------------------------------------------------------------------------------- */

static pid_t copy_process(struct debugger *d, elsewhen_fn *fn, void *ctx, int to)
{
	const pid_t parent = getpid();
	fflush(NULL);
	const pid_t pid = apart_fork();
	if (!pid)
		answer_in_copy(d, fn, ctx, to, parent);
	return pid;
}

/* Until the copy has closed its end. False: interrupted. */
static bool hear_out(struct debugger *d, int from, struct strbuf *heard)
{
	char part[4096];
	for (;;) {
		struct pollfd on = {.fd = from, .events = POLLIN};
		if (d->run.interrupt)
			return false;
		if (poll(&on, 1, 50) <= 0)
			continue;
		const ssize_t n = read(from, part, sizeof part);
		if (!n)
			return true;
		if (n > 0)
			strbuf_add(heard, part, (size_t)n);
	}
}

static bool take_answer(const struct strbuf *heard, int status, struct strbuf *answer, struct err *e)
{
	if (!heard->len || WIFSIGNALED(status))
		return err_set(e, "the process that was to answer ended with %s %d", WIFSIGNALED(status) ? "signal" : "status",
		               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	if (heard->buf[0] != '+')
		return err_set(e, "%s", heard->buf + 1);
	strbuf_add(answer, heard->buf + 1, heard->len - 1);
	return true;
}

bool elsewhen(struct debugger *d, elsewhen_fn *fn, void *ctx, struct strbuf *answer, struct err *e)
{
	struct strbuf heard = STRBUF_INIT;
	int ends[2] = {-1, -1}, status = 0;
	if (d->run.in_run || lua_dbg_in_callback(d))
		return err_set(e, "the machine is running: ask when it has stopped");
	const pid_t pid = pipe(ends) ? -1 : copy_process(d, fn, ctx, ends[1]);
	const int why = errno;
	if (ends[1] >= 0)
		close(ends[1]);
	if (pid < 0) {
		if (ends[0] >= 0)
			close(ends[0]);
		return err_set(e, "no process could be started: %s", strerror(why));
	}
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	const bool all = hear_out(d, ends[0], &heard);
	if (!all)
		kill(pid, SIGKILL);
	close(ends[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	const bool ok = all ? take_answer(&heard, status, answer, e) : err_set(e, "interrupted");
	strbuf_release(&heard);
	return ok;
}
