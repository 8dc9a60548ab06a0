/* tape: a text file that grows with a run and can be cut back to an earlier moment of the run.
 *
 * Text comes in whole entries, each with the clock at which it was written (never less than that of the entry before).
 * A tape that is to be cut keeps clock, place and a small record of each entry in a temporary file, so memory stays
 * flat however long the run. The first entry (the head of the file) is put out at once. What follows is collected in
 * memory and put out in blocks, each with the tail (for instance "\n]}\n" of JSON) that the next block overwrites.
 * Between two blocks the file (base/outfile.h: PATH.part until it is closed) is complete and at most TAPE_BLOCK bytes
 * behind. Only kill -9 in the middle of putting out a block leaves a block that is cut off: the kernel writes page by
 * page and gives up between two of them.
 *
 * Files that cannot be rewritten (pipes, devices) get all of it when the tape is closed, if the tape is to be cut; else
 * they get it block by block, the tail at the end. */
#ifndef OBS_RECORD_TAPE_H
#define OBS_RECORD_TAPE_H
#include <stdio.h>
#include "base/err.h"
#include "base/strbuf.h"

#define TAPE_BLOCK (256u << 10)
#define TAPE_NO_CUT SIZE_MAX

struct tape;
/* record: bytes of an entry's record (0: none), or TAPE_NO_CUT: never to be cut, tape_add() takes no records. tail: a
 * static string. what: see outfile_open. NULL with *e "PATH: why" when the file cannot be written. */
struct tape *tape_open(const char *path, const char *what, const char *tail, size_t record, struct err *e);
/* Appends an entry. record: the bytes of its record; ignored by a tape that keeps none. */
void tape_add(struct tape *t, u64 clock, const struct strbuf *text, const void *record);
/* Bytes written so far without the tail: where the next entry begins. */
u64 tape_end(const struct tape *t);
/* Removes all entries of a clock after the given one, the last first. `undone`, which may be NULL, is told the record
 * of each and where its text began. */
typedef void tape_undone_fn(void *ctx, const void *record, u64 began);
void tape_cut(struct tape *t, u64 clock, tape_undone_fn *undone, void *ctx);
/* Copies what has been written, without the tail, to another file. False: an error of the tape or of `to`. Not for a
 * tape that is not readable: a pipe or device, never to be cut. */
bool tape_readable(const struct tape *t);
bool tape_copy(struct tape *t, FILE *to);
/* Writes the rest and the tail, and frees. False with *e "PATH: cannot write: why" when anything went wrong since
 * tape_open. NULL is fine. */
bool tape_close(struct tape *t, struct err *e);
/* Instead: what the file was before stays. */
void tape_drop(struct tape *t);
#endif
