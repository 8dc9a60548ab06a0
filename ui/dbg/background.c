#include "dbg/background.h"

#include "dbg/lanes.h"
#include "dbg/linelives.h"

bool background_pending(const struct debugger *d)
{
	return lanes_pending(d) || linelives_pending(d);
}

bool background_wait(struct debugger *d, u32 ms)
{
	const bool a = lanes_pending(d) && lanes_wait(d, ms), b = linelives_pending(d) && linelives_wait(d, a ? 0 : ms);
	return a || b;
}
