/* vprintf: formats each lane's message in lane order. The argument buffer holds the arguments at their natural
 * alignment: int 4 bytes, long long, double and pointers 8. Widths and precisions are limited to 3 digits and strings
 * to STRING_MAX bytes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/ptx/ops.h"
#include "front/ptx/runtime/fp.h"
#include "front/ptx/runtime/state.h"

#define FORMAT_MAX 4096
#define STRING_MAX 1024

/* A lane's view of generic memory, and where it is in its argument buffer. */
struct reader {
	const struct exec *x;
	u32 lane;
	u64 args;  /* address of the buffer */
	u64 at;    /* offset of the next argument */
	u64 bad;   /* first address that could not be read; 0 = none */
	u32 count; /* arguments used */
};

static const u8 *byte_at(const struct reader *r, u64 addr)
{
	const struct exec *x = r->x;
	if (addr - SHARED_WINDOW < WINDOW_BYTES)
		return addr - SHARED_WINDOW < exec_cta(x)->shared_bytes ? exec_shared(x) + (addr - SHARED_WINDOW) : NULL;
	if (addr - LOCAL_WINDOW < WINDOW_BYTES) {
		const u64 at = addr - LOCAL_WINDOW;
		if (at >= x->ref->local_bytes)
			return NULL;
		return devmem_ptr(x->f->mem, local_byte(x->f, exec_local(x), r->lane, at));
	}
	const struct alloc *a = devmem_find(x->f->mem, addr);
	return a && !a->freed ? devmem_ptr(x->f->mem, addr) : NULL;
}
/* With commit.delay: what a store of this SM will have put there; false: none is on its way. */
static bool stored_byte(const struct exec *x, u64 addr, u8 *out)
{
	const struct sm_side *s = &x->f->side[x->sm];
	for (u32 k = s->queue->n; k-- > 0;) {
		const struct pending *p = &s->pending[fifo_at(s->queue, x->f->pending_cap, k)];
		for (u32 i = 0; p->kind == PENDING_STORE && i < LANES; i++) { /* the lowest wins: commit_store() */
			const u64 at = p->contig ? p->addr[0] + i * p->bytes : p->addr[i];
			if (!(p->mask >> i & 1) || addr - at >= p->bytes)
				continue;
			*out = p->data[i * p->bytes + (addr - at)];
			return true;
		}
	}
	return false;
}
static bool read_bytes(struct reader *r, u64 addr, void *out, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		const u8 *p = byte_at(r, addr + i);
		if (!p) {
			r->bad = addr + i;
			return false;
		}
		if (likely(!r->x->f->delay) || !stored_byte(r->x, addr + i, (u8 *)out + i))
			((u8 *)out)[i] = *p;
	}
	return true;
}
/* A NUL-terminated string of at most max - 1 bytes. */
static bool read_string(struct reader *r, u64 addr, char *out, u32 max)
{
	for (u32 i = 0; i < max - 1; i++) {
		if (!read_bytes(r, addr + i, &out[i], 1))
			return false;
		if (!out[i])
			return true;
	}
	out[max - 1] = 0;
	return true;
}
static u64 next_arg(struct reader *r, u32 bytes)
{
	u64 v = 0;
	r->at = (r->at + bytes - 1) / bytes * bytes;
	if (!r->bad)
		read_bytes(r, r->args + r->at, &v, bytes);
	r->at += bytes;
	r->count++;
	return v;
}

struct spec {
	char text[32];  /* "%-08.3" so far: flags, width, precision */
	u32 len, bytes; /* bytes: of an integer argument */
};
static void spec_add(struct spec *s, char c)
{
	if (s->len < sizeof(s->text) - 8)
		s->text[s->len++] = c;
}
/* Digits (at most 3 are kept) or a star, whose argument is taken now. */
static const char *spec_number(struct reader *r, struct spec *s, const char *p)
{
	if (*p == '*') {
		s32 n = (s32)next_arg(r, 4);
		char digits[16];
		snprintf(digits, sizeof(digits), "%d", n > 999 ? 999 : n < -999 ? -999 : n);
		for (const char *d = digits; *d; d++)
			spec_add(s, *d);
		return p + 1;
	}
	for (u32 kept = 0; *p >= '0' && *p <= '9'; p++)
		if (kept++ < 3)
			spec_add(s, *p);
	return p;
}
static const char *parse_spec(struct reader *r, struct spec *s, const char *p)
{
	*s = (struct spec){.text = "%", .len = 1, .bytes = 4};
	for (; *p && strchr("-+ #0", *p); p++)
		if (!memchr(s->text, *p, s->len))
			spec_add(s, *p);
	p = spec_number(r, s, p);
	if (*p == '.') {
		spec_add(s, '.');
		p = spec_number(r, s, p + 1);
	}
	for (; *p && strchr("hlLqjzt", *p); p++)
		if (*p != 'h' && *p != 'L')
			s->bytes = 8;
	return p;
}

