/* refused: the calls that the library has by name only. Each tells warpdbg's user and answers "not supported". The
 * table calls.def has one row for every call. */
#include "cudart/link.h"
#include "cudart/abi.h"

static int refuse(const char *name, const char *why)
{
	int failed = enter(name);
	return failed ? failed : leave(link_refuse("%s", why));
}

#define SERVED(name, note)
#define REFUSED(name, why)                                                                                             \
	EXPORT int name(void);                                                                                             \
	EXPORT int name(void)                                                                                              \
	{                                                                                                                  \
		return refuse(#name, why);                                                                                     \
	}
#include "cudart/calls.def"
