/* state: the whole state of a debugger. Each file of this floor has its part of it, described in its own header;
 * debugger.h stands on top of them. */
#ifndef UI_DBG_STATE_H
#define UI_DBG_STATE_H
#include "base/strbuf.h"
#include "obs/break/break.h"
#include "obs/break/data_watch.h"
#include "obs/name/probe_path.h"
#include "session/session.h"

struct debugger;
/* What the user looks at. Always names an existing SM and warp slot; the slot may be empty. */
struct focus {
	u32 sm, warp, lane;
	s32 kernel;        /* launch id, -1 = none chosen */
	s32 cta_slot;      /* of the warp, -1 = empty slot */
	s64 cta;           /* linear CTA id, -1 = none */
	bool picked_empty; /* the user has chosen the slot although it was empty */
};

enum run_state {
	DBG_STOPPED,  /* waits for a command */
	DBG_RUNNING,  /* a goal or queued commands are left: call debugger_run_slice() */
	DBG_FINISHED, /* the host program has ended; inspection still works */
	DBG_DEAD,     /* fault, deadlock, host error or --max-cycles: inspection works, running on does not */
	DBG_QUIT,     /* the user asked to leave */
};

/* What a pending run is after. */
enum goal_kind { GOAL_NONE, GOAL_CYCLE, GOAL_NEXT, GOAL_FINISH, GOAL_EXPR, GOAL_CONTINUE, GOAL_EVENT };
struct goal {
	enum goal_kind kind;
	u64 cycle;      /* GOAL_CYCLE: absolute; others: NEVER */
	u32 breakpoint; /* internal breakpoint that ends it; 0 = none */
	char *expr;     /* GOAL_EXPR: Lua expression */
	int fn;         /* GOAL_EXPR from Lua: registry reference of a function, else LUA_NOREF (-2) */
	s32 launch;     /* GOAL_FINISH, GOAL_NEXT: what it was about, for the report */
	s64 cta;
};

/* Events of interest, program output and stops, oldest dropped: the log view's material. */
#define LOG_LINES 4096
struct log_line {
	u64 cycle;
	enum log_kind { LOG_STOP, LOG_EVENT, LOG_OUTPUT, LOG_ERROR } kind;
	char text[236];
};
struct event_log {
	event_set mask; /* event types copied to it */
	size_t output;  /* bytes of the session's output that it has already */
	u64 total;      /* lines ever added; line i (total - LOG_LINES <= i < total) is at line[i % LOG_LINES] */
	struct log_line *line;
};

struct display {
	u32 id;
	bool enabled;
	char *expr;
};
struct watch {
	u32 id;               /* its breakpoint's */
	struct breakpoint *b; /* enabled, temporary, hits, condition...: as of any other (BK_WATCH) */
	char *expr;
	bool is_probe; /* evaluated in C, else a Lua expression */
	struct probe_path probe;
	char old[128]; /* value as text */
	bool known;    /* it has been evaluated here: another value is a change */
	struct probe_value old_value;
	struct data_watch *data; /* a register or memory, seen by events; else NULL */
};

struct command_queue {
	struct queued_line {
		char *text;
		char where[96]; /* "file:line" or "breakpoint 2" for error messages, "" = typed */
		u32 depth;      /* in how many command files, one sourced by the other, it stands; 0 = in none */
		bool scripted;  /* a script put it there */
		bool of_start;  /* one of those the session starts with: an error in another does not take it away */
	} * line;
	u32 first, n, cap;
	u32 depth;     /* of the line being executed; 0 when it does not come from here */
	bool starting; /* what is queued now is what the session starts with */
};

struct dbg_lua; /* subscriptions of Lua code: lua_side.h */

/* What figures are of: scope.h. */
struct scope_mark;
struct dbg_scope {
	enum scope_kind { SCOPE_RUN, SCOPE_CYCLES, SCOPE_LAUNCH, SCOPE_PROGRAM, SCOPE_LAST } kind;
	u64 from, to;  /* cycles; to NEVER: as far as the machine is */
	u32 launch;    /* SCOPE_LAUNCH */
	char name[80]; /* of the launch or program: "kernel 2, bfs_kernel" */
	const struct scope_mark *begin, *end;
	const struct scope_mark *stop; /* SCOPE_LAST: of the last stop */
	struct scope_mark **known;     /* totals, the last asked for last */
	u32 nknown;
	const struct dbg_scope *kept; /* scope_keep() */
};

/* Who gives the debugger its words: it knows no command itself. */
struct debugger_words {
	void (*init)(struct debugger *d);                                                         /* makes d->shell */
	bool (*execute)(struct debugger *d, const char *line, struct strbuf *out, struct err *e); /* debugger_execute() */
	const char *(*prompt)(const struct debugger *d);                                          /* debugger_prompt() */
	bool (*drop_collect)(struct debugger *d); /* debugger_drop_collect() */
	void (*release)(struct debugger *d);      /* what it keeps of its own */
};
/* Somebody further up who shows the machine, or keeps things of it. Each function may be NULL. */
struct debugger_follower {
	void (*rebuilt)(struct debugger *d); /* `run` has built the machine anew */
	void (*closed)(struct debugger *d);  /* the debugger goes */
	/* A run, or what was queued, is over, and nothing is left to do; what is to be said of it goes to *out. */
	void (*rests)(struct debugger *d, struct strbuf *out);
};
#define FOLLOWERS_MAX 4

