#include "session/policy_names.h"

#include <string.h>

#include "base/strbuf.h"
#include "session/policy/lua_policy.h"
#include "sim.h"

bool policy_name_known(enum policy_kind k, const char *name, struct err *e)
{
	const char *kind = policy_kinds[k].name, *names[64];
	const struct policy *p;
	u32 n = 0;
	if (policy_is_lua(name))
		return policy_lua_kind(k) || err_set(e, "a %s policy cannot be written in Lua", kind);
	struct strbuf all = STRBUF_INIT;
	bool ok = false;
	while (n < ARRAY_LEN(names) && (p = sim_policy(k, n))) {
		strbuf_addf(&all, "%s%s", n ? " " : "", p->name);
		ok |= !strcmp(p->name, name);
		names[n++] = p->name;
	}
	const char *near = ok ? NULL : conf_nearest(name, names, n);
	if (near)
		err_set(e, "no such %s policy '%s' (did you mean '%s'?); there are: %s", kind, name, near, all.buf);
	else if (!ok)
		err_set(e, "no such %s policy '%s'; there are: %s", kind, name, strbuf_str(&all));
	strbuf_release(&all);
	return ok;
}

bool policy_names_known(const struct conf *c, struct err *e)
{
	bool ok = true;
	for (u32 k = 0; k < POLICY_KINDS && ok; k++)
		ok = policy_name_known(k, policy_named(c, k), e);
	return ok;
}
