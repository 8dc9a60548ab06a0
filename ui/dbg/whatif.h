/* whatif: the present cycle under several settings, each in a process of its own.
 *
 * The debugger's process forks. A child has the whole machine, its host program and its Lua states as they are, by copy
 * on write; it changes its settings, runs on, and sends what it has counted over a pipe. The debugger stays where it
 * is: nothing in a child reaches it, its terminal or a file.
 *
 * A row is one combination of values. Row 0 is the machine as it is. Of the keys of a row,
 *
 *   - those that `set` may change now (sim_may_set) change at the present cycle, and
 *   - those that size the machine, and policies that may not change at this moment, hold from cycle 0: such a row
 * builds a machine with them, runs it to the present cycle, changes the others there, and runs on (`from_zero`).
 *
 * As many children run at a time as there are processors that the process may use, or as many as the memory holds. */
#ifndef UI_DBG_WHATIF_H
#define UI_DBG_WHATIF_H
#include <sys/types.h>

#include "conf/conf.h"
#include "dbg/state.h"

#define WHATIF_POINTS 64 /* rows at most, without row 0 */
#define WHATIF_KEYS 8
#define WHATIF_FIGURES 8
#define WHATIF_NOTE 1300

/* What a child sends, as one write: no more than a pipe takes at once (PIPE_BUF). The last one is `final`. */
struct whatif_news {
	bool final, forked; /* forked: it has come to the present cycle (from_zero: it may end before) */
	enum session_stop stop;
	enum check_state check;
	u64 cycle, insts; /* where it stands; warp instructions since cycle 0 */
	u64 insts_at;     /* those at the present cycle */
	u64 hash;         /* sim_hash() there; final, with w->hashes */
	struct probe_value value[WHATIF_FIGURES];
	char why[WHATIF_NOTE]; /* final: why the row failed, or what its program's check says */
};

enum whatif_state { ROW_WAITS, ROW_RUNS, ROW_DONE, ROW_FAILED };
struct whatif_row {
	enum whatif_state state;
	bool from_zero;
	const char *fixed_key;      /* from_zero: the first key that is why */
	char *value[WHATIF_KEYS];   /* of w->key, as conf_get() tells them */
	struct conf conf;           /* the machine that it asks for, with what the values imply */
	struct whatif_news news;    /* the latest */
	char why[WHATIF_NOTE + 40]; /* ROW_FAILED: why */
	pid_t pid;                  /* ROW_RUNS */
	int pipe;
};

struct whatif {
	const struct conf_key *key[WHATIF_KEYS];
	u32 nkeys;
	struct whatif_figure {
		char name[96];   /* as it was asked for */
		char probe[100]; /* "gpu.l1d.hit_rate" */
	} figure[WHATIF_FIGURES];
	u32 nfigures;
	bool hashes;     /* `print hash`: rows are to tell the hash of their state, which reads all of it */
	u64 from, until; /* the present cycle; the last one (NEVER: the end of the run) */
	char *program;   /* for titles */
	struct whatif_row *row;
	u32 nrows;
	u32 jobs;          /* at a time */
	u32 running, over; /* over: done or failed */
	bool interrupted;  /* by the user: some rows were not run to their end */
	pid_t parent;      /* the debugger's process */
	u64 started_ns;
};

/* "KEY=VALUE[,VALUE...]... [for CYCLES | to CYCLE] [print FIGURE[,FIGURE...]] [jobs N]": the rows, none of which runs.
 * NULL with *e: a word that is not understood, an unknown key, a value that the key does not take, too many rows, or a
 * debugger whose machine cannot go on. Combinations that no machine has become rows that failed. */
struct whatif *whatif_open(struct debugger *d, const char *text, struct err *e);
/* Starts rows and waits for news, at most so many ms. False: all rows are over. */
bool whatif_wait(struct whatif *w, struct debugger *d, u32 ms);
/* Ends all children; rows that ran or waited have failed, "interrupted". */
void whatif_stop(struct whatif *w);
void whatif_free(struct whatif *w); /* NULL is fine; ends the children */

/* The debugger's own, that `whatif` has started (debugger.c): is it under way? Waits a moment for it; once it is over,
 * or has been interrupted, appends the table. */
bool whatif_running(const struct debugger *d);
void whatif_slice(struct debugger *d, struct strbuf *out);
/* To its end, for scripts. */
void whatif_drive(struct debugger *d, struct strbuf *out);
/* Tries `text` at another cycle of the run: the machine goes there, all rows run to their end, and it is back where it
 * was. The rows are the debugger's last table then. False with *e: as whatif_open(), no history, or interrupted. */
bool whatif_elsewhere(struct debugger *d, u64 cycle, const char *text, struct err *e);
/* "3 of 8 rows", and warp instructions per second of host time, of all rows together. */
void whatif_progress(const struct whatif *w, struct strbuf *out);
double whatif_rate(const struct whatif *w);

/* Figures of the table. The speed of a row is, against row 0 = 1: its cycles to the end, if all rows have come to the
 * end; else its warp instructions per cycle. `here`: counted from the present cycle on, which rows from cycle 0 do not
 * have. NAN: not known. */
double whatif_ipc(const struct whatif_row *r);
double whatif_speed(const struct whatif *w, u32 row, bool here);
/* The fastest row; -1: none has been run. The first of equals. */
s32 whatif_best(const struct whatif *w);
/* Its hash as gpu.hash is written; returns text. */
const char *whatif_hash(const struct whatif_row *r, char text[17]);
/* How a row that is over has ended: "finished" (the run), "cycle" (it stands at `until`), "failed". */
const char *whatif_word(const struct whatif_row *r);
/* The table as text, CSV or JSON. */
void whatif_table(const struct whatif *w, struct strbuf *out);
void whatif_csv(const struct whatif *w, struct strbuf *out);
void whatif_json(const struct whatif *w, struct strbuf *out);
/* "set by --set": the options of a machine with a row's settings, "--set l1d.ways=8 --set warp-sched=lrr". Only those
 * in which it differs from row 0. */
void whatif_options(const struct whatif *w, u32 row, struct strbuf *out);

/* whatif_points.c: may this key change at the present cycle, as `set` would? */
bool whatif_changes_now(struct debugger *d, const char *key, const char *value);
/* whatif_child.c: never returns; `to` is the pipe. */
_Noreturn void whatif_child(struct debugger *d, const struct whatif *w, const struct whatif_row *r, int to);
#endif
