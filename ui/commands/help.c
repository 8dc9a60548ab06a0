/* help explain */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wrap.h"
#include "commands/commands.h"
#include "session/explain.h"
#include "sm/sm.h"
#include "base/words.h"
#include "session/inspections.h"
#include "script/reference.h"

size_t help_summary(const char *help)
{
	size_t n = 0;
	while (help[n] && !(strchr(".:", help[n]) && (!help[n + 1] || help[n + 1] == ' ')))
		n++;
	return n;
}

static void help_all(struct strbuf *out)
{
	for (u32 i = 0; i < ncommands; i++) {
		const struct command *c = &commands[i];
		char line[200];
		int x = snprintf(line, sizeof line, "%-16s %-10s ", c->name, c->abbreviations);
		strbuf_addf(out, "%s", line);
		snprintf(line, sizeof line, "%.*s", (int)help_summary(c->help), c->help);
		text_wrap(line, (u32)x, WRAP_WIDTH, out);
	}
	text_wrap("Unambiguous prefixes work too. `help COMMAND` tells more, `help info` lists the topics of info, "
	          "`help lua` what scripts can use.",
	          0, WRAP_WIDTH, out);
}

static void help_command(const struct command *c, struct strbuf *out)
{
	strbuf_addf(out, "%s\n", c->usage);
	if (*c->abbreviations)
		strbuf_addf(out, "    also: %s\n", c->abbreviations);
	strbuf_adds(out, "    ");
	text_wrap(c->help, 4, WRAP_WIDTH, out);
}

/* "NAME: text", its further lines under the text. */
static void wrap_doc(const char *indent, const char *name, const char *text, struct strbuf *out)
{
	strbuf_addf(out, "%s%s: ", indent, name);
	text_wrap(text, (u32)MIN(strlen(indent) + strlen(name) + 2, (size_t)WRAP_WIDTH / 2), WRAP_WIDTH, out);
}

/* Is `name` what was asked for: all (""), itself, or a part of it up to a dot, bracket or colon ("dbg", "gpu.sm")? */
static bool doc_wanted(const char *name, const char *asked)
{
	size_t n = strlen(asked);
	return !strncmp(name, asked, n) && (!n || !name[n] || strchr(".[:({, ", name[n]));
}

/* One row, or those that differ in the name alone; returns the last of them. */
static const struct lua_doc *help_doc(const struct lua_doc *doc, bool field, bool all, struct strbuf *out)
{
	for (; all && lua_doc_same(doc, doc + 1) && !field; doc++)
		strbuf_addf(out, "%s\n", doc->signature);
	if (field && *doc->values)
		wrap_doc("", doc->signature, doc->values, out);
	else
		strbuf_addf(out, "%s\n", doc->signature);
	strbuf_adds(out, "    ");
	text_wrap(doc->text, 4, WRAP_WIDTH, out);
	if (!field && *doc->values)
		wrap_doc("    ", "values", doc->values, out);
	if (*doc->errors)
		wrap_doc("    ", "errors", doc->errors, out);
	return doc;
}

static u32 help_section(const struct lua_section *s, const char *asked, struct strbuf *out)
{
	u32 found = 0;
	bool whole = !*asked || !strcmp(asked, s->name);
	if (whole) {
		strbuf_addf(out, "--- %s\n", s->title);
		text_wrap(s->text, 0, WRAP_WIDTH, out);
	}
	for (const struct lua_doc *doc = s->docs; doc->name; doc++) {
		if (!whole && !doc_wanted(doc->signature, asked))
			continue;
		doc = help_doc(doc, s->fields, whole, out);
		found++;
	}
	return found;
}

u32 help_lua(const char *asked, struct strbuf *out)
{
	u32 found = 0;
	for (u32 i = 0; i < lua_nsections; i++)
		found += help_section(&lua_sections[i], asked, out);
	return found;
}

/* The head of a script: lines as long as scripts have them, which go on in the next, are wrapped anew; a short one ends
 * its paragraph, an indented one stays as it is. */
#define SCRIPT_LINE 100
static void wrap_head(const char *text, struct strbuf *out)
{
	struct strbuf part = STRBUF_INIT;
	while (*text) {
		const size_t n = strcspn(text, "\n");
		const bool as_it_is = !n || *text == ' ';
		if (as_it_is)
			strbuf_addf(out, "%.*s\n", (int)n, text);
		else
			strbuf_addf(&part, "%.*s ", (int)n, text);
		text += n + (text[n] == '\n');
		if (as_it_is || (n >= SCRIPT_LINE && *text && *text != '\n'))
			continue;
		text_wrap(strbuf_str(&part), 0, WRAP_WIDTH, out);
		strbuf_clear(&part);
	}
	strbuf_release(&part);
}

