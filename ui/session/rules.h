/* rules: the rules of `diagnose`, a Lua file each: scripts/diagnose/NAME.lua, and those of folders of the user. */
#ifndef UI_SESSION_RULES_H
#define UI_SESSION_RULES_H
#include "base/base.h"

struct rule_file {
	char *name; /* of the file, without .lua */
	char *path;
};
struct rule_files {
	struct rule_file *rule; /* in the order of their names */
	u32 n;
};
/* The files of data_dir/scripts/FOLDER, those in ~/.warpdbg/FOLDER, and those in the folders that an environment
 * variable names; otherwise as rules_find(). */
struct rule_files scripts_find(const char *data_dir, const char *folder, const char *variable);
/* The bundled ones, those in ~/.warpdbg/diagnose, and those in the folders that the environment's WARPDBG_DIAGNOSE
 * names (one behind the other, with a colon between two). Of several files of a name the last one counts. lib.lua is
 * no rule. A folder that cannot be read has none. */
struct rule_files rules_find(const char *data_dir);
void rules_release(struct rule_files *r);
#endif
