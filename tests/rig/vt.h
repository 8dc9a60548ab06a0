/* vt: a program on a pseudo-terminal and the screen it draws (libvterm). Keys in, cells out; for the screen tests and
 * the screenshots. Everything waits for what the program shows, never for a fixed time alone. */
#ifndef TESTS_RIG_VT_H
#define TESTS_RIG_VT_H
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vterm.h>

#define VT_TEXT_MAX (400 * 4 + 1)
struct vt {
	int fd;
	pid_t pid;
	VTerm *vt;
	VTermScreen *screen;
	int h, w;
	int status; /* of waitpid once ended */
	bool ended;
	size_t bytes;     /* read from the program so far */
	unsigned slow_us; /* wait after each read of at most 64 bytes: a slow line; 0 = as fast as it comes */
	bool mute;        /* the terminal answers no questions */
	bool deaf; /* what the program writes is read, not shown: libvterm 0.3 does not survive resize storms (vt_hear) */
	bool altscreen; /* the alternate screen is on: the program has not given the terminal back */
	bool cursor;    /* the cursor is visible */
	bool mouse;     /* the program wants the mouse's events */
	bool pastes;    /* the program wants to be told what is pasted */
	FILE *tee;      /* what the program writes goes here too, as it is; NULL = nowhere */
};

static inline int64_t vt_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static inline int vt_settermprop(VTermProp prop, VTermValue *val, void *user)
{
	struct vt *v = user;
	if (prop == VTERM_PROP_ALTSCREEN)
		v->altscreen = val->boolean;
	if (prop == VTERM_PROP_CURSORVISIBLE)
		v->cursor = val->boolean;
	return 1;
}

/* An empty screen of v->h x v->w. */
static inline void vt_open(struct vt *v)
{
	static const VTermScreenCallbacks callbacks = {.settermprop = vt_settermprop};
	v->vt = vterm_new(v->h, v->w);
	vterm_set_utf8(v->vt, 1);
	v->screen = vterm_obtain_screen(v->vt);
	vterm_screen_set_callbacks(v->screen, &callbacks, v);
	vterm_screen_enable_altscreen(v->screen, 1);
	vterm_screen_reset(v->screen, 1);
}

/* Starts argv (argv[0] is searched in PATH) on a terminal of h x w. env: "NAME=value" or "NAME" (removed),
 * NULL-terminated. */
static inline void vt_spawn(struct vt *v, int h, int w, char *const argv[], const char *const env[])
{
	struct winsize ws = {.ws_row = (unsigned short)h, .ws_col = (unsigned short)w};
	memset(v, 0, sizeof *v);
	v->h = h;
	v->w = w;
	vt_open(v);
	v->pid = forkpty(&v->fd, NULL, NULL, &ws);
	if (v->pid == 0) {
		setenv("TERM", "xterm-256color", 1);
		setenv("LC_ALL", "C.UTF-8", 1);
		unsetenv("NO_COLOR");
		unsetenv("COLUMNS");
		unsetenv("LINES");
		for (; env && *env; env++) {
			if (strchr(*env, '='))
				putenv((char *)*env);
			else
				unsetenv(*env);
		}
		execvp(argv[0], argv);
		_exit(127);
	}
}

static inline void vt_reap(struct vt *v, bool wait)
{
	if (!v->ended && waitpid(v->pid, &v->status, wait ? 0 : WNOHANG) == v->pid)
		v->ended = true;
}

/* Takes what the program wrote within ms; false when nothing came (or it ended). Answers of the terminal go back. */
static inline bool vt_read(struct vt *v, int ms)
{
	char buf[4096];
	struct pollfd p = {.fd = v->fd, .events = POLLIN};
	if (poll(&p, 1, ms) <= 0)
		return false;
	ssize_t n = read(v->fd, buf, v->slow_us ? 64 : sizeof buf);
	if (n <= 0) {
		vt_reap(v, true);
		return false;
	}
	v->bytes += (size_t)n;
	if (v->tee)
		fwrite(buf, 1, (size_t)n, v->tee);
	/* libvterm takes but the first of several modes set at once; ncurses writes these as one, by themselves. */
	if (memmem(buf, (size_t)n, "1006;1000h", 10))
		v->mouse = true;
	if (memmem(buf, (size_t)n, "1006;1000l", 10))
		v->mouse = false;
	if (memmem(buf, (size_t)n, "\033[?2004h", 8))
		v->pastes = true;
	if (memmem(buf, (size_t)n, "\033[?2004l", 8))
		v->pastes = false;
	if (v->deaf)
		return true;
	vterm_input_write(v->vt, buf, (size_t)n);
	size_t back = vterm_output_read(v->vt, buf, sizeof buf);
	if (back && !v->mute && write(v->fd, buf, back) < 0)
		return false;
	if (v->slow_us)
		usleep(v->slow_us);
	return true;
}

