/* Containers and their members: everything in a header is checked against the bytes that there are before it is used.
 */
#include "session/app/fatbin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A member's header. All numbers are little-endian. */
enum {
	AT_KIND = 0,            /* u16 */
	AT_HEADER_LEN = 4,      /* u32, to the payload */
	AT_PAYLOAD_LEN = 8,     /* u64, with padding: to the next member */
	AT_COMPRESSED_LEN = 16, /* u32 without padding; 0: not compressed */
	AT_OPTIONS = 20,        /* u32: where a place (u32) and length (u32) of ptxas's options are */
	AT_SM = 28,             /* u32 */
	AT_NAME = 32,           /* u32 place, u32 length */
	AT_FLAGS = 40,          /* u64 */
	AT_LEN = 56,            /* u64: unpacked; 0: not compressed */
	MEMBER_HEAD = 64
};
#define KNOWN_VERSION 1

static u64 get(const u8 *p, u32 bytes)
{
	u64 v = 0;
	for (u32 i = 0; i < bytes; i++)
		v |= (u64)p[i] << 8 * i;
	return v;
}

u64 fatbin_container_bytes(const void *head)
{
	const u8 *p = head;
	u64 header = get(p + 6, 2), members = get(p + 8, 8);
	bool ok = get(p, 4) == FATBIN_MAGIC && header >= FATBIN_HEAD && members <= UINT64_MAX - header;
	return ok ? header + members : 0;
}

void fatbin_member_label(const struct fatbin_member *m, struct strbuf *out)
{
	strbuf_addf(out, "container %u, member %u (", m->container, m->index);
	if (m->kind == FATBIN_PTX || m->kind == FATBIN_CUBIN || m->kind == FATBIN_LTO)
		strbuf_adds(out, m->kind == FATBIN_PTX ? "PTX" : m->kind == FATBIN_CUBIN ? "cubin" : "LTO IR");
	else
		strbuf_addf(out, "kind %u", m->kind);
	strbuf_addf(out, " for sm_%u%s)", m->sm, m->flags & FATBIN_CHIP ? "a" : m->flags & FATBIN_FAMILY ? "f" : "");
}

/* A text in a member's header; blanks and zeros around it are dropped. *out is NULL if nothing is left. */
static bool header_text(const u8 *head, u64 header_len, u64 at, u64 len, const char *what, char **out, struct err *e)
{
	if (at > header_len || len > header_len - at)
		return err_set(e, "its %s (%" PRIu64 " B at %" PRIu64 ") reach beyond its header of %" PRIu64 " B", what, len,
		               at, header_len);
	const char *s = (const char *)head + at;
	len = strnlen(s, len);
	while (len && s[len - 1] == ' ')
		len--;
	while (len && *s == ' ')
		s++, len--;
	*out = len ? xstrndup(s, len) : NULL;
	return true;
}

static bool read_texts(struct fatbin_member *m, const u8 *head, u64 header_len, struct err *e)
{
	u64 options = get(head + AT_OPTIONS, 4), name = get(head + AT_NAME, 4);
	if (name && !header_text(head, header_len, name, get(head + AT_NAME + 4, 4), "name's bytes", &m->name, e))
		return false;
	if (m->kind != FATBIN_PTX || !options)
		return true;
	if (options > header_len || header_len - options < 8)
		return err_set(e, "the place of its options (%" PRIu64 ") is beyond its header of %" PRIu64 " B", options,
		               header_len);
	return header_text(head, header_len, get(head + options, 4), get(head + options + 4, 4), "options", &m->options, e);
}

