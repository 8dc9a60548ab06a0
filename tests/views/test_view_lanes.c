/* The view of warps over time: every cell is what the recording says of that row and column, on every size and without
 * colours; rows, zoom, cursor, and what is spelled out below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dbg/lanes.h"
#include "scr/term.h"
#include "tests/rig/canvas_rig.h"
#include "tests/rig/debug_rig.h"
#include "views/cursor.h"
#include "views/frame.h"
#include "views/lanes_rows.h"
#include "views/lanes_text.h"
#include "views/legend.h"
#include "views/offscreen.h"

#define LEFT 13

static void open_rig(struct rig *r, const char *words)
{
	rig_words(r, words);
	offscreen_open(r->d);
	r->d->screen->view = (u32)screen_find_view("lanes");
}

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
		while (lanes_pending(r->d))
			lanes_wait(r->d, 50);
		frame_draw(s);
	} while (lanes_pending(r->d));
	console_release(&s->console);
	return &s->canvas;
}

static void key(struct rig *r, int k)
{
	struct view_ctx v;
	frame_context(r->d->screen, &v);
	if (!cursor_key(&v, k))
		assert_true(views[r->d->screen->view]->on_key(&v, k));
}

/* The picture again, from the recording: all cells of the rows that are shown. Returns how many. */
static u32 cells_are(struct rig *r, const struct canvas *c)
{
	struct view_ctx v;
	u32 n = 0;
	frame_context(r->d->screen, &v);
	struct lanes_picture p = lanes_picture(&v, v.st->chars, v.st->beside);
	assert_true(p.all);
	assert_true(p.a.w * p.cell <= v.st->chars);
	assert_int_equal(p.a.from % p.bin, 0);
	for (int y = 3; y < 3 + v.st->page && v.st->top + y - 3 < (s32)p.nrows; y++)
		for (int x = 0; x < p.a.w; x++) {
			const struct cell *at = canvas_at(c, y, LEFT + x * p.cell);
			struct lane_cell is;
			if (!lanes_cell(&p, (u32)(v.st->top + y - 3), p.a.from + (u64)x * p.bin, &is)) {
				assert_int_equal(at->ch, ' ');
				continue;
			}
			const struct legend *l = &legend[lanes_sign(&is)];
			assert_int_equal(at->ch, c->ascii ? (u32)(u8)l->ascii : l->ch);
			n++;
		}
	free(p.row);
	return n;
}

static void every_size(void **state)
{
	static const struct {
		int h, w;
	} sizes[] = {{24, 80}, {60, 200}, {12, 60}, {9, 40}};
	static const char *const more[] = {"", " --ascii", " --no-color"};
	for (u32 k = 0; k < ARRAY_LEN(more); k++) {
		struct rig r;
		char words[200];
		snprintf(words, sizeof words, "hotspot --size small --cta-virtual vt --set sm.ctas=2%s", more[k]);
		open_rig(&r, words);
		look(&r, 24, 80); /* nothing has run yet */
		find_row(&r.d->screen->canvas, 1, "no cycle has been simulated");
		rig_say(&r, "until 1500");
		rig_say(&r, "focus sm 1 warp 3");
		for (u32 i = 0; i < ARRAY_LEN(sizes); i++)
			for (u32 mode = 0; mode < LANES_KINDS; mode++)
				for (u32 zoom = 0; zoom <= 9; zoom += 3) {
					state_of(&r)->mode = mode;
					state_of(&r)->zoom = zoom;
					assert_true(cells_are(&r, look(&r, sizes[i].h, sizes[i].w)) > 0);
				}
		rig_close(&r);
	}
}

