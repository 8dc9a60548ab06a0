/* fields: what a script's table says, field by field, for tables whose form is ours: findings of `diagnose`, lessons.
 * The functions use Lua's interface: they are for the body of lua_checked(). `at` is the table's index, from the
 * bottom. An error says "has no 'title', a string"; the caller puts in front what it is that has none. */
#ifndef UI_LUA_FIELDS_H
#define UI_LUA_FIELDS_H
#include "lua/lua.h"

struct text_list {
	char **text;
	u32 n;
};
void text_list_add(struct text_list *l, const char *text);
void text_list_release(struct text_list *l);

/* lua_load_path(), for a chunk with globals of its own: it reads everybody's and sets none. */
bool lua_load_alone(lua_State *L, const char *path, struct err *e);
/* Has the table only fields of these names? known ends with NULL. */
bool lua_fields_known(lua_State *L, int at, const char *const *known, struct err *e);
/* A string, to be freed. Without the field and if it is not needed, *out stays. */
bool lua_field_text(lua_State *L, int at, const char *field, bool needed, char **out, struct err *e);
/* A list of strings; if it is needed, at least one. */
bool lua_field_list(lua_State *L, int at, const char *field, bool needed, struct text_list *out, struct err *e);
/* A number that is not below `least`; if it is not there, *out stays. */
bool lua_field_number(lua_State *L, int at, const char *field, double least, double *out, struct err *e);
#endif
