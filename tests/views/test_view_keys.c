/* Keys of views: as given, by the command and in the list of views. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scr/term.h"
#include "tests/rig/debug_rig.h"
#include "views/offscreen.h"
#include "views/frame.h"
#include "views/view_keys.h"

/* Each key has one view at most, each view is listed once. */
static void one_each(struct debugger *d)
{
	u32 order[VIEWS_MAX], seen = 0, keys = 0;
	views_by_key(d, order);
	for (u32 i = 0; i < nviews; i++) {
		assert_false(seen >> order[i] & 1);
		seen |= 1u << order[i];
	}
	for (const char *k = VIEW_KEYS; *k; k++)
		for (u32 i = 0, n = 0; i < nviews; i++) {
			n += view_key_now(d, i) == *k;
			assert_true(n <= 1);
		}
	for (u32 i = 0; i < nviews; i++)
		keys += view_key_now(d, i) != VIEW_NO_KEY;
	assert_true(keys <= strlen(VIEW_KEYS));
}

static u32 named(const char *name)
{
	const int view = screen_find_view(name);
	assert_true(view >= 0);
	return (u32)view;
}

static void given(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_has(&r, "view", "* 1  over");
	rig_say(&r, "view lanes key 3");
	assert_int_equal(view_of_key(r.d, '3'), named("lanes"));
	assert_int_equal(view_key_now(r.d, named("phase")), '_'); /* the other's */
	one_each(r.d);
	rig_say(&r, "view 3");
	assert_int_equal(r.d->screen->view, named("lanes"));
	rig_say(&r, "view stall key none");
	assert_int_equal(view_of_key(r.d, '4'), -1);
	assert_int_equal(view_key_now(r.d, named("stall")), VIEW_NO_KEY);
	rig_say(&r, "view stall");
	assert_int_equal(r.d->screen->view, named("stall"));
	rig_say(&r, "view log key 4");
	assert_int_equal(view_of_key(r.d, '0'), -1);
	rig_say(&r, "view sm key 4"); /* it changes places with the log */
	assert_int_equal(view_key_now(r.d, named("log")), '2');
	one_each(r.d);
	rig_fails(&r, "view lanes key 12", "can be no view's key");
	rig_fails(&r, "view lanes key x", "can be no view's key");
	rig_fails(&r, "view lanes key", "is expected");
	rig_fails(&r, "view lanes key 3 4", "and nothing else");
	rig_fails(&r, "view lanes 3", "is left over");
	rig_fails(&r, "view nonsense", "is no view");
	rig_say(&r, "view keys default");
	for (u32 i = 0; i < nviews; i++)
		assert_int_equal(view_key_now(r.d, i), views[i]->key ? views[i]->key : VIEW_NO_KEY);
	rig_close(&r);
}

static void random_gifts(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	u32 seed = 7;
	for (u32 i = 0; i < 2000; i++) {
		seed = seed * 1664525 + 1013904223;
		const u32 view = (seed >> 8) % nviews, k = (seed >> 16) % (u32)(strlen(VIEW_KEYS) + 1);
		const char key = k < strlen(VIEW_KEYS) ? VIEW_KEYS[k] : VIEW_NO_KEY;
		view_give_key(r.d, view, key);
		assert_int_equal(view_key_now(r.d, view), key);
		one_each(r.d);
	}
	rig_close(&r);
}

static void listed(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "view kernel");
	struct screen *s = r.d->screen;
	view_list_open(s);
	assert_true(s->listing);
	assert_true(view_list_key(s, K_DOWN)); /* from kernel to source */
	assert_true(view_list_key(s, '2'));
	assert_int_equal(view_of_key(r.d, '2'), named("source"));
	assert_int_equal(view_of_key(r.d, '8'), named("sm"));
	assert_true(view_list_key(s, '\r')); /* the choice has gone with it */
	assert_false(s->listing);
	assert_int_equal(s->view, named("source"));
	view_list_open(s);
	for (u32 i = 0; i < 40; i++)
		assert_true(view_list_key(s, K_DOWN));
	assert_true(view_list_key(s, K_END));
	for (u32 i = 0; i < 40; i++)
		assert_true(view_list_key(s, K_UP));
	assert_int_equal(s->list_at, 0);
	assert_true(view_list_key(s, K_ESC));
	assert_int_equal(s->view, named("source"));
	view_list_open(s);
	assert_false(view_list_key(s, 'b')); /* begins a command */
	assert_false(s->listing);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(given),
	    cmocka_unit_test(random_gifts),
	    cmocka_unit_test(listed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
