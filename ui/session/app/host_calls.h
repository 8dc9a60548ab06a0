/* host_calls: where in an application a call of the run time stands, as people read it: "cudaLaunchKernel from
 * main+0x1f2 in app", with the line, "(app.cu:14)", where the application was compiled with -g and there is addr2line.
 */
#ifndef UI_SESSION_APP_HOST_CALLS_H
#define UI_SESSION_APP_HOST_CALLS_H
#include "session/call_texts.h"

/* address: in the process, where the call returns to; 0: not known. NULL: nothing is known. */
const char *host_calls_text(struct call_texts *t, s32 pid, u64 address, const char *call);
#endif
