#include "terminal/screen.h"
#include "views/appearance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/leaving.h"
#include "commands/shell.h"
#include "commands/teach.h"
#include "base/words.h"
#include "dbg/background.h"
#include "dbg/rival.h"
#include "dbg/scope.h"
#include "dbg/whatif.h"
#include "gpu/scope.h"
#include "views/frame.h"
#include "views/legend.h"
#include "views/point.h"
#include "views/view_keys.h"
#include "scr/pace.h"
#include "scr/palette.h"
#include "scr/term.h"
#include "terminal/input.h"
#include "terminal/prompt.h"
#include "terminal/word.h"
#include "views/cursor.h"

#define BRIEF_BELOW 30 /* rows of a terminal where a stop is reported in two rows, so that the view keeps its own */

#define KEYS_SECONDS                                                                                                   \
	0.05 /* what has been typed is answered for so long before the machine and the picture come again */

#define SAID_LINES 4 /* of a run, that stay in sight when it stops */
struct loop {
	struct screen s;
	struct pace pace;
	struct input in;
	struct typed_word word;
	double run_seconds; /* wall time inside slices since the run began */
	u64 run_insts;      /* warp instructions when it began */
	u64 place_end;      /* the console's last lines tell the place that was chosen in a view, when they end here */
	u32 interrupts;     /* of the debugger's, those that have been answered */
	bool dirty, quit;
	bool by_ctrl_d;   /* it, not q, has asked whether to leave */
	bool said;        /* the run has said something */
	bool began;       /* a key has set the machine going: it gets a slice before the next one */
	bool paste_fresh; /* no line of what is being pasted has been entered yet */
	bool mouse;       /* the terminal sends its events */
};

static double now_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* CPU time of this thread: on a busy host wall time would charge a frame with what others did meanwhile. */
static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- the machine --- */
static u64 total_insts(struct debugger *d)
{
	struct gpu *g = sim_gpu(d->s->sim);
	struct gpu_scope *scope = gpu_scope_off(g);
	u64 sum = 0;
	for (u32 i = 0; i < gpu_counter_instances(g, CG_sm); i++)
		sum += ((const struct sm_counters *)gpu_counters(g, CG_sm, i))->issued;
	gpu_scope_on(g, scope);
	return sum;
}

static void say(struct screen *s, struct strbuf *out)
{
	if (out->len)
		console_add(&s->console, STYLE(R_TEXT), strbuf_str(out));
	strbuf_clear(out);
}

static void execute(struct loop *l, const char *line, bool show)
{
	struct screen *s = &l->s;
	struct strbuf out = STRBUF_INIT;
	struct err e = {0};
	console_begin_answer(&s->console);
	if (show && *line) {
		struct strbuf echo = STRBUF_INIT;
		strbuf_addf(&echo, "%s%s", debugger_prompt(s->d), line);
		console_add(&s->console, STYLE(R_DIM), strbuf_str(&echo));
		strbuf_release(&echo);
		console_begin_answer(&s->console);
	}
	bool was_running = debugger_running(s->d);
	bool ok = debugger_execute(s->d, line, &out, &e);
	screen_reattach(s);
	say(s, &out);
	if (!ok)
		console_add(&s->console, STYLE(R_BAD), e.msg);
	console_open(&s->console, s->d->shell->paging == PAGING_ON);
	l->began |= debugger_running(s->d);
	if (!was_running && debugger_running(s->d)) {
		l->run_seconds = 0;
		l->run_insts = total_insts(s->d);
		l->said = false;
	}
	if (s->d->run.state == DBG_QUIT)
		l->quit = true;
	strbuf_release(&out);
	l->dirty = true;
}

/* Does the view show the machine beside this one, too, and is that somewhere else? */
static bool apart(const struct screen *s)
{
	return views[s->view]->both && !s->help && rival_behind(s->d);
}

/* The cycle of a machine; 0 when there is none. */
static u64 cycle_of(const struct debugger *d, enum machine_turn t)
{
	const struct session *s = t == TURN_A ? d->s : d->rival ? d->rival->s : NULL;
	return s && s->sim ? sim_cycle(s->sim) : 0;
}

