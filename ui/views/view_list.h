/* view_list: which key chooses which view, and the list of all views over the screen (v with the focus on a view).
 *
 * Each view has a key of its own from the start (struct view), or none. The user gives the keys 1 to 9, 0, _ and # to
 * other views; a view that has been named by its key in a file of ours keeps its name whatever its key is. */
#ifndef UI_VIEWS_VIEW_LIST_H
#define UI_VIEWS_VIEW_LIST_H
#include "views/frame.h"

#define VIEW_KEYS "1234567890_#"
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

/* The list in place of the view, s->list_at its chosen row. */
void view_list_open(struct screen *s);
void view_list_draw(struct screen *s, struct pane p);
/* A key while the list is shown. Arrows choose, Enter shows the view, a digit or _ gives the chosen view this key, Esc
 * closes. False: the key is none of the list's, which is closed. */
bool view_list_key(struct screen *s, int key);
#endif
