/* The tables of commands and info topics, and finding a row by what was typed. */
#include <string.h>

#include "commands/commands.h"

#define NO REPEAT_NO
#define SAME REPEAT_SAME
#define BARE REPEAT_BARE
const struct command commands[] = {
#define CMD(fn, name, abbreviations, usage, repeat, completer, help)                                                   \
	{name, abbreviations, usage, repeat, COMPLETE_##completer, help, cmd_##fn},
#include "commands/commands.def"
#undef CMD
};
const u32 ncommands = ARRAY_LEN(commands);

const struct info_topic info_topics[] = {
#define INFO(fn, name, abbreviations, args, help) {name, abbreviations, args, help, info_##fn},
#include "commands/infos.def"
#undef INFO
};
const u32 ninfo_topics = ARRAY_LEN(info_topics);

static bool in_list(const char *list, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = list; *p; p += strspn(p, " ")) {
		size_t len = strcspn(p, " ");
		if (len == n && !memcmp(p, word, n))
			return true;
		p += len;
	}
	return false;
}

bool command_abbreviates(const struct command *c, const char *word)
{
	return in_list(c->abbreviations, word);
}

/* What command_find and info_find share: rows by index. */
struct rows {
	const char *what;
	u32 n;
	const char *(*name)(u32 i);
	const char *(*abbreviations)(u32 i);
};

static const char *command_name(u32 i)
{
	return commands[i].name;
}
static const char *command_abbreviations(u32 i)
{
	return commands[i].abbreviations;
}
static const char *topic_name(u32 i)
{
	return info_topics[i].name;
}
static const char *topic_abbreviations(u32 i)
{
	return info_topics[i].abbreviations;
}

static s32 fail_unknown(const struct rows *r, const char *word, struct err *e)
{
	const char *names[64];
	for (u32 i = 0; i < MIN(r->n, (u32)ARRAY_LEN(names)); i++)
		names[i] = r->name(i);
	bool topic = !strcmp(r->what, "info topic");
	const char *hint = habit_hint(topic, word);
	const char *near = conf_nearest(word, names, MIN(r->n, (u32)ARRAY_LEN(names)));
	if (hint)
		err_set(e, "unknown %s '%.40s'; %s", r->what, word, hint);
	else if (near && strlen(word) > 2)
		err_set(e, "unknown %s '%.40s' (did you mean '%s'?)", r->what, word, near);
	else
		err_set(e, "unknown %s '%.40s'; `help%s` lists what there is", r->what, word, topic ? " info" : "");
	return -1;
}

static s32 fail_ambiguous(const struct rows *r, const char *word, struct err *e)
{
	struct strbuf t = STRBUF_INIT;
	for (u32 i = 0; i < r->n; i++)
		if (!strncmp(r->name(i), word, strlen(word)))
			strbuf_addf(&t, "%s%s", t.len ? ", " : "", r->name(i));
	err_set(e, "%s '%.40s' is ambiguous: %s", r->what, word, strbuf_str(&t));
	strbuf_release(&t);
	return -1;
}

static s32 find_row(const struct rows *r, const char *word, struct err *e)
{
	s32 found = -1;
	u32 matches = 0;
	for (u32 i = 0; i < r->n; i++)
		if (!strcmp(r->name(i), word) || in_list(r->abbreviations(i), word))
			return (s32)i;
	for (u32 i = 0; i < r->n && *word; i++)
		if (!strncmp(r->name(i), word, strlen(word))) {
			found = (s32)i;
			matches++;
		}
	if (matches == 1)
		return found;
	return matches ? fail_ambiguous(r, word, e) : fail_unknown(r, word, e);
}

const struct command *command_find(const char *word, struct err *e)
{
	static const struct rows r = {"command", ARRAY_LEN(commands), command_name, command_abbreviations};
	s32 i = find_row(&r, word, e);
	return i < 0 ? NULL : &commands[i];
}

const struct info_topic *info_find(const char *word, struct err *e)
{
	static const struct rows r = {"info topic", ARRAY_LEN(info_topics), topic_name, topic_abbreviations};
	s32 i = find_row(&r, word, e);
	return i < 0 ? NULL : &info_topics[i];
}
