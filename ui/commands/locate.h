/* locate: from what the user typed to places in code. */
#ifndef UI_LOCATE_H
#define UI_LOCATE_H
#include "commands/commands.h"

#define PLACE_PCS 256 /* a source line inlined in more places than this keeps the first ones */
struct code_place {
	struct module *mod;
	u32 pcs[PLACE_PCS], n;
	bool unknown; /* the name is not known: a module that is loaded later may have it */
};
/* "KERNEL", "KERNEL:LINE", "FILE:LINE", "LINE", "pc N". False with *e. */
bool locate_code(struct debugger *d, const char *text, struct code_place *p, struct err *e);
/* The same for `list`, whose errors speak of no events. */
bool locate_listed(struct debugger *d, const char *text, struct code_place *p, struct err *e);
#endif
