/* virtual: does a machine have virtual threads (sm/virtual.h)? For the parts of it that must then be larger. */
#ifndef CONF_VIRTUAL_H
#define CONF_VIRTUAL_H
#include <string.h>

#include "conf/conf.h"

#define VIRTUAL_CTA_PLACES 160 /* CTAs of an SM, active and inactive */

/* Does the machine keep CTAs beyond its scheduling limit? */
static inline bool conf_is_vt(const struct conf *c)
{
	return c->cta_virtual[0] == 'v' && !strcmp(c->cta_virtual, "vt");
}
#endif