/* Runs one machine; returns the seconds it took. */
static double run_turn(struct loop *l, struct strbuf *out)
{
	struct debugger *d = l->s.d;
	enum machine_turn t = pace_turn(&l->pace, rival_behind(d), views[l->s.view]->both, d->run.goal.kind == GOAL_NONE);
	u64 from = cycle_of(d, t);
	const bool tries = whatif_running(d);
	if (d->rival)
		d->rival->turn = t == TURN_A ? RIVAL_WAITS : RIVAL_ALONE;
	double t0 = now_seconds(), cpu = cpu_seconds();
	debugger_run_slice(d, l->pace.slice[t], out);
	double took = now_seconds() - t0;
	if (tries) { /* it has only waited for other processes */
		l->pace.frame_debt = 0;
		return took;
	}
	u64 now = cycle_of(d, t);
	pace_sliced(&l->pace, t, now > from ? now - from : 0, took, cpu_seconds() - cpu, rival_behind(d));
	return took;
}

/* Runs about SLICE_SECONDS; the number of cycles adapts to the machine's speed. */
static void slice(struct loop *l)
{
	struct screen *s = &l->s;
	struct strbuf out = STRBUF_INIT;
	bool ran = s->d->run.goal.kind != GOAL_NONE;
	l->run_seconds += run_turn(l, &out);
	enum run_state st = s->d->run.state;
	bool stopped =
	    ran && s->d->run.goal.kind == GOAL_NONE; /* what the machine beside it reports later belongs to that */
	screen_reattach(s);
	u64 insts = total_insts(s->d);
	if (l->run_seconds > 0.001 && insts > l->run_insts)
		s->rate = (double)(insts - l->run_insts) / l->run_seconds;
	if (whatif_running(s->d))
		s->rate = whatif_rate(s->d->whatif);
	/* Its first words begin the run's answer, and what follows is part of it, if that was little by the time it stops.
	 */
	const bool first = !l->said && (out.len || stopped || (st != DBG_RUNNING && !s->d->rival));
	if (first || (stopped && s->console.total - s->console.answer > SAID_LINES))
		console_begin_answer(&s->console);
	l->said |= first;
	say(s, &out);
	strbuf_release(&out);
	if (st == DBG_QUIT)
		l->quit = true;
	if (st != DBG_RUNNING) {
		console_open(&s->console, false);
		pace_stopped(&l->pace);
	}
	l->dirty = true;
}

/* --- drawing --- */
static void fit_terminal(struct screen *s)
{
	int h, w;
	term_size(&h, &w);
	if (h != s->canvas.h || w != s->canvas.w)
		canvas_resize(&s->canvas, h, w);
	s->d->report.brief = h < BRIEF_BELOW ? (u32)MAX(w - 2, 20) : 0;
	s->d->report.columns = (u32)MAX(w - 1, 20);
}

static void follow_palette(struct screen *s)
{
	bool light = palette_is_light(debugger_appearance(s->d)->palette);
	if (s->canvas.light != light)
		term_set_light(light);
	s->canvas.light = light;
}

static void show(struct loop *l)
{
	struct screen *s = &l->s;
	double cpu = cpu_seconds();
	follow_palette(s);
	if (l->mouse != debugger_appearance(s->d)->mouse)
		term_mouse(l->mouse = debugger_appearance(s->d)->mouse);
	fit_terminal(s);
	frame_draw(s);
	term_show(&s->canvas, s->cursor_y, s->cursor_x);
	pace_drawn(&l->pace, now_seconds(), cpu_seconds() - cpu);
	l->dirty = false;
}

/* --- keys --- */
static void choose_view(struct loop *l, int key)
{
	const int view = view_of_key(l->s.d, key);
	if (view >= 0)
		l->s.view = (u32)view;
	else
		snprintf(l->s.notice, sizeof l->s.notice, "no view has the key %c; v lists them with the focus on the view",
		         key);
}

/* Stops the run, and what waits for it. */
static void halt(struct loop *l)
{
	debugger_interrupt(l->s.d);
	l->interrupts = l->s.d->run.interrupts;
	input_drop_waiting(&l->in);
}

static void toggle_run(struct loop *l)
{
	if (debugger_running(l->s.d))
		halt(l);
	else
		execute(l, "continue", false);
}

/* The snapshot before or after now; behind the last one lies the latest cycle that was simulated. */
static void go_to_snapshot(struct loop *l, bool forward)
{
	struct sim *sim = l->s.d->s->sim;
	struct sim_history_info h;
	char line[40];
	u64 now = sim_cycle(sim), to = NEVER;
	if (debugger_running(l->s.d))
		return;
	sim_history_info(sim, &h);
	for (u32 i = 0; h.on && i < h.snapshots; i++) {
		u64 at = sim_snapshot_place(sim, i).cycle;
		if (forward ? at > now && at < to : at < now && (to == NEVER || at > to))
			to = at;
	}
	if (forward && to == NEVER && h.on && h.frontier > now)
		to = h.frontier;
	if (to == NEVER) {
		snprintf(l->s.notice, sizeof l->s.notice, "%s",
		         !h.on     ? "no history is kept"
		         : forward ? "this is the latest cycle"
		                   : "this is the beginning of history");
		return;
	}
	snprintf(line, sizeof line, "goto %llu", (unsigned long long)to);
	execute(l, line, true);
}

