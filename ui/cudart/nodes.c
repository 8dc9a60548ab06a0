/* nodes: graphs that are built node by node (nodes.h). */
#include "cudart/nodes.h"
#include "cudart/abi.h"
#include "cudart/arrays.h"
#include "cudart/copy.h"
#include "cudart/graph.h"
#include "cudart/index.h"
#include "cudart/launch.h"
#include "cudart/link.h"
#include "cudart/table.h"
#include "cudart/version.h"
#include <stdlib.h>
#include <string.h>

static struct table nodes;

void node_register(struct node *n)
{
	table_put(&nodes, n, n);
}

static struct node *node_of(void *handle)
{
	return table_get(&nodes, handle);
}

void node_free(struct node *n)
{
	table_remove(&nodes, n);
	if (n->op.kind == OP_CHILD)
		graph_free(n->op.child);
	op_free(&n->op);
	free(n->needs);
	free(n);
}

/* A node with an op whose making gave the error. */
static int add(void **node, void *graph, void *const *needs, size_t nneeds, struct op *op, int error)
{
	struct graph *g = graph_of(graph);
	if (!error && (!node || !g))
		error = INVALID_VALUE;
	for (size_t i = 0; i < nneeds && !error; i++)
		if (!needs || !node_of(needs[i]) || node_of(needs[i])->graph != g)
			error = INVALID_VALUE;
	if (error) {
		op_free(op);
		return error;
	}
	struct node *n = graph_add(g, op);
	for (size_t i = 0; i < nneeds && n; i++)
		node_depends(n, needs[i]);
	*node = n;
	return n ? 0 : OUT_OF_MEMORY;
}

static int set(void *exec, void *node, struct op *op, int error)
{
	struct node *n = node_of(node);
	struct graph *g = exec ? exec_of(exec) : NULL;
	if (exec && n && g) { /* the node of the copy that belongs to the original */
		struct node *original = n;
		for (n = g->first; n && n->original != original; n = n->next) {
		}
	}
	if (!error && (!n || n->op.kind != op->kind || (exec && !g)))
		error = INVALID_VALUE;
	if (error) {
		op_free(op);
		return error;
	}
	op_free(&n->op);
	n->op = *op;
	return 0;
}

static int kernel(const struct kernel_node_params *p, struct op *op)
{
	*op = (struct op){.kind = OP_EMPTY};
	if (!p || p->extra)
		return INVALID_VALUE;
	return launch_op(p->func, p->grid, p->block, p->params, p->shared, 0, op);
}

EXPORT int cudaGraphAddKernelNode(void **node, void *graph, void *const *needs, size_t nneeds,
                                  const struct kernel_node_params *p)
{
	ENTER;
	struct op op;
	int error = kernel(p, &op);
	return leave(add(node, graph, needs, nneeds, &op, error));
}

EXPORT int cudaGraphKernelNodeSetParams(void *node, const struct kernel_node_params *p)
{
	ENTER;
	struct op op;
	int error = kernel(p, &op);
	return leave(set(NULL, node, &op, error));
}

EXPORT int cudaGraphExecKernelNodeSetParams(void *exec, void *node, const struct kernel_node_params *p)
{
	ENTER;
	struct op op;
	int error = kernel(p, &op);
	return leave(set(exec, node, &op, error));
}

static int box(const struct memcpy_3d *p, struct op *op)
{
	int kind;
	*op = (struct op){.kind = OP_COPY};
	int error = copy_of_box(p, &op->copy, &kind);
	return error ? error : copy_complete(&op->copy, kind, true, true);
}

static int linear(void *to, const void *from, size_t bytes, int kind, struct op *op)
{
	*op = (struct op){.kind = OP_COPY, .copy = copy_linear(to, from, bytes)};
	return copy_complete(&op->copy, kind, true, true);
}

