/* break tbreak condition commands, and finding code for breakpoints set before their module was loaded */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "commands/commands.h"
#include "dbg/locate.h"
#include "obs/name/names.h"

/* The pieces of "LOCATION key=value... if EXPR". */
struct break_request {
	const char *command; /* "break" or "tbreak", for messages */
	char location[200];
	char filters[8][160];
	u32 nfilters;
	u64 count;        /* count=N; 0 = not given */
	const char *cond; /* NULL = none */
};

static const char *take_location(const char *args, struct break_request *r, struct err *e)
{
	char word[160];
	const char *rest = next_word(args, word, sizeof(word));
	if (!rest || !strcmp(word, "if") || strchr(word, '='))
		return args;
	snprintf(r->location, sizeof(r->location), "%s", word);
	if (strcmp(word, "pc") && strcmp(word, "cycle"))
		return rest;
	const char *after = next_word(rest, word, sizeof(word));
	if (!after) {
		err_set(e, "%s %s: a number is expected", r->command, r->location);
		return NULL;
	}
	strcat(r->location, " ");
	strcat(r->location, word);
	return after;
}

static bool split_request(const char *command, const char *args, struct break_request *r, struct err *e)
{
	*r = (struct break_request){.command = command};
	const char *rest = take_location(args, r, e);
	if (!rest)
		return false;
	while (*rest) {
		char word[160];
		const char *after = next_word(rest, word, sizeof(word));
		if (!after)
			break;
		if (!strcmp(word, "if")) {
			r->cond = after;
			return *after || err_set(e, "%s: a Lua expression is expected after 'if'", command);
		}
		if (!strchr(word, '='))
			return err_set(e, "%s: '%s' is not understood (filters look like sm=3; a condition begins with if)",
			               command, word);
		rest = after;
		if (!strncmp(word, "count=", 6)) {
			if (!break_count(word, command, &r->count, e))
				return false;
			continue;
		}
		if (r->nfilters == ARRAY_LEN(r->filters))
			return err_set(e, "%s: more than %u filters", command, (u32)ARRAY_LEN(r->filters));
		snprintf(r->filters[r->nfilters++], sizeof(r->filters[0]), "%s", word);
	}
	return true;
}

static bool read_filters(struct debugger *d, const struct break_request *r, enum event_type t, struct event_filter *f,
                         struct err *e)
{
	event_filter_any(f);
	for (u32 i = 0; i < r->nfilters; i++)
		if (!break_filter(r->filters[i], t, f, e))
			return false;
	return break_filter_exists(d, f, e);
}

bool break_count(const char *word, const char *command, u64 *count, struct err *e)
{
	if (*count)
		return err_set(e, "%s: %s: count is given twice", command, word);
	if (word_number(word + 6, count) && *count && *count <= NTH_MAX)
		return true;
	return err_set(e, "%s: %s: a number from 1 to %u is expected", command, word, NTH_MAX);
}

bool break_filter(const char *word, enum event_type t, struct event_filter *f, struct err *e)
{
	char key[160];
	snprintf(key, sizeof(key), "%s", word);
	char *eq = strchr(key, '=');
	*eq = 0;
	return event_filter_add(f, t, key, eq + 1, e);
}

bool break_filter_exists(struct debugger *d, const struct event_filter *f, struct err *e)
{
	u32 sms = gpu_conf(dbg_gpu(d))->num_sms, warps = gpu_warps_per_sm(dbg_gpu(d));
	if (f->sm >= (s32)sms)
		return err_set(e, "sm=%d: that SM does not exist (0..%u)", f->sm, sms - 1);
	if (f->warp >= (s32)warps)
		return err_set(e, "warp=%d: that warp slot does not exist (0..%u)", f->warp, warps - 1);
	return break_cta_exists(d, f, e);
}

/* Events may be typed with underscores, as Lua names have them. */
static int event_named(const char *text)
{
	char name[64];
	if (strlen(text) >= sizeof(name))
		return -1;
	u32 n = 0;
	for (; text[n]; n++)
		name[n] = text[n] == '_' ? '-' : text[n];
	name[n] = 0;
	return event_find(name);
}

