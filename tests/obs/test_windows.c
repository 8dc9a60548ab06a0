/* `break stat` over a window: where it stops, against windows added up by hand from the counters; the same stops in
 * reverse, from any cycle gone to, set late, and after a change of the past has been taken back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include <math.h>

#include "base/rng.h"
#include "tests/rig/debug_rig.h"
#include "tests/rig/rounds.h"
#include "dbg/debugger.h"

#define STOPS 64
#define TERMS 3

/* A windowed figure: the counters its numerator and denominator are the sums of; no denominator: cycles. */
struct figure {
	const char *probe, *num, *den[TERMS];
	bool above;
	u64 span, step;
	double limit; /* the mean of all windows: set by by_hand() */
};
static struct figure figures[] = {
    {"gpu.l2.hit_rate", "gpu.l2.hits", {"gpu.l2.hits", "gpu.l2.misses", "gpu.l2.merges"}, false, 400, 100, 0},
    {"gpu.sm[2].ipc", "gpu.sm[2].issued", {NULL}, true, 300, 300, 0},
    {"gpu.sm[2].ipc", "gpu.sm[2].issued", {NULL}, false, 300, 50, 0},
    {"gpu.issued", "gpu.issued", {NULL}, true, 100, 100, 0},
    {"gpu.l2.misses", "gpu.l2.misses", {NULL}, true, 250, 125, 0},
    {"gpu.l2.hit_rate", "gpu.l2.hits", {"gpu.l2.hits", "gpu.l2.misses", "gpu.l2.merges"}, true, 400, 400, 0},
};

static u64 now(const struct rig *r)
{
	return sim_cycle(r->s->sim);
}

static void open_hotspot(struct rig *r)
{
	char *argv[] = {"warpdbg", "debug", "hotspot", "--size", "small", NULL};
	rig_open(r, argv);
}

static void tell(struct rig *r, const char *fmt, u64 n)
{
	char line[80];
	snprintf(line, sizeof line, fmt, (unsigned long long)n);
	rig_say(r, line);
}

static double counter(struct rig *r, const char *name)
{
	struct probe_path p;
	if (!probe_parse(sim_gpu(r->s->sim), name, &p, &r->e))
		fail_msg("%s", r->e.msg);
	return (double)probe_read(sim_gpu(r->s->sim), &p).u;
}

static bool is_rate(const struct figure *f)
{
	return f->den[0] || strstr(f->probe, "ipc");
}

#define WINDOWS 4000

/* The value at every step of the run. */
static u32 windows(const struct figure *f, double *value)
{
	static double num[WINDOWS], den[WINDOWS];
	struct rig r;
	u32 k = 0, per = (u32)(f->span / f->step);
	open_hotspot(&r);
	for (;; k++) {
		assert_true(k < WINDOWS);
		if (k)
			tell(&r, "until %llu", k * f->step);
		if (r.d->run.rest != DBG_STOPPED)
			break;
		num[k] = counter(&r, f->num);
		den[k] = f->den[0] ? 0 : (double)now(&r);
		for (u32 i = 0; i < TERMS && f->den[i]; i++)
			den[k] += counter(&r, f->den[i]);
		double over = k >= per ? num[k] - num[k - per] : (double)NAN, under = k >= per ? den[k] - den[k - per] : 0;
		value[k] = !is_rate(f) ? over : under != 0 ? over / under : (double)NAN;
	}
	rig_close(&r);
	return k;
}

/* The cycles at which the comparison becomes true. */
static u32 by_hand(struct figure *f, u64 *stop)
{
	static double value[WINDOWS];
	u32 all = windows(f, value), n = 0, known = 0;
	double sum = 0;
	bool was = false;
	for (u32 k = 0; k < all; k++)
		if (isfinite(value[k]))
			sum += value[k], known++;
	f->limit = sum / known;
	for (u32 k = 0; k < all; k++) {
		bool is = f->above ? value[k] > f->limit : value[k] < f->limit;
		if (is && !was)
			stop[n++] = k * f->step;
		was = is;
		assert_true(n < STOPS);
	}
	return n;
}