/* Down to one cycle a column, then to columns with the instruction. The cursor's row is spelled out. */
static void closer(void **state)
{
	struct rig r;
	open_rig(&r, "hotspot --size small");
	rig_say(&r, "until 3600");
	rig_say(&r, "focus sm 0 warp 9");
	state_of(&r)->zoom = 40;
	const struct canvas *c = look(&r, 40, 120);
	struct view_ctx v;
	frame_context(r.d->screen, &v);
	struct lanes_picture p = lanes_picture(&v, v.st->chars, v.st->beside);
	assert_int_equal(p.bin, 1);
	assert_true(p.cell > 1);
	u32 told = 0;
	for (int y = 3; y < 3 + v.st->page; y++)
		for (int x = 0; x < p.a.w; x++) {
			struct lane_cell is;
			struct strbuf text = STRBUF_INIT;
			assert_true(lanes_cell(&p, (u32)(v.st->top + y - 3), p.a.from + (u64)x, &is));
			if (!lane_is_issued(&is))
				continue;
			lanes_inst(&v, &p, &is, is.pc, true, &text);
			for (int i = 0; i < 4; i++)
				assert_int_equal(canvas_at(c, y, LEFT + x * p.cell + 1 + i)->ch, strbuf_str(&text)[i]);
			told++;
			strbuf_release(&text);
		}
	assert_true(told > 2);
	free(p.row);
	state_of(&r)->zoom--;
	c = look(&r, 40, 120);
	find_row(c, 1, " 1 cycle a column ");
	frame_context(r.d->screen, &v);
	assert_true(cursor_show(&v));
	key(&r, K_HOME);
	const u64 at = state_of(&r)->cursor;
	for (u32 i = 0; i < 70; i++) {
		c = look(&r, 40, 120);
		char want[80];
		snprintf(want, sizeof want, "%llu,%03llu  SM 0 w9, CTA ", (unsigned long long)(at + i) / 1000,
		         (unsigned long long)(at + i) % 1000);
		const int y = find_row(c, 20, want);
		p = lanes_picture(&v, v.st->chars, v.st->beside);
		struct lane_cell is;
		assert_true(lanes_warp(p.l, 0, 9, at + i, 1, &is));
		if (lane_is_issued(&is))
			assert_non_null(strstr(row_of(c, y), is.cause == is.pc ? ": a leading slot of " : ": issued "));
		else
			assert_non_null(strstr(row_of(c, y), " since "));
		if (is.pc != PC_DONE)
			find_row(c, y, "hotspot.cu:");
		free(p.row);
		key(&r, K_RIGHT);
		assert_int_equal(state_of(&r)->cursor, at + i + 1);
	}
	rig_close(&r);
}

static void rows_move(void **state)
{
	struct rig r;
	open_rig(&r, "hotspot --size small --cta-virtual vt --set sm.ctas=2");
	rig_say(&r, "until 1500");
	rig_say(&r, "focus sm 1 warp 3");
	look(&r, 24, 80);
	key(&r, K_DOWN);
	assert_int_equal(r.d->focus.warp, 4);
	key(&r, K_PGDN);
	assert_true(r.d->focus.warp > 8);
	const struct canvas *c = look(&r, 24, 80);
	char label[60];
	snprintf(label, sizeof label, " %u ", r.d->focus.warp); /* it is in sight */
	const int y = find_row(c, 3, label);
	assert_int_equal(canvas_at(c, y, LEFT - 2)->ch, legend[LG_FOCUS].ch);
	key(&r, 'w'); /* of its CTA */
	c = look(&r, 24, 80);
	snprintf(label, sizeof label, "warps of CTA %lld of K0", (long long)r.d->focus.cta);
	find_row(c, 1, label);
	key(&r, 'w'); /* of its kernel, everywhere */
	c = look(&r, 24, 80);
	find_row(c, 1, "K0 on all SMs");
	for (u32 i = 0; i < 200; i++)
		key(&r, K_PGDN);
	assert_int_equal(r.d->focus.sm, 14);
	rig_say(&r, "focus sm 1 warp 3");
	key(&r, 'w'); /* the CTAs of its SM */
	c = look(&r, 24, 80);
	find_row(c, 1, "SM 1  CTAs");
	state_of(&r)->cursor_on = true;
	state_of(&r)->cursor = 1200;
	c = look(&r, 24, 80);
	find_row(c, 3, "CTA 1 of hotspot: inactive in most of");
	find_row(c, 3, "1,046 cta-swap-out: CTA 1 of K0, cause barrier, cycles 11, partner 31");
	state_of(&r)->zoom = 40;
	c = look(&r, 24, 80);
	find_row(c, 3, "1,200  CTA 1 of hotspot: inactive since ");
	rig_close(&r);
}

