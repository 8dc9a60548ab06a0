#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_PARTS 99 /* of a file, left over from programs that were killed */

struct outfile {
	char *path;   /* as it was given, for messages */
	char *target; /* links followed */
	char *part;   /* "" = written directly */
	int fd;
	bool regular;
	bool ours; /* the program has written it before */
	bool keep_cut;
	struct outfile *next; /* of `parts` */
};

/* --- what is read and written ------------------------------------------------------------------------------------- */

enum use { USE_READ, USE_WRITING, USE_WRITTEN };
struct known {
	char *path;
	enum use use;
	bool asked_for; /* somebody wanted to read it while it was being written: it stays */
	const char *what;
};
static struct known *known; /* all files of the process; never forgotten */
static u32 nknown;

/* Devices and pipes take and give what comes. */
static bool regular_file(const char *path, struct stat *st)
{
	return !stat(path, st) && S_ISREG(st->st_mode);
}

/* By what it is now: a name may have become another file's. */
static struct known *find(const char *path)
{
	struct stat x, y;
	bool there = regular_file(path, &x);
	for (u32 i = 0; i < nknown; i++) {
		struct known *k = &known[i];
		if (there && regular_file(k->path, &y) ? x.st_ino == y.st_ino && x.st_dev == y.st_dev
		                                       : k->use != USE_READ && !strcmp(k->path, path))
			return k;
	}
	return NULL;
}

static void note(const char *path, enum use use, const char *what)
{
	known = xrealloc(known, (nknown + 1) * sizeof(*known));
	known[nknown++] = (struct known){xstrdup(path), use, false, what};
}

bool file_is_read(const char *path, struct err *e)
{
	struct stat st;
	char *real = realpath(path, NULL);
	struct known *k = real ? find(real) : NULL;
	bool ok = !k || k->use != USE_WRITING;
	if (!ok) {
		k->asked_for = true;
		err_set(e, "%s: %s is a file that is read", k->what, path);
	} else if (real && !k && regular_file(real, &st)) {
		note(real, USE_READ, "");
	}
	free(real);
	return ok;
}

static bool free_to_write(const char *path, const char *target, struct err *e)
{
	struct known *k = find(target);
	if (k && k->use == USE_READ)
		return err_set(e, "%s is a file that is read", path);
	return !k || k->use != USE_WRITING || err_set(e, "%s is the file of %s", path, k->what);
}

static void begin(struct outfile *f, const char *what)
{
	struct known *k = find(f->target);
	f->ours = k;
	if (k) {
		free(k->path);
		*k = (struct known){xstrdup(f->target), USE_WRITING, false, what};
	} else {
		note(f->target, USE_WRITING, what);
	}
}

static struct known *writing(const struct outfile *f)
{
	for (u32 i = 0; f->regular && i < nknown; i++)
		if (known[i].use == USE_WRITING && !strcmp(known[i].path, f->target))
			return &known[i];
	return NULL;
}

static void end(const struct outfile *f, bool written)
{
	struct known *k = writing(f);
	if (!k)
		return;
	k->use = USE_WRITTEN;
	if (!written && !f->ours) {
		free(k->path);
		*k = known[--nknown];
	}
}

/* --- parts and signals ----------------------------------------------------------------------------------------------
 *
 * A part is in the list as long as its name is in the directory: the two change together, with signals held back. */

static struct outfile *parts;
static pid_t parts_of; /* the process that writes them */

static void hold_signals(sigset_t *before)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, before);
}

static void let_signals(const sigset_t *before)
{
	const int error = errno;
	pthread_sigmask(SIG_SETMASK, before, NULL);
	errno = error;
}

