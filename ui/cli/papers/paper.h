/* paper: the `paper` command: repeats a publication's experiments, with published values beside measured ones.
 *
 * A paper is a Lua file (scripts/papers/NAME.lua, or any FILE.lua) that returns
 *
 *   { help = "...", source = "author, title, where",
 *     figures = { { name = "9", title = "...", runs = function(x) return { run, ... } end,
 *                   table = function(result, x) return { columns = ..., rows = ..., notes = ..., plot = ... } end },
 *                 ... } }
 *
 * x        { quick = bool, size = "small" with --quick, else "default" }
 *
 * run      { workload = "hotspot", gpu = "m2090", size = x.size, warp_sched = "gto", set = { key = value },
 *          params = { name = value }, seed = 1, files = { timeline = "csv" }, ... }: the options of `warpdbg run`
 *          (plan.c has the list). Runs with the same options are one run, also across figures.
 *          beside = { { workload = "bfs", size = x.size, params = { ... } }, ... }: programs that share the machine;
 *          again = true: programs that have ended begin again until each has ended once.
 *          app = { "./app", "1024" }: a CUDA program and its arguments, instead of a workload or beside it.
 *          analyze = "dependencies": `warpdbg analyze` in place of `run`; the result is its object.
 *
 * result   result(run) gives the run's statistics (the JSON of `run --format json`, null = nil), with .files = {
 *          timeline = path }; for a failed run it gives nil and the error. result.csv(path[, columns]) reads a CSV file
 *          as an array of rows by column name, numbers as numbers; columns: the names of the columns to read.
 *          result.keep(path, name) gives a run's file a name in the results' directory and returns its new path.
 *
 * columns  { "kernel", { name = "rr", digits = 2, unit = "%", compare = "ratio", "difference" or "none" }, ... }
 *
 * rows     arrays of cells, one per column: a text, a number, { measured, published = value }, or false for a gap
 *          (nil cannot stand in a Lua array); a text or false may take measured's place
 *
 * notes    lines of text under the table
 *
 * plot     { kind = "bars" or "lines", columns = { "rr", "gto" }, base = 1 }: the columns that are drawn, over the
 *          first one; lines take the first column's numbers as x. Without it nothing is drawn. */
#ifndef UI_CLI_PAPERS_PAPER_H
#define UI_CLI_PAPERS_PAPER_H
#include <sys/types.h>

#include "base/strbuf.h"
#include "lua/lua.h"
#include "session/session.h"

/* The command; returns the exit status: 0; 1 some run failed; 2 usage or script error, or interrupted
 * (base/leaving.h). */
int paper_main(const struct options *o);

/* --- runs --- */

enum job_state { JOB_WAITING, JOB_RUNNING, JOB_DONE, JOB_REUSED, JOB_FAILED };
struct run_file {
	char *option, *ending; /* --OPTION FILE.ENDING */
};
struct paper_run {
	char **words; /* of the command behind the program's name, without statistics and files */
	u32 nwords;
	struct run_file *files;
	u32 nfiles;
	char id[17]; /* hash of the words, the program and its data: the name of the result */
	enum job_state state;
	char *error; /* of a failed run */
	pid_t pid;
	int log;     /* what it prints while it runs: a file in memory, as the disk may be what it fails of */
	int lua_ref; /* the result as a Lua table, LUA_NOREF before it is asked for */
};
struct plan {
	char *program; /* path of this program, for the runs */
	char *dir;     /* of the results */
	u64 version;   /* hash of the program and of machines, workloads, kernels and inspections */
	struct paper_run *runs;
	u32 n;
};
/* Fills program and version; dir must exist already. False with *e when the program or its data cannot be read. */
bool plan_init(struct plan *p, const char *dir, const char *data_dir, struct err *e);
void plan_release(struct plan *p);
/* The run described by the table on top of L's stack, or NULL with *e. */
struct paper_run *plan_find(struct plan *p, lua_State *L, struct err *e);
/* Adds it unless it is there. */
bool plan_add(struct plan *p, lua_State *L, struct err *e);
/* Appends the run's words as one would type them. */
void run_text(const struct paper_run *r, struct strbuf *out);
/* Path of a run's result: `part` "json" or a file's "option.ending"; while it is being written, with the process's
 * number in it. To be freed. */
char *run_path(const struct plan *p, const struct paper_run *r, const char *part, bool unfinished);

/* Executes what is not there yet, `jobs` at a time, with a progress line on a terminal's standard error; failures are
 * told there too. False: interrupted, with all children gone. */
bool plan_execute(struct plan *p, u32 jobs);

struct json_t;
/* Pushes a JSON value; null is nil. */
void json_push(lua_State *L, const struct json_t *v);
/* Pushes the `result` object. p must outlive L. */
void results_push(lua_State *L, struct plan *p);

/* --- tables --- */

struct table_cell {
	char *text;              /* NULL = a number or a gap */
	double value, published; /* NAN = none */
};
struct column {
	char *name, *unit;
	u32 digits;
	enum { COMPARE_RATIO, COMPARE_DIFFERENCE, COMPARE_NONE } compare;
	bool published; /* some cell has a published value */
	bool drawn;
};
struct table {
	struct column *columns;
	struct table_cell *cells; /* [row * ncolumns + column] */
	u32 ncolumns, nrows;
	char **notes;
	u32 nnotes;
	enum { PLOT_NONE, PLOT_BARS, PLOT_LINES } plot;
	double base; /* bars grow from here; NAN = 0 */
};
/* Reads the table on top of L's stack. False with *e. Release with table_release either way. */
bool table_read(struct table *t, lua_State *L, struct err *e);
void table_release(struct table *t);
static inline const struct table_cell *table_cell(const struct table *t, u32 row, u32 column)
{
	return &t->cells[row * t->ncolumns + column];
}
void table_text(const struct table *t, struct strbuf *out);
void table_markdown(const struct table *t, struct strbuf *out);
void table_csv(const struct table *t, struct strbuf *out);
/* The drawn columns as bars of text (lines are drawn as bars too), or as an SVG picture. */
void table_bars(const struct table *t, bool ascii, struct strbuf *out);
void table_svg(const struct table *t, const char *title, struct strbuf *out);
#endif
