/* order: what comes before what in a graph, and copies of graphs (nodes.h). */
#include "cudart/nodes.h"
#include <stdlib.h>
#include <string.h>

bool node_depends(struct node *n, struct node *on)
{
	for (unsigned i = 0; i < n->nneeds; i++)
		if (n->needs[i] == on)
			return true;
	struct node **more = realloc(n->needs, (n->nneeds + 1) * sizeof *more);
	if (!more)
		return false;
	n->needs = more;
	n->needs[n->nneeds++] = on;
	if (on->order > n->order)
		n->graph->sorted_not = true;
	return true;
}

bool graph_sort(struct graph *g)
{
	if (!g->sorted_not)
		return true;
	struct node *rest = g->first, *first = NULL, **end = &first, *last = NULL;
	for (struct node *n = rest; n; n = n->next)
		n->done = false;
	while (rest) {
		struct node **at = &rest;
		for (; *at; at = &(*at)->next) {
			unsigned i = 0;
			while (i < (*at)->nneeds && (*at)->needs[i]->done)
				i++;
			if (i == (*at)->nneeds)
				break;
		}
		struct node *n = *at;
		if (!n) { /* a circle: all stays in the list */
			*end = rest;
			g->first = first;
			return false;
		}
		*at = n->next;
		n->next = NULL;
		n->done = true;
		*end = last = n;
		end = &n->next;
	}
	g->first = first;
	g->last = last;
	g->count = 0;
	for (struct node *n = first; n; n = n->next)
		n->order = g->count++;
	g->sorted_not = false;
	return true;
}

struct graph *graph_copy(struct graph *g)
{
	struct graph *to = graph_make();
	if (!to || !graph_sort(g))
		return to;
	for (struct node *n = g->first; n; n = n->next) {
		struct op op = n->op;
		if (op.kind == OP_LAUNCH && op.launch.bytes) {
			op.launch.parameters = malloc(op.launch.bytes);
			if (!op.launch.parameters)
				break;
			memcpy(op.launch.parameters, n->op.launch.parameters, op.launch.bytes);
		}
		struct node *made = graph_add(to, &op);
		if (!made)
			break;
		made->original = n;
		made->enabled = n->enabled;
		for (unsigned i = 0; i < n->nneeds; i++) {
			struct node *needed = to->first;
			while (needed && needed->original != n->needs[i])
				needed = needed->next;
			if (needed)
				node_depends(made, needed);
		}
	}
	if (to->count == g->count)
		return to;
	graph_free(to);
	return NULL;
}
