/* lanes_text: a row of warps over time at one cycle, spelled out. */
#ifndef UI_VIEWS_LANES_TEXT_H
#define UI_VIEWS_LANES_TEXT_H
#include "views/lanes_rows.h"

enum legend_id lanes_sign(const struct lane_cell *c); /* of a cell of a warp or a CTA */
/* "94 fma.rn.f32 %f3, ..." of an instruction; appends nothing for PC_DONE. brief: the opcode alone. */
void lanes_inst(const struct view_ctx *v, const struct lanes_picture *p, const struct lane_cell *c, u32 pc, bool brief,
                struct strbuf *out);
/* What the focused row was, and why; its CUDA line, and what has happened to CTAs in that column. */
void lanes_state_text(const struct view_ctx *v, const struct lanes_picture *p, struct strbuf *out);
void lanes_place_text(const struct view_ctx *v, const struct lanes_picture *p, struct strbuf *out);
/* The sign of what has happened in a column; LG_COUNT: nothing. */
enum legend_id lanes_mark_sign(const struct lanes_picture *p, u64 from);
#endif
