/* graph: capture of streams, graphs, their launches (graph.h). Nodes that are added one by one: nodes.c. */
#include "cudart/graph.h"
#include "cudart/abi.h"
#include "cudart/link.h"
#include "cudart/nodes.h"
#include "cudart/table.h"
#include "cudart/version.h"
#include <stdlib.h>
#include <string.h>

enum { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_BROKEN };

struct capture {
	struct graph *graph;
	struct stream *origin;
	struct stream **streams; /* that are of it, the origin too */
	unsigned nstreams;
	uint64_t id;
	bool broken;
	bool into; /* the graph was there before */
};
static struct table graphs, execs;
static uint64_t captures;

struct graph *graph_of(void *handle)
{
	return table_get(&graphs, handle);
}

struct graph *graph_make(void)
{
	struct graph *g = calloc(1, sizeof *g);
	if (g && table_put(&graphs, g, g))
		return g;
	free(g);
	return NULL;
}

void graph_free(struct graph *g)
{
	if (!g || --g->users >= 0)
		return;
	table_remove(&graphs, g);
	for (struct node *n = g->first, *next; n; n = next) {
		next = n->next;
		node_free(n);
	}
	free(g);
}

struct node *graph_add(struct graph *g, struct op *op)
{
	struct node *n = calloc(1, sizeof *n);
	if (!n) {
		op_free(op);
		return NULL;
	}
	n->op = *op;
	n->graph = g;
	n->enabled = true;
	n->order = g->count++;
	if (g->last)
		g->last->next = n;
	else
		g->first = n;
	g->last = n;
	if (op->kind == OP_CHILD)
		op->child->users++;
	node_register(n);
	return n;
}

int capture_add(struct capture *c, struct stream *s, struct op *op)
{
	if (c->broken) {
		op_free(op);
		return CAPTURE_INVALIDATED;
	}
	struct node *n = graph_add(c->graph, op);
	if (!n)
		return OUT_OF_MEMORY;
	/* The order of the calls is the one that is kept. */
	if (c->graph->last_captured && !node_depends(n, c->graph->last_captured))
		return OUT_OF_MEMORY;
	c->graph->last_captured = n;
	return 0;
}

int capture_join(struct capture *c, struct stream *s)
{
	if (s->capture == c)
		return 0;
	if (s->capture)
		return CAPTURE_MERGE;
	if (!s->number)
		return CAPTURE_IMPLICIT;
	struct stream **more = realloc(c->streams, (c->nstreams + 1) * sizeof *more);
	if (!more)
		return OUT_OF_MEMORY;
	c->streams = more;
	c->streams[c->nstreams++] = s;
	s->capture = c;
	return 0;
}

int capture_break(struct capture *c)
{
	c->broken = true;
	return CAPTURE_UNSUPPORTED;
}

void capture_leave(struct stream *s)
{
	struct capture *c = s->capture;
	if (!c)
		return;
	c->broken = true;
	for (unsigned i = 0; i < c->nstreams; i++)
		if (c->streams[i] == s)
			c->streams[i--] = c->streams[--c->nstreams];
	s->capture = NULL;
}

static int begin(void *stream, int mode, struct graph *into)
{
	struct stream *s;
	int error = mode < 0 || mode > 2 ? INVALID_VALUE : stream_of(stream, &s);
	if (error)
		return error;
	if (!s->number)
		return CAPTURE_UNSUPPORTED; /* the legacy stream */
	if (s->capture)
		return ILLEGAL_STATE;
	struct capture *c = calloc(1, sizeof *c);
	if (!c || !(c->graph = into ? into : graph_make())) {
		free(c);
		return OUT_OF_MEMORY;
	}
	c->origin = s;
	c->into = into != NULL;
	c->id = ++captures;
	c->graph->last_captured = c->graph->last;
	error = capture_join(c, s);
	if (error)
		free(c);
	return error;
}

EXPORT int cudaStreamBeginCapture(void *stream, int mode)
{
	ENTER;
	return leave(begin(stream, mode, NULL));
}

