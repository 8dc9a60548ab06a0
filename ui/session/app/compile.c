#include "session/app/compile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/strbuf.h"

#define NOT_FOUND 127 /* as a shell says it */

bool compile_is_source(const char *workload)
{
	const size_t n = workload ? strlen(workload) : 0;
	return n > 3 && !strcmp(workload + n - 3, ".cu");
}

bool compile_wanted(const struct options *o)
{
	return !o->app && compile_is_source(o->workload);
}

/* Exit status of nvcc. With line information, so that breakpoints and the source view know the program's own lines. */
static int run_nvcc(const char *source, const char *program, const char *flags)
{
	int status;
	fflush(NULL);
	const pid_t pid = fork();
	if (!pid) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", "command -v nvcc >/dev/null || exit 127; exec nvcc -lineinfo $3 -o \"$2\" \"$1\"",
		      "sh", source, program, flags ? flags : "", (char *)NULL);
		_exit(NOT_FOUND);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool make_folder(struct compiled *c, const char *source, struct err *e)
{
	const char *tmp = getenv("TMPDIR"), *slash = strrchr(source, '/');
	struct strbuf dir = STRBUF_INIT, program = STRBUF_INIT;
	strbuf_addf(&dir, "%s/warpdbg-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir.buf)) {
		err_set(e, "%s: %s", dir.buf, strerror(errno));
		strbuf_release(&dir);
		return false;
	}
	c->dir = dir.buf;
	strbuf_addf(&program, "%s/%s", c->dir, slash ? slash + 1 : source);
	program.buf[program.len - 3] = 0; /* without .cu */
	c->program = program.buf;
	return true;
}

/* The program and its arguments. */
static void set_words(struct compiled *c, struct options *o)
{
	u32 n = 0;
	while (o->cu_args && o->cu_args[n])
		n++;
	c->words = xcalloc(n + 2, sizeof *c->words);
	c->words[0] = c->program;
	for (u32 i = 0; i < n; i++)
		c->words[i + 1] = o->cu_args[i];
	o->app = c->words;
}

bool compile_program(struct compiled *c, struct options *o, const char *flags, struct err *e)
{
	*c = (struct compiled){0};
	if (access(o->workload, R_OK))
		return err_set(e, "%s: %s", o->workload, strerror(errno));
	if (!make_folder(c, o->workload, e))
		return false;
	const int status = run_nvcc(o->workload, c->program, flags);
	if (status == NOT_FOUND)
		err_set(e,
		        "%s: nvcc is not in the PATH, and only it compiles whole CUDA programs: install NVIDIA's CUDA toolkit "
		        "(Debian: nvidia-cuda-toolkit), or compile the program elsewhere and run it with -- ./program",
		        o->workload);
	else if (status)
		err_set(e, "%s: nvcc refuses it (see above)", o->workload);
	else
		set_words(c, o);
	if (status)
		compiled_release(c);
	return !status;
}

void compiled_release(struct compiled *c)
{
	if (c->program)
		unlink(c->program);
	if (c->dir)
		rmdir(c->dir);
	free(c->program);
	free(c->dir);
	free(c->words);
	*c = (struct compiled){0};
}
