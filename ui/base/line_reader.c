#include "base/line_reader.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/leaving.h"

/* More text, or its end. False: a signal came. */
static bool fetch(struct line_reader *r)
{
	char chunk[4096];
	if (!leaving_wait_input(r->fd))
		return false;
	ssize_t n = read(r->fd, chunk, sizeof chunk);
	if (n > 0)
		strbuf_add(&r->text, chunk, (size_t)n);
	else
		r->ended = n == 0 || (errno != EINTR && errno != EAGAIN);
	return true;
}

/* Makes a string of the bytes up to `end`, and takes them and what ends them. */
static const char *take(struct line_reader *r, char *end)
{
	const char *line = r->text.buf + r->taken;
	r->taken = (size_t)(end - r->text.buf) + 1;
	*end = 0;
	return line;
}

const char *line_read(struct line_reader *r)
{
	if (r->taken) {
		const size_t left = r->text.len > r->taken ? r->text.len - r->taken : 0;
		memmove(r->text.buf, r->text.buf + (r->text.len - left), left);
		r->text.len = left;
		r->taken = 0;
	}
	for (size_t from = 0;;) {
		char *end = r->text.len > from ? memchr(r->text.buf + from, '\n', r->text.len - from) : NULL;
		if (end)
			return take(r, end);
		from = r->text.len;
		if (r->ended && !r->text.len)
			return NULL;
		if (r->ended) {
			strbuf_addc(&r->text, '\n');
			return take(r, r->text.buf + r->text.len - 1);
		}
		if (!fetch(r))
			return NULL;
	}
}

void line_reader_release(struct line_reader *r)
{
	strbuf_release(&r->text);
}
