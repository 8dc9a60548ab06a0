#include "cli/manual/manual.h"

#include <stdlib.h>
#include <string.h>

#include "base/wrap.h"
#include "commands/commands.h"

/* --- without a topic: what there is --- */

static void name_line(struct strbuf *out, const char *title, const char *names)
{
	strbuf_addf(out, "\n%s\n    ", title);
	text_wrap(names, 4, WRAP_WIDTH, out);
}

static void contents(struct strbuf *out)
{
	struct strbuf program = STRBUF_INIT, console = STRBUF_INIT, tables = STRBUF_INIT;
	strbuf_adds(out, "warpdbg help TOPIC, of these topics:\n\n");
	for (u32 i = 0; i < manual_ntopics; i++) {
		strbuf_addf(out, "    %-13s", manual_topics[i].name);
		text_wrap(manual_topics[i].help, 17, WRAP_WIDTH, out);
	}
	for (u32 i = 0; i < cmdline_ncommands; i++)
		strbuf_addf(&program, " %s", cmdline_command(i).name);
	for (u32 i = 0; i < ncommands; i++)
		strbuf_addf(&console, " %s", commands[i].name);
	for (u32 i = 0; i < ninfo_topics; i++)
		strbuf_addf(&tables, " %s", info_topics[i].name);
	name_line(out, "a command of the program:", strbuf_str(&program));
	name_line(out, "one of the debugger:", strbuf_str(&console));
	name_line(out, "a table of the debugger, `info TABLE`:", strbuf_str(&tables));
	strbuf_adds(out, "\nan option without its dashes (`help gpu`), `lua NAME` (`help lua dbg.on`)\n");
	strbuf_release(&program);
	strbuf_release(&console);
	strbuf_release(&tables);
}

/* --- all that a word names --- */

struct search {
	struct page *page;
	const char *word;
	u32 found;
};

/* A heading in front of what is found, but for the first time: with one meaning there is nothing to tell apart. */
static void meaning(struct search *s, const char *heading)
{
	if (s->found++)
		page_part(s->page, heading);
}

static void find_topic(struct search *s)
{
	for (u32 i = 0; i < manual_ntopics; i++)
		if (!strcmp(manual_topics[i].name, s->word)) {
			meaning(s, manual_topics[i].heading);
			manual_topics[i].write(s->page);
		}
}

static void find_program(struct search *s)
{
	for (u32 i = 0; i < cmdline_ncommands; i++) {
		if (strcmp(cmdline_command(i).name, s->word))
			continue;
		meaning(s, "The program's command");
		manual_program(s->page, i);
		page_part(s->page, "Its options");
		for (u32 k = 0; k < cmdline_noptions; k++)
			if (cmdline_takes(i, k))
				manual_option(s->page, k);
	}
}

static void find_option(struct search *s)
{
	const char *bare = s->word + strspn(s->word, "-");
	for (u32 i = 0; i < cmdline_noptions; i++)
		if (!strcmp(cmdline_option(i).name, bare)) {
			meaning(s, "An option");
			manual_option(s->page, i);
		}
}

static void find_console(struct search *s)
{
	for (u32 i = 0; i < ncommands; i++)
		if (!strcmp(commands[i].name, s->word) || command_abbreviates(&commands[i], s->word)) {
			meaning(s, "In the debugger");
			manual_console(s->page, i);
		}
}

static void find_info(struct search *s)
{
	for (u32 i = 0; i < ninfo_topics; i++)
		if (!strcmp(info_topics[i].name, s->word)) {
			meaning(s, "A table of the debugger");
			manual_info(s->page, i);
		}
}

/* --- nothing of that name --- */