static void set_break(struct rig *r, const struct figure *f)
{
	char line[160];
	snprintf(line, sizeof line, "break stat %s %c %.17g over %llu every %llu", f->probe, f->above ? '>' : '<', f->limit,
	         (unsigned long long)f->span, (unsigned long long)f->step);
	rig_has(r, line, "Breakpoint");
}

/* Where `continue` must stop from a cycle; NEVER: at the end of the program. */
static u64 next_stop(const u64 *stop, u32 n, u64 from)
{
	for (u32 i = 0; i < n; i++)
		if (stop[i] > from)
			return stop[i];
	return NEVER;
}

static void must_continue_to(struct rig *r, u64 want)
{
	u64 from = now(r);
	rig_say(r, "continue");
	if (want == NEVER ? r->d->run.rest != DBG_FINISHED : now(r) != want)
		fail_msg("from %llu: stopped at %llu, not %llu", (unsigned long long)from, (unsigned long long)now(r),
		         (unsigned long long)want);
}

static void must_go_back_to(struct rig *r, const u64 *stop, u32 n)
{
	u64 from = now(r), want = 0;
	for (u32 i = 0; i < n && stop[i] < from; i++)
		want = stop[i];
	rig_has(r, "reverse-continue", want ? "cycles before" : "beginning of history");
	assert_int_equal(now(r), want);
}

static void check_figure(struct figure *f)
{
	struct rig r;
	u64 stop[STOPS];
	u64 dice = 7;
	u32 n = by_hand(f, stop);
	assert_true(n > 1);
	open_hotspot(&r);
	set_break(&r, f);
	for (u32 i = 0; i <= n; i++)
		must_continue_to(&r, i < n ? stop[i] : NEVER);
	u64 end = now(&r);
	for (u32 i = 0; i <= n; i++)
		must_go_back_to(&r, stop, n);
	for (u32 i = 0; i < rounds("WARPDBG_WINDOWS", 20, 6); i++) {
		tell(&r, "goto %llu", rng_next(&dice) % end);
		if (rng_next(&dice) & 1)
			must_continue_to(&r, next_stop(stop, n, now(&r)));
		else
			must_go_back_to(&r, stop, n);
	}
	rig_close(&r);
}

static void same_stops_on_every_way(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(figures); i++)
		check_figure(&figures[i]);
}

/* Set, and enabled, in the middle of a window: it knows what came before. An odd step takes stops of both kinds. */
static void set_late(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(figures); i++) {
		struct figure *f = &figures[i];
		u64 stop[STOPS];
		u32 n = by_hand(f, stop);
		for (u32 k = 0; k + 1 < n; k += rounds("WARPDBG_LATE", 3, 7)) {
			struct rig r;
			open_hotspot(&r);
			u64 at = stop[k] + (k % 2) * (stop[k + 1] - stop[k] - 1), hash;
			tell(&r, "until %llu", at);
			hash = sim_hash(r.s->sim);
			set_break(&r, f);
			assert_int_equal(now(&r), at);
			assert_true(sim_hash(r.s->sim) == hash);
			must_continue_to(&r, stop[k + 1]);
			rig_say(&r, "disable 1");
			tell(&r, "until %llu", stop[k + 1] + 77);
			rig_say(&r, "enable 1");
			if (r.d->run.rest == DBG_STOPPED)
				must_continue_to(&r, next_stop(stop, n, stop[k + 1] + 77));
			rig_close(&r);
		}
	}
}