/* Is a step under way that the next one waits for? It is what an empty line would repeat. */
static bool step_under_way(const struct debugger *d)
{
	return debugger_running(d) && (d->run.goal.kind == GOAL_CYCLE || d->run.goal.kind == GOAL_NEXT) &&
	       *d->shell->repeat;
}

/* Back a cycle; stops what runs. */
static void step_back(struct loop *l)
{
	if (debugger_running(l->s.d))
		halt(l);
	else
		execute(l, "reverse-step", false);
}

static void do_step(struct loop *l, int key)
{
	switch (key) {
	case '.': execute(l, "step", false); break;
	case ',': step_back(l); break;
	case '[':
	case ']': go_to_snapshot(l, key == ']'); break;
	default: execute(l, "", true); break; /* Enter */
	}
}

/* Keys that step: each counts, also those that come while a step is under way. */
static void step_key(struct loop *l, int key)
{
	if (!step_under_way(l->s.d) && !l->in.owed.n)
		do_step(l, key);
	else if (!input_owe(&l->in, key))
		snprintf(l->s.notice, sizeof l->s.notice, "%d steps wait already", OWED_MAX);
}

static void search_next(struct loop *l, bool forward)
{
	struct view_ctx v;
	struct screen *s = &l->s;
	frame_context(s, &v);
	if (!views[s->view]->search)
		snprintf(s->notice, sizeof s->notice,
		         "nothing to search in this view; source (8), compare (9) and log (0) can be searched");
	else if (!s->search[0])
		snprintf(s->notice, sizeof s->notice, "nothing searched for yet: / asks for the text");
	else if (!views[s->view]->search(&v, forward))
		snprintf(s->notice, sizeof s->notice, "not found: %s", s->search);
}

static void ask_search(struct loop *l)
{
	if (!views[l->s.view]->search) {
		search_next(l, true); /* says so */
		return;
	}
	l->s.ask = ASK_SEARCH;
	l->s.search[0] = '\0';
}

/* Answers to the search prompt: text, Backspace, Enter, Esc. */
static void search_key(struct loop *l, int key)
{
	struct screen *s = &l->s;
	size_t n = strlen(s->search);
	if (key == '\r' || key == '\n') {
		s->ask = ASK_NOTHING;
		s->focus = ON_VIEW;
		search_next(l, true);
	} else if (key == K_ESC || key == CTRL_KEY('c') || key == CTRL_KEY('g')) {
		s->ask = ASK_NOTHING;
		s->search[0] = '\0';
	} else if ((key == 127 || key == 8) && n > 0) {
		do
			s->search[--n] = '\0';
		while (n > 0 && ((u8)s->search[n - 1] & 0xc0) == 0xc0); /* whole UTF-8 characters */
	} else if (key >= ' ' && key < 256 && key != 127 && n + 2 < sizeof s->search) {
		s->search[n] = (char)key;
		s->search[n + 1] = '\0';
	}
}

/* q or Ctrl-D asked: y, Enter or Ctrl-D leave; another letter was the rest of a command that begins with q. */
static void quit_key(struct loop *l, int key)
{
	struct screen *s = &l->s;
	s->ask = ASK_NOTHING;
	if (key == 'y' || key == 'Y' || key == '\r' || key == '\n' || key == CTRL_KEY('d')) {
		execute(l, "quit", false);
		l->quit = true;
	} else if (key > ' ' && key < 127 && key != 'n' && key != 'N') {
		s->focus = ON_PROMPT;
		if (!l->by_ctrl_d)
			prompt_key('q');
		prompt_key(key);
	}
}

/* What has been typed and pasted ahead goes with what Ctrl-C, or a command typed during a run, has stopped. */
static void drop_input(struct loop *l, bool keys)
{
	const u32 lines = input_drop(&l->in, keys);
	l->interrupts = l->s.d->run.interrupts;
	if (lines)
		snprintf(l->s.notice, sizeof l->s.notice, "%u line%s of what was pasted %s dropped", lines, plural(lines),
		         by_number(lines, "is", "are"));
}

