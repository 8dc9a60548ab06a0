/* export, view, screenshot: files of what was recorded; what is seen, and files of it. */
#include "session/export_file.h"

#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "dbg/lanes_export.h"
#include "views/frame.h"
#include "views/view_keys.h"
#include "views/offscreen.h"

static void list_formats(struct strbuf *out)
{
	for (u32 i = 0; i < nexport_formats; i++)
		strbuf_addf(out, "%-11s %s\n", export_formats[i].name, export_formats[i].help);
}

/* "SM [FROM [TO]]" */
static bool export_konata(struct debugger *d, const char *file, const char *args, struct err *e)
{
	u64 n[3] = {0, 0, NEVER};
	char word[40];
	u32 given = 0;
	const char *rest = args;
	for (const char *next; *rest && (next = next_word(rest, word, sizeof word)); rest = next, given++)
		if (given == ARRAY_LEN(n) || !word_number(word, &n[given]))
			return err_set(e, "export konata: '%s' is left over: SM [FROM [TO]] are expected, numbers", word);
	if (n[0] >= gpu_conf(dbg_gpu(d))->num_sms)
		return err_set(e, "export konata: SM %llu does not exist (0..%u)", (unsigned long long)n[0],
		               gpu_conf(dbg_gpu(d))->num_sms - 1);
	if (!may_use_files(d, "export", e))
		return false;
	return given > 1 ? lanes_export(d, file, (u32)n[0], n[1], n[2], e) : lanes_export_all(d, file, (s32)n[0], e);
}

bool cmd_export(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char format[32], file[1024];
	u64 sm = 0;
	const char *rest = next_word(args, format, sizeof format);
	if (!rest) {
		list_formats(out);
		return true;
	}
	rest = next_file(rest, file, sizeof file, e);
	if (!rest)
		return err_set(e, "export: a file is expected behind the format (`export` alone lists the formats)");
	if (*rest && !strcmp(format, "konata"))
		return export_konata(d, file, rest, e);
	if (*rest && strcmp(format, "phases-svg") != 0)
		return err_set(e, "export: '%.40s' is left over (phases-svg and konata alone take an SM)", rest);
	if (!arg_number(rest, "export: SM", gpu_conf(dbg_gpu(d))->num_sms - 1, &sm, e))
		return false;
	return export_now(d, format, file, *rest ? (s32)sm : -1, e);
}

static void list_views(struct debugger *d, struct strbuf *out)
{
	u32 order[VIEWS_MAX];
	views_by_key(d, order);
	for (u32 i = 0; i < nviews; i++)
		strbuf_addf(out, "%s %c  %-9s %s\n", order[i] == d->screen->view ? "*" : " ", view_key_now(d, order[i]),
		            views[order[i]]->name, views[order[i]]->shows);
}

/* "key 5", "key none" behind a view's name. */
static bool give_key(struct debugger *d, u32 view, const char *args, struct err *e)
{
	char word[40];
	const char *rest = next_word(args, word, sizeof word);
	if (!rest || *rest)
		return err_set(e, "view: behind `key` one of 1 to 9, 0, _, #, ^ or none is expected%s",
		               rest ? ", and nothing else" : "");
	if (strcmp(word, "none") != 0 && (word[1] || !strchr(VIEW_KEYS, *word)))
		return err_set(e, "view: '%.40s' can be no view's key; 1 to 9, 0, _, #, ^ and none can", word);
	view_give_key(d, view, word[1] ? VIEW_NO_KEY : *word);
	return true;
}

bool cmd_view(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char word[40], key[40];
	const char *rest = next_word(args, word, sizeof word);
	offscreen_open(d);
	if (!d->screen)
		return err_set(e, "there is no machine to look at");
	if (!rest) {
		list_views(d, out);
		return true;
	}
	if (!strcmp(word, "keys") && !strcmp(rest, "default")) {
		view_keys_default(d);
		return true;
	}
	const int view = view_named(d, word);
	if (view < 0)
		return err_set(e, "view: '%.40s' is no view (a key or a name; `view` lists them)", word);
	if (*rest) {
		const char *more = next_word(rest, key, sizeof key);
		if (strcmp(key, "key") != 0)
			return err_set(e, "view: '%.40s' is left over behind the view (`view %s key 5` gives it a key)", rest,
			               word);
		return give_key(d, (u32)view, more, e);
	}
	d->screen->view = (u32)view;
	d->screen->help = d->screen->listing = false;
	return true;
}

/* "120x40" */
static bool size_of(const char *word, int *w, int *h)
{
	char end;
	int x, y;
	if (sscanf(word, "%dx%d%c", &x, &y, &end) != 2)
		return false;
	*w = x;
	*h = y;
	return true;
}

bool cmd_screenshot(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char file[1024], word[40];
	int view = -1, w = 0, h = 0;
	const char *rest = next_file(args, file, sizeof file, e);
	if (!rest)
		return err_set(e, "screenshot: a file is expected: FILE.txt, .svg or .png");
	while ((rest = next_word(rest, word, sizeof word))) {
		if (!size_of(word, &w, &h) && view < 0 && (view = view_named(d, word)) >= 0)
			continue;
		if (!size_of(word, &w, &h))
			return err_set(e, "screenshot: '%s' is no view (a digit or a name) and no size (80x24)", word);
		if (w < 20 || h < 5 || w > PICTURE_W_MAX || h > PICTURE_H_MAX)
			return err_set(e, "screenshot: a size from 20x5 to %dx%d is expected, not %s", PICTURE_W_MAX, PICTURE_H_MAX,
			               word);
	}
	return may_use_files(d, "screenshot", e) && screen_picture(d, file, view, w, h, e);
}
