/* A lesson's text, which stands indented in its file, as lines of the console. */
#include <string.h>

#include "base/wrap.h"
#include "commands/teach.h"

/* The next line of a text without the tabs it begins with and blanks at its end; *p goes behind it. */
static const char *next_line(const char **p, size_t *n)
{
	const char *line = *p + strspn(*p, "\t");
	const char *end = line + strcspn(line, "\n");
	*p = end + (*end == '\n');
	*n = (size_t)(end - line);
	while (*n && strchr(" \t\r", line[*n - 1]))
		(*n)--;
	return line;
}

static bool stays(const char *line, size_t n)
{
	return n && (*line == ' ' || (n >= 4 && !strncmp(line, "(wd)", 4)));
}

static void flush(struct strbuf *filled, u32 width, struct strbuf *out)
{
	if (filled->len)
		text_wrap(strbuf_str(filled), 0, width, out);
	strbuf_clear(filled);
}

void lesson_text(const char *text, u32 width, struct strbuf *out)
{
	struct strbuf filled = STRBUF_INIT;
	const size_t from = out->len;
	size_t n;
	u32 blank = 0;
	while (*text) {
		const char *line = next_line(&text, &n);
		if (!n) {
			flush(&filled, width, out);
			blank++;
			continue;
		}
		if (blank && out->len > from)
			strbuf_addc(out, '\n');
		blank = 0;
		if (stays(line, n)) {
			flush(&filled, width, out);
			strbuf_addf(out, "%s%.*s\n", *line == ' ' ? "" : "    ", (int)n, line);
		} else {
			strbuf_add(&filled, line, n);
			strbuf_addc(&filled, ' ');
		}
	}
	flush(&filled, width, out);
	strbuf_release(&filled);
}
