/* What PTX is refused with: an error of the file, or, where the file is loaded, why a kernel of it cannot be launched.
 */
#ifndef TESTS_RIG_REFUSAL_H
#define TESTS_RIG_REFUSAL_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/ptx/ptx.h"

struct refusal {
	bool file; /* the file was refused */
	char text[1200];
};
/* Of the first kernel that cannot be launched; text is empty when there is none. */
static inline struct refusal refusal_of(const char *path, const char *ptx, size_t len)
{
	struct refusal out = {0};
	struct err e = {0};
	struct module *m = ptx_load(path, ptx, len, &e);
	out.file = !m;
	if (out.file)
		snprintf(out.text, sizeof out.text, "%s", e.msg);
	for (u32 i = 0; m && i < m->nfuncs && !out.text[0]; i++) {
		char *why = m->funcs[i].is_kernel ? func_unsupported(m, &m->funcs[i]) : NULL;
		if (why)
			snprintf(out.text, sizeof out.text, "%s", why);
		free(why);
	}
	module_free(m);
	return out;
}
/* A file of head, body and end is refused, at a place that is named. */
static inline struct refusal expect_refused(const char *head, const char *body, const char *end)
{
	char ptx[4096];
	const int n = snprintf(ptx, sizeof ptx, "%s%s%s", head, body, end);
	assert_true(n > 0 && (size_t)n < sizeof ptx);
	const struct refusal why = refusal_of("test.ptx", ptx, (size_t)n);
	if (!strstr(why.text, "test.ptx:"))
		fail_msg("%s: %s", body, *why.text ? why.text : "accepted");
	return why;
}
#endif
