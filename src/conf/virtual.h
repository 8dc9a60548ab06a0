/* virtual: what the parts of a machine have to know of virtual threads (sm/virtual.h) to be large enough. */
#ifndef CONF_VIRTUAL_H
#define CONF_VIRTUAL_H
#include <string.h>

#include "conf/conf.h"

/* Does the machine keep CTAs beyond its scheduling limit? */
static inline bool conf_is_vt(const struct conf *c)
{
	return c->cta_virtual[0] == 'v' && !strcmp(c->cta_virtual, "vt");
}
#endif
