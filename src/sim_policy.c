/* The policies there are, and what a policy's name brings with it: configuration and hardware. */
#include <stdlib.h>
#include <string.h>

#include "gpu/policies.h"
#include "sim.h"

const struct policy *sim_policy(enum policy_kind k, u32 i)
{
	return policy_at(k, i);
}

bool sim_imply(struct conf *c, const char *key, const char *name, struct err *e)
{
	enum policy_kind k = policy_kind_of(key);
	const struct policy *policy = k == POLICY_KINDS ? NULL : policy_find(k, name);
	if (!policy || !policy->implies)
		return true;
	bool ok = true;
	for (const char *p = policy->implies; *p && ok; p += strspn(p, " ")) {
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

void sim_policy_storage(const struct conf *c, const struct policy *p, struct strbuf *out)
{
	struct policy_storage s[POLICY_STORAGE_MAX];
	u32 n = p->storage ? p->storage(c, s) : 0;
	u64 all = 0;
	for (u32 i = 0; i < n; i++) {
		u64 bits = (u64)s[i].bits * s[i].entries;
		all += bits;
		strbuf_addf(out, "%s: %u x %u bit = %.2f KiB\n", s[i].what, s[i].entries, s[i].bits, kib(bits));
	}
	if (n)
		strbuf_addf(out, "in all %.2f KiB an SM\n", kib(all));
}
