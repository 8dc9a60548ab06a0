/* cmdline: argv -> struct options. Knows the spelling of the command line and nothing of what the words stand for. */
#ifndef UI_SESSION_CMDLINE_H
#define UI_SESSION_CMDLINE_H
#include "session/session.h"

/* What to do with the result. */
enum cmdline_result { CMDLINE_OK, CMDLINE_HELP, CMDLINE_VERSION, CMDLINE_ERROR };
/* Fills *o, which points into argv and into memory of its own; release with cmdline_free. argv is permuted.
 * CMDLINE_ERROR: *e says what is wrong (unknown option with the nearest one, option of another command, bad number). */
enum cmdline_result cmdline_parse(struct options *o, int argc, char **argv, struct err *e);
/* Machine a (0) or b (1) of `compare`: the common options, then those of --a or --b, which override them. *o points
 * into `common` and memory of its own; release with cmdline_free. CMDLINE_ERROR: *e begins with "--a: ". */
enum cmdline_result cmdline_side(struct options *o, const struct options *common, u32 side, struct err *e);
/* Of a machine b whose options the user has not written as --b: *e begins with "COMMAND: " instead. */
void cmdline_name_side(struct err *e, const char *command);
/* "[PROGRAM] [OPTIONS]", as the debugger's `run` and `file` take it (`command`, for messages). A program in `text` is
 * another one than before, though it may have the same name: what belongs to a program (--size, --param, --kernel,
 * --arg...) is then only what stands in `text`; without one that is added, but for --arg and --link, of which new ones
 * take the old ones' place. What belongs to the machine stays, and is added to. *o points into `common` and memory of
 * its own; release with cmdline_free. */
enum cmdline_result cmdline_program(struct options *o, const struct options *common, const char *command,
                                    const char *text, struct err *e);
/* Calls offer for each option that these take, "--gpu".... */
void cmdline_each_program_option(void (*offer)(void *ctx, const char *name), void *ctx);
void cmdline_free(struct options *o);
/* The help text, from the same table as the parser. */
void cmdline_help(struct strbuf *out);
/* The tables themselves: commands, options, what exit statuses mean. */
struct command_text {
	const char *name, *args, *help;
};
struct option_text {
	const char *dashes, *name, *arg, *help; /* arg NULL: it takes no value */
	u32 section;
};
struct status_text {
	const char *status, *help;
};
extern const u32 cmdline_ncommands, cmdline_noptions, cmdline_nsections, cmdline_nstatuses;
extern const struct status_text cmdline_statuses[];
extern const char cmdline_about[], cmdline_workload[]; /* what the program is; what WORKLOAD may be */
struct command_text cmdline_command(u32 i);
struct option_text cmdline_option(u32 i);
const char *cmdline_section(u32 section); /* its title */
bool cmdline_takes(u32 command, u32 option);
bool cmdline_of_side(u32 option); /* may --a and --b of `compare`, and `compare` in the debugger, have it? */
/* Parses "X[,Y[,Z]]" with 1 <= each <= 2^31-1. */
bool cmdline_dim3(const char *text, const char *what, struct dim3 *out, struct err *e);
/* Parses a whole number (decimal, 0x, with optional suffix k, M, G: powers of ten) within [0, max]. */
bool cmdline_u64(const char *text, const char *what, u64 max, u64 *out, struct err *e);
#endif
