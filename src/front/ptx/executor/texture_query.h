/* texture_query: shared by the files that read and execute txq, suq and istypep. */
#ifndef FRONT_PTX_EXECUTOR_TEXTURE_QUERY_H
#define FRONT_PTX_EXECUTOR_TEXTURE_QUERY_H
#include "front/ptx/runtime/state.h"

enum texture_query { /* inst.mode */
	                 TQ_WIDTH,
	                 TQ_HEIGHT,
	                 TQ_DEPTH,
	                 TQ_CHANNEL_DATA_TYPE,
	                 TQ_CHANNEL_ORDER,
	                 TQ_NORMALIZED_COORDS,
	                 TQ_ARRAY_SIZE,
	                 TQ_MIPMAP_LEVELS,
	                 TQ_SAMPLES,
	                 TQ_MEMORY_LAYOUT,
	                 TQ_COUNT
};
enum { TQ_TEXTURE, TQ_SURFACE, TQ_SAMPLER }; /* inst.geom: of what kind */
exec_fn exec_texture_query(const struct inst *in);
#endif
