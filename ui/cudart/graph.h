/* graph: streams under capture, and graphs as sequences of what streams are given.
 *
 * A capture keeps what its streams are given in the order of the calls, which is an order that their dependencies
 * allow. A graph that is launched does the same in one stream: nothing of it runs at the same time as something else of
 * it. */
#ifndef UI_CUDART_GRAPH_H
#define UI_CUDART_GRAPH_H
#include "cudart/streams.h"

struct graph;
int capture_add(struct capture *c, struct stream *s, struct op *op); /* takes the op */
int capture_join(struct capture *c, struct stream *s); /* s waits for an event of the capture: it is of it, too */
int capture_break(struct capture *c);                  /* a call that a capture does not allow: its error */
void capture_leave(struct stream *s);                  /* the stream goes */
int graph_run(struct graph *g, struct stream *s);
#endif
