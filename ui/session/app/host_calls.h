/* host_calls: where in an application a call of the run time stands, as people read it: "cudaLaunchKernel from
 * main+0x1f2 in app". Texts are kept, one for each place, as long as the session: launches point at theirs. */
#ifndef UI_SESSION_APP_HOST_CALLS_H
#define UI_SESSION_APP_HOST_CALLS_H
#include "base/base.h"

struct host_calls;
struct host_calls *host_calls_new(void);
/* address: in the process, where the call returns to; 0: not known. NULL: nothing is known. */
const char *host_calls_text(struct host_calls *t, s32 pid, u64 address, const char *call);
void host_calls_free(struct host_calls *t); /* NULL is fine */
#endif
