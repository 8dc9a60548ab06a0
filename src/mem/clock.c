#include "mem/clock.h"

#include <math.h>

static u64 gcd(u64 a, u64 b)
{
	while (b) {
		u64 r = a % b;
		a = b;
		b = r;
	}
	return a;
}

struct clock clock_make(double core_mhz, double domain_mhz)
{
	u64 core = (u64)llround(core_mhz * 1000), dom = (u64)llround(domain_mhz * 1000), g = gcd(core, dom);
	struct clock k = {.num = dom / g, .den = core / g, .same = core == dom};
	k.by_num = UINT64_MAX / k.num;
	k.by_den = UINT64_MAX / k.den;
	return k;
}
