/* fingerprint: a hash of everything on which a result depends, for results that are kept: the program, its data, the
 * words of a command, files of the user's own (FNV-1a, 64 bits). */
#ifndef UI_SESSION_FINGERPRINT_H
#define UI_SESSION_FINGERPRINT_H
#include "base/base.h"
#include "base/err.h"

/* Of the program and the bundled machines, kernels, workloads and inspections. False with *e when one cannot be read.
 */
bool fingerprint_of_data(u64 *h, const char *data_dir, struct err *e);
u64 fingerprint_text(u64 h, const char *s); /* with its end: "a" "bc" is not "ab" "c" */
/* A word that names a file of the user's own, which is no part of the bundled data: its content. */
u64 fingerprint_own_file(u64 h, const char *word);
#endif
