/* What the screen costs: CPU time of a workload run under the screen (200x60, the views in turn) against the same
 * without one, the best of several pairs each. CPU time of the whole process, so that a busy host hardly counts. Run
 * from the top directory, with ./warpdbg built. */
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"

#define PAIRS 3

static double cpu_ms(pid_t pid)
{
	struct rusage u;
	int status;
	if (wait4(pid, &status, 0, &u) != pid || !WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "warpdbg did not end well\n");
		exit(2);
	}
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

static void child(const char *workload, bool screen)
{
	setenv("TERM", "xterm-256color", 1);
	if (screen)
		execl("./warpdbg", "warpdbg", "debug", workload, "--size", "large", "-ex", "continue", "-ex", "quit",
		      (char *)NULL);
	else
		execl("./warpdbg", "warpdbg", "debug", workload, "--size", "large", "--batch", "-ex", "continue", "-ex", "quit",
		      (char *)NULL);
	_exit(127);
}

static double with_screen(const char *workload, char key)
{
	struct winsize size = {.ws_row = 60, .ws_col = 200};
	char text[65536];
	int fd;
	pid_t pid = forkpty(&fd, NULL, NULL, &size);
	if (!pid)
		child(workload, true);
	if (write(fd, &key, 1) != 1)
		exit(2);
	while (read(fd, text, sizeof text) > 0) /* ends with the child */
		;
	close(fd);
	return cpu_ms(pid);
}

static double without(const char *workload)
{
	pid_t pid = fork();
	if (!pid) {
		if (!freopen("/dev/null", "w", stdout))
			_exit(127);
		child(workload, false);
	}
	return cpu_ms(pid);
}

int main(int argc, char **argv)
{
	const char *workload = argc > 1 ? argv[1] : "hotspot";
	static const char keys[] = "12345678";
	double base = 1e18, ms;
	setvbuf(stdout, NULL, _IOLBF, 0); /* nothing left in it for a fork to repeat */
	printf("drawing, %s large, 200x60 against no screen\n", workload);
	for (u32 i = 0; i < PAIRS; i++)
		base = (ms = without(workload)) < base ? ms : base;
	for (u32 v = 0; v < sizeof keys - 1; v++) {
		double best = 1e18;
		for (u32 i = 0; i < PAIRS; i++) {
			best = (ms = with_screen(workload, keys[v])) < best ? ms : best;
			base = (ms = without(workload)) < base ? ms : base;
		}
		printf("  view %c  %+6.1f %%\n", keys[v], 100 * (best - base) / base);
	}
	return 0;
}
