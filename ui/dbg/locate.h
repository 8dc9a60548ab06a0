/* locate: finds the places in code that the user names. */
#ifndef UI_DBG_LOCATE_H
#define UI_DBG_LOCATE_H
#include "dbg/state.h"

/* The distinct kernel or function of any module by name; *m = its module. NULL when there is none. */
const struct func *find_func(struct debugger *d, const char *name, struct module **m);
/* The module of the focused kernel, else the last loaded one; NULL when nothing is loaded. */
struct module *focus_module(struct debugger *d);
/* Of its files the one that the focused warp is in, else the one of the latest launch, else the first. */
const struct module_part *focus_part(struct debugger *d, const struct module *m);

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
