#include "session/app/source_line.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/call_texts.h"

#define ANSWER_MS 5000 /* for hundreds of MB of debugging information it takes a second */

extern char **environ;

/* What has been started writes into the pipe, and nothing of it comes to the terminal. */
static bool start(const char *path, u64 address, const int pipe_fd[2], pid_t *pid)
{
	char hex[24], tool[] = "addr2line", dash_e[] = "-e";
	char *file = xstrdup(path);
	char *argv[] = {tool, dash_e, file, hex, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t none;
	snprintf(hex, sizeof hex, "0x%llx", (unsigned long long)address);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&how);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, pipe_fd[1], 1);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_setsigmask(&how, &none);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
	const bool ok = !posix_spawnp(pid, tool, &files, &how, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&how);
	free(file);
	return ok;
}

/* Its first line. */
static bool read_line(int fd, char *line, size_t size)
{
	size_t n = 0;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	while (n + 1 < size) {
		const int ready = poll(&p, 1, ANSWER_MS);
		const ssize_t got = ready == 1 ? read(fd, line + n, size - 1 - n) : ready;
		if (got < 0 && errno == EINTR) /* signals that the debugger's timer or terminal sends */
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
		line[n] = 0;
		if (strchr(line, '\n'))
			return true;
	}
	return false;
}

static bool ask(const char *path, u64 address, char *line, size_t size)
{
	int fd[2];
	pid_t pid;
	if (pipe2(fd, O_CLOEXEC))
		return false;
	const bool started = start(path, address, fd, &pid);
	close(fd[1]);
	const bool answered = started && read_line(fd[0], line, size);
	close(fd[0]);
	if (started) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return answered;
}

/* "/home/me/app.cu:14" or "/home/me/app.cu:14 (discriminator 2)"; what it does not know is "??:0", "??:?", "app.cu:?".
 */
bool source_line(const char *path, u64 address, struct strbuf *out)
{
	char line[4400], *end;
	if (!ask(path, address, line, sizeof line))
		return false;
	line[strcspn(line, "\n")] = 0;
	const char *slash = strrchr(line, '/'), *file = slash ? slash + 1 : line, *colon = strrchr(file, ':');
	const unsigned long number = colon ? strtoul(colon + 1, &end, 10) : 0;
	if (!number || colon == file || *file == '?' || (*end && *end != ' '))
		return false;
	call_texts_name(out, file, (size_t)(colon - file));
	strbuf_addf(out, ":%lu", number);
	return true;
}
