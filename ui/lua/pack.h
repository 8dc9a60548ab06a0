/* pack: turns a Lua value into bytes, and back. It takes what the module's own functions return: nil, booleans,
 * numbers, strings, plain userdata with a registered metatable, C functions with one integer upvalue, and tables of
 * these. The bytes are valid within one process. */
#ifndef UI_LUA_PACK_H
#define UI_LUA_PACK_H
#include "base/strbuf.h"
#include "lua/lua.h"

/* Appends the value at a stack index. */
void lua_pack(lua_State *L, int at, struct strbuf *out);
/* Pushes it again. */
void lua_unpack(lua_State *L, const void *data, size_t n);
#endif