/* The member at p, of which `left` bytes are in the container. *next: how far the next one is. */
static bool read_member(struct fatbin_member *m, const u8 *p, size_t left, size_t *next, struct err *e)
{
	if (left < MEMBER_HEAD)
		return err_set(e, "its header of %u B is cut short: the container has %zu B more", MEMBER_HEAD, left);
	u64 header = get(p + AT_HEADER_LEN, 4), payload = get(p + AT_PAYLOAD_LEN, 8);
	u64 compressed = get(p + AT_COMPRESSED_LEN, 4);
	m->kind = (u32)get(p + AT_KIND, 2);
	m->sm = (u32)get(p + AT_SM, 4);
	m->flags = get(p + AT_FLAGS, 8);
	if (header < MEMBER_HEAD || header > left)
		return err_set(e, "its header of %" PRIu64 " B is not within %u..%zu B", header, MEMBER_HEAD, left);
	if (payload > left - header)
		return err_set(e, "its %" PRIu64 " B reach beyond the container, which has %zu B more", payload,
		               left - (size_t)header);
	bool plain = !compressed && !(m->flags & (FATBIN_LZ4 | FATBIN_ZSTD));
	if (compressed > payload)
		return err_set(e, "%" PRIu64 " compressed B are more than the %" PRIu64 " B that it takes", compressed,
		               payload);
	m->packed = p + header;
	m->packed_len = plain ? payload : compressed;
	m->len = plain ? payload : get(p + AT_LEN, 8);
	*next = header + payload;
	return read_texts(m, p, header, e);
}

/* The members of the container of `len` bytes at p. */
static bool read_container(struct fatbin *f, const u8 *p, size_t len, struct err *e)
{
	size_t at = (size_t)get(p + 6, 2), next = 0;
	if (get(p + 4, 2) != KNOWN_VERSION)
		return err_set(e, "container %u: version %" PRIu64 ", known is %u", f->containers, get(p + 4, 2),
		               KNOWN_VERSION);
	for (u32 index = 0; at < len; index++, at += next) {
		if (!(f->n & (f->n - 1))) /* a power of two, or none yet */
			f->m = xrealloc(f->m, MAX(2 * f->n, 1u) * sizeof *f->m);
		struct fatbin_member *m = &f->m[f->n++];
		struct err why = {0};
		*m = (struct fatbin_member){.container = f->containers, .index = index};
		if (!read_member(m, p + at, len - at, &next, &why)) {
			struct strbuf label = STRBUF_INIT;
			fatbin_member_label(m, &label);
			err_set(e, "%s: %s", label.buf, why.msg);
			strbuf_release(&label);
			return false;
		}
	}
	return true;
}

static bool read_containers(struct fatbin *f, const u8 *p, size_t len, struct err *e)
{
	for (size_t at = 0; at < len; f->containers++) {
		size_t left = len - at;
		if (f->containers && !p[at]) {
			at++;
			f->containers--;
			continue;
		}
		if (left < FATBIN_HEAD)
			return err_set(e, "container %u: its header is cut short: %zu B of %u", f->containers, left, FATBIN_HEAD);
		if (get(p + at, 4) != FATBIN_MAGIC)
			return err_set(e, "container %u, at byte %zu: begins with 0x%08" PRIx64 ", not with 0x%08x", f->containers,
			               at, get(p + at, 4), FATBIN_MAGIC);
		u64 bytes = fatbin_container_bytes(p + at);
		if (!bytes || bytes > left)
			return err_set(e, "container %u: a header of %" PRIu64 " B and %" PRIu64 " B of members; there are %zu B",
			               f->containers, get(p + at + 6, 2), get(p + at + 8, 8), left);
		if (!read_container(f, p + at, (size_t)bytes, e))
			return false;
		at += bytes;
	}
	return f->containers || err_set(e, "is empty");
}

bool fatbin_read(struct fatbin *f, const char *label, const void *bytes, size_t len, struct err *e)
{
	*f = (struct fatbin){.label = xstrdup(label)};
	if (read_containers(f, bytes, len, e))
		return true;
	err_prefix(e, "fat binary of %s: ", label);
	fatbin_release(f);
	return false;
}

void fatbin_release(struct fatbin *f)
{
	for (u32 i = 0; i < f->n; i++) {
		free(f->m[i].name);
		free(f->m[i].options);
	}
	free(f->m);
	free(f->label);
	*f = (struct fatbin){0};
}
