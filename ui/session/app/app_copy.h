/* app_copy: the file of --app-output, which gets what applications write beside the place where it is shown. */
#ifndef UI_SESSION_APP_APP_COPY_H
#define UI_SESSION_APP_APP_COPY_H
#include "base/base.h"
#include "base/err.h"

struct app_copy;
/* Empty, even if there was a file of that name. NULL with *e: it cannot be written. */
struct app_copy *app_copy_open(const char *path, struct err *e);
void app_copy_add(struct app_copy *c, const void *data, u64 n);
/* Back to its first n bytes: what follows is written another time, or otherwise. No pipe can do that, which keeps all.
 */
void app_copy_cut(struct app_copy *c, u64 n);
/* False with *e when something could not be written. NULL is fine. */
bool app_copy_close(struct app_copy *c, struct err *e);
#endif
