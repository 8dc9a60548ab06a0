/* Completion of the command line by a shell, from the tables behind the parser: `warpdbg help --format bash` and `zsh`.
 *
 * Both scripts are the same two tables - words by what stands before them, and by the program's command - in two
 * languages. The bundled names (machines, workloads, papers) are those of the program that wrote the script. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/list.h"
#include "cli/manual/manual.h"
#include "commands/commands.h"
#include "session/catalog.h"
#include "session/explain.h"
#include "session/neighbours.h"
#include "sim.h"

/* What may stand at a place: words, names of files, or nothing that is known. */
struct choice {
	struct strbuf words;
	bool files;
};

static void add(struct choice *c, const char *word)
{
	if (!word[strcspn(word, " '\"$`\\;&|<>()")]) /* what a shell would read as something else is not offered */
		strbuf_addf(&c->words, "%s%s", c->words.len ? " " : "", word);
}

static void add_files_of(struct choice *c, const char *data_dir, const char *folder)
{
	struct file_names all = catalog_all_names(data_dir, folder);
	for (u32 i = 0; i < all.n; i++)
		add(c, all.name[i]);
	catalog_release(&all);
}

/* "small|default|large": the words of an argument that is a choice. */
static bool add_alternatives(struct choice *c, const char *arg)
{
	char word[40];
	if (!strchr(arg, '|') || arg[strcspn(arg, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")])
		return false;
	for (const char *p = arg; *p; p += strcspn(p, "|"), p += *p == '|') {
		snprintf(word, sizeof word, "%.*s", (int)MIN(strcspn(p, "|"), sizeof word - 1), p);
		add(c, word);
	}
	return true;
}

/* The same without what the scripts of the folder share. */
static void add_scripts_of(struct choice *c, const char *data_dir, const char *folder)
{
	struct file_names all = catalog_names(data_dir, folder);
	for (u32 i = 0; i < all.n; i++)
		if (strcmp(all.name[i], "lib") != 0)
			add(c, all.name[i]);
	catalog_release(&all);
}

/* Behind an option that takes a value. */
static void option_value(const struct option_text *o, const char *data_dir, struct choice *c)
{
	const enum policy_kind kind = policy_kind_of(o->name);
	const struct policy *p;
	if (add_alternatives(c, o->arg))
		return;
	for (u32 i = 0; kind != POLICY_KINDS && (p = sim_policy(kind, i)); i++)
		add(c, p->name);
	for (u32 i = 0; !strcmp(o->name, "set") && i < conf_nkeys; i++)
		add(c, conf_keys[i].key);
	if (!strcmp(o->name, "gpu"))
		add_files_of(c, data_dir, "configs/gpus");
	if (!strcmp(o->name, "inspect"))
		add_scripts_of(c, data_dir, "scripts/inspect");
	c->files = strstr(o->arg, "FILE") || strstr(o->arg, "DIR");
}

static void add_explained(void *ctx, const struct explanation *x)
{
	add(ctx, x->name);
}

/* What a command of the program takes beside options. */
static void command_words(const char *name, const char *data_dir, struct choice *c)
{
	if (!strcmp(name, "list")) {
		for (u32 i = 0; list_thing(i); i++)
			add(c, list_thing(i));
	} else if (!strcmp(name, "explain")) {
		explain_each(NULL, add_explained, c);
		for (u32 i = 0; i < nneighbours; i++)
			if (!strpbrk(neighbours[i].name, "[.")) /* a shell's own */
				add(c, neighbours[i].name);
	} else if (!strcmp(name, "help")) {
		for (u32 i = 0; i < manual_ntopics; i++)
			add(c, manual_topics[i].name);
		for (u32 i = 0; i < cmdline_ncommands; i++)
			add(c, cmdline_command(i).name);
		for (u32 i = 0; i < ncommands; i++)
			add(c, commands[i].name);
	} else if (!strcmp(name, "learn")) {
		add_scripts_of(c, data_dir, "scripts/lessons");
		c->files = true;
	} else if (!strcmp(name, "paper")) {
		add_files_of(c, data_dir, "scripts/papers");
	} else {
		add_files_of(c, data_dir, "scripts/workloads");
		c->files = true;
	}
}

/* --- the scripts --- */

static void branch(struct strbuf *out, bool zsh, const char *pattern, const struct choice *c)
{
	strbuf_addf(out, "\t%s) ", pattern);
	if (zsh) {
		if (c->words.len)
			strbuf_addf(out, "compadd -- %s; ", c->words.buf);
		strbuf_addf(out, "%s;;\n", c->files ? "_files; " : "");
	} else {
		strbuf_addf(out, "words='%s' files=%s ;;\n", c->words.len ? c->words.buf : "", c->files ? "yes" : "");
	}
}

static void option_branches(struct strbuf *out, bool zsh, const char *data_dir)
{
	for (u32 i = 0; i < cmdline_noptions; i++) {
		const struct option_text o = cmdline_option(i);
		struct choice c = {.words = STRBUF_INIT};
		char pattern[80];
		if (!o.arg)
			continue;
		option_value(&o, data_dir, &c);
		snprintf(pattern, sizeof pattern, "%s%s", o.dashes, o.name);
		branch(out, zsh, pattern, &c);
		strbuf_release(&c.words);
	}
}

static void dashed_branches(struct strbuf *out, bool zsh)
{
	for (u32 i = 0; i < cmdline_ncommands; i++) {
		struct choice c = {.words = STRBUF_INIT};
		for (u32 k = 0; k < cmdline_noptions; k++) {
			char word[64];
			snprintf(word, sizeof word, "%s%s", cmdline_option(k).dashes, cmdline_option(k).name);
			if (cmdline_takes(i, k))
				add(&c, word);
		}
		branch(out, zsh, cmdline_command(i).name, &c);
		strbuf_release(&c.words);
	}
}

static void word_branches(struct strbuf *out, bool zsh, const char *data_dir)
{
	for (u32 i = 0; i < cmdline_ncommands; i++) {
		struct choice c = {.words = STRBUF_INIT};
		command_words(cmdline_command(i).name, data_dir, &c);
		branch(out, zsh, cmdline_command(i).name, &c);
		strbuf_release(&c.words);
	}
}

/* "debug|run|..." */
static void command_pattern(struct strbuf *out, const char *between)
{
	for (u32 i = 0; i < cmdline_ncommands; i++)
		strbuf_addf(out, "%s%s", i ? between : "", cmdline_command(i).name);
}

static void bash_script(struct strbuf *out, const char *data_dir)
{
	strbuf_adds(
	    out,
	    "# Completion of warpdbg in bash, written by `warpdbg help --format bash`: to be read by `source`, or\n"
	    "# to lie in bash-completion's folder under the name warpdbg.\n"
	    "_warpdbg()\n{\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} cmd=debug words= files=\n"
	    "\tif [[ $COMP_CWORD -gt 1 ]]; then\n\t\tcase ${COMP_WORDS[1]} in\n\t\t");
	command_pattern(out, "|");
	strbuf_adds(out, ") cmd=${COMP_WORDS[1]} ;;\n\t\tesac\n\tfi\n\tcase $prev in\n");
	option_branches(out, false, data_dir);
	strbuf_adds(out, "\t*)\n\tif [[ $cur == -* ]]; then\n\tcase $cmd in\n");
	dashed_branches(out, false);
	strbuf_adds(out, "\tesac\n\telse\n\tcase $cmd in\n");
	word_branches(out, false, data_dir);
	strbuf_adds(out, "\tesac\n\t[[ $COMP_CWORD -eq 1 ]] && words=\"");
	command_pattern(out, " ");
	strbuf_adds(out, " $words\"\n\tfi ;;\n\tesac\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	                 "\tif [[ $files ]]; then\n\t\tcompopt -o filenames 2>/dev/null\n"
	                 "\t\tlocal IFS=$'\\n'\n\t\tCOMPREPLY+=($(compgen -f -- \"$cur\"))\n\tfi\n"
	                 "\treturn 0\n}\ncomplete -F _warpdbg warpdbg\n");
}

static void zsh_script(struct strbuf *out, const char *data_dir)
{
	strbuf_adds(
	    out,
	    "#compdef warpdbg\n# Completion of warpdbg in zsh, written by `warpdbg help --format zsh`: to lie in a folder of\n"
	    "# $fpath under the name _warpdbg.\n"
	    "_warpdbg()\n{\n\tlocal cur=${words[CURRENT]} prev=${words[CURRENT-1]} cmd=debug\n"
	    "\tif (( CURRENT > 2 )); then\n\t\tcase ${words[2]} in\n\t\t");
	command_pattern(out, "|");
	strbuf_adds(out, ") cmd=${words[2]} ;;\n\t\tesac\n\tfi\n\tcase $prev in\n");
	option_branches(out, true, data_dir);
	strbuf_adds(out, "\t*)\n\tif [[ $cur == -* ]]; then\n\tcase $cmd in\n");
	dashed_branches(out, true);
	strbuf_adds(out, "\tesac\n\telse\n\t(( CURRENT == 2 )) && compadd -- ");
	command_pattern(out, " ");
	strbuf_adds(out, "\n\tcase $cmd in\n");
	word_branches(out, true, data_dir);
	strbuf_adds(
	    out,
	    "\tesac\n\tfi ;;\n\tesac\n}\n[[ $funcstack[1] == _warpdbg ]] && _warpdbg \"$@\" || compdef _warpdbg warpdbg\n");
}

bool manual_completion(const char *shell, struct strbuf *out, struct err *e)
{
	char *data_dir = catalog_data_dir(e);
	if (!data_dir)
		return false;
	if (!strcmp(shell, "zsh"))
		zsh_script(out, data_dir);
	else
		bash_script(out, data_dir);
	free(data_dir);
	return true;
}
