/* format: values as print and x show them. */
#ifndef UI_FORMAT_H
#define UI_FORMAT_H
#include "commands/commands.h"

/* Raw bits of a type in format x d u f c, or (0) the type's own. */
void format_value(char fmt, enum ptype t, u64 bits, struct strbuf *out);
#endif
