/* deltas: the figures that differ most between two gatherings of statistics, as a table. */
#ifndef UI_COMMANDS_DELTAS_H
#define UI_COMMANDS_DELTAS_H
#include "base/strbuf.h"
#include "obs/stats/stats.h"

/* Appends the first `most` of them; returns how many more there are. */
u32 deltas_table(const struct stats *a, const struct stats *b, u32 most, struct strbuf *out);
#endif