/* What another scheduler made of the windows is forgotten with it. */
static void change_taken_back(void **state)
{
	struct figure *f = &figures[1];
	struct rig r;
	u64 stop[STOPS];
	u32 n = by_hand(f, stop);
	open_hotspot(&r);
	set_break(&r, f);
	for (u32 i = 0; i < n; i++)
		must_continue_to(&r, stop[i]);
	tell(&r, "goto %llu", stop[0] + 10);
	rig_say(&r, "set warp-sched lrr");
	for (u32 i = 0; i < 3 && r.d->run.rest == DBG_STOPPED; i++)
		rig_say(&r, "continue");
	while (!strstr(rig_say(&r, "undo"), "last change"))
		;
	assert_int_equal(now(&r), stop[0] + 10);
	for (u32 i = 1; i <= n; i++)
		must_continue_to(&r, i < n ? stop[i] : NEVER);
	rig_say(&r, "run"); /* from the beginning: the same again */
	assert_int_equal(now(&r), stop[0]);
	rig_close(&r);
}

static void without_history(void **state)
{
	char *argv[] = {"warpdbg", "debug", "hotspot", "--size", "small", "--set", "history.mb=0", NULL};
	struct figure *f = &figures[1];
	struct rig r;
	u64 stop[STOPS];
	u32 n = by_hand(f, stop);
	rig_open(&r, argv);
	set_break(&r, f);
	for (u32 i = 0; i <= n; i++)
		must_continue_to(&r, i < n ? stop[i] : NEVER);
	rig_close(&r);
}

static void how_it_is_said(void **state)
{
	struct rig r;
	open_hotspot(&r);
	rig_has(&r, "break stat gpu.l1d.hit_rate < 10%", "gpu.l1d.hit_rate < 0.1 over 2000 (no value yet)");
	rig_has(&r, "break stat gpu.l1d.hit_rate<10% every 64", "< 0.1 over 2048 every 64");
	rig_has(&r, "break stat gpu.l1d.hit_rate < 10% over run", "< 0.1 over run every 64");
	rig_has(&r, "break stat gpu.ipc > 2 over 500 every 100 if e.cycle > 7", "> 2 over 500 every 100");
	rig_has(&r, "break stat gpu.ipc > 2 every 100 over 500", "> 2 over 500 every 100");
	rig_has(&r, "break stat gpu.issued > 7", "> 7 every 64");
	rig_has(&r, "break stat gpu.issued > 7 over 10", "> 7 over 10");
	rig_fails(&r, "break stat gpu.ipc > 2 over 500 every 64", "no multiple of every 64");
	rig_fails(&r, "break stat gpu.ipc > 2 over 0", "cycles from 1");
	rig_fails(&r, "break stat gpu.ipc > 2 over", "cycles from 1");
	rig_fails(&r, "break stat gpu.ipc > 2 over run over 5", "which?");
	rig_fails(&r, "break stat gpu.ipc > 2 over 100000 every 1", "at most 4096 looks");
	rig_fails(&r, "break stat gpu.ipc > 2 ovr 5", "left over");
	rig_fails(&r, "break stat gpu.ipc > 2 over 100 over 200", "over is given twice");
	rig_fails(&r, "break stat gpu.ipc > 2 every 10 every 20", "every is given twice");
	rig_fails(&r, "break stat gpu.kernel[0].ipc > 2 over 100", "no value over a window");
	rig_fails(&r, "break stat gpu.sm[0].warp[0].pc > 2 over 100", "no value over a window");
	rig_fails(&r, "break stat gpu.cycle > 2 over 100", "no value over a window");
	rig_say(&r, "delete");
	rig_say(&r, "tbreak stat gpu.sm[3].ipc > 0.2 over 300");
	rig_has(&r, "c", "SM 3"); /* the focus goes where the figure is */
	rig_close(&r);
}

