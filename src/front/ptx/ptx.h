/* ptx: reading PTX text into a struct module. The door of the reader; the rest of the front end is behind front_ops. */
#ifndef FRONT_PTX_PTX_H
#define FRONT_PTX_PTX_H
#include "base/err.h"
#include "front/front.h"
#include "ir/ir.h"
#include "passes/schedule.h"

/* Parses and lowers PTX text. On failure returns NULL with *e: "FILE:LINE:COL: unexpected 'token', expected ...".
 * `path` is for messages only. The passes (CFG, post-dominators, liveness, register allocation, estimate, issue cost)
 * have run; the instructions stand in the order of the text. */
struct module *ptx_load(const char *path, const char *text, size_t len, struct err *e);
/* Reads the file, then ptx_load. */
struct module *ptx_load_file(const char *path, struct err *e);

/* Several PTX files linked into one module: a name with .extern, .visible, .weak or .common means the same in all of
 * them, other names are a file's own. Of weak definitions the first one counts, unless there is a strong one. */
struct module *ptx_link_for(const struct source_text *texts, u32 n, const struct schedule_params *schedule,
                            struct err *e);
struct module *ptx_link_files_for(const char *const *paths, u32 n, const struct schedule_params *schedule,
                                  struct err *e);

/* The same with list scheduling for a machine (passes/schedule.h); NULL: the order of the text. */
struct module *ptx_load_for(const char *path, const char *text, size_t len, const struct schedule_params *schedule,
                            struct err *e);
struct module *ptx_load_file_for(const char *path, const struct schedule_params *schedule, struct err *e);

/* Sets in->exec for the host's vector width. False: this opcode/type/modifier combination is not supported (the loader
 * turns that into an error with line and opcode). Called once per lowered instruction, after all other fields are
 * final. */
bool exec_resolve(struct inst *in);

extern const struct front_ops front_ptx;
#endif