static bool here(struct debugger *d, struct break_request *r, struct err *e)
{
	struct warp_info w;
	gpu_warp_info(dbg_gpu(d), d->focus.sm, d->focus.warp, &w);
	if (w.state == WS_NONE || w.launch < 0 || w.pc == PC_DONE)
		return err_set(e, "%s: a location is expected (the focused warp slot is empty, so there is no 'here')",
		               r->command);
	snprintf(r->location, sizeof(r->location), "pc %u", w.pc);
	return true;
}

static struct breakpoint *make_cycle(struct debugger *d, const struct break_request *r, struct err *e)
{
	u64 cycle;
	if (!word_number(r->location + 6, &cycle)) {
		err_set(e, "%s cycle: '%.60s' is not a number", r->command, r->location + 6);
		return NULL;
	}
	if (cycle <= sim_cycle(d->s->sim)) {
		err_set(e, "%s cycle %llu: that cycle has passed (now %llu)", r->command, (unsigned long long)cycle,
		        (unsigned long long)sim_cycle(d->s->sim));
		return NULL;
	}
	if (r->nfilters) {
		err_set(e, "%s cycle takes no filters ('%s'); `if` may test anything", r->command, r->filters[0]);
		return NULL;
	}
	if (r->count > 1) {
		err_set(e, "%s cycle: count=%llu: a cycle comes once", r->command, (unsigned long long)r->count);
		return NULL;
	}
	return break_new_cycle(&d->breaks, cycle);
}

static struct breakpoint *make_code(struct debugger *d, const struct break_request *r, struct err *e)
{
	struct code_place p;
	struct event_filter f;
	bool found = locate_code(d, r->location, &p, e);
	if (!found && !(p.unknown && sim_num_modules(d->s->sim) == 0))
		return NULL;
	if (!found)
		err_clear(e); /* nothing is loaded yet: wait for it */
	if (!read_filters(d, r, EV_ISSUE, &f, e))
		return NULL;
	struct breakpoint *b = break_new_code(&d->breaks, found ? p.mod : NULL, p.pcs, p.n, r->location);
	b->filter = f;
	return b;
}

static struct breakpoint *make_event(struct debugger *d, const struct break_request *r, enum event_type t,
                                     struct err *e)
{
	struct event_filter f;
	if (!read_filters(d, r, t, &f, e))
		return NULL;
	struct breakpoint *b = break_new_event(&d->breaks, t, event_descs[t].name);
	b->filter = f;
	return b;
}

/* "stat PROBE OP VALUE [every N] [over N] [count=N] [if EXPR]": the comparison has a grammar of its own. */
static struct breakpoint *make_stat(struct debugger *d, const char *command, const char *text, struct err *e)
{
	struct strbuf compared = STRBUF_INIT;
	struct breakpoint *b = NULL;
	const char *cond = NULL;
	u64 count = 0;
	if (stat_split(command, text, &compared, &count, &cond, e) && (!cond || lua_dbg_check_condition(d, cond, e)))
		b = break_stat(d, strbuf_str(&compared), e);
	if (b) {
		b->cond = cond ? xstrdup(cond) : NULL;
		b->nth.n = count;
		nth_restart(&b->nth, sim_cycle(d->s->sim));
	}
	strbuf_release(&compared);
	return b;
}

static bool begins_with(const char *args, const char *word)
{
	size_t n = strlen(word);
	return !strncmp(args, word, n) && (!args[n] || args[n] == ' ' || args[n] == '\t');
}

static struct breakpoint *make_request(struct debugger *d, const char *command, const char *args, struct err *e)
{
	struct break_request r;
	if (!split_request(command, args, &r, e) || (!*r.location && !here(d, &r, e)))
		return NULL;
	if (r.cond && !lua_dbg_check_condition(d, r.cond, e))
		return NULL;
	int t = event_named(r.location);
	struct breakpoint *b = t >= 0                              ? make_event(d, &r, (enum event_type)t, e)
	                       : !strncmp(r.location, "cycle ", 6) ? make_cycle(d, &r, e)
	                                                           : make_code(d, &r, e);
	if (!b)
		return NULL;
	b->cond = r.cond ? xstrdup(r.cond) : NULL;
	b->nth.n = r.count;
	nth_restart(&b->nth, sim_cycle(d->s->sim));
	return b;
}

