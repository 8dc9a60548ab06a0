/* mesh: a two-dimensional mesh of routers; XY routing, virtual cut-through, credits. Each router has up to one SM and
 * one L2 slice at it and a link to each neighbour, one flit an interconnect cycle in each direction.
 *
 *                 north
 *                   |                  Five kinds of way in and out. A way in from a neighbour has a buffer of
 *   SM ----------|     |---------     noc.mesh_buffer flits for each virtual network (requests, replies, messages
 *   L2 slice ----| node|  east        between endpoints); those of SM and slice are the queues they have anyway.
 *   west --------|_____|---------
 *                   |
 *                 south
 *
 * A packet goes along x first, then along y, so no circle of buffers can fill (Dally and Towles 2004, section 14.3.2);
 * replies are consumed where they arrive, messages have a place there before they leave, and requests wait for both, in
 * buffers of their own: nothing can deadlock. A whole packet moves when its way out is free and the next buffer has
 * room for all of it (Kermani and Kleinrock 1979); its flits follow each other, so what it leaves behind is free from
 * then on, which the neighbour knows a cycle later. Each way out serves the virtual networks in turn, and within one of
 * them its ways in, or the oldest packet first (noc.mesh_order). Who comes first and lacks room keeps its turn, or long
 * packets would never find any.
 *
 * All routers look at a cycle as the one before left it, and decide; then what they decided is done in the order of the
 * nodes. So nothing depends on who looks first (tick.shuffle proves it), not the numbers of packets either.
 *
 * Zero load: (links + 1) * noc.router_latency + links * noc.link_latency + flits - 1 interconnect cycles. */
#ifndef MEM_NOC_MESH_H
#define MEM_NOC_MESH_H
#include "base/fifo.h"
#include "mem/mem.h"
#include "mem/noc/network.h"

enum mesh_vnet { VNET_REQUEST, VNET_REPLY, VNET_MESSAGE, VNETS };
/* The queues of a router: what came from each neighbour, by virtual network; then its SM's and its slice's. */
enum mesh_queue {
	MESH_LOCAL = MESH_LINKS * VNETS,
	MESH_SM_REQUESTS = MESH_LOCAL,
	MESH_SM_MESSAGES,
	MESH_SLICE_REPLIES,
	MESH_SLICE_MESSAGES,
	MESH_QUEUES
};
#define MESH_LOCALS (MESH_QUEUES - MESH_LOCAL)
#define MESH_NODES_MAX (CONF_MAX_SMS + 512) /* 64 partitions of 8 slices */

/* A packet in a buffer, or the first of a queue of SM or slice. Without holes: its bytes are hashed. */
struct mesh_head {
	u64 ready; /* interconnect cycle from which the router may pass it on */
	u64 born;  /* and that from which it could enter the mesh */
	u32 what;  /* packet; message: its place in the pool; nothing where the packet is still to be made */
	u16 node;  /* where it goes */
	u8 exit;   /* MESH_SM, MESH_SLICE: there */
	u8 flits;  /* 0 = nobody */
	u8 class;  /* enum msg_class */
	u8 pad[7];
};
struct mesh_router {
	u64 due;                    /* interconnect cycle in which it looks again; NEVER: when something comes */
	u64 woken;                  /* the earliest for which somebody else asked since it last looked */
	u64 in_free[MESH_PORTS];    /* cycle from which a way in can give another flit */
	u64 out_free[MESH_PORTS];   /* and a way out take one */
	u16 used[MESH_LOCAL];       /* flits of a buffer, those on their way to it included */
	u16 want[MESH_PORTS];       /* by way out: queues whose first packet goes there */
	u8 turn[MESH_PORTS][VNETS]; /* the queue that is asked first */
	u8 vturn[MESH_PORTS];       /* the virtual network */
	struct fifo q[MESH_LOCAL];  /* of struct mesh_head */
	struct mesh_head local[MESH_LOCALS];
	struct mesh_out out[MESH_PORTS];
};
/* What a router decided in a cycle: the first packet of a queue goes. */
struct mesh_move {
	u8 queue, out, vnet;
};
struct mesh_moves {
	u8 n;
	struct mesh_move v[MESH_PORTS];
};
struct peer { /* a message on its way */
	struct message msg;
	u32 next; /* place + 1 of the next free one */
};
struct mesh_state {     /* arena */
	u64 due;            /* the earliest of the routers' */
	u64 next;           /* the first cycle that they have not gone through */
	u32 carried[VNETS]; /* packets in buffers */
	u32 free, fresh;    /* places of the pool of messages */
};
/* Constant but for what it points to. */
struct mesh {
	struct mesh_state *st;
	struct mesh_router *router;
	struct mesh_head *slot; /* [(node * MESH_LOCAL + queue) * places] */
	struct peer *peer;
	u32 places; /* of a buffer: flits, and so packets at most */
	u32 width, height;
	u16 node_of[MESH_NODES_MAX];                         /* by endpoint */
	u16 sm_at[MESH_NODES_MAX], slice_at[MESH_NODES_MAX]; /* by node, + 1; 0 = none */
};
static inline enum mesh_port mesh_way_in(u32 queue)
{
	if (queue < MESH_LOCAL)
		return queue / VNETS;
	return queue <= MESH_SM_MESSAGES ? MESH_SM : MESH_SLICE;
}

