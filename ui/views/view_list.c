/* The list of all views in place of the view (v with the focus on a view). */
#include <string.h>

#include "scr/draw.h"
#include "scr/term.h"
#include "views/frame.h"
#include "views/view_keys.h"

void view_list_open(struct screen *s)
{
	u32 order[VIEWS_MAX];
	views_by_key(s->d, order);
	s->listing = true;
	s->help = false;
	for (u32 i = 0; i < nviews; i++)
		if (order[i] == s->view)
			s->list_at = (s32)i;
}

void view_list_draw(struct screen *s, struct pane p)
{
	u32 order[VIEWS_MAX];
	views_by_key(s->d, order);
	const s32 rows = MAX(p.h - 3, 1), top = MAX(s->list_at - rows + 1, 0);
	pane_text(p, 0, 1, STYLE(R_ACCENT), "Views");
	pane_text(p, 0, 8, STYLE(R_DIM), "up, down, Enter: show it; 1 .. 9, 0, _ # ^: gives it this key; Esc");
	for (s32 i = 0; i < rows && top + i < (s32)nviews; i++) {
		const u32 view = order[top + i];
		const bool here = top + i == s->list_at;
		const struct style name = {here ? R_ACCENT : R_TEXT, here ? ATTR_BOLD : 0};
		pane_text(p, 2 + i, 1, name, here ? ">" : " ");
		pane_printf(p, 2 + i, 3, name, "%c  %s", view_key_now(s->d, view), views[view]->name);
		draw_words(p, 2 + i, 16, p.w - 17, STYLE(R_DIM), views[view]->shows);
	}
}

bool view_list_key(struct screen *s, int key)
{
	u32 order[VIEWS_MAX];
	views_by_key(s->d, order);
	const u32 view = order[s->list_at];
	switch (key) {
	case K_UP: s->list_at = MAX(s->list_at - 1, 0); return true;
	case K_DOWN: s->list_at = MIN(s->list_at + 1, (s32)nviews - 1); return true;
	case K_HOME: s->list_at = 0; return true;
	case K_END: s->list_at = (s32)nviews - 1; return true;
	case '\r':
	case '\n':
		s->view = view;
		s->listing = false;
		return true;
	case K_ESC:
	case 'v': s->listing = false; return true;
	default: break;
	}
	if (key > ' ' && key < 127 && strchr(VIEW_KEYS, key)) {
		view_give_key(s->d, view, (char)key);
		const char now = (char)key;
		views_by_key(s->d, order);
		for (u32 i = 0; i < nviews; i++)
			if (view_key_now(s->d, order[i]) == now)
				s->list_at = (s32)i; /* the view has moved in the list */
		return true;
	}
	s->listing = false;
	return false;
}
