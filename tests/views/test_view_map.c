/* The map of a cache: every cell is what the cache has there, on every size and without colours; its keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dbg/background.h"
#include "dbg/cachemap.h"
#include "dbg/linelives.h"
#include "scr/term.h"
#include "tests/rig/canvas_rig.h"
#include "tests/rig/debug_rig.h"
#include "views/frame.h"
#include "views/offscreen.h"

static struct view_state *state_of(struct rig *r)
{
	return &r->d->screen->state[r->d->screen->view];
}

/* Draws until all is there. */
static const struct canvas *look(struct rig *r, int h, int w)
{
	struct screen *s = r->d->screen;
	canvas_resize(&s->canvas, h, w);
	console_init(&s->console);
	do {
		while (background_pending(r->d))
			background_wait(r->d, 50);
		frame_draw(s);
	} while (background_pending(r->d));
	console_release(&s->console);
	return &s->canvas;
}

static void key(struct rig *r, int k)
{
	struct view_ctx v;
	frame_context(r->d->screen, &v);
	assert_true(views[r->d->screen->view]->on_key(&v, k));
}

static char expected(const struct cachemap *m, const struct cachemap_cell *c, u32 mode)
{
	u64 limit = 1, age = m->now - c->life.used;
	u32 digit = 0;
	if (!c->line.there)
		return c->is == CELL_LENT ? '-' : '.';
	if (mode == 2) {
		for (; digit < 9 && age >= limit; digit++)
			limit *= 4;
		return (char)('0' + digit);
	}
	if (c->owner < 0)
		return '_';
	return mode == 1 ? (char)('0' + m->owner[c->owner].launch % 10) : m->owner[c->owner].letter;
}

/* Finds the sets by their numbers, and compares what stands behind them. Returns how many cells there were. */
static u32 cells_are(struct rig *r, const struct canvas *c)
{
	struct err e = {0};
	u64 since;
	const void *lives = linelives_fetch(r->d, &since, &e);
	const u32 column = state_of(r)->column, selected = state_of(r)->mark ? state_of(r)->mark - 1 : 0;
	struct cachemap *m = cachemap_take(r->d, column > 0, column ? column - 1 : r->d->focus.sm, lives, since);
	u32 n = 0, reversed = 0;
	for (int y = 3; y < c->h; y++)
		for (int x = 0; x + 6 < c->w; x++) {
			char label[7] = "";
			for (int k = 0; k < 6; k++)
				label[k] = (char)MIN(canvas_at(c, y, x + k)->ch, 127u);
			char *end;
			const u32 set = (u32)strtoul(label, &end, 10);
			if (end != label + 5 || label[5] != ' ' || label[4] == ' ' || canvas_at(c, y, x + 4)->style.role != R_DIM ||
			    (x && canvas_at(c, y, x - 1)->ch != ' '))
				continue;
			assert_true(set < m->shape.sets);
			for (u32 w = 0; w < m->shape.ways && x + 6 + 2 * (int)w + 1 < c->w; w++) {
				const struct cachemap_cell *is = &m->cell[set * m->shape.ways + w];
				const struct cell *at = canvas_at(c, y, x + 6 + 2 * (int)w), *mark = at + 1;
				const char *glyph = at->ch == 0xb7 ? "." : NULL;
				assert_int_equal(glyph ? (u32)*glyph : at->ch, (u32)expected(m, is, state_of(r)->mode));
				assert_int_equal(mark->ch, is->is == CELL_RESERVED ? ':' : is->is == CELL_DIRTY ? '\'' : ' ');
				if (at->style.attr & ATTR_REVERSE) {
					assert_int_equal(set * m->shape.ways + w, selected);
					reversed++;
				}
				n++;
			}
			x += 5 + 2 * (int)m->shape.ways;
		}
	assert_true(reversed <= 1);
	cachemap_free(m);
	return n;
}

static void every_size(void **state)
{
	static const struct {
		int h, w;
	} sizes[] = {{24, 80}, {60, 200}, {16, 60}, {40, 120}};
	static const char *const more[] = {"", " --ascii", " --no-color"};
	for (u32 k = 0; k < ARRAY_LEN(more); k++) {
		struct rig r;
		char words[200];
		snprintf(words, sizeof words, "hotspot --size small%s", more[k]);
		rig_words(&r, words);
		offscreen_open(r.d);
		r.d->screen->view = (u32)screen_find_view("map");
		look(&r, 24, 80); /* nothing has run yet */
		find_row(&r.d->screen->canvas, 2, "128 empty");
		rig_say(&r, "until 6000");
		rig_say(&r, "focus sm 1 warp 3");
		for (u32 i = 0; i < ARRAY_LEN(sizes); i++)
			for (u32 mode = 0; mode < 3; mode++)
				for (u32 column = 0; column < 4; column += 3) {
					state_of(&r)->mode = mode;
					state_of(&r)->column = column;
					state_of(&r)->top = 0;
					const u32 n = cells_are(&r, look(&r, sizes[i].h, sizes[i].w));
					assert_true(n >= (sizes[i].h >= 40 ? (column ? 512u : 128u) : 64u));
				}
		rig_close(&r);
	}
}

static void keys(void **state)
{
	struct rig r;
	rig_words(&r, "kmeans --size small");
	offscreen_open(r.d);
	r.d->screen->view = (u32)screen_find_view("map");
	rig_say(&r, "until 6000");
	const struct canvas *c = look(&r, 24, 80);
	find_row(c, 1, "L1D of SM 0  by CTA");
	find_row(c, 12, "set 0 way 0: 0x");
	key(&r, K_RIGHT);
	key(&r, K_DOWN);
	look(&r, 24, 80);
	const int y = find_row(c, 12, "set 3 way 1: 0x"); /* below set 0, three sets beside each other */
	assert_non_null(strstr(row_of(c, y), "sectors 0-3"));
	key(&r, '>');
	find_row(look(&r, 24, 80), 1, "L1D of SM 1");
	assert_int_equal(r.d->focus.sm, 1);
	key(&r, '<');
	key(&r, '<');
	find_row(look(&r, 24, 80), 1, "L1D of SM 14");
	key(&r, 't');
	find_row(look(&r, 24, 80), 1, "L2 slice 0");
	key(&r, '<');
	find_row(look(&r, 24, 80), 1, "L2 slice 11");
	key(&r, 'w');
	find_row(look(&r, 24, 80), 1, "by kernel");
	key(&r, 'w');
	find_row(look(&r, 24, 80), 1, "by age: digit k");
	for (u32 i = 0; i < 600; i++)
		key(&r, K_DOWN);
	c = look(&r, 24, 80);
	find_row(c, 12, "set 3"); /* the last row, in sight */
	assert_true(cells_are(&r, c) > 0);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_size), cmocka_unit_test(keys)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
