/* The help text of the command line. */
#include <string.h>

#include "base/wrap.h"
#include "session/cmdline.h"

const char cmdline_about[] = "a GPU you can stop: cycle-level simulator and debugger for PTX";
const char cmdline_workload[] =
    "WORKLOAD: a bundled name (`warpdbg list workloads`), a Lua host program (my.lua), a "
    "CUDA program (my.cu [-- ARGUMENTS], compiled by nvcc where there is one), or "
    "a PTX file with --kernel NAME "
    "--grid X[,Y[,Z]] --block X[,Y[,Z]] and one --arg per kernel parameter, in order. "
    "Several share the machine; options of a program stand behind its name, or before the "
    "first for all. APPLICATION: a compiled CUDA program, as it is; behind --and come further options and "
    "programs.";
const struct status_text cmdline_statuses[] = {
    {"0",
     "finished and the workload's own check passed; of an application that has ended its own status, or 128 + N when "
     "signal N ended it"},
    {"1", "the check failed"},
    {"2", "usage or input error"},
    {"3", "the simulated program faulted, hung (deadlock, livelock) or ran past --max-cycles, or --check has found "
          "races or reads of what nobody has written"},
    {"70", "a conservation law of the simulator did not hold at the end of a run: a bug, please report it"},
    {"130", "ended by Ctrl-C; 143 by SIGTERM, 129 by SIGHUP"},
};
const u32 cmdline_nstatuses = ARRAY_LEN(cmdline_statuses);

#define HELP_WIDTH 110

static void help_statuses(struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;
	for (u32 i = 0; i < cmdline_nstatuses; i++)
		strbuf_addf(&text, "%s%s %s", i ? "; " : "Exit status: ", cmdline_statuses[i].status, cmdline_statuses[i].help);
	strbuf_addc(&text, '.');
	text_wrap(strbuf_str(&text), 0, HELP_WIDTH, out);
	strbuf_release(&text);
}

void cmdline_help(struct strbuf *out)
{
	strbuf_addf(out,
	            "warpdbg - %s\n\n  warpdbg                                the debugger on the bundled demo (hotspot)\n",
	            cmdline_about);
	for (u32 i = 0; i < cmdline_ncommands; i++) {
		const struct command_text c = cmdline_command(i);
		strbuf_addf(out, "  warpdbg %-9s %-20s%s %s\n", c.name, c.args,
		            strlen(c.args) > 20 ? "\n                                       " : "", c.help);
	}
	strbuf_addc(out, '\n');
	text_wrap(cmdline_workload, 0, HELP_WIDTH, out);
	for (u32 s = 0; s < cmdline_nsections; s++) {
		strbuf_addf(out, "\n%s\n", cmdline_section(s));
		for (u32 i = 0; i < cmdline_noptions; i++) {
			const struct option_text o = cmdline_option(i);
			if (o.section != s)
				continue;
			struct strbuf left = STRBUF_INIT;
			strbuf_addf(&left, "%s%s %s", o.dashes, o.name, o.arg ? o.arg : "");
			strbuf_addf(out, "  %-27s %s\n", left.buf, o.help);
			strbuf_release(&left);
		}
	}
	strbuf_addc(out, '\n');
	help_statuses(out);
}
