/* code: what an application gives as device code, as PTX texts to load and machine code to look registers up in. */
#ifndef UI_SESSION_APP_CODE_H
#define UI_SESSION_APP_CODE_H
#include "base/strbuf.h"
#include "session/app/cubin.h"
#include "sim.h"

struct code {
	struct source_text *text; /* one of each translation unit; several are linked (-rdc) */
	u32 n;
	struct cubin *cubin; /* of the same translation units, those that have one */
	u32 ncubins;
};
/* A fat binary, or several containers one behind the other: the PTX that suits a chip of compute capability `sm` (75).
 * linked: the first container is machine code that was linked from what is in the others, for registers alone.
 * *notes: what the user should know of the choice. False with *e. */
bool code_of_fat_binary(struct code *c, const char *label, const void *bytes, u64 n, bool linked, u32 sm,
                        struct strbuf *notes, struct err *e);
/* A PTX text, not yet loaded. */
void code_of_ptx(struct code *c, const char *label, const void *text, u64 n);
/* Registers per thread of a kernel, as the assembler has chosen them; 0: not known. */
u32 code_registers(const struct code *c, const char *kernel);
void code_forget_texts(struct code *c); /* they have been loaded */
void code_release(struct code *c);
#endif
