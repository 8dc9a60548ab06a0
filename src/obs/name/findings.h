/* findings: what checks have found (sm/checks.h), for people. */
#ifndef OBS_NAME_FINDINGS_H
#define OBS_NAME_FINDINGS_H
#include "base/strbuf.h"
#include "gpu/query.h"

/* The findings that are errors; those where both writes leave the same bytes are *benign. */
u32 findings_count(const struct gpu *g, u32 *benign);
/* "read after write": of enum check_kind. */
const char *finding_kind_text(const struct check_finding *f);
/* Where its bytes are: "tile + 64 bytes", "allocation 2 in + 16 bytes"; appends nothing when no name is known. */
void finding_where(const struct gpu *g, const struct check_finding *f, struct strbuf *out);
const char *finding_access_text(const struct check_side *s); /* "load", "store", "atomic" */
/* "reduce.cu:12"; appends nothing where the module does not say. */
void finding_cuda_line(const struct module *m, u32 pc, struct strbuf *out);
/* A finding in lines: what, where, how often; both accesses with cycle, thread, CTA, PTX line and CUDA line. number: as
 * `info findings` counts, from 1. */
void finding_text(const struct gpu *g, const struct check_finding *f, u32 number, struct strbuf *out);
/* All of them, those that are errors first, and what was left out. */
void findings_text(const struct gpu *g, struct strbuf *out);
#endif