bool cmd_help(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char word[40];
	const char *rest = next_word(args, word, sizeof(word));
	if (!rest) {
		help_all(out);
		return true;
	}
	if (strchr(word, '.') && help_lua(word, out))
		return true;
	const struct command *c = command_find(word, e);
	if (!c)
		return false;
	if (!strcmp(c->name, "lua") && *rest)
		return help_lua(rest, out) || err_set(e,
		                                      "help lua: nothing there is called '%.60s'; try base, dbg, gpu, mem, "
		                                      "cuda, workload, policy, machine",
		                                      rest);
	if (!strcmp(c->name, "info") && *rest) {
		next_word(rest, word, sizeof(word));
		const struct info_topic *t = info_find(word, e);
		if (t)
			strbuf_addf(out, "info %s %s\n    %s\n", t->name, t->args, t->help);
		return t != NULL;
	}
	if (!strcmp(c->name, "inspect") && *rest) {
		next_word(rest, word, sizeof word);
		if (!inspection_known(d->s->data_dir, word, e))
			return false;
		struct strbuf head = STRBUF_INIT;
		inspection_help(d->s->data_dir, word, &head);
		wrap_head(strbuf_str(&head), out);
		strbuf_release(&head);
		return true;
	}
	help_command(c, out);
	if (!strcmp(c->name, "inspect"))
		return cmd_inspect(d, "", out, e);
	if (!strcmp(c->name, "info"))
		return cmd_info(d, "", out, e);
	if (!strcmp(c->name, "lua"))
		help_lua("", out);
	return true;
}

/* The focused launch; without one the first that has yet to end, or the last of all. */
static u32 launch_in_question(const struct debugger *d, struct gpu *g, u32 n)
{
	struct kernel_info k;
	if (d->focus.kernel >= 0 && (u32)d->focus.kernel < n)
		return (u32)d->focus.kernel;
	for (u32 i = 0; i < n; i++) {
		gpu_kernel_info(g, i, &k);
		if (k.state != KS_DONE)
			return i;
	}
	return n - 1;
}

/* How many of its CTAs an SM holds by each limit. */
static void tell_limits(struct debugger *d, struct strbuf *out)
{
	struct gpu *g = dbg_gpu(d);
	const u32 n = gpu_num_kernels(g);
	if (!n)
		return;
	const u32 i = launch_in_question(d, g, n);
	struct kernel_info k;
	struct sm_limits l;
	gpu_kernel_info(g, i, &k);
	sm_limits(gpu_conf(g), k.launch, &l);
	const struct {
		const char *name;
		u32 n;
	} row[] = {{"threads", l.threads},       {"CTAs", l.slots},
	           {"registers", l.regs},        {"shared memory", l.shared},
	           {"context space", l.context}, {"virtual warps", l.numbers},
	           {"max_ctas_per_sm", l.set}};
	strbuf_addf(out, "%s#%u here: %u CTA%s per SM, limited by %s\n ", k.label, i, l.ctas, plural(l.ctas), l.limiter);
	for (u32 r = 0; r < ARRAY_LEN(row); r++)
		if (row[r].n != UINT32_MAX)
			strbuf_addf(out, " %s %u%s", row[r].name, row[r].n, strcmp(row[r].name, l.limiter) ? "" : " <-");
	if (l.active < l.ctas)
		strbuf_addf(out, "\n  %u of them active, the others wait without a slot; context of each %u B", l.active,
		            l.context_bytes);
	strbuf_addc(out, '\n');
}

static bool explain_word(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	for (u32 i = 0; i < WS_COUNT; i++)
		if (!strcmp(warp_state_descs[i].name, args)) {
			strbuf_addf(out, "%s (warp state, glyph %s): %s\n", args, warp_state_descs[i].glyph,
			            warp_state_descs[i].help);
			struct err ignored = {0};
			explain_name(args, false, out, &ignored); /* it may be a stall reason or so as well */
			return true;
		}
	if (!explain_name(args, false, out, e))
		return false;
	if (!strcmp(args, "occupancy"))
		tell_limits(d, out);
	return true;
}

/* A name of several words may stand in quotes, as a shell wants it. */
bool cmd_explain(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	const size_t n = strlen(args);
	const bool quoted = n > 2 && (*args == '"' || *args == '\'') && args[n - 1] == *args;
	if (!n)
		return err_set(e, "explain: a name is expected (a counter, event, stall reason, policy, config key or opcode)");
	char *word = xstrndup(args + quoted, n - 2 * quoted);
	const bool ok = explain_word(d, word, out, e);
	free(word);
	return ok;
}
