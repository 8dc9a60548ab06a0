#include "base/pager.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/leaving.h"
#include "base/tty.h"

#define ASK "--more--  space: page  Enter: line  c: all  q: no more "

static struct {
	bool off;     /* since pager_begin(), or the user said c */
	bool dropped; /* the user said q */
	int left;     /* rows until the next question */
} pager = {.off = true};

static struct winsize terminal(void)
{
	struct winsize w = {0};
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0 || w.ws_row < 2 || w.ws_col < 2)
		w = (struct winsize){.ws_row = 24, .ws_col = 80};
	return w;
}

u32 pager_columns(void)
{
	return isatty(STDOUT_FILENO) ? terminal().ws_col : 0;
}

void pager_begin(bool off)
{
	pager.off = off || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO);
	pager.dropped = false;
	pager.left = terminal().ws_row - 1;
}

/* One key without waiting for Enter; 'q' at the end of input and at a signal, Ctrl-C's among them. One that ends the
 * process meanwhile gives the terminal back as it was. */
static int read_key(void)
{
	struct termios saved, raw;
	unsigned char c = 'q';
	if (tcgetattr(STDIN_FILENO, &saved))
		return 'q';
	tty_keep("");
	raw = saved;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	if (!leaving_wait_input(STDIN_FILENO) || read(STDIN_FILENO, &c, 1) != 1)
		c = 'q';
	tcsetattr(STDIN_FILENO, TCSADRAIN, &saved);
	tty_kept_no_more();
	return c;
}

static void ask(void)
{
	fputs(ASK, stdout);
	fflush(stdout);
	for (;;) {
		switch (read_key()) {
		case ' ': pager.left = terminal().ws_row - 1; break;
		case '\r':
		case '\n': pager.left = 1; break;
		case 'c': pager.off = true; break;
		case 'q':
		case 3:
		case 27: pager.dropped = true; break;
		default: continue;
		}
		break;
	}
	printf("\r%*s\r", (int)sizeof(ASK) - 1, "");
}

/* Rows that a line of n bytes takes; bytes inside a UTF-8 character have no width. */
static int rows_of(const char *line, size_t n, int columns)
{
	int w = 0;
	for (size_t i = 0; i < n; i++)
		w += (line[i] & 0xc0) != 0x80;
	return MAX((w + columns - 1) / columns, 1);
}

void pager_print(const struct strbuf *text)
{
	int columns = terminal().ws_col;
	const char *end = strbuf_str(text) + text->len;
	for (const char *p = strbuf_str(text); p < end && !pager.dropped;) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((eol ? eol : end) - p);
		int rows = rows_of(p, n, columns);
		if (!pager.off && rows > pager.left)
			ask();
		if (pager.dropped)
			break;
		fwrite(p, 1, n + (eol != NULL), stdout);
		pager.left -= rows;
		p += n + (eol != NULL);
	}
	fflush(stdout);
}
