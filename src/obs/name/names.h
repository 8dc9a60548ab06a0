/* names: from pcs and operands back to what the user wrote - functions, PTX lines, register names. */
#ifndef OBS_NAME_NAMES_H
#define OBS_NAME_NAMES_H
#include "base/strbuf.h"
#include "gpu/query.h"

/* The function that contains pc, or NULL. */
const struct func *func_of_pc(const struct module *m, u32 pc);
/* The module whose code the launch runs; NULL for launch < 0 or unknown. */
const struct module *module_of_launch(const struct gpu *g, s32 launch);
/* The register `name` ("%r1") of the function at pc; when several places carry the name, the one live at pc. NULL =
 * none. */
const struct regname *reg_find(const struct module *m, u32 pc, const char *name);
bool reg_live(const struct regname *r, u32 pc);
/* The name of the operand at pc, NULL for immediates and unnamed slots. */
const struct regname *reg_of_operand(const struct module *m, u32 pc, opnd at);
/* Appends the PTX line of pc without leading blanks ("?" when the module keeps no text). */
void line_text(const struct module *m, u32 pc, struct strbuf *out);
/* "file.ptx:43" without directories. */
void line_place(const struct module *m, u32 pc, struct strbuf *out);
/* A value of type t as text: f32 1.5, s32 -1, b32 0x..., pred 0/1. */
void value_text(enum ptype t, u64 bits, struct strbuf *out);
/* Raw bits of a floating point type as a double. */
double value_real(enum ptype t, u64 bits);
/* Raw bits of an integer type, sign-extended when the type is signed. */
s64 value_int(enum ptype t, u64 bits);
#endif
