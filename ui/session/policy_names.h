/* policy_names: is there a policy of this kind and name? Returns false with *e, which lists the names there are ("did
 * you mean"). */
#ifndef UI_SESSION_POLICY_NAMES_H
#define UI_SESSION_POLICY_NAMES_H
#include "base/err.h"
#include "conf/policy.h"

bool policy_name_known(enum policy_kind k, const char *name, struct err *e);
/* Those of all kinds that a configuration names. */
bool policy_names_known(const struct conf *c, struct err *e);
#endif
