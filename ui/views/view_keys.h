/* view_keys: which key chooses which view.
 *
 * Each view has a key of its own from the start (struct view), or none. The user gives the keys 1 to 9, 0, _, # and ^
 * to other views; a view that has been named by its key in a file of ours keeps its name whatever its key is. */
#ifndef UI_VIEWS_VIEW_KEYS_H
#define UI_VIEWS_VIEW_KEYS_H
#include "views/view.h"

#define VIEW_KEYS "1234567890_#^"
#define VIEW_NO_KEY ' '

/* The key of a view now, or VIEW_NO_KEY; the view of a key, or -1. */
char view_key_now(struct debugger *d, u32 view);
int view_of_key(struct debugger *d, int key);
/* The view gets the key, one of VIEW_KEYS or VIEW_NO_KEY. The view that had it gets what this one had. */
void view_give_key(struct debugger *d, u32 view, char key);
void view_keys_default(struct debugger *d);
/* All views, in the order of VIEW_KEYS, those without a key last. */
void views_by_key(struct debugger *d, u32 order[VIEWS_MAX]);
/* A view by its name, the beginning of its name or title, or by its key; -1: there is none. */
int view_named(struct debugger *d, const char *word);
/* The same by struct view's keys, without a debugger. */
int screen_find_view(const char *word);
#endif