static void print_text(struct reader *r, struct strbuf *out, struct spec *s)
{
	char text[STRING_MAX];
	const u64 addr = next_arg(r, 8);
	memcpy(s->text + s->len, "s", 2);
	if (!r->bad && read_string(r, addr, text, sizeof(text)))
		strbuf_addf(out, s->text, text);
}
/* One conversion; unknown letters are printed as they stand. */
static void convert(struct reader *r, struct strbuf *out, struct spec *s, char c)
{
	const char wide[] = {'l', 'l', c, 0};
	switch (c) {
	case 'd':
	case 'i': {
		const u64 v = next_arg(r, s->bytes);
		memcpy(s->text + s->len, wide, 4);
		strbuf_addf(out, s->text, s->bytes == 8 ? (long long)v : (long long)(s32)v);
		break;
	}
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		memcpy(s->text + s->len, wide, 4);
		strbuf_addf(out, s->text, (unsigned long long)next_arg(r, s->bytes));
		break;
	case 'c':
		memcpy(s->text + s->len, "c", 2);
		strbuf_addf(out, s->text, (int)(u8)next_arg(r, 4));
		break;
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
	case 'a':
	case 'A':
		s->text[s->len] = c;
		s->text[s->len + 1] = 0;
		strbuf_addf(out, s->text, f64_bits(next_arg(r, 8)));
		break;
	case 's': print_text(r, out, s); break;
	case 'p': strbuf_addf(out, "0x%" PRIx64, next_arg(r, 8)); break;
	case 'n': next_arg(r, 8); break;
	case '%': strbuf_addc(out, '%'); break;
	default: strbuf_addf(out, "%%%c", c); break;
	}
}
static void print_lane(struct reader *r, struct strbuf *out, const char *format)
{
	for (const char *p = format; *p && !r->bad;) {
		struct spec s;
		if (*p != '%') {
			strbuf_addc(out, *p++);
			continue;
		}
		p = parse_spec(r, &s, p + 1);
		if (*p)
			convert(r, out, &s, *p++);
	}
}

/* --- whose it is --- */

/* The last n bytes of the text are this program's. */
static void printed_note(struct printed *p, u32 program, size_t n)
{
	if (!n)
		return;
	if (p->n && p->piece[p->n - 1].program == program) {
		p->piece[p->n - 1].bytes += n;
		return;
	}
	if (p->n == p->cap) {
		p->cap = MAX(p->cap * 2, 4u);
		p->piece = xrealloc(p->piece, p->cap * sizeof *p->piece);
	}
	p->piece[p->n++] = (struct printed_piece){program, n};
}

static void printed_clear(struct printed *p)
{
	strbuf_clear(&p->text);
	p->n = 0;
}

void printed_release(struct printed *p)
{
	strbuf_release(&p->text);
	free(p->piece);
	*p = (struct printed){0};
}

void exec_vprintf(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	struct printed *said = &x->f->side[x->sm].said;
	struct strbuf *out = &said->text;
	const size_t before = out->len;
	const u64 *formats = exec_at(x, in->s[0]), *args = exec_at(x, in->s[1]);
	u32 counts[LANES] = {0};
	for (u32 left = x->mask; left; left &= left - 1) {
		const u32 i = first_lane(left);
		struct reader r = {.x = x, .lane = i, .args = args[i]};
		char format[FORMAT_MAX];
		if (read_string(&r, formats[i], format, sizeof(format)))
			print_lane(&r, out, format);
		counts[i] = r.count;
		if (!r.bad)
			continue;
		out->len = before;
		if (out->buf)
			out->buf[before] = 0;
		exec_fault(x, FAULT_OOB, 1u << i, r.bad, 1, false, SPC_GENERIC);
		return;
	}
	printed_note(said, OWNER_PROGRAM(x->ref->l->mod->owner), out->len - before);
	for (u32 left = in->d[0] == OPND_NONE ? 0 : x->mask; left; left &= left - 1)
		((u32 *)exec_at(x, in->d[0]))[first_lane(left)] = counts[first_lane(left)];
}

void flush_text(struct ptx *f, struct sm_side *s)
{
	const char *at = s->said.text.buf;
	for (u32 i = 0; i < s->said.n; i++) {
		const struct printed_piece *p = &s->said.piece[i];
		const size_t room = PRINTF_MAX > f->said.text.len ? PRINTF_MAX - f->said.text.len : 0;
		strbuf_add(&f->said.text, at, MIN(p->bytes, room));
		printed_note(&f->said, p->program, MIN(p->bytes, room));
		f->text_cut |= p->bytes > room;
		at += p->bytes;
	}
	printed_clear(&s->said);
}

/* What others have printed stays, in its order. */
void ptx_take_printf(struct front *front, u32 program, struct strbuf *out)
{
	struct ptx *f = ptx_of(front);
	struct printed others = {0};
	const char *at = f->said.text.buf;
	for (u32 i = 0; i < f->said.n; at += f->said.piece[i++].bytes) {
		const struct printed_piece *p = &f->said.piece[i];
		if (program == FRONT_ALL_PROGRAMS || p->program == program) {
			strbuf_add(out, at, p->bytes);
			continue;
		}
		strbuf_add(&others.text, at, p->bytes);
		printed_note(&others, p->program, p->bytes);
	}
	printed_release(&f->said);
	f->said = others;
	if (f->text_cut && !others.n) {
		strbuf_addf(out, "\n[printf output beyond %u bytes was dropped]\n", PRINTF_MAX);
		f->text_cut = false;
	}
}
