#include "base/page.h"

#include <string.h>

#include "base/wrap.h"

#define INDENT 4

/* --- roff --- */

/* The code point of the character at *s, which is moved behind it; 0xfffd for what is no UTF-8. */
static u32 code_point(const char **s)
{
	const unsigned char *p = (const unsigned char *)*s;
	u32 n = p[0] < 0x80 ? 0 : p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc0 ? 1 : 4;
	u32 c = n == 3 ? p[0] & 7u : n == 2 ? p[0] & 15u : n == 1 ? p[0] & 31u : p[0];
	for (u32 i = 1; n < 4 && i <= n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			n = 4;
		else
			c = c << 6 | (p[i] & 63u);
	}
	*s += n < 4 ? n + 1 : 1;
	return n < 4 ? c : 0xfffd;
}

/* Text of a line in which no character may mean anything to roff; code between backquotes is bold. Bold = it is so
 * already. */
static void roff_text(struct strbuf *out, const char *text, bool bold)
{
	bool code = false;
	if (*text == '.' || *text == '\'')
		strbuf_adds(out, "\\&"); /* no request */
	for (const char *s = text; *s;) {
		u32 c = code_point(&s);
		if (c == '`' && !bold) {
			code = !code;
			strbuf_adds(out, code ? "\\fB" : "\\fR");
		} else if (c == '\\')
			strbuf_adds(out, "\\e");
		else if (c == '-')
			strbuf_adds(out, "\\-"); /* a minus, to be copied to a command line */
		else if (c == '~')
			strbuf_adds(out, "\\(ti");
		else if (c == '^')
			strbuf_adds(out, "\\(ha");
		else if (c == '\'')
			strbuf_adds(out, "\\(aq");
		else if (c == '`')
			strbuf_adds(out, "\\(ga");
		else if (c == '\n')
			strbuf_addc(out, ' ');
		else if (c >= 0x80)
			strbuf_addf(out, "\\[u%04X]", c);
		else
			strbuf_addc(out, (char)c);
	}
	if (code)
		strbuf_adds(out, "\\fR");
	strbuf_addc(out, '\n');
}

/* A heading's argument. */
static void roff_request(struct strbuf *out, const char *request, const char *text)
{
	strbuf_addf(out, ".%s \"", request);
	for (; *text; text++)
		strbuf_adds(out, *text == '"' ? "\\(dq" : *text == '\\' ? "\\e" : (char[]){*text, 0});
	strbuf_adds(out, "\"\n");
}

static void roff_lines(struct strbuf *out, const char *text)
{
	strbuf_adds(out, ".PP\n.nf\n.RS 4\n");
	while (*text) {
		size_t n = strcspn(text, "\n");
		struct strbuf line = STRBUF_INIT;
		strbuf_add(&line, text, n);
		roff_text(out, strbuf_str(&line), true);
		strbuf_release(&line);
		text += n + (text[n] == '\n');
	}
	strbuf_adds(out, ".RE\n.fi\n");
}

/* --- both --- */

void page_head(struct page *p, const char *name, const char *version, const char *what)
{
	if (!p->roff)
		return;
	strbuf_addf(p->out, ".TH \"%s\" \"1\" \"\" \"%s\" \"User Commands\"\n.SH \"NAME\"\nwarpdbg \\- ", name, version);
	roff_text(p->out, what, false);
}

void page_heading(struct page *p, const char *text)
{
	if (p->roff)
		roff_request(p->out, "SH", text);
	else
		strbuf_addf(p->out, "%s%s\n", p->out->len ? "\n" : "", text);
}

void page_part(struct page *p, const char *text)
{
	if (p->roff)
		roff_request(p->out, "SS", text);
	else
		strbuf_addf(p->out, "\n%s\n", text);
}

void page_text(struct page *p, const char *text)
{
	if (p->roff) {
		strbuf_adds(p->out, ".PP\n");
		roff_text(p->out, text, false);
	} else
		text_wrap(text, 0, WRAP_WIDTH, p->out);
}

void page_lines(struct page *p, const char *text)
{
	if (p->roff) {
		roff_lines(p->out, text);
		return;
	}
	while (*text) {
		size_t n = strcspn(text, "\n");
		strbuf_addf(p->out, "%*s%.*s\n", INDENT, "", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

void page_term(struct page *p, const char *term, const char *also, const char *text)
{
	if (p->roff) {
		strbuf_adds(p->out, ".TP\n\\fB");
		roff_text(p->out, term, true);
		p->out->len--; /* the line goes on */
		strbuf_adds(p->out, "\\fR\n");
		if (*also) {
			strbuf_adds(p->out, "also: ");
			roff_text(p->out, also, true);
			strbuf_adds(p->out, ".br\n");
		}
		roff_text(p->out, text, false);
		return;
	}
	strbuf_addf(p->out, "%s\n", term);
	if (*also)
		strbuf_addf(p->out, "%*salso: %s\n", INDENT, "", also);
	strbuf_addf(p->out, "%*s", INDENT, "");
	text_wrap(text, INDENT, WRAP_WIDTH, p->out);
}
