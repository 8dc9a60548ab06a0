/* Lessons on a screen of 80 x 24: the whole text of each step of each lesson is in sight at once, with what it asks for
 * in the line above the prompt. Enter goes on, and a view chosen by its key is seen. The program is ./warpdbg, or what
 * WARPDBG names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "session/lesson.h"
#include "tests/rig/screen_rig.h"

static void start(struct vt *v, const char *lesson, const char *const *variables)
{
	const char *p = getenv("WARPDBG");
	char *argv[] = {(char *)(p && *p ? p : "./warpdbg"), "learn", (char *)lesson, NULL};
	const char *env[16] = {"HOME=/nonexistent", "XDG_STATE_HOME=/nonexistent", "INPUTRC=/dev/null",
	                       "TERM=xterm-256color"};
	for (int n = 4; variables && *variables; variables++)
		env[n++] = *variables;
	vt_spawn(v, 24, 80, argv, env);
	assert_shown(v, ", step 1 of ");
	vt_settle(v, 150, WAIT);
}

static const char *first_words(const char *text, char out[24])
{
	text += strspn(text, " \t\n");
	snprintf(out, 24, "%.*s", (int)strcspn(text, "\n"), text);
	if (strlen(out) == 23)
		*strrchr(out, ' ') = 0; /* whole words: the line may end within one */
	return out;
}

/* The step's first words, its last ones, and nothing that is out of sight. */
static void assert_whole(struct vt *v, const struct lesson *l, u32 i)
{
	const struct lesson_step *s = &l->step[i];
	char head[200], words[24], row[VT_TEXT_MAX];
	snprintf(head, sizeof head, "--- %s, step %u of %u ---", l->title, i + 1, l->nsteps);
	assert_shown(v, head);
	assert_shown(v, first_words(s->text, words));
	assert_shown(v, s->kind == LESSON_READ ? "Enter: go on" : s->kind == LESSON_WAIT ? s->task : "> answer");
	snprintf(words, sizeof words, "%u/%u ", i + 1, l->nsteps);
	assert_shown(v, words);
	if (s->task)
		assert_shown(v, s->task);
	if (vt_find(v, " more line") < 0 && vt_find(v, " above: ") < 0)
		return;
	for (int y = 0; y < v->h; y++)
		print_error("%2d|%s\n", y, vt_row(v, y, row));
	fail_msg("%s, step %u is longer than the screen", l->name, i + 1);
}

static void walk(const struct lesson_file *f)
{
	struct vt v;
	struct err e = {0};
	lua_State *L = lua_sandbox_new(NULL, ".", false);
	struct lesson *l = lesson_load(L, f->name, f->path, &e);
	assert_non_null(l);
	start(&v, f->path, NULL);
	for (u32 i = 0; i < l->nsteps; i++) {
		type(&v, "lesson\r"); /* the text alone, without the answer to the step before */
		assert_whole(&v, l, i);
		type(&v, l->step[i].kind == LESSON_READ ? "\r" : "lesson skip\r");
	}
	assert_shown(&v, l->nsteps ? "does not count as done" : "");
	stop(&v);
	lesson_free(L, l);
	lua_sandbox_free(L);
}

static void every_step_is_whole(void **state)
{
	struct lesson_files all = lessons_find(".");
	u32 numbered = 0;
	for (u32 i = 0; i < all.n; i++) {
		assert_false(all.file[i].broken);
		numbered += all.file[i].number != 0;
		walk(&all.file[i]);
	}
	assert_int_equal(numbered, 10);
	lessons_release(&all);
}

/* A view that a step waits for may be chosen by its key, before or after what else it wants. */
static void a_key_is_seen(void **state)
{
	struct vt v;
	start(&v, "phases", NULL);
	type(&v, "\r");
	assert_shown(&v, "2/7 goto 3000, view 3");
	type(&v, "goto 3000\r");
	assert_shown(&v, "2/7 goto 3000, view 3");
	type(&v, "3");
	assert_shown(&v, "Done.");
	assert_shown(&v, "2/7 done, go on: Enter");
	type(&v, "\r");
	assert_shown(&v, "step 3 of 7");
	type(&v, "answer 5000\r");
	assert_shown(&v, "that is too high");
	assert_shown(&v, "3/7 answer: the longest phase");
	stop(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_step_is_whole),
	    cmocka_unit_test(a_key_is_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
