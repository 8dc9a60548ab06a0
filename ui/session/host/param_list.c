#include "session/host/param_list.h"

#include <stdio.h>
#include <string.h>

const char *param_list(const struct func *fn, char buf[PARAM_LIST_MAX])
{
	size_t n = 0;
	buf[0] = '\0';
	for (u32 i = 0; i < fn->nparams && n < PARAM_LIST_MAX; i++) {
		const struct param *p = &fn->params[i];
		const bool made = strstr(p->name, "_param_") != NULL;
		char bytes[24] = "";
		if (p->size != ptype_bytes(p->type))
			snprintf(bytes, sizeof bytes, "[%u bytes]", p->size);
		n += (size_t)snprintf(buf + n, PARAM_LIST_MAX - n, "%s%s%s%s%s", i ? ", " : " (", ptype_name(p->type), bytes,
		                      made ? "" : " ", made ? "" : p->name);
	}
	if (n + 2 > PARAM_LIST_MAX)
		memcpy(buf + PARAM_LIST_MAX - 5, "...)", 5);
	else if (n)
		memcpy(buf + n, ")", 2);
	return buf;
}
