/* set: the keys of `set`, for completion. */
#ifndef UI_COMMANDS_SET_H
#define UI_COMMANDS_SET_H
#include "base/base.h"
const char *set_key(u32 i); /* NULL behind the last */
#endif
