/* alone: how fast each of several programs is by itself, on the same machine and with the same policies. Slowdowns,
 * ANTT and STP of programs and of their launches are relative to it (Park 2016, equations 4.1 and 4.2). It is measured
 * once and kept under the user's cache directory ($XDG_CACHE_HOME or ~/.cache, warpdbg/alone), by a fingerprint of the
 * program, its data and all options. */
#ifndef UI_SESSION_ALONE_H
#define UI_SESSION_ALONE_H
#include "session/session.h"

/* Of each program of `o`: cycles per warp instruction, from its first launch to the end of its last kernel (0: it has
 * launched nothing), and what each launch came to; whoever asks frees them (program_alone_free()). False with *e, which
 * names the program: it does not come to its end, or fails its check. */
bool alone_measure(const struct options *o, session_modules *modules, struct program_alone out[OPTIONS_PROGRAMS],
                   struct err *e);
/* session_open(), with --alone after each of several programs has been measured: the session knows how fast they are.
 * NULL with *e. */
struct session *alone_open(struct options *o, session_modules *modules, struct err *e);
#endif
