/* nodes: a graph's nodes and what depends on what. The caller has the mutex. */
#ifndef UI_CUDART_NODES_H
#define UI_CUDART_NODES_H
#include "cudart/streams.h"

struct node {
	struct op op;
	struct graph *graph;
	struct node **needs; /* nodes that come before */
	unsigned nneeds;
	unsigned order;        /* when it was added */
	bool enabled, done;    /* done: while the graph is sorted */
	struct node *original; /* of the graph that this one is a copy of */
	struct node *next;
};
struct graph {
	struct node *first, *last, *last_captured;
	unsigned count;
	int users;       /* nodes of other graphs that are this one */
	bool sorted_not; /* a dependency was added between nodes that were there */
};
struct graph *graph_of(void *handle);
struct graph *exec_of(void *handle);
struct graph *graph_make(void);
struct graph *graph_copy(struct graph *g);
void graph_free(struct graph *g);
struct node *graph_add(struct graph *g, struct op *op); /* takes the op; NULL: no memory */
bool graph_sort(struct graph *g); /* in an order that dependencies allow; false: they go in a circle */
void node_register(struct node *n);
void node_free(struct node *n);
bool node_depends(struct node *n, struct node *on);  /* false: no memory */
void events_forget_capture(const struct capture *c); /* streams.c */
#endif
