/* Colours: legible on dark and light backgrounds, told apart by colour-blind eyes where a colour is all there is, and
 * on every kind of terminal no more than it can do. The program is ./warpdbg, or what WARPDBG names. */
#include "tests/rig/vt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>

#include "probe/probe.h"
#include "scr/palette.h"
#include "scr/picture.h"
#include "sm/warp_state.h"
#include "scr/phase_look.h"
#include "views/legend.h"
#include "views/view.h"

#define WAIT 15000

/* --- what the eye sees -------------------------------------------------------------------------------------------- */

struct light {
	double r, g, b; /* linear */
};

static double linear(unsigned v)
{
	double c = v / 255.0;
	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static struct light light_of(const char *hex)
{
	unsigned r, g, b;
	assert_int_equal(sscanf(hex, "#%2x%2x%2x", &r, &g, &b), 3);
	return (struct light){linear(r), linear(g), linear(b)};
}

static double luminance(struct light c)
{
	return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
}

/* WCAG 2: 1 to 21. */
static double contrast(struct light a, struct light b)
{
	double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
	return x > y ? x / y : y / x;
}

static struct light role_light(enum role r, bool light)
{
	char hex[8];
	picture_role_rgb(r, light, hex);
	return light_of(hex);
}

static const char *const grounds[2] = {"#000000", "#ffffff"};

/* Text 4.5:1 but for what is meant to stand back; areas 1.5:1, and 2:1 where they stand beside each other. */
static double needed(enum role r)
{
	if (r == R_FAINT)
		return 2;
	if (r == R_FILL0 || (r > R_FILL0 && r <= R_FILL4))
		return 1.8;
	return r >= R_SCALE0 ? 2 : 3;
}

static void test_contrast(void **state)
{
	for (int light = 0; light < 2; light++)
		for (enum role r = 0; r < R_COUNT; r++) {
			double c = contrast(role_light(r, light), light_of(grounds[light]));
			if (c < needed(r))
				fail_msg("role %d on %s: contrast %.2f, %.1f needed", r, grounds[light], c, needed(r));
		}
}

/* Without 256 colours what a colour looks like is the terminal's affair, but these are never legible. */
static void test_few_colours(void **state)
{
	for (int light = 0; light < 2; light++)
		for (enum role r = 0; r < R_COUNT; r++) {
			int c16 = palette_colour(r, 16, light), c8 = palette_colour(r, 8, light);
			assert_in_range(c16 + 1, 0, 16);
			assert_in_range(c8 + 1, 0, 8);
			if (light) { /* white, and the bright ones, on white */
				assert_true(c16 != 7 && (c16 < 9 || c16 == 12));
				assert_int_not_equal(c8, 7);
			} else { /* black and blue on black */
				assert_true(c16 != 0 && c8 != 0);
				assert_true(c8 != 4 || palette_bold(r, 8, false));
			}
			assert_int_equal(palette_bold(r, 256, light), palette[r].bold);
		}
}

/* xterm's sixteen, the brightest of the usual tables: what can be read with them on white can be with the others. */
static const char *const xterm16[] = {"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd",
                                      "#00cdcd", "#e5e5e5", "#7f7f7f", "#ff0000", "#00ff00", "#ffff00",
                                      "#5c5cff", "#ff00ff", "#00ffff", "#ffffff"};

/* Text 3:1. Big glyphs and areas less: what has been issued, fills; and cyan where there are but 8 colours. */
static void test_sixteen_on_xterm(void **state)
{
	for (int light = 0; light < 2; light++)
		for (enum role r = 0; r < R_COUNT; r++)
			for (int few = 8; few <= 16; few += 8) {
				int colour = palette_colour(r, few, light);
				bool fill = r >= R_FILL0 && r <= R_FILL4, cyan = light && few == 8 && colour == 6;
				bool bright = few == 8 && palette_bold(r, 8, light); /* bold makes it so */
				if (colour < 0)
					continue;
				double c = contrast(light_of(xterm16[colour + (bright && !light ? 8 : 0)]), light_of(grounds[light]));
				double least = fill ? 1.6 : cyan ? 1.9 : r == R_ISSUED ? 2.1 : 3;
				if (c < least)
					fail_msg("role %d, colour %d of %d on %s: contrast %.2f, %.1f needed", r, colour, few,
					         grounds[light], c, least);
			}
}

/* Neighbours of a scale have different colours there too, but where a letter is all that can tell. */
static void test_scales_of_sixteen(void **state)
{
	for (int light = 0; light < 2; light++)
		for (u32 i = 0; i + 1 < R_NSCALE; i++)
			for (int few = 8; few <= 16; few += 8) {
				assert_int_not_equal(palette_colour(R_SCALE0 + i, few, light),
				                     palette_colour(R_SCALE0 + i + 1, few, light));
				assert_int_not_equal(palette_colour(R_SCALE1 + i, few, light),
				                     palette_colour(R_SCALE1 + i + 1, few, light));
			}
}

/* Viénot, Brettel and Mollon 1999: dichromats' view as a matrix over linear RGB. */
static struct light dichromat(struct light c, bool deutan)
{
	double k = deutan ? 0.29275 : 0.11238, m = deutan ? 0.02234 : -0.00401;
	double rg = k * c.r + (1 - k) * c.g;
	return (struct light){rg, rg, fmin(fmax(c.b + m * (c.g - c.r), 0), 1)};
}

static double lab_f(double t)
{
	return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

/* CIE76 difference; 2.3 is just noticeable side by side. */
static double difference(struct light a, struct light b)
{
	double lab[2][3];
	const struct light c[2] = {a, b};
	for (int i = 0; i < 2; i++) {
		double x = lab_f((0.4124 * c[i].r + 0.3576 * c[i].g + 0.1805 * c[i].b) / 0.9505), y = lab_f(luminance(c[i])),
		       z = lab_f((0.0193 * c[i].r + 0.1192 * c[i].g + 0.9505 * c[i].b) / 1.089);
		lab[i][0] = 116 * y - 16;
		lab[i][1] = 500 * (x - y);
		lab[i][2] = 200 * (y - z);
	}
	return sqrt(pow(lab[0][0] - lab[1][0], 2) + pow(lab[0][1] - lab[1][1], 2) + pow(lab[0][2] - lab[1][2], 2));
}

static void all_apart(const enum role *r, u32 n, double least)
{
	for (int light = 0; light < 2; light++)
		for (int eye = 0; eye < 3; eye++)
			for (u32 i = 0; i < n; i++)
				for (u32 k = 0; k < i; k++) {
					struct light a = role_light(r[i], light), b = role_light(r[k], light);
					double d = eye ? difference(dichromat(a, eye == 2), dichromat(b, eye == 2)) : difference(a, b);
					if (d < least)
						fail_msg("roles %d and %d on %s, %s: difference %.1f, %.1f needed", r[k], r[i], grounds[light],
						         eye == 0   ? "all cones"
						         : eye == 1 ? "protanope"
						                    : "deuteranope",
						         d, least);
				}
}

/* Warp states have letters as well; kernels on the Gantt chart have their names; both are kept apart by colour too. */
static void test_colour_blind(void **state)
{
	static const enum role states[] = {R_ISSUED, R_READY, R_SHORT, R_MEM, R_BARRIER};
	static const enum role series[] = {R_SER0, R_SER1, R_SER2, R_SER3};
	all_apart(states, ARRAY_LEN(states), 8);
	all_apart(series, ARRAY_LEN(series), 8);
}

/* Neighbours of a scale differ, for every eye. */
static void test_scales(void **state)
{
	for (u32 i = 0; i + 1 < R_NSCALE; i++) {
		all_apart((enum role[]){R_SCALE0 + i, R_SCALE0 + i + 1}, 2, 3);
		all_apart((enum role[]){R_SCALE1 + i, R_SCALE1 + i + 1}, 2, 3);
	}
}

/* No state depends on a colour: what looks different has different letters, in ASCII too. */
static void test_glyphs(void **state)
{
	struct seen {
		u32 glyph, role;
		const char *name;
	} seen[64];
	for (int ascii = 0; ascii < 2; ascii++) {
		u32 n = 0;
		for (enum warp_state s = 0; s < WS_COUNT; s++)
			for (int overlay = 0; overlay < 3; overlay++) {
				if (overlay && (s == WS_NONE || s == WS_DONE))
					continue;
				u32 g = warp_glyph(s, overlay == 1, overlay == 2);
				struct seen x = {ascii ? (u32)(u8)glyph_ascii(g) : g, warp_style(s, overlay == 1, overlay == 2).role,
				                 warp_state_descs[s].name};
				assert_true(x.glyph != '?');
				for (u32 i = 0; i < n; i++)
					if (seen[i].glyph == x.glyph && seen[i].role != x.role)
						fail_msg("%s and %s differ in colour alone", seen[i].name, x.name);
				seen[n++] = x;
			}
	}
}

/* A letter or a sign means one thing over all views, with and without ASCII; small letters are states, reasons and
 * causes, and nothing else: what lists name by letters has digits and capitals. */
static void test_legend(void **state)
{
	for (u32 i = 0; i < LG_COUNT; i++) {
		assert_true(strlen(legend[i].brief) <= 7);
		assert_true(strlen(legend[i].help) > 8);
		assert_int_equal(legend_find(legend[i].ch, false), i);
		assert_int_equal(legend_find((u32)(u8)legend[i].ascii, true), i);
		assert_int_equal(glyph_ascii(legend[i].ch), legend[i].ascii);
	}
	for (u32 s = 0; s < WS_COUNT; s++)
		assert_int_equal(legend[legend_of_warp(s, false, false)].ascii, warp_state_descs[s].ascii);
	for (u32 r = 0; r < ST_COUNT; r++)
		for (u32 k = 0; k < r; k++)
			assert_int_not_equal(legend_of_stall(r), legend_of_stall(k));
	for (u32 i = 0; i < 8 * PHASE_FN_BANDS; i++) {
		const u32 ch = phase_look(i / PHASE_FN_BANDS, i % PHASE_FN_BANDS, PHASE_FN_BANDS).glyph;
		assert_true((ch >= '0' && ch <= '9') || (ch >= 'A' && ch <= 'Z'));
	}
}

/* What a colour means, of 256: no two of these look alike. */
static void test_one_meaning(void **state)
{
	static const enum role one[] = {R_ISSUED, R_READY, R_SHORT, R_MEM,  R_REFUSED, R_BARRIER,  R_FENCE,   R_SLEEP,
	                                R_FETCH,  R_GOOD,  R_WARN,  R_BAD,  R_ACCENT,  R_SER0,     R_SER1,    R_SER2,
	                                R_SER3,   R_SER4,  R_SER5,  R_COLD, R_SECTOR,  R_CAPACITY, R_INVALID, R_CONFLICT};
	for (int light = 0; light < 2; light++)
		for (u32 i = 0; i < ARRAY_LEN(one); i++)
			for (u32 k = 0; k < i; k++) {
				double d = difference(role_light(one[i], light), role_light(one[k], light));
				if (d < 12)
					fail_msg("roles %d and %d on %s: difference %.1f", one[k], one[i], grounds[light], d);
			}
}

/* --- which one ---------------------------------------------------------------------------------------------------- */

static void test_choice(void **state)
{
	unsetenv("WARPDBG_BACKGROUND");
	unsetenv("COLORFGBG");
	assert_false(palette_is_light(PALETTE_AUTO));
	assert_true(palette_is_light(PALETTE_LIGHT));
	static const struct {
		const char *fgbg;
		bool light;
	} cases[] = {{"15;0", false}, {"0;15", true}, {"0;default;15", true}, {"15;default;0", false}, {"12;7", true},
	             {"", false},     {"15", false},  {"0;8", false},         {"nonsense", false},     {"0;", false}};
	for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
		setenv("COLORFGBG", cases[i].fgbg, 1);
		assert_int_equal(palette_is_light(PALETTE_AUTO), cases[i].light);
		assert_false(palette_is_light(PALETTE_DARK)); /* said is said */
		assert_true(palette_is_light(PALETTE_LIGHT));
	}
	setenv("WARPDBG_BACKGROUND", "light", 1);
	assert_true(palette_is_light(PALETTE_AUTO));
	setenv("COLORFGBG", "0;15", 1);
	setenv("WARPDBG_BACKGROUND", "dark", 1);
	assert_false(palette_is_light(PALETTE_AUTO));
	unsetenv("WARPDBG_BACKGROUND");
	unsetenv("COLORFGBG");
	assert_int_equal(palette_find("light"), PALETTE_LIGHT);
	assert_int_equal(palette_find("Light"), -1);
}

/* --- terminals ---------------------------------------------------------------------------------------------------- */

static void start(struct vt *v, const char *term, const char *name)
{
	const char *p = getenv("WARPDBG");
	char *argv[] = {
	    (char *)(p && *p ? p : "./warpdbg"), "debug", "hotspot", "--size", "small", "--palette", (char *)name, NULL};
	char type[40];
	snprintf(type, sizeof type, "TERM=%s", term);
	const char *const env[] = {type, "COLORFGBG", "HOME=/nonexistent", NULL};
	vt_spawn(v, 30, 100, argv, env);
	if (vt_wait(v, "(wd)", WAIT) < 0)
		fail_msg("%s: the prompt did not come", term);
}

static void type(struct vt *v, const char *keys)
{
	vt_send(v, keys);
	vt_settle(v, 150, WAIT);
}

/* The same on n terminals at a time, until all of them are quiet: most of the time of a walk is waiting. */
static void type_all(struct vt *v, u32 n, const char *keys)
{
	int64_t last = vt_ms(), end = last + WAIT;
	for (u32 i = 0; i < n; i++)
		vt_send(&v[i], keys);
	while (vt_ms() - last < 150 && vt_ms() < end) {
		for (u32 i = 0; i < n; i++)
			while (!v[i].ended && vt_read(&v[i], 0))
				last = vt_ms();
		usleep(5000);
	}
}

static void leave(struct vt *v)
{
	/* An empty prompt, whatever was typed. The terminal drops what comes with the signal, on a loaded host for longer.
	 */
	for (int i = 0; i < 10 && vt_find(v, "Leave warpdbg?") < 0; i++) {
		type(v, "\003");
		vt_settle(v, 200, WAIT);
		vt_send(v, "q");
		if (vt_wait(v, "Leave warpdbg?", WAIT / 4) >= 0)
			break;
	}
	if (vt_find(v, "Leave warpdbg?") < 0)
		fail_msg("no question before leaving");
	vt_send(v, "y");
	assert_int_equal(vt_wait_end(v, WAIT), 0);
	assert_false(v->altscreen);
	vt_free(v);
}

/* What a terminal of this type can do: parameters of SGR sequences. */
static const struct ability {
	const char *term;
	bool bold, dim, underline;
	int colours;
} abilities[] = {{"vt100", true, false, true, 0},
                 {"vt220", true, false, true, 0},
                 {"xterm", true, true, true, 8},
                 {"screen", true, true, true, 8},
                 {"linux", true, true, true, 8},
                 {"ansi", true, false, true, 8},
                 {"xterm-256color", true, true, true, 256},
                 {"screen-256color", true, true, true, 256}};

static bool allowed(const struct ability *a, const int *p, u32 n, u32 *used)
{
	*used = 1;
	if ((p[0] == 38 || p[0] == 48) && n >= 3 && p[1] == 5) {
		*used = 3;
		return a->colours >= 256;
	}
	if ((p[0] >= 30 && p[0] <= 37) || (p[0] >= 40 && p[0] <= 47) || p[0] == 39 || p[0] == 49)
		return a->colours >= 8;
	if ((p[0] >= 90 && p[0] <= 97) || (p[0] >= 100 && p[0] <= 107))
		return a->colours >= 16; /* how 256 colour terminals show the first 16 */
	switch (p[0]) {
	case 0:
	case 7:
	case 10: /* the usual character set */
	case 27: return true;
	case 1: return a->bold;
	case 22: return a->bold || a->dim;
	case 2: return a->dim;
	case 4:
	case 24: return a->underline;
	default: return false;
	}
}

/* One ESC [ ... m; from behind the bracket. */
static void check_sgr(const struct ability *a, const char *s, size_t len)
{
	int p[32];
	u32 n = 0;
	for (const char *at = s; at < s + len && n < ARRAY_LEN(p); n++) {
		char *end;
		p[n] = (int)strtol(at, &end, 10);
		at = end < s + len ? end + 1 : s + len;
	}
	for (u32 i = 0, used; i < n; i += used)
		if (!allowed(a, p + i, n - i, &used))
			fail_msg("%s: ESC [ %.*s m", a->term, (int)len, s);
}

static u32 check_bytes(const struct ability *a, const char *text, size_t len)
{
	u32 seen = 0;
	for (size_t i = 0; i + 2 < len; i++) {
		if (text[i] != '\033' || text[i + 1] != '[')
			continue;
		size_t n = strspn(text + i + 2, "0123456789;");
		if (text[i + 2 + n] != 'm')
			continue;
		check_sgr(a, text + i + 2, n);
		seen++;
	}
	return seen;
}

#define WALKS_MAX 8

struct walk {
	const char *term, *palette;
	char *text; /* what is sent to a terminal of this type on the way; to be freed */
	size_t len;
};

/* Through all views, all walks side by side. */
static void walk_all(struct walk *k, u32 n)
{
	struct vt v[WALKS_MAX];
	assert_true(n <= WALKS_MAX);
	for (u32 i = 0; i < n; i++) {
		start(&v[i], k[i].term, k[i].palette);
		v[i].tee = open_memstream(&k[i].text, &k[i].len);
	}
	type_all(v, n, "until 2500\r");
	for (const char *key = "12345678?0"; *key; key++)
		type_all(v, n, (char[]){*key, 0});
	type_all(v, n, "8");
	type_all(v, n, "/bar\r");
	type_all(v, n, "\t2j\t");
	for (u32 i = 0; i < n; i++) {
		fclose(v[i].tee);
		v[i].tee = NULL;
		leave(&v[i]);
	}
}

/* Nothing is sent that a terminal of this type does not understand. */
static void test_abilities(void **state)
{
	struct walk k[ARRAY_LEN(abilities)];
	for (u32 i = 0; i < ARRAY_LEN(abilities); i++)
		k[i] = (struct walk){abilities[i].term, i % 2 ? "light" : "dark", NULL, 0};
	walk_all(k, ARRAY_LEN(k));
	for (u32 i = 0; i < ARRAY_LEN(abilities); i++) {
		assert_true(check_bytes(&abilities[i], k[i].text, k[i].len) > 50);
		free(k[i].text);
	}
}

/* How often one of the bright foregrounds is chosen. */
static u32 count_bright(const char *text)
{
	u32 n = 0;
	for (; (text = strpbrk(text, "[;")); text++)
		n += text[1] == '9' && text[2] >= '0' && text[2] <= '7' && strchr(";m", text[3]);
	return n;
}

/* The same on 16 colours, of which the upper eight are used; on a light background the brightest are not. */
static void test_terminal_of_sixteen(void **state)
{
	static const struct ability sixteen = {"xterm-16color", true, true, true, 16};
	char dir[] = "/tmp/warpdbg-terminfo-XXXXXX", command[100];
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof command, "tic -o %s tests/tools/xterm-16color.ti", dir);
	if (system(command)) {
		print_message("no tic (package ncurses-bin) to describe a terminal of 16 colours with\n");
		rmdir(dir);
		skip();
	}
	setenv("TERMINFO", dir, 1);
	struct walk k[2] = {{sixteen.term, "dark", NULL, 0}, {sixteen.term, "light", NULL, 0}};
	walk_all(k, ARRAY_LEN(k));
	for (u32 light = 0; light < 2; light++) {
		char *text = k[light].text;
		assert_true(check_bytes(&sixteen, text, k[light].len) > 50);
		assert_true(count_bright(text) > 10);
		for (int c = 91; light && c <= 97; c++) { /* but blue */
			snprintf(command, sizeof command, "[%dm", c);
			if (c != 94 && strstr(text, command))
				fail_msg("ESC %s on a light background", command);
		}
		free(text);
	}
	unsetenv("TERMINFO");
	snprintf(command, sizeof command, "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

/* On 8 colours phases that share one are told apart by letters, as without colours. */
static void test_phases_of_8_colours(void **state)
{
	static const char *const terms[] = {"xterm", "vt100", "xterm-256color"};
	for (u32 i = 0; i < 3; i++) {
		struct vt v;
		start(&v, terms[i], "auto");
		type(&v, "until 2500\r3");
		u32 letters = 0, blocks = 0;
		int top = vt_wait(&v, "warps in each phase", WAIT); /* the machine may be busy */
		assert_true(top >= 0);
		vt_settle(&v, 150, WAIT);
		for (int y = top + 3; y < top + 8; y++)
			for (int x = 20; x < 90; x++) {
				uint32_t c = vt_cell(&v, y, x).chars[0];
				letters += (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
				blocks += c == 0x2588;
			}
		if (i < 2)
			assert_true(letters > 300 && !blocks);
		else
			assert_true(letters < 40 && blocks > 250);
		leave(&v);
	}
}

static VTermColor colour_of_name(struct vt *v)
{
	VTermScreenCell c = vt_cell(v, 0, 1);
	assert_int_equal(c.chars[0], 'h'); /* hotspot, in the title */
	return c.fg;
}

/* `set palette` changes the picture at once. */
static void test_set_palette(void **state)
{
	struct vt v;
	start(&v, "xterm-256color", "auto");
	VTermColor dark = colour_of_name(&v);
	assert_int_equal(dark.indexed.idx, palette_colour(R_ACCENT, 256, false));
	type(&v, "set palette light\r");
	VTermColor light = colour_of_name(&v);
	assert_int_equal(light.indexed.idx, palette_colour(R_ACCENT, 256, true));
	type(&v, "set palette pink\r");
	assert_true(vt_wait(&v, "'dark', 'light' or 'auto' is expected", WAIT) >= 0);
	light = colour_of_name(&v);
	assert_int_equal(light.indexed.idx, palette_colour(R_ACCENT, 256, true));
	type(&v, "set palette auto\r");
	dark = colour_of_name(&v);
	assert_int_equal(dark.indexed.idx, palette_colour(R_ACCENT, 256, false));
	leave(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_contrast),
	    cmocka_unit_test(test_few_colours),
	    cmocka_unit_test(test_sixteen_on_xterm),
	    cmocka_unit_test(test_scales_of_sixteen),
	    cmocka_unit_test(test_colour_blind),
	    cmocka_unit_test(test_scales),
	    cmocka_unit_test(test_glyphs),
	    cmocka_unit_test(test_legend),
	    cmocka_unit_test(test_one_meaning),
	    cmocka_unit_test(test_choice),
	    cmocka_unit_test(test_abilities),
	    cmocka_unit_test(test_terminal_of_sixteen),
	    cmocka_unit_test(test_phases_of_8_colours),
	    cmocka_unit_test(test_set_palette),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