static inline struct mesh_head *mesh_slot(const struct mesh *x, u32 node, u32 queue, u32 k)
{
	return &x->slot[((size_t)node * MESH_LOCAL + queue) * x->places + k];
}

/* The first packet of a queue that has one. */
static inline struct mesh_head *mesh_first(const struct mesh *x, u32 node, u32 queue)
{
	struct mesh_router *r = &x->router[node];
	return queue < MESH_LOCAL ? mesh_slot(x, node, queue, r->q[queue].head) : &r->local[queue - MESH_LOCAL];
}

/* mesh.c. The queues of each virtual network, a bit each. */
extern const u16 mesh_queues[VNETS];
/* The router shall look in that cycle, or in the first that is still to come. */
void mesh_wake(struct mem *m, u32 node, u64 cycle);
/* A queue has a first packet, another one than before. */
void mesh_show(struct mem *m, u32 node, u32 queue);
/* Of the queues (a bit each) whose packet could go now the first in turn, or that of the oldest packet; MESH_QUEUES:
 * none. */
u32 mesh_choose(const struct mem *m, u32 node, u32 mask, u32 turn, u64 cycle);
/* Is there room for so many flits behind a way out? Replies are consumed where they arrive, messages have a place in an
 * inbox. */
bool mesh_room(const struct mem *m, u32 node, enum mesh_port out, u32 vnet, u32 flits);

/* mesh_ends.c. Takes the first packet of the queue of an SM or a slice out of it: what it is. */
u32 mesh_enter(struct mem *m, u32 node, u32 queue, u64 now);
/* It leaves the mesh; its last flit is there at core cycle `end`. */
void mesh_deliver(struct mem *m, u32 node, u32 vnet, u32 what, u64 end, u64 now);

/* mesh_check.c: network_ops.census. */
bool mesh_census(const struct mem *m, struct noc_census *n, struct err *e);

/* mesh_map.c: who sits where. */
void mesh_place(struct mesh *x, const struct conf *c, u32 nsms, u32 nslices);
static inline u32 mesh_nodes(const struct mesh *x)
{
	return x->width * x->height;
}
/* The way out of `node` for a packet to `to`, where it leaves by `exit`: along x first. */
static inline enum mesh_port mesh_route(const struct mesh *x, u32 node, u32 to, enum mesh_port exit)
{
	u32 ax = node % x->width, bx = to % x->width;
	if (ax != bx)
		return ax < bx ? MESH_EAST : MESH_WEST;
	if (node != to)
		return node < to ? MESH_SOUTH : MESH_NORTH;
	return exit;
}
/* The node that a link leads to, or -1. */
s32 mesh_neighbour(const struct mesh *x, u32 node, enum mesh_port link);
static inline enum mesh_port mesh_opposite(enum mesh_port link)
{
	return link ^ 1;
}
#endif
