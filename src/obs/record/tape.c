#include "obs/record/tape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"

#define LOG_BUFFERED 4096 /* entries of the log in memory */

/* Before each record in the log. */
struct entry {
	u64 clock, began;
};
/* The log of entries: a stack, the top of it in memory. */
struct entry_log {
	FILE *file;   /* unlinked */
	size_t bytes; /* of an entry and its record */
	u8 *top;      /* [LOG_BUFFERED] */
	u32 n;        /* entries in it */
	u64 below;    /* entries in the file */
};
struct tape {
	char *path;
	const char *tail;
	struct outfile *target;
	FILE *work;     /* where it is written meanwhile when the target cannot be rewritten, else NULL */
	bool rewritten; /* fd() is a file: it can be, and read back */
	struct strbuf pending;
	u64 flushed; /* bytes of text put out; pending follows */
	struct entry_log log;
	bool cuts;
	int error; /* errno of the first failure */
};

static int fd(const struct tape *t)
{
	return t->work ? fileno(t->work) : outfile_fd(t->target);
}

static void failed(struct tape *t)
{
	if (!t->error)
		t->error = errno ? errno : EIO;
}

/* --- bytes --- */

/* at < 0: wherever the file stands. */
static bool put(int to, const void *data, size_t n, off_t at)
{
	for (const char *p = data; n;) {
		ssize_t did = at < 0 ? write(to, p, n) : pwrite(to, p, n, at);
		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0)
			return false;
		p += did;
		n -= (size_t)did;
		at = at < 0 ? at : at + did;
	}
	return true;
}

static bool get(int from, void *data, size_t n, off_t at)
{
	for (char *p = data; n;) {
		ssize_t did = pread(from, p, n, at);
		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0)
			return false;
		p += did;
		n -= (size_t)did;
		at += did;
	}
	return true;
}

/* Puts pending text out, the tail with it in one write: the file is complete before and after. */
static void flush(struct tape *t, bool last)
{
	size_t n = t->pending.len;
	if (t->rewritten || last)
		strbuf_adds(&t->pending, t->tail);
	if (!put(fd(t), strbuf_str(&t->pending), t->pending.len, t->rewritten ? (off_t)t->flushed : -1))
		failed(t);
	t->flushed += n;
	strbuf_clear(&t->pending);
}

/* --- the log of entries --- */

static bool log_open(struct entry_log *l, size_t record)
{
	l->bytes = sizeof(struct entry) + record;
	l->file = tmpfile();
	l->top = xmalloc(LOG_BUFFERED * l->bytes);
	return l->file;
}

static void log_close(struct entry_log *l)
{
	if (l->file)
		fclose(l->file);
	free(l->top);
}

static bool log_spill(struct entry_log *l)
{
	bool ok = put(fileno(l->file), l->top, l->n * l->bytes, (off_t)(l->below * l->bytes));
	l->below += l->n;
	l->n = 0;
	return ok;
}

static bool log_push(struct entry_log *l, const struct entry *x, const void *record)
{
	bool ok = l->n < LOG_BUFFERED || log_spill(l);
	u8 *at = l->top + l->n++ * l->bytes;
	memcpy(at, x, sizeof *x);
	if (l->bytes > sizeof *x)
		memcpy(at + sizeof *x, record, l->bytes - sizeof *x);
	return ok;
}

/* The last entry, fetched from the file when none is in memory; NULL: there is none, or (*ok) it cannot be read. */
static const u8 *log_last(struct entry_log *l, struct entry *x, bool *ok)
{
	if (!l->n && l->below) {
		u32 n = (u32)MIN(l->below, (u64)LOG_BUFFERED);
		*ok = get(fileno(l->file), l->top, n * l->bytes, (off_t)((l->below - n) * l->bytes));
		if (!*ok)
			return NULL;
		l->below -= n;
		l->n = n;
	}
	if (!l->n)
		return NULL;
	const u8 *at = l->top + (l->n - 1) * l->bytes;
	memcpy(x, at, sizeof *x);
	return at + sizeof *x;
}

/* --- open and close --- */