/* Every name, in a list to be freed. */
static const char **all_names(u32 *n)
{
	const char **names =
	    xcalloc(manual_ntopics + cmdline_ncommands + cmdline_noptions + ncommands + ninfo_topics, sizeof *names);
	*n = 0;
	for (u32 i = 0; i < manual_ntopics; i++)
		names[(*n)++] = manual_topics[i].name;
	for (u32 i = 0; i < cmdline_ncommands; i++)
		names[(*n)++] = cmdline_command(i).name;
	for (u32 i = 0; i < ncommands; i++)
		names[(*n)++] = commands[i].name;
	for (u32 i = 0; i < ninfo_topics; i++)
		names[(*n)++] = info_topics[i].name;
	for (u32 i = 0; i < cmdline_noptions; i++)
		names[(*n)++] = cmdline_option(i).name;
	return names;
}

#define NEAR_MAX 5

static void add_near(const char **list, u32 *n, const char *name)
{
	for (u32 i = 0; i < *n; i++)
		if (!strcmp(list[i], name))
			return;
	if (*n < NEAR_MAX)
		list[(*n)++] = name;
}

static bool nothing(const char *asked, struct err *e)
{
	const char *word = asked + strspn(asked, "-"), *near[NEAR_MAX];
	u32 n, nnear = 0;
	const char **names = all_names(&n), *best = conf_nearest(word, names, n);
	struct strbuf text = STRBUF_INIT;
	if (best)
		add_near(near, &nnear, best);
	for (u32 i = 0; i < n && strlen(word) > 1; i++)
		if (strstr(names[i], word))
			add_near(near, &nnear, names[i]);
	for (u32 i = 0; i < nnear; i++)
		strbuf_addf(&text, "%s'%s'", i ? ", " : "", near[i]);
	if (nnear)
		err_set(e, "help: there is nothing called '%.60s' (near it: %s)", asked, strbuf_str(&text));
	else
		err_set(e,
		        "help: there is nothing called '%.60s'; `warpdbg help` lists what there is, `warpdbg explain` knows "
		        "figures, events and configuration keys",
		        asked);
	strbuf_release(&text);
	free(names);
	return false;
}

static bool one_table(struct page *p, const char *name, struct err *e)
{
	const struct info_topic *t = info_find(name, e);
	if (t)
		manual_info(p, (u32)(t - info_topics));
	return t != NULL;
}

static bool look_for(struct page *p, const char *word, struct err *e)
{
	struct search s = {.page = p, .word = word};
	find_topic(&s);
	find_program(&s);
	find_console(&s);
	find_info(&s);
	find_option(&s);
	return s.found || nothing(word, e);
}

static void whole_page(struct page *p, const char *version)
{
	struct strbuf title = STRBUF_INIT;
	strbuf_addf(&title, "warpdbg %s", version);
	page_head(p, "WARPDBG", strbuf_str(&title), cmdline_about);
	strbuf_release(&title);
	for (u32 i = 0; i < manual_ntopics; i++) {
		page_heading(p, manual_topics[i].heading);
		manual_topics[i].write(p);
	}
}

bool manual_help(const struct options *o, const char *version, struct strbuf *out, struct err *e)
{
	struct page p = {.out = out, .roff = o->format && !strcmp(o->format, "man")};
	const char *more = o->nfigures ? o->figures[0] : NULL;
	if (o->nfigures > 1)
		return err_set(e, "help: one topic, or `info TABLE`, `lua NAME`");
	const bool script = o->format && (!strcmp(o->format, "bash") || !strcmp(o->format, "zsh"));
	if (script && !o->workload)
		return manual_completion(o->format, out, e);
	if (script)
		return err_set(e, "--format %s is the completion of all commands, not of one topic", o->format);
	if (p.roff && o->workload)
		return err_set(e, "--format man is for all of the manual page, not for one topic");
	if (p.roff)
		whole_page(&p, version);
	else if (!o->workload)
		contents(out);
	else if (!more)
		return look_for(&p, o->workload, e);
	else if (!strcmp(o->workload, "info"))
		return one_table(&p, more, e);
	else if (!strcmp(o->workload, "lua"))
		return help_lua(more, out) ||
		       err_set(e, "help lua: there is nothing called '%.60s'; `warpdbg list lua` has all", more);
	else
		return err_set(e, "help %.40s: unexpected word '%.60s'", o->workload, more);
	return true;
}
