#include "terminal/input.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "scr/term.h"

/* --- keys --------------------------------------------------------------------------------------------------------- */
static struct key_ring ring_of(u32 max)
{
	return (struct key_ring){.key = xcalloc(max, sizeof(int)), .max = max};
}

static bool ring_add(struct key_ring *r, int key)
{
	if (r->n == r->max)
		return false;
	r->key[(r->first + r->n++) % r->max] = key;
	return true;
}

static int ring_at(const struct key_ring *r, u32 i)
{
	return i < r->n ? r->key[(r->first + i) % r->max] : K_NONE;
}

static int ring_take(struct key_ring *r)
{
	const int key = ring_at(r, 0);
	if (r->n) {
		r->first = (r->first + 1) % r->max;
		r->n--;
	}
	return key;
}

void input_init(struct input *in)
{
	*in = (struct input){.arrived = ring_of(ARRIVED_MAX), .owed = ring_of(OWED_MAX)};
}

void input_release(struct input *in)
{
	free(in->arrived.key);
	free(in->owed.key);
	strbuf_release(&in->paste.part);
	strbuf_release(&in->lines);
}

void input_fill(struct input *in, int wait_ms)
{
	while (in->arrived.n < in->arrived.max) {
		const int key = term_key(in->arrived.n ? 0 : wait_ms);
		if (key == K_NONE)
			return;
		ring_add(&in->arrived, key);
	}
}

int input_key(struct input *in)
{
	return ring_take(&in->arrived);
}

bool input_text_follows(const struct input *in)
{
	u32 i = 0;
	while (ring_at(&in->arrived, i) == ' ')
		i++;
	const int key = ring_at(&in->arrived, i);
	return (key >= 'a' && key <= 'z') || key == '(';
}

bool input_waits(const struct input *in)
{
	return in->arrived.n || in->owed.n || in->line_at < in->lines.len;
}

bool input_owe(struct input *in, int key)
{
	return ring_add(&in->owed, key);
}

int input_owed(struct input *in)
{
	return ring_take(&in->owed);
}

/* --- what is pasted ----------------------------------------------------------------------------------------------- */
static void paste_byte(struct input *in, int key)
{
	const bool after_cr = in->paste.cr;
	in->paste.cr = key == '\r';
	if (key == '\r' || (key == '\n' && !after_cr))
		strbuf_addc(&in->paste.part, '\n');
	else if (key == '\t')
		strbuf_addc(&in->paste.part, ' '); /* completes nothing */
	else if (key >= ' ' && key < 256 && key != 127)
		strbuf_addc(&in->paste.part, (char)key);
}

bool input_paste_key(struct input *in, int key, double now)
{
	if (in->paste.dropped && now > in->paste.last + PASTE_QUIET)
		in->paste.open = in->paste.dropped = false;
	const bool mine = in->paste.open || key == K_PASTE || key == K_PASTE_END;
	in->paste.last = now;
	if (key == K_PASTE) {
		in->paste.open = true;
		in->paste.dropped = in->paste.cr = false;
	} else if (key == K_PASTE_END) {
		in->paste.open = in->paste.dropped = false;
	} else if (in->paste.open && !in->paste.dropped) {
		paste_byte(in, key);
	}
	return mine;
}

/* Copies the next character to out if it is one, as '?' if it is none; returns its bytes, 0 when more may follow. */
static size_t take_character(const char *s, size_t n, bool more, struct strbuf *out)
{
	mbstate_t fresh = {0};
	const size_t len = mbrlen(s, n, &fresh);
	if (len == (size_t)-2 && more)
		return 0;
	if (len == 0 || len > n) {
		strbuf_addc(out, '?');
		return 1;
	}
	strbuf_add(out, s, len);
	return len;
}

char *input_pasted(struct input *in, bool *ends)
{
	struct strbuf *part = &in->paste.part, out = STRBUF_INIT;
	size_t at = 0;
	*ends = false;
	while (at < part->len && part->buf[at] != '\n') {
		const size_t len = take_character(part->buf + at, part->len - at, in->paste.open, &out);
		if (!len)
			break;
		at += len;
	}
	if (at < part->len && part->buf[at] == '\n') {
		*ends = true;
		at++;
	}
	if (!at)
		return NULL;
	memmove(part->buf, part->buf + at, part->len - at + 1);
	part->len -= at;
	char *text = xstrdup(strbuf_str(&out));
	strbuf_release(&out);
	return text;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */
void input_add_line(struct input *in, const char *line)
{
	strbuf_addf(&in->lines, "%s\n", line);
}

char *input_line(struct input *in)
{
	if (in->line_at == in->lines.len)
		return NULL;
	const char *line = in->lines.buf + in->line_at;
	const size_t n = strcspn(line, "\n");
	char *copy = xstrndup(line, n);
	in->line_at += n + 1;
	if (in->line_at == in->lines.len) {
		strbuf_clear(&in->lines);
		in->line_at = 0;
	}
	return copy;
}

void input_drop_waiting(struct input *in)
{
	in->owed.n = 0;
	strbuf_clear(&in->lines);
	in->line_at = 0;
}

u32 input_drop(struct input *in, bool keys)
{
	u32 lines = 0;
	for (size_t i = in->line_at; i < in->lines.len; i++)
		lines += in->lines.buf[i] == '\n';
	for (size_t i = 0; i < in->paste.part.len; i++)
		lines += in->paste.part.buf[i] == '\n';
	for (u32 i = 0; keys && i < in->arrived.n; i++) /* the end may be among them */
		if (ring_at(&in->arrived, i) == K_PASTE || ring_at(&in->arrived, i) == K_PASTE_END)
			in->paste.open = ring_at(&in->arrived, i) == K_PASTE;
	in->paste.open &= !in->paste.dropped; /* asked a second time */
	in->paste.dropped = in->paste.open;
	in->arrived.n = keys ? 0 : in->arrived.n;
	strbuf_clear(&in->paste.part);
	input_drop_waiting(in);
	return lines;
}
