/* list: the `list` and `explain` commands. */
#ifndef UI_CLI_LIST_H
#define UI_CLI_LIST_H
#include "session/session.h"

/* What there is: o->workload names one of gpus, workloads, policies, stats, events, opcodes, config, lua, commands.
 * Appends text, or JSON or markdown with --format; of workloads with --table or --format markdown the table of
 * cli/papers/workload_table.h. False with *e for anything else. */
bool list_things(const struct options *o, struct strbuf *out, struct err *e);
/* The name of the i-th list; NULL behind the last. */
const char *list_thing(u32 i);
#endif
