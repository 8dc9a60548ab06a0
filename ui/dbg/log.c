#include "dbg/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void log_text(struct debugger *d, enum log_kind k, const char *text, size_t n)
{
	struct log_line *l = &d->log.line[d->log.total++ % LOG_LINES];
	l->cycle = d->s->sim ? sim_cycle(d->s->sim) : 0;
	l->kind = k;
	snprintf(l->text, sizeof(l->text), "%.*s", (int)MIN(n, sizeof(l->text) - 1), text);
}

void debugger_log(struct debugger *d, enum log_kind k, const char *fmt, ...)
{
	char text[4096];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");
		log_text(d, k, p, n);
		p += n + (p[n] == '\n');
	}
}

void take_output(struct debugger *d, struct strbuf *out)
{
	struct strbuf *from = &d->s->output;
	if (!from->len)
		return;
	if (d->log.output < from->len)
		debugger_log(d, LOG_OUTPUT, "%s", strbuf_str(from) + d->log.output);
	d->log.output = 0;
	strbuf_add(out, from->buf, from->len);
	strbuf_clear(from);
}
