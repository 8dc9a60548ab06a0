/* The topics' texts. What is in a table elsewhere is taken from there. */
#include "cli/manual/manual.h"
#include "commands/commands.h"
#include "script/reference.h"

#define TOPIC(fn, name, heading, help) static topic_fn topic_##fn;
#include "cli/manual/topics.def"
#undef TOPIC
const struct topic manual_topics[] = {
#define TOPIC(fn, name, heading, help) {name, heading, help, topic_##fn},
#include "cli/manual/topics.def"
#undef TOPIC
};
const u32 manual_ntopics = ARRAY_LEN(manual_topics);

/* --- rows of tables --- */

void manual_program(struct page *p, u32 command)
{
	struct command_text c = cmdline_command(command);
	struct strbuf term = STRBUF_INIT;
	strbuf_addf(&term, "warpdbg %s %s", c.name, c.args);
	page_term(p, strbuf_str(&term), "", c.help);
	strbuf_release(&term);
}

/* What OPTIONS of a machine may be, from the parser's table. */
static void side_options(struct strbuf *out)
{
	strbuf_adds(out, ". OPTIONS:");
	for (u32 i = 0; i < cmdline_noptions; i++)
		if (cmdline_of_side(i))
			strbuf_addf(out, " %s%s", cmdline_option(i).dashes, cmdline_option(i).name);
}

void manual_option(struct page *p, u32 option)
{
	struct option_text o = cmdline_option(option);
	struct strbuf term = STRBUF_INIT;
	strbuf_addf(&term, "%s%s%s%s", o.dashes, o.name, o.arg ? " " : "", o.arg ? o.arg : "");
	struct strbuf help = STRBUF_INIT;
	strbuf_adds(&help, o.help);
	if (o.arg && !strcmp(o.arg, "OPTIONS"))
		side_options(&help);
	page_term(p, strbuf_str(&term), "", strbuf_str(&help));
	strbuf_release(&term);
	strbuf_release(&help);
}

void manual_console(struct page *p, u32 command)
{
	page_term(p, commands[command].usage, commands[command].abbreviations, commands[command].help);
}

void manual_info(struct page *p, u32 topic)
{
	const struct info_topic *t = &info_topics[topic];
	struct strbuf term = STRBUF_INIT;
	strbuf_addf(&term, "info %s%s%s", t->name, *t->args ? " " : "", t->args);
	page_term(p, strbuf_str(&term), t->abbreviations, t->help);
	strbuf_release(&term);
}

/* --- topics --- */

static void topic_usage(struct page *p)
{
	struct strbuf text = STRBUF_INIT;
	strbuf_adds(&text, "warpdbg\n");
	for (u32 i = 0; i < cmdline_ncommands; i++)
		strbuf_addf(&text, "warpdbg %s %s\n", cmdline_command(i).name, cmdline_command(i).args);
	page_lines(p, strbuf_str(&text));
	strbuf_release(&text);
}

static void topic_description(struct page *p)
{
	page_text(
	    p, "A GPU - SMs, warps, CTAs, caches, interconnect, DRAM - is simulated cycle by cycle while it runs real PTX. "
	       "The debugger steps it by cycles or instructions, goes back to any cycle, stops at events, lines, "
	       "values and where two machines decide differently, and says why warps wait. Scripts in Lua see and drive "
	       "all of it. `warpdbg` alone opens the debugger on the bundled demo.");
	page_text(p, cmdline_workload);
	page_text(p,
	          "Everything that has a name is explained by `warpdbg explain NAME`, and listed by `warpdbg list WHAT`: "
	          "machines, workloads, policies, statistics, events, configuration keys.");
}

static void topic_commands(struct page *p)
{
	for (u32 i = 0; i < cmdline_ncommands; i++)
		manual_program(p, i);
}

static void topic_options(struct page *p)
{
	for (u32 s = 0; s < cmdline_nsections; s++) {
		page_part(p, cmdline_section(s));
		for (u32 i = 0; i < cmdline_noptions; i++)
			if (cmdline_option(i).section == s)
				manual_option(p, i);
	}
}

