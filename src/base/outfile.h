/* outfile: a file that is written, and stands there whole or not at all.
 *
 * The text goes into FILE.part beside it, which takes the name when it is complete: until then what was there stays.
 * Devices, pipes and what /dev and /proc name are written directly; so is a file in a directory that takes no new one.
 * What the program has read is not written, nor read while it is written, nor written twice at a time, under whatever
 * names and links; what it has written itself it may do with as it likes. */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H
#include "base/err.h"

struct outfile;
/* what: the option or command it is for (static), which messages about it name. NULL with *e "PATH: why": it is read,
 * is being written, or cannot be: no such directory, no right, no room for a block. */
struct outfile *outfile_open(const char *path, const char *what, struct err *e);
int outfile_fd(const struct outfile *f);           /* stays f's */
const char *outfile_part(const struct outfile *f); /* the file's name while it is written */
bool outfile_rewritable(const struct outfile *f);  /* it is a file: it can be cut, rewritten and read back */
/* Appends; false with *e "PATH: cannot write: why". */
bool outfile_put(struct outfile *f, const void *data, size_t n, struct err *e);
/* It is complete. Frees f. False with *e, and what was there before stays. */
bool outfile_commit(struct outfile *f, struct err *e);
/* It is not to be: what was there stays. Frees f; NULL is fine. */
void outfile_drop(struct outfile *f);

/* A signal is about to end the process: files that are being written go, what was there stays. useful: but not those of
 * outfile_keep_cut(). Safe in a handler; in the copy of the process that fork() makes it does nothing. */
void outfiles_cut(bool useful);
/* Once there is something in FILE.part, it is of use as far as it goes. */
void outfile_keep_cut(struct outfile *f);

/* Makes `path` a file of these n bytes; false with *e "PATH: why". */
bool file_write(const char *path, const void *data, size_t n, struct err *e);
/* A file is about to be read. False with *e: it is being written. */
bool file_is_read(const char *path, struct err *e);
#endif
