/* Executing a line: multi-line input, aliases, the command word, what an empty line repeats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/teach.h"
#include "dbg/scope.h"
#include "script/dbg.h"

static const char *prompt(const struct debugger *d)
{
	struct strbuf scope = STRBUF_INIT;
	if (d->shell->collect.kind != COLLECT_NONE)
		return "> ";
	if (d->scope.kind == SCOPE_RUN)
		return "(wd) ";
	scope_text(d, true, &scope);
	snprintf(d->shell->prompt, sizeof d->shell->prompt, "(wd %s) ", strbuf_str(&scope));
	strbuf_release(&scope);
	return d->shell->prompt;
}

static bool drop_collect(struct debugger *d)
{
	bool any = d->shell->collect.kind != COLLECT_NONE;
	d->shell->collect.kind = COLLECT_NONE;
	d->shell->collect.scripted = false;
	strbuf_clear(&d->shell->collect.text);
	return any;
}

static bool collect_commands(struct debugger *d, const char *line, struct err *e)
{
	d->shell->collect.scripted |= d->script.scripted;
	if (strcmp(skip_blanks(line), "end")) {
		strbuf_addf(&d->shell->collect.text, "%s\n", line);
		return true;
	}
	struct breakpoint *b = break_find(&d->breaks, d->shell->collect.id);
	d->shell->collect.kind = COLLECT_NONE;
	if (!b)
		return err_set(e, "breakpoint %u is gone", d->shell->collect.id);
	free(b->commands);
	b->commands = d->shell->collect.text.len ? xstrdup(strbuf_str(&d->shell->collect.text)) : NULL;
	b->scripted = d->shell->collect.scripted;
	d->shell->collect.scripted = false;
	return true;
}

/* A chunk that is still unfinished after an empty line is an error, or one could not get out. */
static bool collect_lua(struct debugger *d, const char *line, struct strbuf *out, struct err *e)
{
	bool incomplete = false, blank = !*skip_blanks(line);
	strbuf_addf(&d->shell->collect.text, "%s\n", line);
	struct strbuf code = d->shell->collect.text;
	d->shell->collect.text = (struct strbuf){0};
	d->shell->collect.kind = COLLECT_NONE;
	bool ok = lua_dbg_exec(d, strbuf_str(&code), "=lua", blank ? NULL : &incomplete, e);
	take_output(d, out);
	if (incomplete) {
		err_clear(e);
		d->shell->collect.kind = COLLECT_LUA;
		d->shell->collect.text = code;
		return true;
	}
	strbuf_release(&code);
	return ok;
}

static bool collect(struct debugger *d, const char *line, struct strbuf *out, struct err *e)
{
	if (d->shell->collect.kind == COLLECT_LUA)
		return collect_lua(d, line, out, e);
	return collect_commands(d, line, e);
}

/* The command word ends at a blank or at '/', which begins a format: "x/4xw", "p/x". */
static const char *split(const char *line, char *word, size_t size)
{
	size_t n = strcspn(line, " \t/");
	snprintf(word, size, "%.*s", (int)MIN(n, size - 1), line);
	return skip_blanks(line + n);
}

static void remember(struct debugger *d, const struct command *c, const char *line)
{
	d->shell->repeat[0] = 0;
	if (c->repeat == REPEAT_SAME)
		snprintf(d->shell->repeat, sizeof(d->shell->repeat), "%s", line);
	else if (c->repeat == REPEAT_BARE)
		snprintf(d->shell->repeat, sizeof(d->shell->repeat), "%s", c->name);
}

static bool execute(struct debugger *d, const char *line, struct strbuf *out, struct err *e)
{
	char word[40];
	bool scripted = false;
	char *expanded = alias_expand(d, line, &scripted);
	const char *args = split(expanded ? expanded : line, word, sizeof(word));
	const struct command *c = command_find(word, e);
	if (c) {
		remember(d, c, expanded ? expanded : line);
		teach_heard(d, c->name, args);
	}
	d->script.scripted += scripted;
	const u64 changes = changes_now(d);
	const struct sim_place at = sim_place(d->s->sim);
	bool ok = c && c->fn(d, args, out, e);
	changes_note(d, &d->shell->changes, changes, at, expanded ? expanded : line);
	d->script.scripted -= scripted;
	free(expanded);
	return ok;
}

/* Without blanks at both ends, and without the prompt that a line copied from a session or a text begins with. */
static char *trimmed(const char *line)
{
	static const char shown[] = "(wd)";
	line = skip_blanks(line);
	while (!strncmp(line, shown, sizeof shown - 1))
		line = skip_blanks(line + sizeof shown - 1);
	size_t n = strlen(line);
	while (n && strchr(" \t\r\n", line[n - 1]))
		n--;
	return xstrndup(line, n);
}

static bool execute_line(struct debugger *d, const char *line, struct strbuf *out, struct err *e)
{
	struct err own = {0};
	if (!e)
		e = &own;
	if (d->run.in_run)
		return err_set(e, "the machine is running: commands wait until it stops");
	if (d->shell->collect.kind != COLLECT_NONE)
		return collect(d, line, out, e);
	char *text = trimmed(line);
	teach_look_first(d, out);
	if (!*text) {
		free(text);
		text = xstrdup(teach_goes_on(d) ? "lesson next" : d->shell->repeat);
	}
	bool ok = !*text || *text == '#' || execute(d, text, out, e);
	free(text);
	session_change_ends(d->s);
	if (d->run.state != DBG_QUIT)
		d->run.state = debugger_busy(d) ? DBG_RUNNING : d->run.rest;
	if (ok)
		teach_look(d, out);
	return ok;
}

static void init(struct debugger *d)
{
	d->shell = xcalloc(1, sizeof *d->shell);
	d->shell->x_fmt = 'x';
	d->shell->x_size = 'w';
}

static void release(struct debugger *d)
{
	teach_end(d);
	restart_release(d);
	changes_release(&d->shell->changes);
	notes_release(&d->shell->notes);
	aliases_release(d);
	strbuf_release(&d->shell->collect.text);
	free(d->shell);
}

const struct debugger_words console_words = {
    .init = init,
    .execute = execute_line,
    .prompt = prompt,
    .drop_collect = drop_collect,
    .release = release,
};

void console_modules(struct lua_State *L, struct session *s)
{
	lua_open_dbg(L, s, &console_words);
}
