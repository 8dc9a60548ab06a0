/* recent: what happened in the last complete window of RECENT_CYCLES cycles, for each SM. This is the "now" of the
 * views. It is the same on every host and however often the screen is drawn; after going to a cycle of the past, it is
 * what it was there. While figures are of a scope (gpu/scope.h), these are as well. */
#ifndef UI_VIEWS_RECENT_H
#define UI_VIEWS_RECENT_H
#include "obs/stats/links.h"
#include "obs/stats/sample.h"
#include "sim.h"

#define RECENT_CYCLES 1024
#define RECENT_TEXT "1,024" /* the same, for people */
struct recent {
	struct sampler *sampler;
	struct sampler *start; /* until the first window is complete: what happened since recent_attach */
	struct sample *last;   /* [scopes]: 0 = machine, n + 1 = SM n */
	struct sample *scope;  /* the same, of the scope; NULL: there is none */
	u32 scopes;
	struct links *links; /* of the mesh; NULL: there is none */
	struct sim *sim;
	int id, links_id;
	bool filled; /* a window is complete */
};
/* Attaches to a machine; recent_detach before the machine goes, recent_forget after it is gone. */
void recent_attach(struct recent *r, struct sim *s);
void recent_detach(struct recent *r);
void recent_forget(struct recent *r);
/* Before drawing: as long as no window is complete, the figures are those since recent_attach. */
void recent_update(struct recent *r);
/* The last window of an SM, or the scope; sm -1 = the machine. */
const struct sample *recent_get(const struct recent *r, s32 sm);
/* Behind "in ": "1,024 cycles" or "the scope"; short: "1,024", "scope". */
const char *recent_span(const struct recent *r, bool brief);
#endif
