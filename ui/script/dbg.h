/* dbg: what Lua sees of the debugger: dbg.*, gpu.*, mem.*. */
#ifndef UI_SCRIPT_DBG_H
#define UI_SCRIPT_DBG_H
#include "dbg/lua_side.h"

/* Puts dbg, gpu and mem into a state; once per state. Works with and without a debugger: a session without one gets a
 * debugger of its own, with these words, when a script first subscribes or steps. */
void lua_open_dbg(struct lua_State *L, struct session *s, const struct debugger_words *words);
void lua_open_gpu(struct lua_State *L); /* called by lua_open_dbg */
void lua_open_mem(struct lua_State *L);
extern const struct lua_doc lua_dbg_docs[], lua_gpu_docs[], lua_mem_docs[]; /* end with a row of NULLs */

/* Appends all that the object under `gpu` at a stack index holds, one member a line, no line end behind the
 * last; false = it is no such object. */
bool lua_dbg_members(struct lua_State *L, int at, char fmt, struct strbuf *out);
/* Offers completions of a Lua path ("dbg.st", "gpu.sm[0].wa"). */
void lua_dbg_complete(struct debugger *d, const char *text, void (*fn)(void *ctx, const char *path), void *ctx);

#endif
