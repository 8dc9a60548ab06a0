/* line_rows: what lines of code did and cost: the counters of their instructions (gpu/lines.h), by instruction, PTX
 * line or CUDA line. */
#ifndef OBS_RECORD_LINE_ROWS_H
#define OBS_RECORD_LINE_ROWS_H
#include "gpu/gpu.h"
#include "probe/line_counters.h"

enum line_by { LINE_BY_PC, LINE_BY_PTX, LINE_BY_CUDA, LINE_BYS };
extern const char *const line_by_names[LINE_BYS]; /* "pc", "ptx", "cuda" */

struct line_row {
	const struct module *mod;
	u32 pc;           /* its first instruction */
	u32 instructions; /* of the line, executed or not */
	struct line_counters c;
};
/* Rows with something in them, in the order of modules and code; of code without line information there is no row by
 * CUDA line. n = 0 where nobody counts (gpu_count_lines()). To be freed. */
struct line_row *line_rows(struct gpu *g, enum line_by by, u32 *n);

/* Most first; equal ones stay in the order of the code. */
void line_rows_sort(struct line_row *rows, u32 n, u32 key);

/* Appends where it is: "hotspot.ptx:94", "hotspot.cu:20", with "+3" the third instruction behind the first of its line.
 */
void line_row_place(const struct line_row *r, enum line_by by, struct strbuf *out);
#endif