/* Marks are dropped when there are many, but never those of the window that is being looked at. */
static void many_marks(void **state)
{
	const u64 span = WINDOW_STEPS_MAX, parts[][2] = {{0, 33000}, {40000, 72534}, {33001, 39999}, {5000, 33000}};
	struct window w = {.span = span, .step = 1};
	for (u32 p = 0; p < ARRAY_LEN(parts); p++) {
		for (u64 c = parts[p][0]; c <= parts[p][1]; c++) {
			window_note(&w, c, (struct totals){.num = (double)(c * c)});
			if (c < parts[p][0] + span && p != 2) /* no span of this part yet */
				continue;
			double v;
			assert_true(window_value(&w, c, &v));
			assert_true(v == (double)(c * c - (c - span) * (c - span)));
			assert_true(window_ready(&w, c));
		}
		assert_true(w.n < 1u << 17);
	}
	window_release(&w);
}

/* A window of an expression is the same however its cycle was come to, and what the totals at its ends say. */
static void windows_of_expressions(void **state)
{
	struct rig r;
	char first[64];
	open_hotspot(&r);
	rig_say(&r, "until 3000");
	rig_say(&r, "goto 1000");
	double at_1000 = counter(&r, "gpu.issued");
	rig_say(&r, "goto 1500");
	double at_1500 = counter(&r, "gpu.issued");
	rig_say(&r, "goto 1730");
	assert_true(at_1500 > at_1000);
	snprintf(first, sizeof first, "%s", rig_say(&r, "print dbg.over(\"gpu.issued\", 500)"));
	assert_int_equal((u64)strtod(first, NULL), (u64)(at_1500 - at_1000));
	static const char *const ways[] = {"goto 300",  "goto 1500",        "goto 1999",
	                                   "goto 2600", "reverse-step 870", "goto 2990"};
	for (u32 i = 0; i < ARRAY_LEN(ways); i++) {
		rig_say(&r, ways[i]);
		rig_say(&r, "goto 1730");
		assert_string_equal(rig_say(&r, "print dbg.over(\"gpu.issued\", 500)"), first);
	}
	rig_say(&r, "goto 300");
	rig_has(&r, "print dbg.over(\"gpu.issued\", 500)", "nan");
	assert_null(strstr(rig_say(&r, "info breakpoints"), "issued"));
	rig_say(&r, "delete");
	/* What makes a condition true is found again, backwards too; the literal arguments are known before the run. */
	rig_say(&r, "tbreak cta-done if dbg.over(\"gpu.sm[1].ipc\", 250) > 0.2");
	rig_has(&r, "continue", "cta-done");
	u64 stop = now(&r);
	rig_say(&r, "break cta-done if dbg.over(\"gpu.sm[1].ipc\", 250) > 0.2");
	tell(&r, "tbreak cycle %llu", stop + 3000);
	rig_say(&r, "continue");
	rig_say(&r, "goto 10");
	rig_has(&r, "continue", "cta-done");
	assert_int_equal(now(&r), stop);
	rig_say(&r, "delete");
	rig_has(&r, "until dbg.over(\"gpu.ipc\", 128) >= 0", "cycle");
	assert_int_equal(now(&r), stop + 1);
	rig_fails(&r, "print dbg.over(\"gpu.nosuch\", 500)", "nosuch");
	rig_fails(&r, "print dbg.over(\"gpu.cycle\", 500)", "no value over a window");
	rig_fails(&r, "print dbg.over(\"gpu.ipc\", 63)", "64 to");
	for (u32 i = 0; i < 70; i++) { /* more than are kept */
		char line[80];
		snprintf(line, sizeof line, "print dbg.over(\"gpu.sm[%u].issued\", %u)", i % 15, 64 + i);
		rig_say(&r, line);
	}
	rig_say(&r, "goto 1730");
	assert_string_equal(rig_say(&r, "print dbg.over(\"gpu.issued\", 500)"), first);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(same_stops_on_every_way), cmocka_unit_test(set_late),
	    cmocka_unit_test(change_taken_back),       cmocka_unit_test(without_history),
	    cmocka_unit_test(how_it_is_said),          cmocka_unit_test(many_marks),
	    cmocka_unit_test(windows_of_expressions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
