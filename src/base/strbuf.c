#include "base/strbuf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/outfile.h"

static void grow(struct strbuf *sb, size_t extra)
{
	size_t need = sb->len + extra + 1;
	if (need <= sb->cap)
		return;
	sb->cap = MAX(need, MAX(sb->cap * 2, (size_t)64));
	sb->buf = xrealloc(sb->buf, sb->cap);
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n > 0) {
		grow(sb, (size_t)n);
		vsnprintf(sb->buf + sb->len, (size_t)n + 1, fmt, again);
		sb->len += (size_t)n;
	}
	va_end(again);
}

void strbuf_add(struct strbuf *sb, const char *data, size_t n)
{
	grow(sb, n);
	memcpy(sb->buf + sb->len, data, n);
	sb->len += n;
	sb->buf[sb->len] = 0;
}

void strbuf_adds(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}
void strbuf_addc(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}

void strbuf_clear(struct strbuf *sb)
{
	sb->len = 0;
	if (sb->buf)
		sb->buf[0] = 0;
}

void strbuf_release(struct strbuf *sb)
{
	free(sb->buf);
	*sb = (struct strbuf){0};
}

bool strbuf_read_file(struct strbuf *sb, const char *path, struct err *e)
{
	if (!file_is_read(path, e))
		return false;
	FILE *f = fopen(path, "rb");
	if (!f)
		return err_set(e, "%s: %s", path, strerror(errno));
	char chunk[65536];
	size_t n;
	bool ok = true;
	errno = 0;
	while (ok && (n = fread(chunk, 1, sizeof chunk, f)) > 0) {
		strbuf_add(sb, chunk, n);
		if (sb->len > (size_t)256 << 20)
			ok = err_set(e, "%s: larger than 256 MiB", path);
	}
	if (ok && ferror(f))
		ok = err_set(e, "%s: %s", path, strerror(errno));
	fclose(f);
	return ok;
}