EXPORT int cudaStreamBeginCaptureToGraph(void *stream, void *graph, const void *nodes, const void *edges, size_t count,
                                         int mode)
{
	ENTER;
	struct graph *g = graph_of(graph);
	return leave(g ? begin(stream, mode, g) : INVALID_VALUE);
}

EXPORT int cudaStreamEndCapture(void *stream, void **graph)
{
	ENTER;
	struct stream *s;
	int error = graph ? stream_of(stream, &s) : INVALID_VALUE;
	if (error)
		return leave(error);
	struct capture *c = s->capture;
	if (!c)
		return leave(ILLEGAL_STATE);
	if (c->origin != s)
		return leave(CAPTURE_UNMATCHED);
	for (unsigned i = 0; i < c->nstreams; i++)
		c->streams[i]->capture = NULL;
	*graph = c->broken ? NULL : c->graph;
	if (c->broken && !c->into)
		graph_free(c->graph);
	error = c->broken ? CAPTURE_INVALIDATED : 0;
	events_forget_capture(c);
	free(c->streams);
	free(c);
	return leave(error);
}

EXPORT int cudaStreamIsCapturing(void *stream, int *status)
{
	ENTER;
	struct stream *s;
	int error = status ? stream_of(stream, &s) : INVALID_VALUE;
	if (!error)
		*status = !s->capture ? CAPTURE_NONE : s->capture->broken ? CAPTURE_BROKEN : CAPTURE_ACTIVE;
	return leave(error);
}

static int info(void *stream, int *status, unsigned long long *id, void **graph, void ***nodes, size_t *count)
{
	struct stream *s;
	int error = status ? stream_of(stream, &s) : INVALID_VALUE;
	if (error)
		return error;
	struct capture *c = s->capture;
	*status = !c ? CAPTURE_NONE : c->broken ? CAPTURE_BROKEN : CAPTURE_ACTIVE;
	if (!c)
		return 0;
	if (id)
		*id = c->id;
	if (graph)
		*graph = c->graph;
	if (nodes)
		*nodes = (void **)&c->graph->last_captured;
	if (count)
		*count = c->graph->last_captured != NULL;
	return 0;
}

/* CUDA 13 has the graph and its last nodes, CUDA 12's second name has them without edges, the first name neither. */
EXPORT int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id, void **graph, void ***nodes,
                                    const void **edges, size_t *count)
{
	ENTER;
	if (cudart_version() < 13)
		return leave(info(stream, status, id, NULL, NULL, NULL));
	if (edges)
		*edges = NULL;
	return leave(info(stream, status, id, graph, nodes, count));
}

EXPORT int cudaStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *id, void **graph, void ***nodes,
                                       size_t *count)
{
	ENTER;
	return leave(info(stream, status, id, graph, nodes, count));
}

EXPORT int cudaStreamGetCaptureInfo_v3(void *stream, int *status, unsigned long long *id, void **graph, void ***nodes,
                                       const void **edges, size_t *count)
{
	ENTER;
	if (edges)
		*edges = NULL;
	return leave(info(stream, status, id, graph, nodes, count));
}

EXPORT int cudaThreadExchangeStreamCaptureMode(int *mode)
{
	ENTER;
	static _Thread_local int now;
	if (!mode || *mode < 0 || *mode > 2)
		return leave(INVALID_VALUE);
	int before = now;
	now = *mode;
	*mode = before;
	return leave(0);
}

/* Graphs. */

EXPORT int cudaGraphCreate(void **graph, unsigned flags)
{
	ENTER;
	if (!graph || flags)
		return leave(INVALID_VALUE);
	*graph = graph_make();
	return leave(*graph ? 0 : OUT_OF_MEMORY);
}

EXPORT int cudaGraphDestroy(void *graph)
{
	ENTER;
	struct graph *g = graph_of(graph);
	graph_free(g);
	return leave(g ? 0 : INVALID_VALUE);
}

EXPORT int cudaGraphClone(void **to, void *graph)
{
	ENTER;
	struct graph *g = graph_of(graph);
	if (!to || !g)
		return leave(INVALID_VALUE);
	*to = graph_copy(g);
	return leave(*to ? 0 : OUT_OF_MEMORY);
}

