/* help explain */
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "explain.h"
#include "lua/dbg.h"

static void wrap(const char *text, u32 indent, u32 width, struct strbuf *out)
{
	u32 col = indent;
	while (*(text = skip_blanks(text))) {
		size_t n = strcspn(text, " \n");
		if (col > indent && col + 1 + n > width) {
			strbuf_addf(out, "\n%*s", (int)indent, "");
			col = indent;
		} else if (col > indent) {
			strbuf_addc(out, ' ');
			col++;
		}
		strbuf_add(out, text, n);
		col += (u32)n;
		text += n;
	}
	strbuf_addc(out, '\n');
}

static void help_all(struct strbuf *out)
{
	for (u32 i = 0; i < ncommands; i++) {
		const struct command *c = &commands[i];
		strbuf_addf(out, "%-10s %-10s ", c->name, *c->abbreviations ? c->abbreviations : "");
		size_t n = strcspn(c->help, ".:");
		strbuf_addf(out, "%.*s\n", (int)n, c->help);
	}
	strbuf_adds(out, "Unambiguous prefixes work too. `help COMMAND` tells more, `help lua` what scripts can use, `help "
	                 "info` the topics of "
	                 "info.\n");
}

static void help_command(const struct command *c, struct strbuf *out)
{
	strbuf_addf(out, "%s\n", c->usage);
	if (*c->abbreviations)
		strbuf_addf(out, "    also: %s\n", c->abbreviations);
	strbuf_adds(out, "    ");
	wrap(c->help, 4, 100, out);
}

static void help_docs(const struct lua_doc *doc, struct strbuf *out)
{
	for (; doc->name; doc++) {
		strbuf_addf(out, "%s\n    ", doc->signature);
		wrap(doc->text, 4, 100, out);
	}
}

static void help_lua(struct strbuf *out)
{
	help_docs(lua_dbg_docs, out);
	help_docs(lua_gpu_docs, out);
	help_docs(lua_mem_docs, out);
	help_docs(lua_cuda_docs, out);
}

bool cmd_help(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char word[40];
	const char *rest = next_word(args, word, sizeof(word));
	if (!rest) {
		help_all(out);
		return true;
	}
	const struct command *c = command_find(word, e);
	if (!c)
		return false;
	if (!strcmp(c->name, "info") && *rest) {
		next_word(rest, word, sizeof(word));
		const struct info_topic *t = info_find(word, e);
		if (t)
			strbuf_addf(out, "info %s %s\n    %s\n", t->name, t->args, t->help);
		return t != NULL;
	}
	help_command(c, out);
	if (!strcmp(c->name, "info"))
		return cmd_info(d, "", out, e);
	if (!strcmp(c->name, "lua"))
		help_lua(out);
	return true;
}

bool cmd_explain(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (!*args)
		return err_set(e, "explain: a name is expected (a counter, event, stall reason, policy, config key or opcode)");
	for (u32 i = 0; i < WS_COUNT; i++)
		if (!strcmp(warp_state_descs[i].name, args)) {
			strbuf_addf(out, "%s (warp state, glyph %s): %s\n", args, warp_state_descs[i].glyph,
			            warp_state_descs[i].help);
			struct err ignored = {0};
			explain_name(args, false, out, &ignored); /* it may be a stall reason or so as well */
			return true;
		}
	return explain_name(args, false, out, e);
}
