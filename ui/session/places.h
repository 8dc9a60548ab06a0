/* places: where the values of a configuration come from: a machine file, --set, or nowhere (the defaults). Messages
 * about keys that do not go together need this, because such keys are found only when all have their values. */
#ifndef UI_SESSION_PLACES_H
#define UI_SESSION_PLACES_H
#include "conf/conf.h"

#define PLACE_SET "--set"

struct places {
	char **of;  /* by row of conf_keys: path of a file or PLACE_SET; NULL = the default */
	u32 *order; /* by row: 1 = the first that was noted; 0 = none was */
	u32 n;
};
void places_init(struct places *p);
void places_release(struct places *p);
/* The key has its value from here: path of a file or PLACE_SET. */
void places_note(struct places *p, const char *key, const char *path);
/* Puts "PATH:LINE: " in front of a message about a key of that file. */
void places_in_file(struct err *e, const char *path, const char *key);
/* Adds to conf_check_keys()' message where its keys have their values from: that of the last one noted in front, for
 * it met what was there already; the others' behind. */
void places_tell(const struct places *p, const struct conf_conflict *c, struct err *e);
#endif
