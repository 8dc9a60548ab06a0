/* The processes of `whatif`: starts them, hears them, ends them. */
#include "dbg/whatif.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dbg/apart.h"
#include "session/progress.h"

#define SLICE_MS 20 /* of waiting between two looks at the keyboard */
_Static_assert(sizeof(struct whatif_news) <= PIPE_BUF, "what is written at once arrives at once");

/* --- one row --- */

static void row_over(struct whatif *w, struct whatif_row *r, enum whatif_state state, const char *why)
{
	if (r->state == ROW_RUNS)
		w->running--;
	r->state = state;
	w->over++;
	snprintf(r->why, sizeof r->why, "%s", why);
}

/* How the child has ended; its last word has come, or never will. */
static void bury(struct whatif *w, struct whatif_row *r, const char *instead)
{
	int status = 0;
	char why[WHATIF_NOTE + 40] = "";
	close(r->pipe);
	r->pipe = -1;
	while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
		;
	r->pid = 0;
	if (instead)
		snprintf(why, sizeof why, "%s", instead);
	else if (WIFSIGNALED(status))
		snprintf(why, sizeof why, "its process was killed by signal %d (%s)", WTERMSIG(status),
		         strsignal(WTERMSIG(status)));
	else if (!r->news.final)
		snprintf(why, sizeof why, "its process ended with status %d and has not said why", WEXITSTATUS(status));
	else if (r->news.stop != SS_FINISHED && r->news.stop != SS_CYCLE)
		snprintf(why, sizeof why, "%s", *r->news.why ? r->news.why : session_stop_text(r->news.stop));
	else if (r->news.check == CHECK_FAIL)
		snprintf(why, sizeof why, "check FAILED: %s", r->news.why);
	row_over(w, r, *why ? ROW_FAILED : ROW_DONE, why);
}

static pid_t fork_child(struct debugger *d, const struct whatif *w, const struct whatif_row *r, int to)
{
	const pid_t pid = apart_fork();
	if (!pid)
		whatif_child(d, w, r, to);
	return pid;
}

static void start(struct whatif *w, struct debugger *d, struct whatif_row *r)
{
	int ends[2] = {-1, -1};
	char why[200];
	fflush(NULL);
	r->pid = pipe(ends) ? -1 : fork_child(d, w, r, ends[1]);
	if (r->pid < 0) {
		snprintf(why, sizeof why, "no process could be started: %s", strerror(errno));
		row_over(w, r, ROW_FAILED, why);
	} else {
		r->state = ROW_RUNS;
		r->pipe = ends[0];
		w->running++;
		fcntl(ends[0], F_SETFD, FD_CLOEXEC);
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
	}
	if (r->pid < 0 && ends[0] >= 0)
		close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
}

static void hear(struct whatif *w, struct whatif_row *r)
{
	struct whatif_news news;
	ssize_t n;
	while ((n = read(r->pipe, &news, sizeof news)) == (ssize_t)sizeof news)
		r->news = news;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	bury(w, r, NULL);
}

/* --- all of them --- */

static void start_more(struct whatif *w, struct debugger *d)
{
	for (u32 i = 0; i < w->nrows && w->running < w->jobs; i++)
		if (w->row[i].state == ROW_WAITS)
			start(w, d, &w->row[i]);
}

bool whatif_wait(struct whatif *w, struct debugger *d, u32 ms)
{
	struct pollfd on[WHATIF_POINTS + 1];
	struct whatif_row *of[WHATIF_POINTS + 1];
	u32 n = 0;
	start_more(w, d);
	for (u32 i = 0; i < w->nrows; i++)
		if (w->row[i].state == ROW_RUNS) {
			on[n] = (struct pollfd){.fd = w->row[i].pipe, .events = POLLIN};
			of[n++] = &w->row[i];
		}
	if (n && poll(on, n, (int)ms) > 0)
		for (u32 i = 0; i < n; i++)
			if (on[i].revents)
				hear(w, of[i]);
	return w->over < w->nrows;
}

void whatif_stop(struct whatif *w)
{
	for (u32 i = 0; i < w->nrows; i++)
		if (w->row[i].state == ROW_RUNS)
			kill(w->row[i].pid, SIGKILL);
	for (u32 i = 0; i < w->nrows; i++) {
		struct whatif_row *r = &w->row[i];
		if (r->state == ROW_RUNS)
			bury(w, r, "interrupted");
		else if (r->state == ROW_WAITS)
			row_over(w, r, ROW_FAILED, "interrupted before it began");
		else
			continue;
		w->interrupted = true;
	}
}

void whatif_free(struct whatif *w)
{
	if (!w)
		return;
	whatif_stop(w);
	for (u32 i = 0; i < w->nrows; i++)
		for (u32 k = 0; k < w->nkeys; k++)
			free(w->row[i].value[k]);
	free(w->row);
	free(w->program);
	free(w);
}

/* --- in the debugger --- */

bool whatif_running(const struct debugger *d)
{
	return d->whatif && d->whatif->over < d->whatif->nrows;
}

void whatif_slice(struct debugger *d, struct strbuf *out)
{
	if (d->run.interrupt)
		whatif_stop(d->whatif);
	else if (whatif_wait(d->whatif, d, SLICE_MS))
		return;
	whatif_table(d->whatif, out);
}

void whatif_drive(struct debugger *d, struct strbuf *out)
{
	while (whatif_running(d))
		whatif_slice(d, out);
}

double whatif_rate(const struct whatif *w)
{
	const u64 ns = host_ns() - w->started_ns;
	u64 insts = 0;
	for (u32 i = 0; i < w->nrows; i++) /* a row from cycle 0 has executed all of its instructions itself */
		insts += w->row[i].news.insts - (w->row[i].from_zero ? 0 : w->row[i].news.insts_at);
	return ns ? (double)insts * 1e9 / (double)ns : 0;
}

void whatif_progress(const struct whatif *w, struct strbuf *out)
{
	strbuf_addf(out, "whatif: %u of %u rows", w->over, w->nrows);
	if (whatif_rate(w) > 0)
		strbuf_addf(out, ", %.1f M warp instructions/s", whatif_rate(w) / 1e6);
}