/* A command entered while the machine runs stops it first. */
static void stop_run(struct loop *l)
{
	if (debugger_running(l->s.d))
		halt(l);
	while (debugger_running(l->s.d) && !l->quit)
		slice(l);
}

static void enter_line(struct loop *l, const char *line)
{
	const bool blank = !line[strspn(line, " \t")];
	if (l->in.lines.len) {
		input_add_line(&l->in, line); /* in its turn */
	} else if (blank && l->s.d->shell->collect.kind == COLLECT_NONE) {
		step_key(l, '\r');
	} else {
		stop_run(l);
		if (!l->quit)
			execute(l, line, true);
	}
}

/* A line of a paste waits for what those before it have begun; the first one stops what runs, as if it were typed.
 * Blank lines between commands repeat none. */
static void paste_line(struct loop *l, const char *line)
{
	if (l->paste_fresh)
		stop_run(l);
	l->paste_fresh = false;
	if (line[strspn(line, " \t")] || l->s.d->shell->collect.kind != COLLECT_NONE)
		input_add_line(&l->in, line);
}

/* Ctrl-D on an empty line: the end of what is being collected, else the wish to leave, as q is. */
static void end_of_input(struct loop *l)
{
	if (l->s.d->shell->collect.kind != COLLECT_NONE) {
		enter_line(l, "end");
		return;
	}
	l->by_ctrl_d = true;
	l->s.ask = ASK_QUIT;
}

static void prompt_input(struct loop *l, int key)
{
	prompt_key(key);
	char *line = prompt_take();
	if (line)
		enter_line(l, line);
	free(line);
	if (prompt_ended())
		end_of_input(l);
}

/* The prompt gets what is typed from here on. */
static void to_prompt(struct loop *l)
{
	l->s.focus = ON_PROMPT;
	l->s.help = l->s.listing = false;
	l->s.ask = ASK_NOTHING;
	l->s.console.paging = false;
	word_forget(&l->word);
}

/* What has been pasted goes to the prompt, whatever has the keys. */
static void take_paste(struct loop *l)
{
	bool ends;
	for (char *text; (text = input_pasted(&l->in, &ends)); free(text)) {
		if (l->s.ask == ASK_SEARCH) {
			for (const char *c = text; *c; c++)
				search_key(l, (u8)*c);
			continue;
		}
		to_prompt(l);
		prompt_text(text);
		if (!ends)
			continue;
		prompt_key('\r');
		char *line = prompt_take();
		if (line)
			paste_line(l, line);
		free(line);
	}
	l->dirty = true;
}

/* Keys that mean the same with the focus on the view and on an empty prompt. */
static bool common_key(struct loop *l, int key)
{
	struct view_ctx v;
	struct screen *s = &l->s;
	struct view_state *st = &s->state[s->view];
	frame_context(s, &v);
	if (key > ' ' && key < 127 && strchr(VIEW_KEYS, key)) {
		choose_view(l, key);
		return true;
	}
	switch (key) {
	case ' ':
		if (!input_text_follows(&l->in)) /* else it stands in front of a command that came with it */
			toggle_run(l);
		return true;
	case '.':
	case ',':
	case '[':
	case ']': step_key(l, key); return true;
	case '?':
		s->help = !s->help;
		s->help_top = 0;
		return true;
	case '/': ask_search(l); return true;
	case '+':
	case '=': st->zoom = MIN(st->zoom + 1, frame_zooms(s)); return true;
	case '-': st->zoom = st->zoom ? st->zoom - 1 : 0; return true;
	case '<':
	case '>': return cursor_pan(&v, key);
	case 'q':
		l->by_ctrl_d = false;
		s->ask = ASK_QUIT;
		return true;
	case K_PGUP:
	case K_PGDN: return views[s->view]->on_key && views[s->view]->on_key(&v, key);
	default: return false;
	}
}

/* Enter with the cursor shown: to its cycle. */
static void go_to_cursor(struct loop *l)
{
	struct screen *s = &l->s;
	char line[40];
	if (debugger_running(s->d)) {
		snprintf(s->notice, sizeof s->notice, "space stops the machine first");
		return;
	}
	snprintf(line, sizeof line, "goto %llu", (unsigned long long)s->state[s->view].cursor);
	execute(l, line, true);
}

