/* param_list: the parameters that a kernel expects, for messages about wrong ones. */
#ifndef UI_SESSION_HOST_PARAM_LIST_H
#define UI_SESSION_HOST_PARAM_LIST_H
#include "ir/ir.h"

#define PARAM_LIST_MAX 400
/* " (u64 x, u64 y, u32 n)" in buf, cut where it ends; names that a compiler has made of the kernel's and a number are
 * left out. "" when it takes none. */
const char *param_list(const struct func *fn, char buf[PARAM_LIST_MAX]);
#endif