EXPORT int cudaGraphAddMemcpyNode(void **node, void *graph, void *const *needs, size_t nneeds,
                                  const struct memcpy_3d *p)
{
	ENTER;
	struct op op;
	int error = box(p, &op);
	return leave(add(node, graph, needs, nneeds, &op, error));
}

EXPORT int cudaGraphAddMemcpyNode1D(void **node, void *graph, void *const *needs, size_t nneeds, void *to,
                                    const void *from, size_t bytes, int kind)
{
	ENTER;
	struct op op;
	int error = linear(to, from, bytes, kind, &op);
	return leave(add(node, graph, needs, nneeds, &op, error));
}

EXPORT int cudaGraphMemcpyNodeSetParams(void *node, const struct memcpy_3d *p)
{
	ENTER;
	struct op op;
	int error = box(p, &op);
	return leave(set(NULL, node, &op, error));
}

EXPORT int cudaGraphExecMemcpyNodeSetParams(void *exec, void *node, const struct memcpy_3d *p)
{
	ENTER;
	struct op op;
	int error = box(p, &op);
	return leave(set(exec, node, &op, error));
}

EXPORT int cudaGraphMemcpyNodeSetParams1D(void *node, void *to, const void *from, size_t bytes, int kind)
{
	ENTER;
	struct op op;
	int error = linear(to, from, bytes, kind, &op);
	return leave(set(NULL, node, &op, error));
}

EXPORT int cudaGraphExecMemcpyNodeSetParams1D(void *exec, void *node, void *to, const void *from, size_t bytes,
                                              int kind)
{
	ENTER;
	struct op op;
	int error = linear(to, from, bytes, kind, &op);
	return leave(set(exec, node, &op, error));
}

static int fill(const struct memset_params *p, struct op *op)
{
	*op = (struct op){.kind = OP_FILL};
	if (!p || (p->element != 1 && p->element != 2 && p->element != 4))
		return INVALID_VALUE;
	const struct allocation *a = index_find(p->dst);
	if (!a || !place_on_device(a->place))
		return INVALID_VALUE;
	size_t width = p->width * p->element;
	op->fill = (struct op_fill){(uint64_t)p->dst, p->height > 1 ? p->pitch : width, 0, width, p->height, 1, p->value,
	                            p->element};
	return 0;
}

EXPORT int cudaGraphAddMemsetNode(void **node, void *graph, void *const *needs, size_t nneeds,
                                  const struct memset_params *p)
{
	ENTER;
	struct op op;
	int error = fill(p, &op);
	return leave(add(node, graph, needs, nneeds, &op, error));
}

EXPORT int cudaGraphMemsetNodeSetParams(void *node, const struct memset_params *p)
{
	ENTER;
	struct op op;
	int error = fill(p, &op);
	return leave(set(NULL, node, &op, error));
}

EXPORT int cudaGraphExecMemsetNodeSetParams(void *exec, void *node, const struct memset_params *p)
{
	ENTER;
	struct op op;
	int error = fill(p, &op);
	return leave(set(exec, node, &op, error));
}

static int host(const struct host_node_params *p, struct op *op)
{
	*op = (struct op){.kind = OP_HOST};
	if (!p || !p->fn)
		return INVALID_VALUE;
	op->host.function = p->fn;
	op->host.argument = p->user;
	op->host.call = CALL_FUNCTION;
	return 0;
}

EXPORT int cudaGraphAddHostNode(void **node, void *graph, void *const *needs, size_t nneeds,
                                const struct host_node_params *p)
{
	ENTER;
	struct op op;
	int error = host(p, &op);
	return leave(add(node, graph, needs, nneeds, &op, error));
}

EXPORT int cudaGraphHostNodeSetParams(void *node, const struct host_node_params *p)
{
	ENTER;
	struct op op;
	int error = host(p, &op);
	return leave(set(NULL, node, &op, error));
}

EXPORT int cudaGraphExecHostNodeSetParams(void *exec, void *node, const struct host_node_params *p)
{
	ENTER;
	struct op op;
	int error = host(p, &op);
	return leave(set(exec, node, &op, error));
}