/* The scope begins, or ends, at the cursor; where it would have no cycles its other end goes. */
static void scope_at_cursor(struct loop *l, bool begins)
{
	struct screen *s = &l->s;
	const u64 at = s->state[s->view].cursor;
	struct sim_history_info h;
	u64 from, to;
	char line[64];
	if (debugger_running(s->d)) {
		snprintf(s->notice, sizeof s->notice, "space stops the machine first");
		return;
	}
	sim_history_info(s->d->s->sim, &h);
	const bool any = scope_range(s->d, &from, &to);
	if (begins && any && at < to && s->d->scope.to != NEVER)
		snprintf(line, sizeof line, "scope %llu %llu", (unsigned long long)at, (unsigned long long)to);
	else if (begins)
		snprintf(line, sizeof line, "scope %llu", (unsigned long long)at);
	else
		snprintf(line, sizeof line, "scope %llu %llu", (unsigned long long)(any && from < at ? from : h.begin),
		         (unsigned long long)at);
	execute(l, line, true);
}

/* The cursor of the curves over time: its keys come first while it is shown. */
static bool cursor_input(struct loop *l, struct view_ctx *v, int key)
{
	if ((key == '\r' || key == '\n') && v->st->cursor_on && v->st->axis.w) {
		go_to_cursor(l);
		return true;
	}
	if ((key == '{' || key == '}') && v->st->cursor_on && v->st->axis.w) {
		scope_at_cursor(l, key == '{');
		return true;
	}
	return cursor_key(v, key);
}

/* Enter goes closer; it never moves the machine. */
static void enter_view(struct loop *l)
{
	const struct view *view = views[l->s.view];
	struct view_ctx v;
	char line[80];
	frame_context(&l->s, &v);
	if (view->enter_line && view->enter_line(&v, line, sizeof line)) {
		execute(l, line, true);
	} else if (view->enter) {
		for (u32 i = 0; i < nviews; i++)
			l->s.view = views[i]->key == view->enter ? i : l->s.view;
		l->s.state[l->s.view].follow = true; /* at what was selected, wherever the view was left */
	} else
		snprintf(l->s.notice, sizeof l->s.notice,
		         "Enter has nothing to open in this view; . steps, : or Tab go to the prompt");
}

/* The keys of a view that has them; false: it is none. */
static bool view_key(struct loop *l, struct view_ctx *v, int key)
{
	struct screen *s = &l->s;
	switch (key) {
	case '\t':
	case K_BACKTAB:
	case K_ESC:
	case ':': s->focus = ON_PROMPT; return true;
	case 'v': view_list_open(s); return true;
	case 'n':
	case 'N':
		if (!views[s->view]->search || !s->search[0])
			return false; /* nothing searched for: n begins a command, most often `next` */
		search_next(l, key == 'n');
		return true;
	case 'm':
		debugger_appearance(s->d)->mouse = !debugger_appearance(s->d)->mouse;
		snprintf(s->notice, sizeof s->notice, "mouse %s",
		         debugger_appearance(s->d)->mouse ? "on: click a view's name, an SM, a time; the wheel scrolls"
		                                          : "off");
		return true;
	case CTRL_KEY('p'): console_scroll(&s->console, 1); return true;
	case CTRL_KEY('n'): console_scroll(&s->console, -1); return true;
	case '\r':
	case '\n': enter_view(l); return true;
	default: break;
	}
	if (views[s->view]->on_key && views[s->view]->on_key(v, key))
		return true;
	if ((key == 'c' || key == K_LEFT || key == K_RIGHT) && cursor_show(v))
		return true;
	return common_key(l, key);
}

/* `?` with the focus on the view: what is there, from the selection on. A second one gives the page of help. */
static void begin_pointing(struct screen *s)
{
	const struct canvas *c = &s->canvas;
	s->pointing = true;
	for (int y = 1; y < s->body_end; y++)
		for (int x = 0; x < c->w; x++) {
			const struct cell *at = canvas_at(c, y, x);
			const u32 ch = at->ch;
			if (ch == legend[LG_FOCUS].ch ||
			    ((at->style.attr & ATTR_REVERSE) && legend_find(ch, c->ascii) < LG_COUNT)) {
				s->point_y = y;
				s->point_x = x;
				return;
			}
		}
	s->point_y = s->point_x = 0;
	point_next_word(c, s->body_end, &s->point_y, &s->point_x, true);
}

