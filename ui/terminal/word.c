#include "terminal/word.h"
#include "views/appearance.h"

#include <string.h>

#include "commands/commands.h"

void word_forget(struct typed_word *w)
{
	w->n = 0;
}

void word_add(struct typed_word *w, const struct screen *s, int letter, double now)
{
	if (w->n == WORD_MAX || now > w->last + WORD_SECONDS)
		w->n = 0;
	w->last = now;
	w->before[w->n].view = s->state[s->view];
	w->before[w->n].focus = s->d->focus;
	w->before[w->n].taxonomy = debugger_appearance(s->d)->taxonomy;
	w->before[w->n].mouse = debugger_appearance(s->d)->mouse;
	w->letter[w->n++] = (char)letter;
	w->letter[w->n] = '\0';
}

/* Is text one of the words in the list, or the beginning of one? */
static bool among(const char *list, const char *text, bool whole)
{
	const size_t n = strlen(text);
	for (const char *p = list; *p; p += strcspn(p, " "), p += strspn(p, " "))
		if (!strncmp(p, text, n) && (!whole || !p[n] || p[n] == ' '))
			return true;
	return false;
}

static bool is_command(const struct debugger *d, const char *text, bool whole)
{
	for (u32 i = 0; i < ncommands; i++)
		if (among(commands[i].name, text, whole) || among(commands[i].abbreviations, text, whole))
			return true;
	for (u32 i = 0; i < d->shell->naliases; i++)
		if (among(d->shell->aliases[i].name, text, whole))
			return true;
	return false;
}

/* The letters from number `from` on were no keys. */
static const char *taken_back(struct typed_word *w, struct screen *s, u32 from)
{
	s->state[s->view] = w->before[from].view;
	s->d->focus = w->before[from].focus;
	debugger_appearance(s->d)->taxonomy = w->before[from].taxonomy;
	debugger_appearance(s->d)->mouse = w->before[from].mouse;
	s->notice[0] = '\0';
	return w->letter + from;
}

const char *word_as_command(struct typed_word *w, struct screen *s)
{
	u32 from = 0;
	while (from + 1 < w->n && !is_command(s->d, w->letter + from, false))
		from++;
	return taken_back(w, s, from);
}

const char *word_ended(struct typed_word *w, struct screen *s, double now)
{
	const bool command = w->n && now <= w->last + WORD_SECONDS && is_command(s->d, w->letter, true);
	return command ? taken_back(w, s, 0) : NULL;
}