static bool open_files(struct tape *t, const char *what, size_t record, struct err *e)
{
	t->target = outfile_open(t->path, what, e);
	if (!t->target)
		return false;
	bool regular = outfile_rewritable(t->target);
	t->rewritten = regular || t->cuts;
	if (t->cuts && !regular)
		t->work = tmpfile();
	if ((t->cuts && !regular && !t->work) || (t->cuts && !log_open(&t->log, record)))
		return err_set(e, "%s: no temporary file can be made: %s", t->path, strerror(errno));
	outfile_keep_cut(t->target);
	return true;
}

void tape_drop(struct tape *t)
{
	if (!t)
		return;
	log_close(&t->log);
	if (t->work)
		fclose(t->work);
	outfile_drop(t->target);
	strbuf_release(&t->pending);
	free(t->path);
	free(t);
}

struct tape *tape_open(const char *path, const char *what, const char *tail, size_t record, struct err *e)
{
	struct tape *t = xcalloc(1, sizeof *t);
	t->path = xstrdup(path);
	t->tail = tail;
	t->cuts = record != TAPE_NO_CUT;
	if (open_files(t, what, record, e))
		return t;
	tape_drop(t);
	return NULL;
}

static bool copy_bytes(int from, u64 n, FILE *to)
{
	char *block = xmalloc(TAPE_BLOCK);
	bool ok = true;
	for (u64 at = 0; ok && at < n;) {
		size_t k = (size_t)MIN(n - at, (u64)TAPE_BLOCK);
		ok = get(from, block, k, (off_t)at) && fwrite(block, 1, k, to) == k;
		at += k;
	}
	free(block);
	return ok;
}

static bool to_target(struct tape *t)
{
	int to = dup(outfile_fd(t->target));
	FILE *f = to >= 0 ? fdopen(to, "w") : NULL;
	bool ok = f && copy_bytes(fileno(t->work), t->flushed + strlen(t->tail), f);
	return f && fclose(f) == 0 && ok;
}

bool tape_close(struct tape *t, struct err *e)
{
	if (!t)
		return true;
	flush(t, true);
	if (t->rewritten && ftruncate(fd(t), (off_t)(t->flushed + strlen(t->tail))))
		failed(t);
	if (t->work && !t->error && !to_target(t))
		failed(t);
	bool ok = !t->error || err_set(e, "%s: cannot write: %s", t->path, strerror(t->error));
	if (ok) {
		ok = outfile_commit(t->target, e);
		t->target = NULL;
	}
	tape_drop(t);
	return ok;
}

/* --- entries --- */

u64 tape_end(const struct tape *t)
{
	return t->flushed + t->pending.len;
}

void tape_add(struct tape *t, u64 clock, const struct strbuf *text, const void *record)
{
	if (t->cuts && !log_push(&t->log, &(struct entry){clock, tape_end(t)}, record))
		failed(t);
	strbuf_add(&t->pending, strbuf_str(text), text->len);
	if (t->pending.len >= TAPE_BLOCK || !t->flushed)
		flush(t, false);
}

/* Text from `end` on goes; what is left is completed again at once. */
static void shorten(struct tape *t, u64 end)
{
	if (end >= t->flushed) {
		t->pending.len = (size_t)(end - t->flushed);
		t->pending.buf[t->pending.len] = '\0';
		return;
	}
	strbuf_clear(&t->pending);
	t->flushed = end;
	if (ftruncate(fd(t), (off_t)end))
		failed(t);
	flush(t, false);
}

void tape_cut(struct tape *t, u64 clock, tape_undone_fn *undone, void *ctx)
{
	struct entry x;
	const u8 *record;
	u64 end = tape_end(t);
	bool ok = true;
	BUG_ON(!t->cuts);
	while ((record = log_last(&t->log, &x, &ok)) && x.clock > clock) {
		end = x.began;
		if (undone)
			undone(ctx, record, x.began);
		t->log.n--;
	}
	if (!ok)
		failed(t);
	if (end < tape_end(t))
		shorten(t, end);
}

bool tape_readable(const struct tape *t)
{
	return t->rewritten;
}

bool tape_copy(struct tape *t, FILE *to)
{
	BUG_ON(!t->rewritten);
	return copy_bytes(fd(t), t->flushed, to) &&
	       fwrite(strbuf_str(&t->pending), 1, t->pending.len, to) == t->pending.len;
}