/* Enter: all that `explain` knows of what is pointed at. */
static void explain_point(struct loop *l)
{
	struct screen *s = &l->s;
	struct strbuf text = STRBUF_INIT;
	char topic[64], line[80];
	point_describe(&s->canvas, s->point_y, s->point_x, &text, topic);
	strbuf_release(&text);
	if (!*topic)
		return;
	snprintf(line, sizeof line, "explain %s", topic);
	execute(l, line, true);
}

/* A key while something is pointed at; false: the pointer is gone and the key means what it always does. */
static bool point_key(struct loop *l, int key)
{
	struct screen *s = &l->s;
	const int h = s->body_end, w = s->canvas.w; /* the title and the view, not the bar of keys below them */
	switch (key) {
	case K_LEFT: s->point_x = MAX(s->point_x - 1, 0); return true;
	case K_RIGHT: s->point_x = MIN(s->point_x + 1, w - 1); return true;
	case K_UP: s->point_y = MAX(s->point_y - 1, 0); return true;
	case K_DOWN: s->point_y = MIN(s->point_y + 1, h - 1); return true;
	case '\t':
	case K_BACKTAB: point_next_word(&s->canvas, h, &s->point_y, &s->point_x, key == '\t'); return true;
	case '\r':
	case '\n': explain_point(l); return true;
	case K_ESC: s->pointing = false; return true;
	default: s->pointing = false; return false;
	}
}

static bool is_letter(int key)
{
	return (key >= 'a' && key <= 'z') || (key >= 'A' && key <= 'Z');
}

/* Letters that are no keys of the view begin a command. */
static void begin_command(struct loop *l, const char *word)
{
	prompt_text(word);
	to_prompt(l);
}

static void view_input(struct loop *l, int key)
{
	struct view_ctx v;
	struct screen *s = &l->s;
	frame_context(s, &v);
	const bool again = s->pointing;
	if (s->listing && view_list_key(s, key))
		return;
	if (s->pointing && point_key(l, key))
		return;
	if (key == '?' && !again) {
		begin_pointing(s);
		return;
	}
	if (is_letter(key)) {
		word_add(&l->word, s, key, now_seconds());
		if (!view_key(l, &v, key))
			begin_command(l, word_as_command(&l->word, s));
		return;
	}
	const bool ends = key == ' ' || key == '\r' || key == '\n';
	const char *word = ends ? word_ended(&l->word, s, now_seconds()) : NULL;
	if (word) {
		begin_command(l, word);
		prompt_input(l, key);
		return;
	}
	word_forget(&l->word);
	if (!cursor_input(l, &v, key) && !view_key(l, &v, key) && key > ' ' && key < 127)
		snprintf(s->notice, sizeof s->notice, "%c is no key of this view; : or Tab go to the prompt, ? helps", key);
}

/* A click in the view: a row of its list, a column of its curves. */
static void click_view(struct loop *l, struct view_ctx *v, struct term_mouse m)
{
	struct view_state *st = v->st;
	s32 row = m.y - st->list.y, column = m.x - st->click_x;
	if (l->s.help || l->s.listing || m.y < 1)
		return;
	l->s.focus = ON_VIEW;
	if (st->list.n && row >= 0 && row < st->list.n) {
		if (views[l->s.view]->on_click)
			views[l->s.view]->on_click(v, row, m.x);
	} else if (st->click.w && column >= 0 && column < st->click.w) {
		st->cursor = cursor_cycle(st->click, column);
		st->cursor_on = true;
	}
}

static void mouse_input(struct loop *l)
{
	struct screen *s = &l->s;
	struct term_mouse m = term_mouse_event();
	struct view_ctx v;
	frame_context(s, &v);
	if (m.wheel) {
		for (int i = 0; i < 3 && views[s->view]->on_key; i++)
			view_scroll(v.st, m.wheel < 0 ? K_UP : K_DOWN);
		return;
	}
	if (m.y != s->canvas.h - 1) {
		click_view(l, &v, m);
		return;
	}
	int x = 1;
	u32 order[VIEWS_MAX];
	views_by_key(s->d, order);
	for (u32 i = 0; i < nviews; i++) {
		int w = 2 + utf8_width(views[order[i]]->name);
		if (!frame_names_view(s, order[i]) && order[i] != s->view)
			continue;
		if (m.x >= x && m.x < x + w)
			s->view = order[i];
		x += w + frame_hint_gap(s->canvas.w);
	}
}

static bool help_key(struct screen *s, int key)
{
	const int page = MAX(s->canvas.h - 8, 1);
	switch (key) {
	case K_DOWN: s->help_top++; return true;
	case K_UP: s->help_top--; return true;
	case ' ':
	case K_PGDN: s->help_top += page; return true;
	case K_PGUP: s->help_top -= page; return true;
	default: s->help = false; return key != ':';
	}
}

