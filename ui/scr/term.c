#include "scr/term.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/leaving.h"
#include "base/tty.h"
#include "scr/palette.h"

#define PAIRS_MAX 4096
#define RUN_MAX 256 /* cells given to curses at once */

static struct {
	bool open, ascii, mono;
	SCREEN *screen;
	attr_t look[R_COUNT];
	short pair[R_COUNT];
	short colour[R_COUNT];         /* of 256, 16 or 8; COLOUR_DEFAULT = the terminal's own */
	short mixed[R_COUNT][R_COUNT]; /* pairs of glyph and ground, made when first shown; 0 = not yet, -1 = no room */
	short npairs;                  /* made so far, 0 among them */
	struct {
		short fg, bg;
	} made[PAIRS_MAX];
	short default_bg; /* -1 = the terminal's own, where it can show that */
	bool light;
	struct termios saved;
	bool eof;
	struct term_mouse mouse;
	/* What curses has been given: putting a cell costs far more than seeing that it is the same. */
	struct cell *shown;
	int shown_h, shown_w; /* 0 = nothing of it holds */
	/* How far the terminal has come with what it is sent. */
	struct {
		bool asks;       /* it knows the question */
		bool answers;    /* it has answered the last one */
		u64 sent, taken; /* cells */
		u64 asked;       /* `sent` when the question was asked that is not answered yet; 0 = none */
		double since;    /* when */
	} line;
} term;

/* --- colours --- */
static bool have_colours(bool no_color)
{
	const char *env = getenv("NO_COLOR");
	if (no_color || (env && *env) || !has_colors() || start_color() == ERR || COLORS < 8)
		return false;
	term.default_bg = use_default_colors() == OK ? -1 : COLOR_BLACK;
	return true;
}

/* The pair of two colours, made when first asked for: several roles share one where colours are few. 0, the terminal's
 * own, when it has no more. */
static short pair_of(short fg, short bg)
{
	for (short i = 1; i < term.npairs; i++)
		if (term.made[i].fg == fg && term.made[i].bg == bg)
			return i;
	if (term.npairs >= MIN(COLOR_PAIRS, PAIRS_MAX) || init_pair(term.npairs, fg, bg) != OK)
		return 0;
	term.made[term.npairs].fg = fg;
	term.made[term.npairs].bg = bg;
	return term.npairs++;
}

static void init_looks(void)
{
	term.npairs = 1;
	memset(term.mixed, 0, sizeof term.mixed);
	for (int r = 0; r < R_COUNT; r++) {
		int colour = term.mono ? COLOUR_DEFAULT : palette_colour(r, COLORS, term.light);
		bool bold = term.mono ? palette[r].bold : palette_bold(r, COLORS, term.light);
		term.look[r] = (bold ? A_BOLD : 0) | (palette[r].faint && (term.mono || COLORS < 16) ? A_DIM : 0);
		term.colour[r] = (short)colour;
		term.pair[r] = colour == COLOUR_DEFAULT ? 0 : pair_of((short)colour, term.default_bg);
	}
}

/* The pair of a glyph on a ground; that of the glyph alone where the terminal has no more pairs. */
static short pair_on(u8 role, u8 ground)
{
	short *m = &term.mixed[role][ground];
	if (ground == R_TEXT || term.colour[ground] == COLOUR_DEFAULT)
		return term.pair[role];
	if (!*m)
		*m = pair_of(term.colour[role], term.colour[ground]);
	if (!*m)
		*m = -1;
	return *m > 0 ? *m : term.pair[role];
}

/* --- signals --- */
#define PASTES "\033[?2004h" /* what is pasted comes between these two; who does not know it ignores it */
#define PASTE_BEGIN "\033[200~"
#define PASTE_END "\033[201~"
#define NO_PASTES "\033[?2004l"
#define ASK_STATUS "\033[5n" /* "how are you?"; the answer says that all before it has been taken */
#define STATUS_GOOD "\033[0n"
#define TAKE_CELLS 300      /* may be under way when the next picture is sent: some 700 bytes */
#define TAKE_SECONDS 5.0    /* without an answer: it has got lost */
#define PARTING_SECONDS 0.2 /* for the first answer of a terminal that may give none, when it is left */
#define RESET NO_PASTES "\033[?1000l\033[0m\033[?25h\033[?1049l\r\n"

/* A bug, Ctrl-\ or a signal that nobody expects is about to end the process. */
static void catch_crashes(bool on)
{
	static const int crash[] = {SIGQUIT, SIGABRT, SIGSEGV, SIGBUS,  SIGFPE,    SIGILL, SIGUSR1, SIGUSR2,
	                            SIGTRAP, SIGSYS,  SIGXCPU, SIGXFSZ, SIGVTALRM, SIGIO,  SIGPWR};
	struct sigaction a = {.sa_handler = on ? tty_end_by : SIG_DFL,
	                      .sa_flags = on ? (int)(SA_RESETHAND | SA_NODEFER) : 0};
	for (u32 i = 0; i < ARRAY_LEN(crash); i++)
		sigaction(crash[i], &a, NULL);
	for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
		sigaction(s, &a, NULL);
}