static bool make_part(struct outfile *f)
{
	sigset_t before;
	hold_signals(&before);
	f->fd = open(f->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (f->fd >= 0) {
		f->next = parts;
		parts = f;
		parts_of = getpid();
	}
	let_signals(&before);
	return f->fd >= 0;
}

/* The part takes the file's name, or goes. */
static bool end_part(struct outfile *f, bool complete)
{
	sigset_t before;
	hold_signals(&before);
	const bool ok = complete ? !rename(f->part, f->target) : !unlink(f->part);
	if (ok || !complete)
		for (struct outfile **p = &parts; *p; p = &(*p)->next)
			if (*p == f) {
				*p = f->next;
				break;
			}
	let_signals(&before);
	return ok;
}

void outfile_keep_cut(struct outfile *f)
{
	f->keep_cut = true;
}

static bool worth_keeping(const struct outfile *f)
{
	struct stat st;
	return f->keep_cut && !stat(f->part, &st) && st.st_size;
}

void outfiles_cut(bool useful)
{
	if (!parts || parts_of != getpid())
		return;
	for (const struct outfile *f = parts; f; f = f->next)
		if (!useful || !worth_keeping(f))
			unlink(f->part);
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static char *joined(const char *dir, const char *name)
{
	size_t len = strlen(dir) + strlen(name) + 2;
	char *path = xmalloc(len);
	if (*name == '/')
		snprintf(path, len, "%s", name);
	else
		snprintf(path, len, "%s/%s", dir, name);
	return path;
}

/* The name behind all links; of a file that is not there yet, that of its directory and its own. */
static char *target_of(const char *path)
{
	char *real = realpath(path, NULL), link[4096];
	const char *slash = strrchr(path, '/');
	if (real || errno != ENOENT)
		return real;
	ssize_t n = readlink(path, link, sizeof(link) - 1);
	char *dir = slash ? xstrndup(path, MAX((size_t)(slash - path), (size_t)1)) : xstrdup(".");
	char *in = realpath(dir, NULL);
	const char *name = slash ? slash + 1 : path;
	if (n > 0) { /* to nothing yet */
		link[n] = 0;
		name = link;
	}
	if (in && *name)
		real = joined(in, name);
	free(in);
	free(dir);
	return real;
}

static bool named_by_the_system(const char *path)
{
	return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6);
}

static bool open_part(struct outfile *f)
{
	size_t len = strlen(f->target) + 10;
	f->part = xmalloc(len);
	f->fd = -1;
	for (u32 i = 1; f->fd < 0 && i <= MOST_PARTS; i++) {
		snprintf(f->part, len, i > 1 ? "%s.part%u" : "%s.part", f->target, i);
		if (!make_part(f) && errno != EEXIST)
			break;
	}
	if (f->fd < 0)
		*f->part = 0;
	return f->fd >= 0;
}

/* That a disk is full is better known now. */
static bool has_room(int fd)
{
	static const char block[4096];
	return write(fd, block, sizeof(block)) == (ssize_t)sizeof(block) && !ftruncate(fd, 0) && !lseek(fd, 0, SEEK_SET);
}

/* Standard output may be a file in whose middle the program stands. */
static int open_stream(const char *path)
{
	if (!strcmp(path, "/dev/stdout"))
		return dup(STDOUT_FILENO);
	return strcmp(path, "/dev/stderr") ? open(path, O_WRONLY | O_CLOEXEC) : dup(STDERR_FILENO);
}

static bool open_file(struct outfile *f, struct err *e)
{
	struct stat st;
	bool there = !stat(f->path, &st);
	if (there && S_ISDIR(st.st_mode))
		return err_set(e, "%s: %s", f->path, strerror(EISDIR));
	if (there && access(f->path, W_OK))
		return err_set(e, "%s: %s", f->path, strerror(errno));
	f->regular = (!there || S_ISREG(st.st_mode)) && !named_by_the_system(f->path);
	if (f->regular && open_part(f)) {
		if (there && fchmod(f->fd, st.st_mode & 0777))
			return err_set(e, "%s: %s", f->path, strerror(errno));
		return has_room(f->fd) || err_set(e, "%s: cannot write: %s", f->path, strerror(errno ? errno : ENOSPC));
	}
	if (!f->regular)
		f->fd = open_stream(f->path);
	else if (there && (errno == EACCES || errno == EROFS))
		f->fd = open(f->path, O_RDWR | O_TRUNC | O_CLOEXEC);
	return f->fd >= 0 || err_set(e, "%s: %s", f->path, strerror(errno));
}

struct outfile *outfile_open(const char *path, const char *what, struct err *e)
{
	struct outfile *f = xcalloc(1, sizeof(*f));
	f->path = xstrdup(path);
	f->target = target_of(path);
	f->fd = -1;
	if (!f->target)
		err_set(e, "%s: %s", path, strerror(errno));
	else if (free_to_write(path, f->target, e) && open_file(f, e)) {
		if (f->regular)
			begin(f, what);
		return f;
	}
	f->regular = false;
	outfile_drop(f);
	return NULL;
}

int outfile_fd(const struct outfile *f)
{
	return f->fd;
}

const char *outfile_part(const struct outfile *f)
{
	return f->part && *f->part ? f->part : f->path;
}

bool outfile_rewritable(const struct outfile *f)
{
	return f->regular;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static bool cannot(const struct outfile *f, struct err *e)
{
	return err_set(e, "%s: cannot write: %s", f->path, strerror(errno ? errno : EIO));
}

bool outfile_put(struct outfile *f, const void *data, size_t n, struct err *e)
{
	for (const char *p = data; n;) {
		ssize_t did = write(f->fd, p, n);
		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0)
			return cannot(f, e);
		p += did;
		n -= (size_t)did;
	}
	return true;
}

static void release(struct outfile *f, bool written)
{
	end(f, written);
	if (f->fd >= 0)
		close(f->fd);
	free(f->part);
	free(f->target);
	free(f->path);
	free(f);
}

bool outfile_commit(struct outfile *f, struct err *e)
{
	int fd = f->fd;
	f->fd = -1;
	const struct known *k = writing(f);
	bool stays = k && k->asked_for;
	bool ok = !close(fd) && !stays && (!f->part || !*f->part || end_part(f, true));
	if (!ok) {
		if (stays)
			err_set(e, "%s is a file that is read", f->path);
		else
			cannot(f, e);
		outfile_drop(f);
		return false;
	}
	release(f, true);
	return true;
}

void outfile_drop(struct outfile *f)
{
	if (!f)
		return;
	if (f->part && *f->part)
		end_part(f, false);
	release(f, false);
}

bool file_write(const char *path, const void *data, size_t n, struct err *e)
{
	struct outfile *f = outfile_open(path, "another output", e);
	if (!f)
		return false;
	if (outfile_put(f, data, n, e))
		return outfile_commit(f, e);
	outfile_drop(f);
	return false;
}