/* Options follow, nothing else: it stops once, at the first difference. */
static bool only_options(const char *command, const char *text, struct err *e)
{
	char word[160];
	while ((text = next_word(text, word, sizeof(word))))
		if (!strcmp(word, "if") || !strncmp(word, "count=", 6) || !strncmp(word, "sm=", 3))
			return err_set(e,
			               "%s divergence: '%.60s': it stops once, at the first different decision anywhere, and takes "
			               "nothing but a machine's options",
			               command, word);
	return true;
}

struct breakpoint *break_command(struct debugger *d, const char *args, bool temporary, struct err *e)
{
	struct strbuf spelled = STRBUF_INIT;
	const char *command = temporary ? "tbreak" : "break";
	struct breakpoint *b = NULL;
	if (begins_with(args, "stat"))
		b = make_stat(d, temporary ? "tbreak stat" : "break stat", skip_blanks(args + 4), e);
	else if (begins_with(args, "divergence"))
		b = only_options(command, args + 10, e) ? divergence_break(d, skip_blanks(args + 10), LOCKSTEP_CYCLES, e)
		                                        : NULL;
	else if (break_spelling(command, args, &spelled, e))
		b = make_request(d, command, spelled.len ? strbuf_str(&spelled) : args, e);
	strbuf_release(&spelled);
	if (!b)
		return NULL;
	b->temporary = temporary;
	debugger_resubscribe(d);
	return b;
}

void break_details(const struct breakpoint *b, struct strbuf *out)
{
	event_filter_text(&b->filter, b->event, out);
	if (b->nth.n)
		strbuf_addf(out, " count=%llu", (unsigned long long)b->nth.n);
	if (b->nth.n && b->nth.len < b->nth.n)
		strbuf_addf(out, " (%u so far)", b->nth.len);
	if (b->kind == BK_STAT && b->stat.known)
		strbuf_addf(out, isnan(b->stat.last) ? " (no value yet)" : " (now %g)", b->stat.last);
	if (b->kind == BK_DIVERGE && b->note)
		strbuf_addf(out, " (cycle %llu)", (unsigned long long)b->cycle - 1);
	if (b->cond)
		strbuf_addf(out, " if %s", b->cond);
}

static void say_made(const struct breakpoint *b, struct strbuf *out)
{
	strbuf_addf(out, "%s %u: %s", b->temporary ? "Temporary breakpoint" : "Breakpoint", b->id, b->what);
	if (b->kind == BK_CODE && b->mod) {
		strbuf_adds(out, " at ");
		line_place(b->mod, b->pcs[0], out);
		strbuf_addf(out, b->npcs > 1 ? " (%u places)" : " (pc %u)", b->npcs > 1 ? b->npcs : b->pcs[0]);
	} else if (b->kind == BK_CODE) {
		strbuf_adds(out, ", pending: no module is loaded yet");
	}
	break_details(b, out);
	strbuf_addc(out, '\n');
}

/* What the hidden machines have found already. */
static void say_past_divergence(struct debugger *d, const struct breakpoint *b, struct strbuf *out)
{
	if (b->kind == BK_DIVERGE && b->note && b->cycle <= sim_cycle(d->s->sim))
		strbuf_addf(out, "They differ already, in the past (`goto %llu`):\n%s\n", (unsigned long long)b->cycle,
		            b->note);
}

/* A kernel of that name may come with a module that is loaded later: said, not refused. */
static void say_unknown_kernel(struct debugger *d, const struct breakpoint *b, struct strbuf *out)
{
	u32 modules = sim_num_modules(d->s->sim);
	if (b->kind != BK_EVENT || !*b->filter.kernel || !modules)
		return;
	for (u32 i = 0; i < modules; i++) {
		const struct module *m = sim_module(d->s->sim, i);
		for (u32 k = 0; k < m->nfuncs; k++)
			if (func_named(&m->funcs[k], b->filter.kernel))
				return;
	}
	strbuf_addf(out, "No kernel of the loaded modules is called '%s'.\n", b->filter.kernel);
}

