/* network: the interconnect as a picture: of a mesh its links, nodes and a packet's way; of a crossbar the queues at
 * its ports. It can take the place of the memory view. */
#ifndef UI_VIEWS_NETWORK_H
#define UI_VIEWS_NETWORK_H
#include "views/view.h"

void network_draw(struct view_ctx *v, struct pane p);
/* The keys of the picture: arrows, o, u. False: not one of them. */
bool network_key(struct view_ctx *v, int key);
void network_click(struct view_ctx *v, s32 row, s32 x);
#endif