EXPORT int cudaGraphAddEmptyNode(void **node, void *graph, void *const *needs, size_t nneeds)
{
	ENTER;
	return leave(add(node, graph, needs, nneeds, &(struct op){.kind = OP_EMPTY}, 0));
}

EXPORT int cudaGraphAddChildGraphNode(void **node, void *graph, void *const *needs, size_t nneeds, void *child)
{
	ENTER;
	struct graph *g = graph_of(child);
	if (!g || child == graph)
		return leave(INVALID_VALUE);
	struct graph *copy = graph_copy(g);
	if (!copy)
		return leave(OUT_OF_MEMORY);
	int error = add(node, graph, needs, nneeds, &(struct op){.kind = OP_CHILD, .child = copy}, 0);
	graph_free(copy); /* the node has it now */
	return leave(error);
}

static int with_event(void **node, void *graph, void *const *needs, size_t nneeds, void *event, enum op_kind kind)
{
	struct op op = {.kind = kind};
	int error = event_of(event, &op.event);
	return add(node, graph, needs, nneeds, &op, error);
}

EXPORT int cudaGraphAddEventRecordNode(void **node, void *graph, void *const *needs, size_t nneeds, void *event)
{
	ENTER;
	return leave(with_event(node, graph, needs, nneeds, event, OP_RECORD));
}

EXPORT int cudaGraphAddEventWaitNode(void **node, void *graph, void *const *needs, size_t nneeds, void *event)
{
	ENTER;
	return leave(with_event(node, graph, needs, nneeds, event, OP_WAIT));
}

/* CUDA 13 has data of the edges before the count. */
EXPORT int cudaGraphAddDependencies(void *graph, void *const *from, void *const *to, const void *edges, size_t count)
{
	ENTER;
	size_t n = cudart_version() >= 13 ? count : (size_t)edges;
	if (!graph_of(graph))
		return leave(INVALID_VALUE);
	for (size_t i = 0; i < n; i++) {
		struct node *a = from ? node_of(from[i]) : NULL, *b = to ? node_of(to[i]) : NULL;
		if (!a || !b || a == b || a->graph != graph || b->graph != graph)
			return leave(INVALID_VALUE);
		if (!node_depends(b, a))
			return leave(OUT_OF_MEMORY);
	}
	return leave(0);
}

static size_t list(const struct graph *g, void **to, size_t room, bool roots)
{
	size_t n = 0;
	for (struct node *at = g->first; at; at = at->next) {
		if (roots && at->nneeds)
			continue;
		if (to && n < room)
			to[n] = at;
		n++;
	}
	return n;
}

EXPORT int cudaGraphGetNodes(void *graph, void **to, size_t *count)
{
	ENTER;
	struct graph *g = graph_of(graph);
	if (!g || !count)
		return leave(INVALID_VALUE);
	*count = list(g, to, *count, false);
	return leave(0);
}

EXPORT int cudaGraphGetRootNodes(void *graph, void **to, size_t *count)
{
	ENTER;
	struct graph *g = graph_of(graph);
	if (!g || !count)
		return leave(INVALID_VALUE);
	*count = list(g, to, *count, true);
	return leave(0);
}

EXPORT int cudaGraphNodeGetType(void *node, int *type)
{
	/* enum cudaGraphNodeType, by enum op_kind */
	static const int types[] = {0, 1, 2, 3, 7, 6, 5, 4};
	ENTER;
	struct node *n = node_of(node);
	if (!n || !type)
		return leave(INVALID_VALUE);
	*type = types[n->op.kind];
	return leave(0);
}

EXPORT int cudaGraphNodeSetEnabled(void *exec, void *node, unsigned enabled)
{
	ENTER;
	struct graph *g = exec_of(exec);
	struct node *n = g ? g->first : NULL;
	while (n && n->original != node)
		n = n->next;
	if (!n)
		return leave(INVALID_VALUE);
	n->enabled = enabled != 0;
	return leave(0);
}