bool cmd_break(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct breakpoint *b = break_command(d, args, false, e);
	if (b) {
		say_made(b, out);
		say_past_divergence(d, b, out);
		say_unknown_kernel(d, b, out);
		break_cta_note(d, &b->filter, out);
		break_event_note(d, b, out);
		lua_dbg_condition_note(d, b->cond, out);
	}
	return b != NULL;
}

bool cmd_tbreak(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct breakpoint *b = break_command(d, args, true, e);
	if (b) {
		say_made(b, out);
		break_cta_note(d, &b->filter, out);
		break_event_note(d, b, out);
		lua_dbg_condition_note(d, b->cond, out);
	}
	return b != NULL;
}

/* --- condition, commands --- */

static struct breakpoint *last_breakpoint(struct debugger *d)
{
	for (u32 i = d->breaks.n; i-- > 0;)
		if (!d->breaks.list[i]->internal)
			return d->breaks.list[i];
	return NULL;
}

bool break_number(struct debugger *d, const char *word, u64 *id)
{
	const struct breakpoint *last = last_breakpoint(d);
	if (strcmp(word, "$bpnum") != 0)
		return word_number(word, id);
	*id = last ? last->id : 0;
	return last != NULL;
}

static struct breakpoint *numbered(struct debugger *d, const char **args, const char *what, struct err *e)
{
	char word[32];
	u64 id;
	const char *rest = next_word(*args, word, sizeof(word));
	if (!rest || !break_number(d, word, &id)) {
		err_set(e, "%s: a breakpoint's number is expected", what);
		return NULL;
	}
	struct breakpoint *b = id > UINT32_MAX ? NULL : break_find(&d->breaks, (u32)id);
	if (!b || b->internal) {
		err_set(e, "%s: there is no breakpoint %s", what, word);
		return NULL;
	}
	*args = rest;
	return b;
}

bool cmd_condition(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct breakpoint *b = numbered(d, &args, "condition", e);
	if (!b)
		return false;
	if (*args && !lua_dbg_check_condition(d, args, e))
		return false;
	lua_dbg_unref(d, b->cond_ref);
	b->cond_ref = LUA_NOREF;
	free(b->cond);
	b->cond = *args ? xstrdup(args) : NULL;
	strbuf_addf(out, "%s %u is %s%s\n", b->kind == BK_WATCH ? "Watchpoint" : "Breakpoint", b->id,
	            b->cond ? "conditional: " : "unconditional", b->cond ? b->cond : "");
	lua_dbg_condition_note(d, b->cond, out);
	return true;
}

bool cmd_commands(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct breakpoint *b = *args ? numbered(d, &args, "commands", e) : last_breakpoint(d);
	if (!b)
		return err_set(e, "commands: there is no breakpoint");
	if (*args)
		return err_set(e, "commands: '%.40s' is left over (the commands follow on their own lines, `end` closes them)",
		               args);
	d->shell->collect.kind = COLLECT_COMMANDS;
	d->shell->collect.id = b->id;
	strbuf_clear(&d->shell->collect.text);
	return true;
}

bool cmd_ignore(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char word[32];
	u64 id, count = NEVER;
	const char *rest = next_word(args, word, sizeof(word));
	if (!rest || !break_number(d, word, &id) || id > UINT32_MAX)
		return err_set(e, "ignore: usage: ignore N COUNT");
	if (!arg_number(rest, "ignore", 1ull << 62, &count, e))
		return false;
	if (count == NEVER)
		return err_set(e, "ignore %s: a count is expected", word);
	struct breakpoint *b = break_find(&d->breaks, (u32)id);
	if (!b || b->internal)
		return err_set(e, "ignore: there is no breakpoint %s", word);
	b->ignore = count;
	strbuf_addf(out, "The next %llu hit%s of %s %u %s passed over.\n", (unsigned long long)count, plural(count),
	            b->kind == BK_WATCH ? "watchpoint" : "breakpoint", b->id, by_number(count, "is", "are"));
	return true;
}
