/* value: registers, addresses and expressions to numbers and text. */
#ifndef UI_DBG_VALUE_H
#define UI_DBG_VALUE_H
#include "dbg/state.h"

/* Evaluates %REGISTER or a Lua expression to text; fmt: 0, or one of xdufc. */
bool value_expression(struct debugger *d, const char *expr, char fmt, struct strbuf *out, struct err *e);
/* The same for what is evaluated again and again, watched or displayed: it may look, and change nothing. */
bool looked_at(struct debugger *d, const char *expr, struct strbuf *out, struct err *e);
/* Evaluates an expression to an integer (addresses); names of buffers and symbols count. */
bool address_expression(struct debugger *d, const char *expr, u64 *out, struct err *e);
/* The same behind "shared:", where the focused kernel's shared variables have names too (symbols.c); and these alone.
 */
bool shared_expression(struct debugger *d, const char *expr, u64 *out, struct err *e);
bool shared_name(struct debugger *d, const char *expr, u64 *out);
/* One display, or all that are enabled, with the values they have now. */
void show_display(struct debugger *d, const struct display *x, struct strbuf *out);
void show_displays(struct debugger *d, struct strbuf *out);
/* %tid.x and the like of the focused lane of a resident warp; false: no such special register. */
bool special_register(struct debugger *d, const struct warp_info *w, const char *name, u64 *bits);
/* CUDA's name of one, "threadIdx.x", as PTX has it: "%tid.x" in reg. False: it is none. */
#define SPECIAL_NAME_MAX 16
bool cuda_variable(const char *expr, char reg[SPECIAL_NAME_MAX]);
/* A buffer of the host program or a symbol of a module. */
bool named_address(struct debugger *d, const char *name, u64 *out);
/* Is it $bpnum or $pc, the variables of gdb that value_expression() knows? */
bool gdb_variable_name(const char *expr);
/* Raw bits of a type in format x d u f c, or (0) the type's own. */
void format_value(char fmt, enum ptype t, u64 bits, struct strbuf *out);
#endif
