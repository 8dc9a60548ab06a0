#include "views/view_keys.h"

#include <string.h>

#include "views/appearance.h"

char view_key_now(struct debugger *d, u32 view)
{
	const char own = debugger_appearance(d)->view_key[view];
	return own ? own : views[view]->key ? views[view]->key : VIEW_NO_KEY;
}

int view_of_key(struct debugger *d, int key)
{
	for (u32 i = 0; i < nviews && key != VIEW_NO_KEY; i++)
		if (view_key_now(d, i) == key)
			return (int)i;
	return -1;
}

void view_give_key(struct debugger *d, u32 view, char key)
{
	struct appearance *a = debugger_appearance(d);
	const int had = view_of_key(d, key);
	if (had >= 0)
		a->view_key[had] = view_key_now(d, view);
	a->view_key[view] = key;
}

void view_keys_default(struct debugger *d)
{
	struct appearance *a = debugger_appearance(d);
	memset(a->view_key, 0, sizeof a->view_key);
}

void views_by_key(struct debugger *d, u32 order[VIEWS_MAX])
{
	u32 n = 0;
	for (const char *key = VIEW_KEYS; *key; key++) {
		const int view = view_of_key(d, *key);
		if (view >= 0)
			order[n++] = (u32)view;
	}
	for (u32 i = 0; i < nviews; i++)
		if (view_key_now(d, i) == VIEW_NO_KEY)
			order[n++] = i;
}

int view_named(struct debugger *d, const char *word)
{
	if (*word && !word[1] && view_of_key(d, *word) >= 0)
		return view_of_key(d, *word);
	return screen_find_view(word);
}

int screen_find_view(const char *word)
{
	size_t n = strlen(word);
	for (u32 i = 0; i < nviews && n; i++)
		if ((n == 1 && *word == views[i]->key) || !strncmp(views[i]->name, word, n) ||
		    !strncmp(views[i]->title, word, n))
			return (int)i;
	return -1;
}
