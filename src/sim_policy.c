/* What a warp scheduler's name brings with it: configuration and hardware. */
#include <stdlib.h>
#include <string.h>

#include "sim.h"
#include "sm/sched/sched.h"

bool sim_imply(struct conf *c, const char *warp_sched, struct err *e)
{
	const struct warp_sched_ops *ops = warp_sched_find(warp_sched);
	if (!ops || !ops->implies)
		return true;
	bool ok = true;
	for (const char *p = ops->implies; *p && ok; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");
		char *pair = xstrndup(p, n);
		ok = conf_set_pair(c, pair, e);
		free(pair);
		p += n;
	}
	return ok;
}

static double kib(u64 bits)
{
	return (double)bits / 8 / 1024;
}

void sim_policy_storage(const struct conf *c, const char *warp_sched, struct strbuf *out)
{
	struct sched_storage s[SCHED_STORAGE_MAX];
	const struct warp_sched_ops *ops = warp_sched_find(warp_sched);
	u32 n = ops && ops->storage ? ops->storage(c, s) : 0;
	u64 all = 0;
	for (u32 i = 0; i < n; i++) {
		u64 bits = (u64)s[i].bits * s[i].entries;
		all += bits;
		strbuf_addf(out, "%s: %u x %u bit = %.2f KiB\n", s[i].what, s[i].entries, s[i].bits, kib(bits));
	}
	if (n)
		strbuf_addf(out, "in all %.2f KiB an SM\n", kib(all));
}
