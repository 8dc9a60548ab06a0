#include "base/complain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"

void complain_of(const char *whom, const char *text)
{
	struct strbuf line = STRBUF_INIT;
	strbuf_addf(&line, "warpdbg: %s%s\n", whom, text);
	plain_write(&line, stderr);
	strbuf_release(&line);
}

void complain(const struct err *e)
{
	complain_of("", e->msg);
}

bool stdout_written(struct err *e)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	/* What an earlier call failed of is known no more. */
	return err_set(e, "cannot write to standard output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
}