/* Beyond the codes that curses gives to the keys of terminfo's extended names. */
enum { KEY_PASTE = KEY_MAX + 0x400, KEY_PASTE_END, KEY_ANSWER };

/* Terminals that do not follow the switch to application keys send these whatever terminfo says. */
static void define_common_keys(void)
{
	static const struct {
		const char *sequence;
		int key;
	} keys[] = {
	    {"\033[A", KEY_UP},       {"\033[B", KEY_DOWN},       {"\033[C", KEY_RIGHT},        {"\033[D", KEY_LEFT},
	    {"\033[H", KEY_HOME},     {"\033[F", KEY_END},        {"\033[1~", KEY_HOME},        {"\033[4~", KEY_END},
	    {"\033[3~", KEY_DC},      {"\033[5~", KEY_PPAGE},     {"\033[6~", KEY_NPAGE},       {"\033OA", KEY_UP},
	    {"\033OB", KEY_DOWN},     {"\033OC", KEY_RIGHT},      {"\033OD", KEY_LEFT},         {"\033OH", KEY_HOME},
	    {"\033OF", KEY_END},      {"\033[Z", KEY_BTAB},       {"\033[5;2~", KEY_SPREVIOUS}, {"\033[6;2~", KEY_SNEXT},
	    {PASTE_BEGIN, KEY_PASTE}, {PASTE_END, KEY_PASTE_END},
	};
	for (u32 i = 0; i < ARRAY_LEN(keys); i++)
		define_key(keys[i].sequence, keys[i].key);
	define_key(STATUS_GOOD, KEY_ANSWER);
}

/* Past curses: it knows no such mode. */
static void tell(const char *text)
{
	fflush(stdout);
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		return; /* who cannot be told brackets nothing */
}

/* --- what the terminal has taken --- */
static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void ask_when_taken(void)
{
	if (!term.line.asks || term.line.asked || term.line.sent - term.line.taken < TAKE_CELLS / 2)
		return;
	tell(ASK_STATUS);
	term.line.asked = term.line.sent;
	term.line.since = seconds();
}

static void answered(void)
{
	term.line.answers = true;
	term.line.taken = term.line.asked ? term.line.asked : term.line.taken;
	term.line.asked = 0;
	ask_when_taken();
}

bool term_takes(void)
{
	if (!term.line.answers || term.line.sent - term.line.taken <= TAKE_CELLS)
		return true;
	if (seconds() - term.line.since < TAKE_SECONDS)
		return false;
	term.line.answers = false; /* until it does */
	term.line.asked = 0;
	return true;
}

/* getch() says ERR for "nothing yet", for an interrupting signal and for the end of input alike; only the last leaves
 * the terminal hung up or readable without a byte. */
static bool input_ended(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	if (poll(&p, 1, 0) <= 0)
		return false;
	return (p.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

/* An answer that is under way would be typed into the shell. */
static void await_answer(void)
{
	while (term.line.asked && !term.eof) {
		const double wait = term.line.answers && !leaving_by() ? TAKE_SECONDS : PARTING_SECONDS;
		const double left = term.line.since + wait - seconds();
		if (left <= 0)
			return;
		timeout((int)(left * 1000) + 1);
		const int k = getch();
		if (k == KEY_ANSWER)
			return;
		if (k == ERR && input_ended())
			return;
	}
}

/* --- open and close --- */
bool term_open(bool no_color, bool ascii, bool light, struct err *e)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(e, "the screen needs a terminal on standard input and output");
	setlocale(LC_CTYPE, "");
	tcgetattr(STDIN_FILENO, &term.saved);
	tty_keep(RESET);
	set_escdelay(25);
	term.screen = newterm(NULL, stdout, stdin);
	if (!term.screen) {
		tty_kept_no_more();
		const char *type = getenv("TERM");
		return err_set(e, "cannot use the terminal of type '%s': no description of it is installed", type ? type : "");
	}
	term.ascii = ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	define_common_keys();
	const char *position = tigetstr("u7"); /* the question of the same family that terminfo knows */
	memset(&term.line, 0, sizeof(term.line));
	term.line.asks = position && position != (char *)-1 && !strcmp(position, "\033[6n");
	term.mono = !have_colours(no_color);
	term_set_light(light);
	term.eof = false;
	term.open = true;
	tell(PASTES);
	catch_crashes(true);
	return true;
}

void term_close(void)
{
	if (!term.open)
		return;
	term_mouse(false);
	curs_set(1);
	await_answer();
	endwin();
	tell(NO_PASTES);
	delscreen(term.screen);
	free(term.shown);
	term.shown = NULL;
	term.shown_h = term.shown_w = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &term.saved);
	tty_kept_no_more();
	catch_crashes(false);
	term.open = false;
}

bool term_ascii(void)
{
	return term.ascii;
}
bool term_mono(void)
{
	return term.mono;
}
void term_set_light(bool light)
{
	term.light = light;
	init_looks();
	term.shown_h = term.shown_w = 0;
	if (term.open)
		clearok(stdscr, TRUE); /* pairs mean other colours now */
}
bool term_few(void)
{
	return !term.mono && COLORS < 256;
}
bool term_gone(void)
{
	return term.eof;
}
void term_size(int *h, int *w)
{
	getmaxyx(stdscr, *h, *w);
}

