/* machine: which machine a command line asks for. */
#ifndef UI_SESSION_MACHINE_H
#define UI_SESSION_MACHINE_H
#include "base/err.h"
#include "conf/conf.h"

struct places;
/* The effective configuration: defaults, machine file (NULL = gtx480), then the key=value texts in order, then
 * conf_check. Messages name the file and line, or --set, where the values at fault stand. */
bool machine_conf(struct conf *c, const char *data_dir, const char *gpu, const char *const *sets, u32 nsets,
                  struct err *e);
/* Applies one machine file and its bases; *from (may be NULL) learns which keys they set, *about (may be NULL) gets its
 * `help` text or "". */
bool machine_file(struct conf *c, struct places *from, const char *data_dir, const char *gpu, struct strbuf *about,
                  struct err *e);
#endif
