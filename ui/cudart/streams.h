/* streams: handles of streams and events, and what streams are given. */
#ifndef UI_CUDART_STREAMS_H
#define UI_CUDART_STREAMS_H
#include "cudart/deliver.h"
#include "cudart/modules.h"

struct capture;
struct stream {
	uint64_t number; /* of the wire; 0: the legacy default stream */
	uint32_t flags;
	int priority;
	struct capture *capture; /* NULL: what it is given is sent at once */
};
struct event {
	uint64_t number;
	uint32_t flags;
	struct capture *captured; /* it was last recorded in a stream that is being captured */
};

/* stream_of: a handle as the program has it, with CUDA's special ones. Errors: 400. */
int stream_of(void *handle, struct stream **s);
int event_of(void *handle, struct event **e);
int stream_sync(struct stream *s); /* NULL: all */

/* What a stream is given, as one description: sent at once, or kept while the stream is captured (graph.h). */
enum op_kind { OP_LAUNCH, OP_COPY, OP_FILL, OP_HOST, OP_RECORD, OP_WAIT, OP_EMPTY, OP_CHILD };
struct op {
	enum op_kind kind;
	union {
		struct {
			struct function *function;
			struct dim3 grid, block;
			uint64_t shared;
			uint32_t flags; /* enum wire_launch */
			uint32_t bytes;
			unsigned char *parameters;
		} launch;
		struct op_copy {
			uint64_t to, to_pitch, to_slice, from, from_pitch, from_slice; /* slice: bytes from one plane to the next */
			uint64_t width, height, depth;
			bool to_device, from_device;
			bool wait; /* the call comes back when it is done */
		} copy;
		struct op_fill {
			uint64_t address, pitch, slice, width, height, depth;
			uint32_t value, element; /* bytes: 1, 2, 4 */
		} fill;
		struct {
			void (*function)(void *);
			void *argument;
			enum host_call call;
		} host;
		struct event *event;
		struct graph *child;
	};
};
int stream_give(struct stream *s, struct op *op); /* takes launch.parameters, which malloc made */
int stream_run(struct stream *s, const struct op *op);
void op_free(struct op *op);

int copy_run(struct stream *s, const struct op_copy *c); /* copy.c */
int launch_run(struct stream *s, const struct op *op);   /* launch.c */
#endif
