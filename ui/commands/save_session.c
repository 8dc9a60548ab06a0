/* save session: a file with which `warpdbg debug FILE` comes to the same state on another machine. It has the command
 * line, what has changed the machine, where it stands, and what the user keeps: breakpoints, displays, bookmarks,
 * notes. Results are deterministic, so the way there is as good as the state; the state's hash is compared. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "base/words.h"
#include "commands/changes.h"
#include "commands/save.h"
#include "dbg/scope.h"
#include "session/saved.h"
#include "views/appearance.h"
#include "views/frame.h"
#include "views/view_keys.h"

/* What is done on the way, in its order. */
struct way_stop {
	struct sim_place at;
	const char *change, *bookmark;
};

static int by_place(const void *a, const void *b)
{
	const struct way_stop *x = a, *y = b;
	const int order = sim_place_order(x->at, y->at);
	return order ? order : !x->bookmark - !y->bookmark; /* one that stood before a change, before it */
}

/* False: a bookmark's place is no longer there, or ahead. */
static bool reached(const struct debugger *d, struct sim_place at)
{
	return sim_place_order(at, sim_place(d->s->sim)) <= 0;
}

static void add_way(struct debugger *d, struct strbuf *text, struct strbuf *out)
{
	const struct changes *c = &d->shell->changes;
	struct way_stop *stop = xcalloc(c->n + d->travel.nbookmarks + 1, sizeof *stop);
	u32 n = 0;
	u64 at = 0;
	for (u32 i = 0; i < c->n; i++)
		if (sim_place_order(c->line[i].at, sim_place(d->s->sim)) < 0)
			stop[n++] = (struct way_stop){.at = c->line[i].at, .change = c->line[i].text};
	for (u32 i = 0; i < d->travel.nbookmarks; i++) {
		const struct bookmark *b = &d->travel.bookmarks[i];
		if (!b->forked && reached(d, b->at))
			stop[n++] = (struct way_stop){.at = b->at, .bookmark = b->name};
		else
			strbuf_addf(out, "Bookmark %s is left out: cycle %" PRIu64 " lies ahead, or in a past that has changed.\n",
			            b->name, b->at.cycle);
	}
	if (n)
		qsort(stop, n, sizeof *stop, by_place);
	for (u32 i = 0; i < n; i++) {
		if (stop[i].at.cycle != at)
			strbuf_addf(text, "goto %" PRIu64 "\n", stop[i].at.cycle);
		at = stop[i].at.cycle;
		strbuf_addf(text, stop[i].change ? "%s\n" : "bookmark %s\n",
		            stop[i].change ? stop[i].change : stop[i].bookmark);
	}
	if (sim_cycle(d->s->sim) != at)
		strbuf_addf(text, "goto %" PRIu64 "\n", sim_cycle(d->s->sim));
	free(stop);
}

static bool add_words(struct strbuf *text, struct err *e)
{
	const char *const *word;
	const u32 n = saved_words(&word);
	for (u32 i = 0; i < n; i++) {
		if (strchr(word[i], '\n'))
			return err_set(e, "save session: a word of the command line has more than one line: '%.40s'", word[i]);
		strbuf_addf(text, SAVED_WORD "%s\n", word[i]);
	}
	return true;
}

static void add_kept(struct debugger *d, struct strbuf *text, struct strbuf *out)
{
	const struct notes *notes = &d->shell->notes;
	for (u32 i = 0; i < notes->n; i++)
		strbuf_addf(text, "note at %" PRIu64 " %s\n", notes->note[i].cycle, notes->note[i].text);
	for (u32 i = 0; i < d->ndisplays; i++)
		strbuf_addf(text, "display %s\n", d->displays[i].expr);
	breakpoints_text(d, sim_cycle(d->s->sim), text, out);
	strbuf_addf(text, "focus sm %u warp %u lane %u\n", d->focus.sm, d->focus.warp, d->focus.lane);
}

static void add_scope(struct debugger *d, struct strbuf *text, struct strbuf *out)
{
	u64 from, to;
	if (!scope_range(d, &from, &to))
		return;
	const bool open = d->scope.to == NEVER;
	if (d->scope.kind == SCOPE_LAUNCH)
		strbuf_addf(text, "scope kernel %u\n", d->scope.launch);
	else if (to > sim_cycle(d->s->sim) || from >= sim_cycle(d->s->sim))
		strbuf_adds(out, "The scope is left out: it lies ahead.\n");
	else if (open && d->scope.kind == SCOPE_CYCLES)
		strbuf_addf(text, "scope %" PRIu64 "\n", from);
	else
		strbuf_addf(text, "scope %" PRIu64 " %" PRIu64 "\n", from, to);
}

/* The view that is shown, and which keys choose which. */
static void add_views(struct debugger *d, struct strbuf *text)
{
	const struct appearance *a = debugger_appearance(d);
	bool own = false;
	for (u32 i = 0; i < nviews; i++)
		if (a->view_key[i] && a->view_key[i] != (views[i]->key ? views[i]->key : VIEW_NO_KEY)) {
			const char key[2] = {a->view_key[i], 0};
			own = true;
			strbuf_addf(text, "view %s key %s\n", views[i]->name, *key == VIEW_NO_KEY ? "none" : key);
		}
	if (d->screen || own)
		strbuf_addf(text, "view %s\n", views[d->screen ? d->screen->view : 0]->name);
	if (a->taxonomy != TAX_BASE)
		strbuf_addf(text, "set taxonomy %s\n", taxonomy_names[a->taxonomy]);
}

static void add_check(const struct debugger *d, struct strbuf *text)
{
	strbuf_addf(text,
	            "lua if gpu.hash ~= '%016" PRIx64 "' then error('cycle %" PRIu64
	            " is not in the state that was saved: another version, other files, or another rc file', 0) end\n",
	            sim_hash(d->s->sim), sim_cycle(d->s->sim));
}

static bool session_text(struct debugger *d, struct strbuf *text, struct strbuf *out, struct err *e)
{
	const struct changes *c = &d->shell->changes;
	strbuf_adds(text, SAVED_HEAD ": `warpdbg debug FILE` goes on from here\n");
	if (!add_words(text, e))
		return false;
	for (u32 i = 0; i < c->nsetup; i++)
		strbuf_addf(text, "%s\n", c->setup[i]);
	add_way(d, text, out);
	add_check(d, text);
	add_kept(d, text, out);
	add_scope(d, text, out);
	add_views(d, text);
	return true;
}

bool save_session(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char file[1024];
	struct strbuf text = STRBUF_INIT, left_out = STRBUF_INIT;
	const char *rest = next_file(args, file, sizeof file, e);
	if (!rest)
		return e->set ? false : err_set(e, "save session: a file is expected");
	if (*rest)
		return err_set(e, "save session: '%.40s' is left over behind the file", rest);
	const bool ok =
	    session_text(d, &text, &left_out, e) && may_use_files(d, "save", e) && file_write(file, text.buf, text.len, e);
	if (ok)
		strbuf_addf(out, "%sThe session is saved in %s: `warpdbg debug %s` goes on in cycle %" PRIu64 ".\n",
		            strbuf_str(&left_out), file, file, sim_cycle(d->s->sim));
	strbuf_release(&left_out);
	strbuf_release(&text);
	return ok;
}
