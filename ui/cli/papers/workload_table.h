/* workloads: the table of the bundled workloads' kernels (`warpdbg list workloads --table`), measured by running each.
 */
#ifndef UI_CLI_PAPERS_WORKLOAD_TABLE_H
#define UI_CLI_PAPERS_WORKLOAD_TABLE_H
#include "base/strbuf.h"
#include "session/session.h"

/* Runs every workload (o: size, gpu, format) and appends the table: text, Markdown or JSON. A workload that fails has a
 * row that says so. False with *e when there is no table at all. */
bool workload_table(const struct options *o, const char *data_dir, struct strbuf *out, struct err *e);
#endif
