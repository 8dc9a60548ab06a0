#include "base/command_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <readline/history.h>

#include "base/base.h"

#define LINES_MAX 2000

static bool is_directory(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool file_path(char *path, size_t size)
{
	const char *home = getenv("HOME"), *state = getenv("XDG_STATE_HOME");
	char dir[2000];
	bool has_home = home && *home, has_state = state && *state;
	if (!has_home && !has_state)
		return false;
	if (has_state)
		snprintf(dir, sizeof(dir), "%s", state);
	else
		snprintf(dir, sizeof(dir), "%s/.local/state", home);
	if (is_directory(dir))
		snprintf(path, size, "%s/warpdbg_history", dir);
	else
		snprintf(path, size, "%s/.warpdbg_history", has_home ? home : dir);
	return true;
}

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
	if (file_path(path, sizeof(path)))
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
	if (file_path(path, sizeof(path)))
		write_history(path);
}
