/* state_file: where the program keeps what it remembers of its user from one start to the next. */
#ifndef UI_BASE_STATE_FILE_H
#define UI_BASE_STATE_FILE_H
#include <stddef.h>

#include "base/base.h"

/* The path of the file of this name: warpdbg_NAME in $XDG_STATE_HOME or ~/.local/state where there is such a folder,
 * else ~/.warpdbg_NAME. False: neither variable is set, or the path is too long. */
bool state_file(const char *name, char *path, size_t size);
#endif
