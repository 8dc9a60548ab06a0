#include "session/app/app_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct app_copy {
	int fd;
	int failed; /* errno of the first write that failed: nothing is written behind it */
	char *path;
};

struct app_copy *app_copy_open(const char *path, struct err *e)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd < 0) {
		err_set(e, "--app-output: %s: %s", path, strerror(errno));
		return NULL;
	}
	struct app_copy *c = xcalloc(1, sizeof *c);
	*c = (struct app_copy){.fd = fd, .path = xstrdup(path)};
	return c;
}

void app_copy_add(struct app_copy *c, const void *data, u64 n)
{
	for (const char *at = data; n && !c->failed;) {
		const ssize_t wrote = write(c->fd, at, n);
		if (wrote < 0 && errno != EINTR)
			c->failed = errno;
		if (wrote > 0) {
			at += wrote;
			n -= (u64)wrote;
		}
	}
}

void app_copy_cut(struct app_copy *c, u64 n)
{
	if (ftruncate(c->fd, (off_t)n) && errno != EINVAL) /* EINVAL: no file of a disk */
		c->failed = errno;
}

bool app_copy_close(struct app_copy *c, struct err *e)
{
	if (!c)
		return true;
	if (close(c->fd) && !c->failed)
		c->failed = errno;
	const bool ok = !c->failed || err_set(e, "--app-output: %s: %s", c->path, strerror(c->failed));
	free(c->path);
	free(c);
	return ok;
}
