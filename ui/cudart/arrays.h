/* arrays: what textures and graphs need of CUDA's arrays. The caller has the mutex. */
#ifndef UI_CUDART_ARRAYS_H
#define UI_CUDART_ARRAYS_H
#include "cudart/abi.h"
#include "cudart/streams.h"

struct array {
	struct channel_desc desc;
	struct extent extent;           /* texels, rows (0: one dimension), planes or layers (0: none) */
	unsigned flags, texel;          /* bytes of a texel */
	uint64_t address, pitch, slice; /* bytes */
};
bool array_is(const struct array *a);
unsigned channels_of(const struct channel_desc *d);
bool channels_good(const struct channel_desc *d);
int copy_of_box(const struct memcpy_3d *p, struct op_copy *c, int *kind);
#endif