/* Keys of a long answer in the console; it gives its rows back at Esc. */
static bool console_key(struct loop *l, int key)
{
	struct console *c = &l->s.console;
	const bool prompt = l->s.focus == ON_PROMPT && l->s.ask == ASK_NOTHING;
	if (key == K_CONSOLE_UP || key == K_CONSOLE_DOWN) {
		console_scroll(c, key == K_CONSOLE_UP ? 5 : -5);
		return true;
	}
	if (!prompt || (key != K_PGUP && key != K_PGDN) || !console_overflows(c))
		return false;
	console_turn(c, key == K_PGUP);
	return true;
}

/* With the keys at the prompt; on an empty one some of them are no text. */
static void at_prompt(struct loop *l, int key)
{
	struct screen *s = &l->s;
	const bool idle = prompt_idle(), collects = s->d->shell->collect.kind != COLLECT_NONE;
	if (idle && key == '\t') {
		s->focus = ON_VIEW;
		console_begin_answer(&s->console); /* who goes to the view wants to see it: a long answer gives its rows back */
	} else if (idle && key == K_ESC && !prompt_is_vi()) {
		console_begin_answer(&s->console);
	} else if (idle && key == ':' && !collects) {
		; /* leads to the prompt from anywhere: here it is */
	} else if (!idle || collects || !common_key(l, key)) {
		prompt_input(l, key);
	}
}

/* Another warp has been chosen in a view: the console speaks of that one, in the same rows. */
static void follow_choice(struct loop *l, struct focus was)
{
	struct screen *s = &l->s;
	struct strbuf out = STRBUF_INIT;
	if ((s->d->focus.sm == was.sm && s->d->focus.warp == was.warp) || debugger_running(s->d))
		return;
	if (s->console.total == l->place_end)
		console_take_back(&s->console);
	else
		console_begin_answer(&s->console);
	debugger_show_place(s->d, &out);
	say(s, &out);
	strbuf_release(&out);
	l->place_end = s->console.total;
}

/* Pages of an answer, help, questions, then the focus. */
static void on_key(struct loop *l, int key)
{
	struct screen *s = &l->s;
	l->dirty = true;
	pace_hurry(&l->pace); /* an answer to a key does not wait */
	s->notice[0] = '\0';
	if (key == K_RESIZE || (s->console.paging && console_page_key(&s->console, key)))
		return;
	if (key == CTRL_KEY('l')) {
		term_redraw();
	} else if (s->help && help_key(s, key)) {
		return;
	} else if (console_key(l, key)) {
		return;
	} else if (s->ask == ASK_QUIT) {
		quit_key(l, key);
	} else if (s->ask == ASK_SEARCH) {
		search_key(l, key);
	} else if (key == K_MOUSE || s->focus == ON_VIEW) {
		const struct focus was = s->d->focus;
		const u64 said = s->console.total;
		if (key == K_MOUSE)
			mouse_input(l);
		else
			view_input(l, key);
		if (s->console.total == said) /* it did no more than choose */
			follow_choice(l, was);
	} else {
		at_prompt(l, key);
	}
}

/* --- the loop --- */
/* Ctrl-C reached the debugger's handler: the line being typed goes too, as in a shell. keys: those that have come and
 * not been taken are older than it. */
static void notice_interrupt(struct loop *l, bool keys)
{
	struct debugger *d = l->s.d;
	if (d->run.interrupts == l->interrupts)
		return;
	drop_input(l, keys);
	l->dirty = true;
	if (debugger_running(d) || !d->run.interrupt)
		return;
	debugger_clear_interrupt(d);
	debugger_drop_collect(d);
	prompt_reset();
	l->s.console.paging = false;
	l->s.ask = ASK_NOTHING;
}

static void list_candidates(void *ctx, char *const *candidates, int n)
{
	struct loop *l = ctx;
	struct strbuf out = STRBUF_INIT;
	int w = 0, room = MAX(l->s.canvas.w - 3, 20);
	for (int i = 0; i < n; i++)
		w = MAX(w, utf8_width(candidates[i]));
	int cols = MAX(room / (w + 2), 1);
	for (int i = 0; i < n; i++) {
		bool last = i % cols == cols - 1 || i == n - 1;
		strbuf_addf(&out, "%-*s%s", last ? 0 : w + 2, candidates[i], last ? "\n" : "");
	}
	console_begin_answer(&l->s.console);
	say(&l->s, &out);
	strbuf_release(&out);
}

