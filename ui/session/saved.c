#include "session/saved.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/args.h"
#include "base/strbuf.h"

static struct {
	char **word;
	u32 n;
} kept; /* the process's command line */

static void keep(const char *word)
{
	kept.word = xrealloc(kept.word, (kept.n + 1) * sizeof *kept.word);
	kept.word[kept.n++] = xstrdup(word);
}

/* Options that say what the console is to do at the start: a saved session has that in its own lines. 2: its value is
 * the next word. */
static u32 of_the_start(const char *word)
{
	static const struct {
		const char *name;
		bool value;
	} rows[] = {{"x", true}, {"ex", true}, {"batch", false}, {"keep-going", false}};
	const size_t dashes = strspn(word, "-"), n = strcspn(word + dashes, "=");
	for (u32 i = 0; i < ARRAY_LEN(rows) && dashes && dashes <= 2; i++)
		if (strlen(rows[i].name) == n && !strncmp(word + dashes, rows[i].name, n))
			return rows[i].value && !word[dashes + n] ? 2 : 1;
	return 0;
}

static void keep_words(char **word, int n)
{
	bool app = false; /* behind --: another program's */
	for (int i = 0; i < n; i++) {
		app |= !strcmp(word[i], "--");
		const u32 drops = app ? 0 : of_the_start(word[i]);
		if (!drops)
			keep(word[i]);
		i += drops == 2;
	}
}

u32 saved_words(const char *const **words)
{
	*words = (const char *const *)kept.word;
	return kept.n;
}

/* Is it a saved session, of any version? */
static FILE *open_saved(const char *path, char **line, size_t *room)
{
	struct stat st;
	if (*path == '-' || stat(path, &st) || !S_ISREG(st.st_mode)) /* a pipe would be read only once */
		return NULL;
	FILE *f = fopen(path, "r");
	if (f && (getline(line, room, f) < 0 || strncmp(*line, "# warpdbg session ", 18) != 0)) {
		fclose(f);
		return NULL;
	}
	return f;
}

static bool read_words(FILE *f, const char *path, char **line, size_t *room, struct err *e)
{
	if (strncmp(*line, SAVED_HEAD ":", sizeof SAVED_HEAD) != 0)
		return err_set(e, "%s:1: this session was saved by another version of warpdbg: '%.40s'", path,
		               *line + strlen("# "));
	for (ssize_t n; (n = getline(line, room, f)) > 0;) {
		if ((*line)[n - 1] == '\n')
			(*line)[n - 1] = 0;
		if (!strncmp(*line, SAVED_WORD, sizeof SAVED_WORD - 1))
			keep(*line + sizeof SAVED_WORD - 1);
	}
	return !ferror(f) || err_set(e, "%s: %s", path, strerror(errno));
}

void saved_program(const char *text)
{
	char word[1000];
	kept.word = NULL; /* those before may be the options' own: they stay */
	kept.n = 0;
	while ((text = next_word(text, word, sizeof word)))
		keep(word);
}

bool saved_expand(int *argc, char ***argv, struct err *e)
{
	char *line = NULL;
	size_t room = 0;
	const bool debug = *argc > 2 && !strcmp((*argv)[1], "debug");
	const char *path = debug ? (*argv)[2] : "";
	FILE *f = debug ? open_saved(path, &line, &room) : NULL;
	const bool ok = !f || read_words(f, path, &line, &room, e);
	if (f)
		fclose(f);
	free(line);
	const u32 saved = kept.n;
	const int rest = f ? 3 : debug ? 2 : 1;
	if (ok && rest < *argc)
		keep_words(*argv + rest, *argc - rest);
	if (!f || !ok)
		return ok;
	/* What stands behind FILE may be options; the program and what is behind `--` come last. */
	char **all = xcalloc(saved + (u32)*argc + 3, sizeof *all);
	int n = 0;
	all[n++] = (*argv)[0];
	all[n++] = (*argv)[1];
	all[n++] = xstrdup("-x");
	all[n++] = (*argv)[2];
	for (int i = rest; i < *argc; i++)
		all[n++] = (*argv)[i];
	for (u32 i = 0; i < saved; i++)
		all[n++] = kept.word[i];
	*argc = n;
	*argv = all;
	return true;
}
