#include "commands/notes.h"

#include <stdlib.h>
#include <string.h>

void notes_release(struct notes *n)
{
	for (u32 i = 0; i < n->n; i++)
		free(n->note[i].text);
	free(n->note);
}

void notes_add(struct notes *n, u64 cycle, const char *text)
{
	u32 i = n->n++;
	n->note = xrealloc(n->note, n->n * sizeof *n->note);
	for (; i && n->note[i - 1].cycle > cycle; i--)
		n->note[i] = n->note[i - 1];
	n->note[i] = (struct note){cycle, xstrdup(text)};
}

void notes_delete(struct notes *n, u32 i)
{
	free(n->note[i].text);
	n->n--;
	memmove(n->note + i, n->note + i + 1, (n->n - i) * sizeof *n->note);
}
