/* launch_log: writes what a host program does to the device into a file (`run --record-launches FILE`), from which
 * scripts/hardware/measure repeats it on a chip: modules, allocations, copies, launches, and the contents of memory in
 * the end.
 *
 *   warpdbg-launches 1
 *   workload NAME                     size SIZE      seed N      param KEY=VALUE
 *   module ID BYTES                   and the PTX
 *   symbol ID NAME ADDRESS BYTES      a variable of .global or .const space
 *   alloc ADDRESS BYTES               free ADDRESS
 *   write ADDRESS BYTES               and the bytes
 *   fill ADDRESS BYTES VALUE
 *   launch ID KERNEL GX GY GZ BX BY BZ SHARED BYTES N OFFSET...      and the parameters; N of them are pointers
 *   result ADDRESS BYTES              and the bytes, of each live allocation and variable
 *   left-out REASON                   this cannot be repeated
 *   end
 *
 * Each entry is one line, with words separated by one blank and addresses in hexadecimal. Bytes follow on the next line
 * and end in a line break of their own. Addresses are the machine's: a program that repeats the file replaces them, in
 * parameters too. Pointers in memory cannot be recognised safely, so programs with them are left out. */
#ifndef UI_SESSION_HOST_LAUNCH_LOG_H
#define UI_SESSION_HOST_LAUNCH_LOG_H
#include "session/options.h"
#include "sim.h"

struct launch_log;
/* NULL with *e when the file cannot be written. */
struct launch_log *launch_log_open(const struct options *o, const char *workload, struct sim *sim, u32 seed,
                                   struct err *e);
/* Calls are for a log that may be NULL: nothing is recorded then. */
void launch_log_module(struct launch_log *l, const struct module *m);
void launch_log_alloc(struct launch_log *l, u64 addr, u64 bytes);
void launch_log_free(struct launch_log *l, u64 addr);
void launch_log_write(struct launch_log *l, u64 addr, const void *data, u64 bytes);
void launch_log_fill(struct launch_log *l, u64 addr, u64 bytes, u8 value);
void launch_log_launch(struct launch_log *l, const struct launch_spec *spec);
void launch_log_leave_out(struct launch_log *l, const char *why);
/* Writes the results and closes the file, or (keep = false) leaves what was there. finished: the run came to its end.
 * False with *e when not all is written. */
bool launch_log_close(struct launch_log *l, bool finished, bool keep, struct err *e);
#endif
