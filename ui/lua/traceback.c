/* Where an error came from, within bounds.
 *
 * luaL_traceback() counts the calls and names the first and the last; each time it looks for one it walks there along
 * a list, from the innermost call on. A recursion without end stops at a million calls, so that is some fifty walks of
 * a million steps, in C, where no budget is heard. After one such error they become slow: Lua gives half of the list
 * back, every other element, and the next recursion's is strewn over the memory. So of a deep stack only the innermost
 * calls are named, and the others are not even counted. */
#include "lua/lua.h"

#define DEEP 200 /* calls: up to here the library's own traceback is quick */
#define NAMED 20

static void add_where(luaL_Buffer *b, lua_State *L, const lua_Debug *ar)
{
	if (ar->currentline > 0)
		lua_pushfstring(L, "\n\t%s:%d: in ", ar->short_src, ar->currentline);
	else
		lua_pushfstring(L, "\n\t%s: in ", ar->short_src);
	luaL_addvalue(b);
}

static void add_function(luaL_Buffer *b, lua_State *L, const lua_Debug *ar)
{
	if (*ar->namewhat)
		lua_pushfstring(L, "%s '%s'", ar->namewhat, ar->name);
	else if (*ar->what == 'm')
		lua_pushliteral(L, "main chunk");
	else if (*ar->what != 'C')
		lua_pushfstring(L, "function <%s:%d>", ar->short_src, ar->linedefined);
	else
		lua_pushliteral(L, "?");
	luaL_addvalue(b);
}

void lua_traceback(lua_State *L, lua_State *of, const char *msg, int level)
{
	luaL_Buffer b;
	lua_Debug ar;
	if (!lua_getstack(of, level + DEEP, &ar)) {
		luaL_traceback(L, of, msg, level);
		return;
	}
	luaL_buffinit(L, &b);
	luaL_addstring(&b, msg);
	luaL_addstring(&b, "\nstack traceback:");
	for (int i = level; i < level + NAMED; i++) {
		lua_getstack(of, i, &ar);
		lua_getinfo(of, "Slnt", &ar);
		add_where(&b, L, &ar);
		add_function(&b, L, &ar);
		if (ar.istailcall)
			luaL_addstring(&b, "\n\t(...tail calls...)");
	}
	lua_pushfstring(L, "\n\t...\t(more than %d levels)", DEEP);
	luaL_addvalue(&b);
	luaL_pushresult(&b);
}
