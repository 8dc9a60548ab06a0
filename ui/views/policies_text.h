/* Who decides, for the head of a view: "gto/lcs", and with virtual threads or one of their rivals "gto/rr/vt". */
#ifndef UI_VIEWS_POLICIES_TEXT_H
#define UI_VIEWS_POLICIES_TEXT_H
#include <stdio.h>
#include <string.h>

#include "conf/conf.h"

#define POLICIES_TEXT_MAX                                                                                              \
	(sizeof((struct conf *)0)->warp_sched + sizeof((struct conf *)0)->cta_sched + sizeof((struct conf *)0)->cta_virtual)

static inline void policies_text(const struct conf *c, char *out, size_t size)
{
	const bool virtual = strcmp(c->cta_virtual, "none");
	snprintf(out, size, "%s/%s%s%s", c->warp_sched, c->cta_sched, virtual ? "/" : "", virtual ? c->cta_virtual : "");
}
#endif
