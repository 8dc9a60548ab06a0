#include "base/command_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/history.h>

#include "base/base.h"
#include "base/state_file.h"

#define LINES_MAX 2000

/* Lines that are no text in this locale: readline's vi commands do not end on them. */
static void drop_broken_lines(void)
{
	for (int i = history_length; i-- > 0;)
		if (mbstowcs(NULL, history_get(history_base + i)->line, 0) == (size_t)-1)
			free_history_entry(remove_history(i));
}

void command_history_load(void)
{
	char path[2100];
	using_history();
	stifle_history(LINES_MAX);
	if (state_file("history", path, sizeof(path)))
		read_history(path);
	drop_broken_lines();
}

void command_history_add(const char *line)
{
	HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;
	if (line[strspn(line, " \t")] && !(last && !strcmp(last->line, line)))
		add_history(line);
}

void command_history_save(void)
{
	char path[2100];
	if (state_file("history", path, sizeof(path)))
		write_history(path);
}
