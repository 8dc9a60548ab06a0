/* reference: everything that Lua sees, in sections. This is the one table behind `help lua`, `warpdbg list lua` and
 * ui/REFERENCE.md. */
#ifndef UI_SCRIPT_REFERENCE_H
#define UI_SCRIPT_REFERENCE_H
#include "base/strbuf.h"
#include "lua/lua.h"

struct lua_section {
	const char *name;           /* what `help lua NAME` calls it: "dbg" */
	const char *title;          /* "dbg: events, breakpoints, running" */
	const char *text;           /* where it is there, what holds for all of it */
	const struct lua_doc *docs; /* ends with a row of NULLs */
	bool fields;                /* rows of values that are read, not of functions that are called */
};
extern const struct lua_section lua_sections[];
extern const u32 lua_nsections;

/* Do two rows say the same of two functions? Then they are shown as one. */
bool lua_doc_same(const struct lua_doc *a, const struct lua_doc *b);
/* Appends all sections as markdown: fields as tables, functions as lists. */
void lua_reference_markdown(struct strbuf *out);
#endif
