#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void bug_at(const char *file, int line, const char *fmt, ...)
{
	va_list ap;
	fprintf(stderr, "warpdbg: internal error at %s:%d: ", file, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

static void *checked(void *p, size_t n)
{
	if (!p && n) {
		fprintf(stderr, "warpdbg: out of memory (%zu bytes)\n", n);
		exit(2);
	}
	return p;
}

void *xmalloc(size_t n)
{
	return checked(malloc(n), n);
}
void *xcalloc(size_t n, size_t size)
{
	return checked(calloc(n, size), n * size);
}
void *xrealloc(void *p, size_t n)
{
	return checked(realloc(p, n), n);
}
char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *xstrndup(const char *s, size_t n)
{
	char *p = xmalloc(n + 1);
	memcpy(p, s, n);
	p[n] = 0;
	return p;
}