/* Back and forward, and then further: the same cells. */
static void the_same_from_anywhere(void **state)
{
	static struct cell was[60 * 200];
	struct rig r;
	open_rig(&r, "hotspot --size small");
	rig_say(&r, "until 4000");
	const struct canvas *c = look(&r, 60, 200);
	memcpy(was, c->cell, sizeof was);
	lanes_restarted(r.d);
	rig_say(&r, "goto 700");
	look(&r, 60, 200);
	rig_say(&r, "goto 4000");
	c = look(&r, 60, 200);
	for (int y = 2; y < 50; y++)
		for (int x = 0; x < 200; x++)
			assert_int_equal(canvas_at(c, y, x)->ch, was[y * 200 + x].ch);
	rig_say(&r, "goto 700"); /* now is marked, what is later stands back */
	c = look(&r, 60, 200);
	find_row(c, 3, "◆");
	rig_close(&r);
}

static void no_history(void **state)
{
	struct rig r;
	open_rig(&r, "hotspot --size small --set history.mb=0");
	rig_say(&r, "until 500");
	const struct canvas *c = look(&r, 24, 120);
	find_row(c, 1, "there is no history to go back in");
	rig_fails(&r, "lua dbg.lanes{sm=1}", "there is no history");
	rig_fails(&r, "export konata /tmp/never", "there is no history");
	rig_close(&r);
}

static void words_and_scripts(void **state)
{
	struct rig r;
	open_rig(&r, "hotspot --size small --cta-virtual vt --set sm.ctas=2");
	rig_has(&r, "view", "* _  lanes ");
	rig_say(&r, "view stalls");
	rig_has(&r, "view", "* 4  stall ");
	rig_fails(&r, "view nothing", "'nothing' is no view");
	rig_fails(&r, "view lanes now", "'now' is left over");
	rig_say(&r, "until 1500");
	rig_has(&r,
	        "lua l = dbg.lanes{sm=1, from=1000, to=1100} m = l.marks[1] print(l.from, l.to, l.bin, #l.marks, m.event, "
	        "m.cycle, m.cta, m.cause)",
	        "1000\t1100\t1\t2\tcta-swap-out\t1046\t1\tbarrier\n");
	rig_has(&r, "lua s = 0 for _, n in pairs(l.slots) do s = s + n end print(s)", "200\n");
	rig_has(&r,
	        "lua i, n = 0, 0 for w = 0, 47 do for _, x in ipairs(l.warps[w]) do n = n + x.to - x.from if x.state == "
	        "'issued' then i = i + 1 end end end print(n, i == l.slots.issued)",
	        "4800\ttrue\n");
	rig_has(&r, "lua c = dbg.lanes{sm=1, from=1000, to=1100, bin=64} print(c.from, #c.warps[0], c.warps[0][1].pc)",
	        "960\t3\tnil\n");
	rig_has(&r, "lua x = l.ctas[0][#l.ctas[0]] print(x.state, x.cta)", "inactive\t1\n");
	rig_fails(&r, "lua dbg.lanes{sm=15}", "sm: an integer from 0 to 14 is expected");
	rig_fails(&r, "lua dbg.lanes{bin=3}", "a power of two");
	rig_fails(&r, "lua dbg.lanes{since=3}", "'since' is not one of");
	rig_fails(&r, "lua dbg.lanes{from=7, to=7}", "cycles 7 to 7 are none");
	rig_fails(&r, "lua dbg.lanes{from=7, to=1501}", "simulated from 0 to 1500");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_size), cmocka_unit_test(closer),
	    cmocka_unit_test(rows_move),  cmocka_unit_test(the_same_from_anywhere),
	    cmocka_unit_test(no_history), cmocka_unit_test(words_and_scripts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
