/* notice: where the CTAs of a launch give notice that they can no longer be flushed, as the compiler has found it
 * (passes/idempotence.h): the tables of struct program. They are made once per kernel, are constant, and are kept until
 * the end.
 *
 * The compiler assumes that the pointers of a launch name different memory. The driver sees the pointers: if two of
 * them lie in one allocation, the kernel is analysed as one whose pointers may all be the same. */
#ifndef GPU_NOTICE_H
#define GPU_NOTICE_H
#include "base/base.h"

struct gpu;
struct notice_table {
	const struct func *fn;
	u8 *at; /* by pc; NULL: could not be found */
	bool alias, idempotent;
};
/* For launch `id`, when idempotence is recorded. */
void notice_find(struct gpu *g, u32 id);
void notice_free(struct gpu *g);
#endif
