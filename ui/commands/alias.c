/* alias unalias, info aliases: names of the user's own for commands */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"

static struct alias *find(struct debugger *d, const char *name, size_t n)
{
	for (u32 i = 0; i < d->shell->naliases; i++)
		if (strlen(d->shell->aliases[i].name) == n && !memcmp(d->shell->aliases[i].name, name, n))
			return &d->shell->aliases[i];
	return NULL;
}

static void forget(struct debugger *d, struct alias *a)
{
	free(a->name);
	free(a->text);
	u32 at = (u32)(a - d->shell->aliases);
	memmove(a, a + 1, (d->shell->naliases - at - 1) * sizeof(*a));
	d->shell->naliases--;
}

void aliases_release(struct debugger *d)
{
	while (d->shell->naliases)
		forget(d, &d->shell->aliases[d->shell->naliases - 1]);
	free(d->shell->aliases);
	d->shell->aliases = NULL;
}

char *alias_expand(struct debugger *d, const char *line, bool *scripted)
{
	size_t n = strcspn(line, " \t/");
	const struct alias *a = find(d, line, n);
	if (!a)
		return NULL;
	*scripted |= a->scripted;
	struct strbuf t = STRBUF_INIT;
	strbuf_adds(&t, a->text);
	strbuf_adds(&t, line + n);
	char *expanded = xstrdup(strbuf_str(&t));
	strbuf_release(&t);
	return expanded;
}

/* Letters, digits, '-' and '_', and no word that names a command already. */
static bool check_name(const char *name, size_t n, struct err *e)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	struct err none = {0};
	char word[40];
	if (!n || n >= sizeof(word) || strspn(name, letters) < n)
		return err_set(e, "alias: '%.*s' is no name: up to %zu letters, digits, '-' and '_'", (int)MIN(n, 60), name,
		               sizeof(word) - 1);
	memcpy(word, name, n);
	word[n] = 0;
	const struct command *c = command_find(word, &none);
	bool prefix = c && strcmp(c->name, word) && !command_abbreviates(c, word);
	if (!isalpha((unsigned char)*word) && *word != '_')
		return err_set(e, "alias: '%s' is no name: it has to begin with a letter", word);
	return !c || prefix || err_set(e, "alias: '%s' is the command %s already", word, c->name);
}

/* What it stands for, other aliases resolved: so none can lead back to itself. */
static char *resolve(struct debugger *d, const char *text, bool *scripted, struct err *e)
{
	char word[40];
	char *expanded = alias_expand(d, text, scripted);
	size_t n;
	if (!expanded)
		expanded = xstrdup(text);
	n = strcspn(expanded, " \t/");
	if (n < sizeof(word)) {
		memcpy(word, expanded, n);
		word[n] = 0;
		if (command_find(word, e))
			return expanded;
	} else {
		err_set(e, "alias: '%.40s' is no command", expanded);
	}
	free(expanded);
	return NULL;
}

bool cmd_alias(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	size_t n = strcspn(args, " \t=");
	const char *eq = skip_blanks(args + n), *text = *eq == '=' ? skip_blanks(eq + 1) : "";
	if (!*args)
		return info_aliases(d, "", out, e);
	if (!*text)
		return err_set(e, "alias: NAME = COMMAND [ARGUMENTS] is expected");
	if (!check_name(args, n, e))
		return false;
	bool scripted = d->script.scripted;
	char *resolved = resolve(d, text, &scripted, e);
	if (!resolved)
		return false;
	struct alias *a = find(d, args, n);
	if (a)
		forget(d, a);
	d->shell->aliases = xrealloc(d->shell->aliases, (d->shell->naliases + 1) * sizeof(*d->shell->aliases));
	d->shell->aliases[d->shell->naliases++] = (struct alias){xstrndup(args, n), resolved, scripted};
	return true;
}

bool cmd_unalias(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char word[48];
	const char *rest = next_word(args, word, sizeof(word));
	if (!rest || *rest)
		return err_set(e, "unalias: one name is expected (`info aliases`)");
	struct alias *a = find(d, word, strlen(word));
	if (!a)
		return err_set(e, "unalias: there is no alias '%s'", word);
	forget(d, a);
	return true;
}

bool info_aliases(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (!arg_none(args, "info aliases", e))
		return false;
	if (!d->shell->naliases)
		strbuf_adds(out, "no aliases (`alias NAME = COMMAND ARGUMENTS` makes one)\n");
	for (u32 i = 0; i < d->shell->naliases; i++)
		strbuf_addf(out, "%-12s = %s\n", d->shell->aliases[i].name, d->shell->aliases[i].text);
	return true;
}