/* --- showing --- */
static void cell_to_curses(const struct cell *c, cchar_t *out)
{
	const wchar_t text[2] = {(wchar_t)c->ch, 0};
	attr_t a = term.look[c->style.role];
	if (c->style.attr & ATTR_BOLD)
		a |= A_BOLD;
	if (c->style.attr & ATTR_REVERSE)
		a |= A_REVERSE;
	if (c->style.attr & ATTR_UNDERLINE)
		a |= A_UNDERLINE;
	setcchar(out, text, a, pair_on(c->style.role, c->ground), NULL);
}

/* Makes place to remember a picture of this size; what is remembered of another size does not hold. Most of a picture
 * is blank: so is what curses has then. */
static void remember(int h, int w)
{
	const struct cell blank = {' ', STYLE(R_TEXT), R_TEXT};
	if (h == term.shown_h && w == term.shown_w)
		return;
	term.shown = xrealloc(term.shown, (size_t)MAX(h * w, 1) * sizeof *term.shown);
	for (int i = 0; i < h * w; i++)
		term.shown[i] = blank;
	werase(stdscr);
	term.shown_h = h;
	term.shown_w = w;
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && a->style.role == b->style.role && a->style.attr == b->style.attr && a->ground == b->ground;
}

/* Gives curses the cells of a row that have changed: a run of them in one call takes a quarter of what as many calls
 * take. */
static void show_row(const struct canvas *c, int y, int w)
{
	cchar_t run[RUN_MAX];
	struct cell *shown = &term.shown[y * w];
	for (int x = 0; x < w; x++) {
		int n = 0;
		for (; x + n < w && n < RUN_MAX && !same_cell(canvas_at(c, y, x + n), &shown[x + n]); n++) {
			shown[x + n] = *canvas_at(c, y, x + n);
			cell_to_curses(&shown[x + n], &run[n]);
		}
		if (n)
			mvadd_wchnstr(y, x, run, n);
		term.line.sent += (u64)n;
		x += n; /* the one behind the run is the same, or begins the next */
		x -= n == RUN_MAX;
	}
}

void term_show(const struct canvas *c, int cursor_y, int cursor_x)
{
	int h, w;
	term_size(&h, &w);
	h = MIN(h, c->h);
	w = MIN(w, c->w);
	remember(h, w);
	for (int y = 0; y < h; y++)
		show_row(c, y, w);
	bool visible = cursor_y >= 0 && cursor_y < h && cursor_x >= 0 && cursor_x < w;
	curs_set(visible);
	if (visible)
		move(cursor_y, cursor_x);
	refresh();
	ask_when_taken();
}

void term_redraw(void)
{
	clearok(stdscr, TRUE);
	term.line.sent += (u64)term.shown_h * (u64)term.shown_w;
}

/* --- keys --- */
static int mouse_key(void)
{
	MEVENT m;
	if (getmouse(&m) != OK)
		return K_NONE;
	term.mouse = (struct term_mouse){m.y, m.x, 0};
	if (m.bstate & BUTTON4_PRESSED)
		term.mouse.wheel = -1;
	else if (m.bstate & BUTTON5_PRESSED)
		term.mouse.wheel = 1;
	else if (!(m.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED)))
		return K_NONE;
	return K_MOUSE;
}

static int translate(int k)
{
	switch (k) {
	case KEY_RESIZE:
		term.shown_h = term.shown_w = 0; /* smaller and back again before a frame: curses has lost cells */
		return K_RESIZE;
	case KEY_UP: return K_UP;
	case KEY_DOWN: return K_DOWN;
	case KEY_LEFT: return K_LEFT;
	case KEY_RIGHT: return K_RIGHT;
	case KEY_PPAGE: return K_PGUP;
	case KEY_NPAGE: return K_PGDN;
	case KEY_SPREVIOUS: return K_CONSOLE_UP;
	case KEY_SNEXT: return K_CONSOLE_DOWN;
	case KEY_HOME: return K_HOME;
	case KEY_END: return K_END;
	case KEY_DC: return K_DEL;
	case KEY_BTAB: return K_BACKTAB;
	case KEY_BACKSPACE: return 127;
	case KEY_ENTER: return '\r';
	case KEY_MOUSE: return mouse_key();
	case KEY_PASTE: return K_PASTE;
	case KEY_PASTE_END: return K_PASTE_END;
	default: return k < 256 ? k : K_OTHER;
	}
}

int term_key(int timeout_ms)
{
	timeout(timeout_ms);
	int k = getch();
	if (k == KEY_ANSWER) {
		answered();
		return K_NONE;
	}
	if (k != ERR)
		return translate(k);
	if (input_ended())
		term.eof = true;
	return K_NONE;
}

void term_mouse(bool on)
{
	mousemask(on ? BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
	mouseinterval(0);
}

struct term_mouse term_mouse_event(void)
{
	return term.mouse;
}