/* A lesson may have waited for this view. */
static void tell_lesson(struct loop *l)
{
	struct debugger *d = l->s.d;
	struct strbuf out = STRBUF_INIT;
	if (!debugger_running(d) && teach_view_changed(d))
		teach_look(d, &out);
	if (out.len)
		console_begin_answer(&l->s.console);
	say(&l->s, &out);
	strbuf_release(&out);
}

static void take_key(struct loop *l, int key)
{
	l->paste_fresh |= key == K_PASTE;
	if (input_paste_key(&l->in, key, now_seconds())) {
		if (key == K_PASTE_END)
			take_paste(l);
	} else {
		on_key(l, key);
		tell_lesson(l);
	}
}

/* What has been typed; while there is nothing, waits so many ms. A pasted line does not starve the machine. */
static void take_keys(struct loop *l, int wait_ms)
{
	notice_interrupt(l, true);
	input_fill(&l->in, wait_ms);
	notice_interrupt(l, false);
	l->began = false;
	const double until = now_seconds() + KEYS_SECONDS;
	for (int key; !l->began && !l->quit && now_seconds() < until && (key = input_key(&l->in)) != K_NONE;) {
		take_key(l, key);
		notice_interrupt(l, true);
	}
	take_paste(l);
}

/* The machine has come to rest: the next line that waits for that, or the next step. */
static void go_on(struct loop *l)
{
	char *line = input_line(&l->in);
	const int key = line ? K_NONE : input_owed(&l->in);
	if (line)
		execute(l, line, true);
	else if (key != K_NONE)
		do_step(l, key);
	free(line);
}

/* Nothing runs. What a picture has asked for comes from another process. */
static void rest(struct loop *l)
{
	const bool comes = background_pending(l->s.d);
	l->dirty |= comes && background_wait(l->s.d, 0);
	take_keys(l, comes ? 50 : 250);
}

/* While the machine runs keys come before the picture: it shows what they have changed, and is not drawn twice. The
 * same holds for what has come at once, and for what comes while a slow line still carries the last picture. */
static void run_loop(struct loop *l)
{
	while (!l->quit && !term_gone() && !leaving_by()) {
		const bool running = debugger_running(l->s.d);
		if (running)
			slice(l);
		else
			go_on(l);
		const bool busy = running || debugger_running(l->s.d) || input_waits(&l->in);
		if (busy && !l->quit)
			take_keys(l, 0);
		bool now = true;
		if (debugger_running(l->s.d))
			now = pace_may_draw(&l->pace, now_seconds(), apart(&l->s));
		else if (input_waits(&l->in))
			now = now_seconds() >= l->pace.frame_due;
		if (l->dirty && now && !l->quit && term_takes())
			show(l);
		if (!busy && !l->quit)
			rest(l);
	}
}

bool screen_possible(void)
{
	const char *type = getenv("TERM");
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && type && *type && strcmp(type, "dumb") != 0;
}

static void open_screen(struct loop *l)
{
	struct screen *s = &l->s;
	canvas_init(&s->canvas, 1, 1, term_ascii());
	fit_terminal(s);
	s->canvas.mono = term_mono();
	s->canvas.few = term_few();
	s->canvas.light = palette_is_light(debugger_appearance(s->d)->palette);
	console_init(&s->console);
	input_init(&l->in);
	screen_attach(s, s->d);
	s->draw_line = prompt_draw;
	s->d->screen = s;
	prompt_open(s->d, list_candidates, l);
	console_add(&s->console, STYLE(R_DIM), "space runs, . steps a cycle, ? helps, q leaves; or type a command.");
}

int screen_main(struct debugger *d)
{
	struct loop l = {.s.d = d, .dirty = true};
	struct err e = {0};
	pace_init(&l.pace);
	if (!term_open(d->s->opt->no_color, d->s->opt->ascii, palette_is_light(debugger_appearance(d)->palette), &e)) {
		fprintf(stderr, "warpdbg: %s\n", e.msg);
		return 2;
	}
	open_screen(&l);
	run_loop(&l);
	prompt_close();
	term_close();
	d->report.brief = d->report.columns = 0;
	d->screen = NULL;
	screen_detach(&l.s);
	console_release(&l.s.console);
	input_release(&l.in);
	canvas_release(&l.s.canvas);
	return d->run.ran ? session_exit_status(d->s, d->run.last) : 0;
}
