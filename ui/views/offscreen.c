#include "views/offscreen.h"

#include "dbg/background.h"
#include "views/appearance.h"

#include <stdlib.h>
#include <string.h>

#include "views/frame.h"
#include "scr/palette.h"
#include "scr/picture.h"

#define WIDTH 80 /* of a picture when nothing is asked for */
#define HEIGHT 24

static void rebuilt(struct debugger *d)
{
	if (d->screen && d->screen->offscreen)
		screen_reattach(d->screen);
}

static void closed(struct debugger *d)
{
	struct screen *s = d->screen;
	if (!s || !s->offscreen)
		return;
	screen_detach(s);
	canvas_release(&s->canvas);
	free(s);
	d->screen = NULL;
}

static const struct debugger_follower follower = {.rebuilt = rebuilt, .closed = closed};

void offscreen_open(struct debugger *d)
{
	if (d->screen || !d->s->sim)
		return;
	struct screen *s = xcalloc(1, sizeof *s);
	s->offscreen = true;
	canvas_init(&s->canvas, HEIGHT, WIDTH, d->s->opt->ascii);
	s->canvas.mono = d->s->opt->no_color;
	screen_attach(s, d);
	d->screen = s;
	debugger_follow(d, &follower);
}

/* The console of such a screen: where the machine stands. */
static void report_place(struct screen *s)
{
	struct strbuf text = STRBUF_INIT;
	if (*s->d->run.stop_reason)
		strbuf_addf(&text, "%s\n", s->d->run.stop_reason);
	debugger_show_place(s->d, &text);
	console_init(&s->console);
	console_begin_answer(&s->console);
	console_add(&s->console, STYLE(R_TEXT), strbuf_str(&text));
	strbuf_release(&text);
}

bool screen_picture(struct debugger *d, const char *file, int view, int w, int h, struct err *e)
{
	if (!picture_ending_ok(file, e))
		return false;
	offscreen_open(d);
	if (!d->screen)
		return err_set(e, "there is no machine to take a picture of");
	struct screen *s = xmalloc(sizeof *s); /* a copy: drawing moves what the user sees */
	*s = *d->screen;
	canvas_init(&s->canvas, w ? h : d->screen->canvas.h, w ? w : d->screen->canvas.w, d->screen->canvas.ascii);
	s->canvas.mono = d->screen->canvas.mono;
	s->canvas.light = palette_is_light(debugger_appearance(d)->palette);
	s->notice[0] = '\0';
	if (view >= 0) {
		s->view = (u32)view;
		s->help = false;
	}
	if (s->offscreen)
		report_place(s);
	frame_draw(s);
	if (background_pending(d)) { /* a picture has what it shows */
		while (background_pending(d) && !d->run.interrupt)
			background_wait(d, 50);
		frame_draw(s);
	}
	bool ok = picture_write(&s->canvas, file, e);
	d->screen->marks = s->marks; /* drawing may have found more: one list, in one place */
	canvas_release(&s->canvas);
	if (s->offscreen)
		console_release(&s->console);
	free(s);
	return ok;
}
