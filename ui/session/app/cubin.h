/* cubin: what ptxas wrote down about each kernel of a cubin, NVIDIA's machine code for one chip (an ELF file of 64
 * bits). The code itself is not looked at. Of an -rdc program the cubin of .nv_fatbin counts, which nvlink has linked:
 * those of __nv_relfatbin do not know what the functions need that their kernels call.
 *
 *   struct cubin c;
 *   if (!cubin_read(&c, "app, cubin for sm_75", bytes, len, &e)) ...
 *   const struct cubin_kernel *k = cubin_kernel(&c, "_Z5saxpyfPfS_");
 *   launch.regs = k ? k->regs : 0;
 *   cubin_release(&c); */
#ifndef UI_SESSION_APP_CUBIN_H
#define UI_SESSION_APP_CUBIN_H
#include "base/base.h"
#include "base/err.h"

struct cubin_kernel {
	char *name;         /* as in the PTX: mangled */
	u32 regs;           /* per thread; 0: not written down */
	u32 shared_bytes;   /* per CTA, static; without what the system reserves from sm_90 on */
	u32 frame_bytes;    /* per thread, local memory of the kernel itself */
	u32 stack_bytes;    /* per thread, local memory with the functions that it calls, as far as ptxas knows */
	u32 max_threads[3]; /* __launch_bounds__ or .maxntid, or .reqntid: a CTA's most threads; 0 0 0: not given */
	bool exact_threads; /* .reqntid: a CTA has exactly max_threads */
};
struct cubin {
	struct cubin_kernel *k;
	u32 n;
};

/* False with *e (which begins with label): it is no cubin, or its tables are damaged; *c needs no release then. Nothing
 * of *c refers to the bytes. A cubin without kernels is valid: c->n is 0. */
bool cubin_read(struct cubin *c, const char *label, const void *bytes, size_t len, struct err *e);
void cubin_release(struct cubin *c);
/* NULL: there is none of that name. */
const struct cubin_kernel *cubin_kernel(const struct cubin *c, const char *name);
#endif