/* Running and stopping: goal.c and stop.c. */
struct running {
	struct goal goal;
	enum run_state state;
	enum run_state rest;    /* what state becomes when nothing is left to do: DBG_STOPPED, DBG_FINISHED or DBG_DEAD */
	char stop_reason[512];  /* last stop, one line: "Breakpoint 2, cta-dispatch: SM 1, CTA 412 of hotspot (...)" */
	enum session_stop last; /* last answer of session_run, for the exit status */
	bool ran;               /* session_run has been called at least once */
	bool in_run;            /* inside session_run now: commands that run or change the machine are refused */
	bool watch_asked, other_asked; /* who wants session_run to stop: watchpoints of registers and memory; others */
	bool quiet;                    /* the goal is a script's: reaching it is not reported, only what stops before it */
	volatile bool interrupt;       /* set by the SIGINT handler */
	volatile u32 interrupts;       /* so many have come */
};
/* Going elsewhere in time, and what has been changed by hand: travel.c. */
struct travel {
	struct bookmark {
		char name[48];
		struct sim_place at;
		bool forked; /* history has forked before it: it names its cycle */
	} * bookmarks;
	u32 nbookmarks;
	struct undo {
		bool change; /* of the machine; else a movement from `at` */
		bool gone;   /* its place came after a change that has been made or undone since */
		struct sim_place at;
	} * undos;
	u32 nundos;
	u64 changes;          /* made by hand so far, undone ones too */
	bool changed_by_hand; /* since the machine was built: no other machine runs alike */
};
/* Scripts: lua_side.c, callbacks.c, hooks.c. */
struct scripting {
	struct dbg_lua *lua;
	struct lua_hooks *hooks; /* at the start, the end, every so many cycles; may be NULL */
	u32 in_script;           /* Lua code that may run the machine is being executed: calls, one within the other */
	u32 scripted; /* a script executes a command, or what it has left to be executed: no files without --allow-io */
};
/* How a place is told, and what has gone wrong. */
struct reporting {
	u32 columns;       /* of the terminal on which answers are shown; 0 = none, or not known */
	u32 brief;         /* a place is one line of at most this many columns (a small screen); 0 = two lines in full */
	char reminder[64]; /* what a lesson wants now, in a line that displays keep in sight; "" = nothing */
	bool failed;       /* a command has failed (batch mode's exit status) */
	bool keep_going;   /* queued commands go on after an error */
	bool split_errors; /* errors of queued commands go to `errors` instead of the answer: for standard error */
	struct strbuf errors;
	u64 dropped_events; /* of those the machine has lost, how many the user was told of */
};
/* What hangs on the machine as it was built last. */
struct bound {
	int subscription; /* of sim_subscribe, -1 = none */
	struct sim *subscribed_to;
	u32 modules_seen;   /* modules loaded when pending breakpoints were looked up last */
	u64 generation;     /* grows when `run` rebuilt the machine: pointers into the old one are gone */
	bool other_machine; /* `run OPTIONS` is building it: what breakpoints know of the old one is void */
};

struct debugger {
	struct session *s;
	const struct debugger_words *words;
	const struct debugger_follower *follower[FOLLOWERS_MAX];
	struct focus focus;
	u32 focus_moves; /* grows when the focus goes to another warp, or the machine is a new one */
	struct break_set breaks;
	struct watch *watches;
	u32 nwatches;
	struct display *displays;
	u32 ndisplays, next_display;
	struct running run;
	struct command_queue queue;
	struct travel travel;
	struct scripting script;
	struct reporting report;
	struct bound bound;
	struct event_log log;
	struct moves *moves;         /* where CTAs have been (moves.h) */
	struct recording *record;    /* where events go to as JSON lines (record.h); NULL = nowhere */
	struct lanes_store *lanes;   /* what warps were over time, as far as it was asked for (lanes.h); NULL = never */
	struct dbg_scope scope;      /* what figures are of (scope.h) */
	struct shadows *shadows;     /* machines that `break divergence` runs beside this one (divergence.c) */
	struct follow *follow;       /* the request that is followed (follow.h); NULL = none */
	struct latencies *latencies; /* of loads, as asked for last (latencies.h); NULL = not yet */
	struct roofs *roofs;         /* the roofline over time, as asked for last (roofs.h); NULL = not yet */
	struct reuses *reuses;       /* reuse distances, as asked for last (reuses.h); NULL = not yet */
	struct linelives *linelives; /* of the lines in caches, as asked for (linelives.h); NULL = never */
	struct rival *rival;         /* the machine that `compare` has set beside this one (rival.h); NULL = none */
	struct whatif *whatif; /* the settings that `whatif` has tried last, or tries now (whatif.h); NULL = none yet */
	struct last_diagnosis {
		struct diagnosis *is; /* NULL = none yet */
		struct sim_place at;  /* where the machine stood, */
		u64 generation;       /* and which machine it was */
	} diagnosed;              /* by `diagnose` (diagnose.h) */
	/* What stands further up, and is not known here. */
	struct shell *shell;           /* of the words (commands/shell.h) */
	struct appearance *appearance; /* what is chosen for display (views/appearance.h); NULL = nobody has asked */
	struct screen *screen;         /* the terminal's, or one for pictures (views/offscreen.h); NULL = none yet */
};

static inline bool debugger_running(const struct debugger *d)
{
	return d->run.state == DBG_RUNNING;
}
/* The machine that is debugged. */
static inline struct gpu *dbg_gpu(struct debugger *d)
{
	return sim_gpu(d->s->sim);
}
#endif
