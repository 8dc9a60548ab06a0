/* explain: the definition of everything that has a name - counters, rates, events, stall reasons, policies,
 * configuration keys, opcodes - and of the words on the screens (concepts.def). */
#ifndef UI_SESSION_EXPLAIN_H
#define UI_SESSION_EXPLAIN_H
#include "base/strbuf.h"
#include "sim.h"

struct explanation {
	const char *kind; /* "concept", "counter", "rate", "event", "stall reason", "warp policy", "config key", "opcode" */
	char name[64];    /* full: "l1d.hits" */
	const char *unit, *text, *source; /* unit "" = none; source "" = ours */
	const char *words;                /* other words for it, separated by commas; NULL = none */
	char detail[600]; /* arguments of an event, range and default of a key, classes of a stall reason; "" = none */
};
/* Calls fn for everything there is, table by table. kind NULL = all. */
void explain_each(const char *kind, void (*fn)(void *ctx, const struct explanation *x), void *ctx);
/* Appends what NAME means ("l1d.hits", "hits", "cta-dispatch", "gto", "l1d.ways"): as text, or as a JSON array. A name
 * without its group gives all that fit. False with *e ("did you mean"). */
bool explain_name(const char *name, bool json, struct strbuf *out, struct err *e);
/* The first thing of that name or with that other word, of the kinds that stand on screens; *out is good for ever. */
/* The opcode of an instruction with its modifiers, as it stands in PTX: "ld" of "ld.param.u32". */
bool explain_opcode(const char *word, struct explanation *out);
bool explain_first(const char *word, struct explanation *out);
#endif