/* The nodes run one after the other in a stream. So a kernel may overlap the node before it only if that is a kernel,
 * and all it depends on: the first one never overlaps what the stream did before the graph. */
static bool may_overlap(const struct node *n, const struct node *before)
{
	return before && before->op.kind == OP_LAUNCH && n->nneeds == 1 && n->needs[0] == before;
}

int graph_run(struct graph *g, struct stream *s)
{
	const struct node *before = NULL;
	int error = 0;
	if (!graph_sort(g))
		return INVALID_VALUE;
	for (struct node *n = g->first; n && !error; n = n->next) {
		if (!n->enabled)
			continue;
		struct op op = n->op;
		if (op.kind == OP_LAUNCH && !may_overlap(n, before))
			op.launch.flags &= ~(uint32_t)WIRE_PROGRAMMATIC;
		error = stream_run(s, &op);
		before = n;
	}
	return error;
}

static int instantiate(void **exec, void *graph)
{
	struct graph *g = graph_of(graph), *copy;
	if (!exec || !g || !graph_sort(g))
		return INVALID_VALUE;
	copy = graph_copy(g);
	if (!copy || !table_put(&execs, copy, copy))
		return OUT_OF_MEMORY;
	*exec = copy;
	return 0;
}

/* CUDA 11: node of the error and a log in place of flags. */
EXPORT int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags)
{
	ENTER;
	return leave(instantiate(exec, graph));
}

EXPORT int cudaGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags)
{
	ENTER;
	return leave(instantiate(exec, graph));
}

EXPORT int cudaGraphInstantiateWithParams(void **exec, void *graph, void *params)
{
	ENTER;
	return leave(instantiate(exec, graph));
}

struct graph *exec_of(void *handle)
{
	return table_get(&execs, handle);
}

EXPORT int cudaGraphExecDestroy(void *exec)
{
	ENTER;
	struct graph *g = exec_of(exec);
	if (!g)
		return leave(INVALID_VALUE);
	table_remove(&execs, g);
	graph_free(g);
	return leave(0);
}

EXPORT int cudaGraphUpload(void *exec, void *stream)
{
	ENTER;
	struct stream *s;
	return leave(exec_of(exec) ? stream_of(stream, &s) : INVALID_VALUE);
}

EXPORT int cudaGraphLaunch(void *exec, void *stream)
{
	ENTER;
	struct graph *g = exec_of(exec);
	struct stream *s;
	int error = g ? stream_of(stream, &s) : INVALID_VALUE;
	if (error)
		return leave(error);
	if (s->capture)
		return leave(stream_give(s, &(struct op){.kind = OP_CHILD, .child = g}));
	return leave(graph_run(g, s));
}

/* The same nodes in the same order, whose parameters are taken over. result: an enum, and in CUDA 12 two nodes. */
EXPORT int cudaGraphExecUpdate(void *exec, void *graph, void *result, int *result_11)
{
	ENTER;
	struct graph *g = exec_of(exec), *from = graph_of(graph);
	if (!g || !from || !graph_sort(from))
		return leave(INVALID_VALUE);
	int *outcome = cudart_version() >= 12 ? result : result_11;
	const struct node *a = g->first, *b = from->first;
	while (a && b && a->op.kind == b->op.kind)
		a = a->next, b = b->next;
	if (outcome)
		*outcome = a || b ? 2 : 0; /* the topology differs */
	if (a || b)
		return leave(910);
	struct graph *copy = graph_copy(from);
	if (!copy)
		return leave(OUT_OF_MEMORY);
	struct node *x = g->first;
	for (struct node *y = copy->first; y; x = x->next, y = y->next) {
		struct op kept = x->op;
		x->op = y->op;
		y->op = kept;
	}
	graph_free(copy);
	return leave(0);
}

EXPORT int cudaGraphExecGetFlags(void *exec, unsigned long long *flags)
{
	ENTER;
	if (!exec_of(exec) || !flags)
		return leave(INVALID_VALUE);
	*flags = 0;
	return leave(0);
}
