#include "base/state_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool is_directory(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

bool state_file(const char *name, char *path, size_t size)
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
		return snprintf(path, size, "%s/warpdbg_%s", dir, name) < (int)size;
	return snprintf(path, size, "%s/.warpdbg_%s", has_home ? home : dir, name) < (int)size;
}
