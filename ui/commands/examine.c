/* x: memory */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "commands/commands.h"

#define X_MAX 4096 /* units of one command */

struct x_request {
	u32 n;
	char fmt, size;
};

/* "/4xw": count, format, unit size in any order of the letters. */
static const char *x_format(const char *args, struct x_request *r, struct err *e)
{
	if (*args != '/')
		return args;
	const char *p = args + 1;
	if (isdigit((unsigned char)*p)) {
		char *end;
		unsigned long n = strtoul(p, &end, 10);
		if (n < 1 || n > X_MAX) {
			err_set(e, "x: %.*s units: 1..%u are possible", (int)MIN(end - p, 12), p, X_MAX);
			return NULL;
		}
		r->n = (u32)n;
		p = end;
	}
	for (; *p && !isspace((unsigned char)*p); p++) {
		if (strchr("xdufcs", *p))
			r->fmt = *p;
		else if (strchr("bhwg", *p))
			r->size = *p;
		else {
			err_set(e, "x: '%c' is no format (x d u f c s) and no unit (b h w g)", *p);
			return NULL;
		}
	}
	return skip_blanks(p);
}

static u32 unit_bytes(const struct x_request *r)
{
	if (r->fmt == 's' || r->fmt == 'c')
		return 1;
	return r->size == 'b' ? 1 : r->size == 'h' ? 2 : r->size == 'g' ? 8 : 4;
}

/* Where to read: device memory, the shared memory of the focused CTA, or the focused lane's local memory. */
struct x_source {
	bool shared, local;
	u8 *base;
	u32 bytes;
};

static bool read_unit(struct debugger *d, const struct x_source *s, u64 addr, void *to, u32 n, struct err *e)
{
	if (s->local)
		return front_read_local(sim_front(d->s->sim), d->focus.sm, d->focus.warp, d->focus.lane, addr, to, n) ||
		       err_set(e, "local:%llu is outside the lane's local memory", (unsigned long long)addr);
	if (!s->shared)
		return devmem_read(sim_devmem(d->s->sim), addr, to, n, e);
	if (addr > s->bytes || n > s->bytes - addr)
		return err_set(e, "shared:%llu is outside the CTA's %u byte%s", (unsigned long long)addr, s->bytes,
		               plural(s->bytes));
	memcpy(to, s->base + addr, n);
	return true;
}

static bool open_source(struct debugger *d, const char **addr, struct x_source *s, struct err *e)
{
	*s = (struct x_source){0};
	if (!strncmp(*addr, "local:", 6)) {
		*addr += 6;
		return s->local = true;
	}
	if (strncmp(*addr, "shared:", 7))
		return true;
	*addr += 7;
	s->shared = true;
	debugger_refresh_focus(d);
	if (d->focus.cta_slot < 0)
		return err_set(e, "x shared: SM %u warp %u is empty, so there is no CTA", d->focus.sm, d->focus.warp);
	s->base = front_shared(sim_front(d->s->sim), d->focus.sm, (u32)d->focus.cta_slot, &s->bytes);
	return s->base || err_set(e, "the focused CTA has no shared memory");
}

static enum ptype unit_type(u32 bytes)
{
	return bytes == 1 ? T_U8 : bytes == 2 ? T_U16 : bytes == 8 ? T_U64 : T_U32;
}

static void row_start(const struct x_source *s, u64 addr, struct strbuf *out)
{
	if (s->shared)
		strbuf_addf(out, "shared:0x%04llx:", (unsigned long long)addr);
	else if (s->local)
		strbuf_addf(out, "local:0x%04llx:", (unsigned long long)addr);
	else
		strbuf_addf(out, "0x%llx:", (unsigned long long)addr);
}

static bool show_string(struct debugger *d, const struct x_source *s, u64 *addr, struct strbuf *out, struct err *e)
{
	size_t before = out->len;
	row_start(s, *addr, out);
	strbuf_adds(out, "  \"");
	for (u32 i = 0; i < 200; i++) {
		u8 c;
		if (!read_unit(d, s, (*addr)++, &c, 1, i ? NULL : e)) {
			if (!i) /* nothing of it can be read: the error is all there is to say */
				out->buf[out->len = before] = 0;
			else
				strbuf_adds(out, "\" (the allocation ends)\n");
			return i > 0;
		}
		if (!c) {
			strbuf_adds(out, "\"\n");
			return true;
		}
		strbuf_addf(out, c >= 32 && c < 127 ? "%c" : "\\x%02x", c);
	}
	strbuf_adds(out, "\"...\n");
	return true;
}

static bool show_units(struct debugger *d, const struct x_request *r, const struct x_source *s, u64 *addr,
                       struct strbuf *out, struct err *e)
{
	u32 bytes = unit_bytes(r), per_row = bytes == 8 ? 2 : bytes == 4 ? 4 : bytes == 2 ? 8 : 8;
	for (u32 i = 0; i < r->n; i++, *addr += bytes) {
		u64 v = 0;
		if (!read_unit(d, s, *addr, &v, bytes, e)) {
			strbuf_adds(out, i ? "\n" : "");
			return false;
		}
		if (i % per_row == 0) {
			strbuf_adds(out, i ? "\n" : "");
			row_start(s, *addr, out);
		}
		strbuf_adds(out, "  ");
		format_value(r->fmt, unit_type(bytes), v, out);
	}
	strbuf_addc(out, '\n');
	return true;
}

bool cmd_x(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct x_request r = {1, d->shell->x_fmt, d->shell->x_size};
	struct x_source s;
	u64 addr = d->shell->x_next;
	const char *where = x_format(args, &r, e);
	if (!where || !open_source(d, &where, &s, e))
		return false;
	if (!*where && !s.shared && !d->shell->x_next)
		return err_set(e, "x: an address is expected");
	if (*where && !(s.shared ? shared_expression : address_expression)(d, where, &addr, e))
		return false;
	d->shell->x_fmt = r.fmt;
	d->shell->x_size = r.size;
	bool ok = true;
	for (u32 i = 0; ok && i < (r.fmt == 's' ? r.n : 1); i++)
		ok = r.fmt == 's' ? show_string(d, &s, &addr, out, e) : show_units(d, &r, &s, &addr, out, e);
	d->shell->x_next = s.shared ? 0 : addr;
	return ok;
}
