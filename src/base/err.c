#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool err_set(struct err *e, const char *fmt, ...)
{
	if (!e || e->set)
		return false;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof e->msg, fmt, ap);
	va_end(ap);
	e->set = true;
	return false;
}

bool err_pass(struct err *e, const struct err *from)
{
	if (e && !e->set)
		*e = *from;
	return false;
}

void err_prefix(struct err *e, const char *fmt, ...)
{
	char head[sizeof e->msg], tail[sizeof e->msg];
	if (!e || !e->set)
		return;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(head, sizeof head, fmt, ap);
	va_end(ap);
	memcpy(tail, e->msg, sizeof tail);
	size_t n = strlen(head);
	memcpy(e->msg, head, n);
	snprintf(e->msg + n, sizeof e->msg - n, "%s", tail);
}

void err_clear(struct err *e)
{
	e->set = e->interrupted = false;
	e->msg[0] = 0;
}
