/* saved: sessions that the console's `save session` has written: `warpdbg debug FILE` goes on where one was saved.
 *
 *   # warpdbg session 1: `warpdbg debug FILE` goes on from here
 *   #: spmv                                  words of the command line behind `debug`, one a line
 *   #: --gpu
 *   #: v100
 *   goto 1000                                commands of the console, which -x FILE reads
 *   ... */
#ifndef UI_SESSION_SAVED_H
#define UI_SESSION_SAVED_H
#include "base/err.h"

#define SAVED_HEAD "# warpdbg session 1"
#define SAVED_WORD "#: "

/* Keeps the words of the command line. If they are "debug FILE ...", and FILE is a saved session, they become "debug -x
 * FILE ..." and the session's words: *argc and *argv are then new, until the process ends. False with *e: FILE cannot
 * be read to its end, or is of another version. */
bool saved_expand(int *argc, char ***argv, struct err *e);
/* Another program, with the options of a machine of its own, has taken the place of what the command line said: a saved
 * session has these words, which are separated by blanks. */
void saved_program(const char *text);
/* The words behind `debug` that are to be written into a saved session: all but -x, -ex, --batch and --keep-going,
 * whose effect a session has in lines of its own. */
u32 saved_words(const char *const **words);
#endif