static void topic_console(struct page *p)
{
	page_text(p, "Unambiguous prefixes work too. The keys of a view are under `?`.");
	for (u32 i = 0; i < ncommands; i++)
		manual_console(p, i);
}

static void topic_tables(struct page *p)
{
	for (u32 i = 0; i < ninfo_topics; i++)
		manual_info(p, i);
}

static void topic_lua(struct page *p)
{
	page_text(p, "Parts, each with all it has under `warpdbg help lua NAME` or, in the debugger, `help lua NAME`:");
	for (u32 i = 0; i < lua_nsections; i++) {
		struct strbuf text = STRBUF_INIT;
		strbuf_addf(&text, "%s. %s", lua_sections[i].title, lua_sections[i].text);
		page_term(p, lua_sections[i].name, "", strbuf_str(&text));
		strbuf_release(&text);
	}
}

static void topic_exit(struct page *p)
{
	for (u32 i = 0; i < cmdline_nstatuses; i++)
		page_term(p, cmdline_statuses[i].status, "", cmdline_statuses[i].help);
	page_text(p,
	          "After SIGTERM or SIGHUP files are completed and the program ends by that signal (143, 129 to a shell).");
}

static void topic_environment(struct page *p)
{
	static const char *const rows[][2] = {
	    {"NO_COLOR", "not empty: no colours, as with --no-color"},
	    {"WARPDBG_BACKGROUND", "light or dark: the terminal's background, for --palette auto"},
	    {"COLORFGBG", "the same as terminals say it; asked for after WARPDBG_BACKGROUND"},
	    {"TERM", "the terminal; dumb: no colours and no screen"},
	    {"HOME, XDG_STATE_HOME", "where the console's history and the commands read at the start lie"},
	    {"WARPDBG_LESSONS", "folders with lessons of your own for `learn`, with a colon between two"},
	};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++)
		page_term(p, rows[i][0], "", rows[i][1]);
}

static void topic_files(struct page *p)
{
	static const char *const rows[][2] = {
	    {"~/.warpdbgrc, ./.warpdbgrc", "console commands that the debugger reads at its start; not with --batch"},
	    {"$XDG_STATE_HOME/warpdbg_history",
	     "lines typed at the console; ~/.local/state without the variable, ~/.warpdbg_history without that directory"},
	    {"$XDG_STATE_HOME/warpdbg_lessons", "the lessons that are done, a name a line; where the history is"},
	    {"~/.warpdbg/lessons", "lessons of your own"},
	    {"configs/, scripts/",
	     "machines, kernels and workloads: beside the program, in ../share/warpdbg, or in the working directory"},
	    {"FILE.part", "what is written until it is complete and takes the name FILE"},
	};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++)
		page_term(p, rows[i][0], "", rows[i][1]);
}

static void topic_examples(struct page *p)
{
	page_lines(p, "warpdbg run hotspot --gpu v100 --warp-sched lrr\n"
	              "warpdbg run hotspot --set l1d.ways=8 --stats s.json\n"
	              "warpdbg run my.ptx --kernel saxpy --grid 64 --block 256 \\\n"
	              "        --arg 'f32[16384]=iota' --arg 'f32[16384]=rand' \\\n"
	              "        --arg f32=2 --arg u32=16384 --print 1:8\n"
	              "warpdbg compare hotspot --a '' --b '--warp-sched lrr'\n"
	              "warpdbg debug bfs --batch -ex 'break cta-done sm=1' -ex continue -ex why\n");
}

static void topic_documents(struct page *p)
{
	page_text(
	    p,
	    "Installed as share/doc/warpdbg, README.md first: ui/DEBUGGER.md (the debugger), ui/REFERENCE.md (files, host "
	    "programs, console, Lua), src/MODEL.md (the model and its limits), scripts/papers/RESULTS.md (experiments).");
}
