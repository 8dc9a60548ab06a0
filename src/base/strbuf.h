/* strbuf: a growing string. buf is always a valid C string; release with strbuf_release. */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H
#include "base/base.h"

struct strbuf {
	char *buf;
	size_t len, cap;
};
#define STRBUF_INIT                                                                                                    \
	{                                                                                                                  \
		0                                                                                                              \
	}
void strbuf_addf(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_add(struct strbuf *sb, const char *data, size_t n);
void strbuf_adds(struct strbuf *sb, const char *s);
void strbuf_addc(struct strbuf *sb, char c);
void strbuf_clear(struct strbuf *sb); /* keeps the memory */
void strbuf_release(struct strbuf *sb);
/* The C string; "" for a fresh strbuf. */
static inline const char *strbuf_str(const struct strbuf *sb)
{
	return sb->buf ? sb->buf : "";
}
/* Reads a whole file; false (with *e set, naming the file) when it cannot be read or is larger than 256 MiB. */
struct err;
bool strbuf_read_file(struct strbuf *sb, const char *path, struct err *e);
#endif
