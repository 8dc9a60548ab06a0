/* Unpacking a member: a length that is claimed is checked before memory is taken for it, and after decompression. */
#include <inttypes.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "session/app/fatbin.h"

/* LZ4 makes at most 255 bytes of one. */
#define LZ4_RATIO 255

static bool by_lz4(const struct fatbin_member *m, char *out, struct err *e)
{
	int n = LZ4_decompress_safe((const char *)m->packed, out, (int)m->packed_len, (int)m->len);
	if (n < 0)
		return err_set(e, "its %zu B are no sound LZ4 data", m->packed_len);
	return (size_t)n == m->len || err_set(e, "LZ4 gives %d B, its header says %zu", n, m->len);
}

static bool by_zstd(const struct fatbin_member *m, char *out, struct err *e)
{
	size_t n = ZSTD_decompress(out, m->len, m->packed, m->packed_len);
	if (ZSTD_isError(n))
		return err_set(e, "its %zu B are no sound zstd data: %s", m->packed_len, ZSTD_getErrorName(n));
	return n == m->len || err_set(e, "zstd gives %zu B, its header says %zu", n, m->len);
}

static bool check_lengths(const struct fatbin_member *m, struct err *e)
{
	bool lz4 = m->flags & FATBIN_LZ4, zstd = m->flags & FATBIN_ZSTD;
	if (lz4 && zstd)
		return err_set(e, "it is marked as LZ4 and as zstd (flags 0x%" PRIx64 ")", m->flags);
	if (MAX(m->len, m->packed_len) > FATBIN_UNPACKED_MAX)
		return err_set(e, "%zu B, or %zu B unpacked, are more than %u MiB", m->packed_len, m->len,
		               FATBIN_UNPACKED_MAX >> 20);
	if (m->len == m->packed_len && !lz4 && !zstd)
		return true;
	if (!lz4 && !zstd)
		return err_set(e,
		               "it is compressed in an unknown way (flags 0x%" PRIx64 "); LZ4 and zstd are known. "
		               "Compile it with CUDA 11 or later, or with nvcc's option --no-compress",
		               m->flags);
	if (!m->packed_len || !m->len)
		return err_set(e, "it is marked as compressed, with %zu B that become %zu B", m->packed_len, m->len);
	/* A frame says what it becomes: a header that claims much more takes no memory. */
	unsigned long long frame = zstd ? ZSTD_getFrameContentSize(m->packed, m->packed_len) : ZSTD_CONTENTSIZE_UNKNOWN;
	if (frame == ZSTD_CONTENTSIZE_ERROR)
		return err_set(e, "its %zu B do not begin as zstd data", m->packed_len);
	if (frame != ZSTD_CONTENTSIZE_UNKNOWN && frame != m->len)
		return err_set(e, "zstd gives %llu B, its header says %zu", frame, m->len);
	if (lz4 && m->len / LZ4_RATIO > m->packed_len)
		return err_set(e, "%zu B of LZ4 data cannot become %zu B", m->packed_len, m->len);
	return true;
}

/* The text ends at its first zero; only zeros may follow. */
static bool end_text(const char *text, size_t *len, struct err *e)
{
	size_t end = strnlen(text, *len);
	for (size_t i = end; i < *len; i++)
		if (text[i])
			return err_set(e, "its text has a zero at byte %zu of %zu", end, *len);
	*len = end;
	return end || err_set(e, "its text is empty");
}

char *fatbin_unpack(const struct fatbin *f, const struct fatbin_member *m, size_t *len, struct err *e)
{
	struct err why = {0};
	char *out = NULL;
	bool ok = check_lengths(m, &why);
	if (ok) {
		out = xmalloc(m->len + 1);
		out[m->len] = 0;
		*len = m->len;
		if (m->flags & FATBIN_LZ4)
			ok = by_lz4(m, out, &why);
		else if (m->flags & FATBIN_ZSTD)
			ok = by_zstd(m, out, &why);
		else
			memcpy(out, m->packed, m->len);
	}
	if (ok && m->kind == FATBIN_PTX)
		ok = end_text(out, len, &why);
	if (ok)
		return out;
	struct strbuf label = STRBUF_INIT;
	fatbin_member_label(m, &label);
	err_set(e, "fat binary of %s: %s: %s", f->label, label.buf, why.msg);
	strbuf_release(&label);
	free(out);
	return NULL;
}
