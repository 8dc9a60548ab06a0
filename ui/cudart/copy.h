/* copy: copies and fills of all forms come down to one description (struct op_copy). */
#ifndef UI_CUDART_COPY_H
#define UI_CUDART_COPY_H
#include "cudart/streams.h"

/* Completes c (addresses, pitches, extents are there): which side is where; kind: enum cudaMemcpyKind. Then the stream
 * is given it. async: the call may come back before it is done. */
int copy_give(struct stream *s, struct op_copy c, int kind, bool async);
/* The first half of it. captured: no stream has it yet. */
int copy_complete(struct op_copy *c, int kind, bool async, bool captured);
/* The same for a stream's handle; the caller is in a call. */
int copy_call(void *stream, struct op_copy c, int kind, bool async);
/* A fill for a stream's handle; its width is a multiple of the element's bytes. */
int copy_fill(void *stream, const struct op_fill *f);
static inline struct op_copy copy_linear(void *to, const void *from, size_t bytes)
{
	return (struct op_copy){.to = (uint64_t)to,
	                        .to_pitch = bytes,
	                        .from = (uint64_t)from,
	                        .from_pitch = bytes,
	                        .width = bytes,
	                        .height = 1,
	                        .depth = 1};
}
#endif