/* Does the program compute, or wait for a processor, or has it keys that it has not read? On a busy machine silence
 * alone does not say that it has done what it was told. */
static inline bool vt_at_work(const struct vt *v)
{
	char path[64], state = 0;
	int keys = 0, tty = open(ptsname(v->fd), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (tty >= 0) {
		ioctl(tty, FIONREAD, &keys);
		close(tty);
	}
	snprintf(path, sizeof path, "/proc/%d/stat", (int)v->pid);
	FILE *f = fopen(path, "r");
	if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (f)
		fclose(f);
	return keys || state == 'R' || state == 'D';
}

/* Reads until nothing came for quiet_ms and the program waits for keys, at most max_ms. One that simulates all the time
 * gets three seconds more than its silence. */
static inline void vt_settle(struct vt *v, int quiet_ms, int max_ms)
{
	const int64_t begin = vt_ms(), end = begin + max_ms, at_work_end = begin + 3000;
	do {
		while (!v->ended && vt_ms() < end && vt_read(v, quiet_ms))
			;
	} while (!v->ended && vt_ms() < end && vt_ms() < at_work_end && vt_at_work(v));
}

static inline void vt_send(struct vt *v, const char *keys)
{
	size_t n = strlen(keys);
	if (write(v->fd, keys, n) != (ssize_t)n)
		fprintf(stderr, "vt: the program does not take keys\n");
}

static inline void vt_resize(struct vt *v, int h, int w)
{
	struct winsize ws = {.ws_row = (unsigned short)h, .ws_col = (unsigned short)w};
	v->h = h;
	v->w = w;
	if (!v->deaf)
		vterm_set_size(v->vt, h, w);
	ioctl(v->fd, TIOCSWINSZ, &ws);
}

/* Shows what the program writes again, on a new screen: libvterm's own crashes or stays at its narrowest width after
 * many resizes. The program has to draw all of it anew. */
static inline void vt_hear(struct vt *v)
{
	vterm_free(v->vt);
	vt_open(v);
	v->deaf = false;
}

static inline size_t vt_utf8(uint32_t ch, char *out)
{
	if (ch < 0x80) {
		out[0] = (char)ch;
		return 1;
	}
	size_t len = ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4;
	for (size_t i = len - 1; i > 0; i--, ch >>= 6)
		out[i] = (char)(0x80 | (ch & 0x3f));
	out[0] = (char)((0xf00 >> len & 0xff) | ch);
	return len;
}

static inline VTermScreenCell vt_cell(struct vt *v, int y, int x)
{
	VTermScreenCell c;
	vterm_screen_get_cell(v->screen, (VTermPos){.row = y, .col = x}, &c);
	if (!c.chars[0])
		c.chars[0] = ' ';
	return c;
}

/* A row as UTF-8 without trailing blanks; out holds VT_TEXT_MAX bytes. */
static inline const char *vt_row(struct vt *v, int y, char *out)
{
	char *p = out, *last = out;
	for (int x = 0; x < v->w && p - out < VT_TEXT_MAX - 5; x++) {
		VTermScreenCell c = vt_cell(v, y, x);
		p += vt_utf8(c.chars[0], p);
		if (c.chars[0] != ' ')
			last = p;
	}
	*last = '\0';
	return out;
}

/* The first row from y on that holds text, or -1. */
static inline int vt_find_from(struct vt *v, int y, const char *text)
{
	char row[VT_TEXT_MAX];
	for (; y < v->h; y++)
		if (strstr(vt_row(v, y, row), text))
			return y;
	return -1;
}

static inline int vt_find(struct vt *v, const char *text)
{
	return vt_find_from(v, 0, text);
}

/* Waits until some row from y on shows text; its row, or -1 after max_ms. The rest of the frame may still be on its
 * way. */
static inline int vt_wait_from(struct vt *v, int y, const char *text, int max_ms)
{
	int64_t end = vt_ms() + max_ms;
	for (;;) {
		int at = vt_find_from(v, y, text);
		if (at >= 0 || v->ended || vt_ms() > end)
			return at;
		vt_read(v, 50);
	}
}

static inline int vt_wait(struct vt *v, const char *text, int max_ms)
{
	return vt_wait_from(v, 0, text, max_ms);
}

/* Waits for the program's end; its wait status, or -1 after max_ms. */
static inline int vt_wait_end(struct vt *v, int max_ms)
{
	int64_t end = vt_ms() + max_ms;
	while (!v->ended && vt_ms() < end) {
		vt_read(v, 20);
		vt_reap(v, false);
	}
	while (vt_read(v, 20)) /* what was written last */
		;
	return v->ended ? v->status : -1;
}

static inline void vt_free(struct vt *v)
{
	if (!v->ended) {
		kill(v->pid, SIGKILL);
		vt_reap(v, true);
	}
	close(v->fd);
	vterm_free(v->vt);
}
#endif
