/* pack: a Lua value as bytes, and back: what the module's own functions return - nil, booleans, numbers, strings, plain
 * userdata with a registered metatable, C functions with one integer upvalue, tables of these. Within one process. */
#ifndef UI_LUA_PACK_H
#define UI_LUA_PACK_H
#include "base/strbuf.h"
#include "lua/lua.h"

/* Appends the value at a stack index. */
void lua_pack(lua_State *L, int at, struct strbuf *out);
/* Pushes it again. */
void lua_unpack(lua_State *L, const void *data, size_t n);
#endif
