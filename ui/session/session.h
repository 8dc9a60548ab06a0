/* session: a machine, a workload and the host program that drives it; what `run`, `debug` and the tests share.
 *
 * The host program (a Lua coroutine, or the built-in one for PTX given on the command line) runs until it waits
 * (synchronise, copy back); then the machine runs until the awaited work is done; then the program goes on.
 * session_run() does both. */
#ifndef UI_SESSION_SESSION_H
#define UI_SESSION_SESSION_H
#include "sim.h"

struct lua_State;
struct session;
/* Gives the session's Lua state what its scripts are to have besides host programs: called once, in protected mode. */
typedef void session_modules(struct lua_State *L, struct session *s);

/* What the command line said; filled by ui/session/cmdline.c. Strings belong to the options. */
struct options {
	const char *command;  /* "debug", "run", ... */
	const char *workload; /* bundled name, .lua, .ptx; NULL = the demo */
	const char *gpu;      /* machine name or file; NULL = gtx480 */
	const char *kernel;   /* --kernel and the other PTX-workload options */
	struct dim3 grid, block;
	u32 shared, regs;
	const char **args; /* --arg texts */
	u32 nargs;
	const char **links; /* --link files */
	u32 nlinks;
	bool cooperative; /* --cooperative */
	struct {
		u32 arg;
		const char *file;
		u64 count;
	} * outs, *prints; /* --out I=FILE, --print I[:N] */
	u32 nouts, nprints;
	const char **sets; /* --set key=value and the policy options, in order */
	u32 nsets;
	const char *size;    /* "small" "default" "large" */
	const char **params; /* --param k=v */
	u32 nparams;
	u64 max_cycles; /* NEVER = none */
	const char *stats, *format, *timeline, *trace, *trace_detail, *phases, *script;
	const char *palette; /* "dark", "light", "auto"; NULL = auto */
	bool no_color, ascii, allow_io;
	bool batch, keep_going;
	const char **commands; /* -ex and -x in order; a -x entry starts with '@' */
	u32 ncommands;
	const char *side[2], *by, *until; /* compare: --a, --b (NULL = ""), --by (NULL = cycles), --until (NULL = end) */
	const char *compare;              /* debug: --compare, the options of a machine beside it; NULL = none */
	const char *out_dir;              /* paper: --out; NULL = results/NAME */
	const char *const *figures;       /* paper: the words behind its name */
	u32 nfigures, jobs;               /* paper: -j, 0 = as many as the machine has cores */
	const char *svg;                  /* correlate: --svg */
	const char *record_launches;      /* run: --record-launches */
	bool quick, bars, table;          /* paper: --quick, --bars; list: --table */
	char *side_text;                  /* the words of one machine's options (cmdline_side) */
};

struct session {
	struct options *opt;
	session_modules *modules; /* session_open()'s */
	struct conf conf;         /* effective configuration */
	struct sim *sim;
	struct lua_policy *policies; /* schedulers in Lua (ui/session/policy/lua_policy.h) */
	struct lua_State *L;         /* always there: host programs, conditions, scripts */
	struct host *host; /* the host program, opaque (ui/session/host/host_lua.c or ui/session/host/host_ptx.c) */
	char *name;        /* of the workload, for titles */
	char *data_dir;    /* where configs/ and scripts/ are */
	bool finished;     /* the host program has ended */
	enum { CHECK_NONE, CHECK_PASS, CHECK_FAIL } check;
	struct strbuf check_message; /* why the check failed */
	u8 *turn_is_host;            /* by turn: the host program's (else the user's) */
	u32 turns_cap;
	u32 host_turns;            /* steps the host program has done */
	bool replaying;            /* a search through the past is running: callbacks see e.replay */
	struct strbuf output;      /* text printed by host program and kernels, to be shown by the front end */
	struct timeline *timeline; /* samples of the whole run (obs/record/timeline.h), attached; NULL in `run` */
	int timeline_sampler;
	struct phase_track
	    *phases; /* the phase graph (obs/record/phase_track.h), attached; NULL in `run` without --phases */
	struct launch_log *launch_log; /* --record-launches (ui/session/host/launch_log.h), else NULL */
	struct outputs *outputs;       /* --timeline and --trace writers (ui/session/outputs.h) */
	u64 generation;                /* grows with every session_restart: handles of the old machine are stale */
	u64 sim_ns;                    /* host time spent simulating, for rates shown to the user only */
	bool started, host_ended; /* the host program has taken its first step; its last one (the machine may still run) */
	bool host_torn;   /* its last step was interrupted and taken back: it is to be built anew before it goes on */
	bool script_done; /* --script has run */
	bool change_open; /* the user's change is not complete: whatever runs or moves the machine ends it first */
};

/* Why session_run returned. */
enum session_stop {
	SS_FINISHED, /* the host program has ended; the check's outcome is in session->check */
	SS_CYCLE,
	SS_REQUEST,
	SS_FAULT,
	SS_DEADLOCK,
	SS_LIVELOCK,   /* warps that go round in circles for ever */
	SS_INTERRUPT,  /* the machine, or a step of the host program, which begins again when the run goes on */
	SS_HOST_ERROR, /* the host program failed: *e */
	SS_MAX_CYCLES,
};
/* Builds everything up to cycle 0 with the host program not yet started. NULL with *e. */
struct session *session_open(struct options *o, session_modules *modules, struct err *e);
void session_close(struct session *s);
/* Runs --script, once: callers that set up more (the debugger) call it when they are ready, else the first
 * session_run() does. True when there is none. */
bool session_run_script(struct session *s, struct err *e);
/* Completes and closes the --timeline and --trace files; session_close() does it too, but cannot tell. */
bool session_close_outputs(struct session *s, struct err *e);
/* Runs host program and machine until cycle `until` (NEVER allowed) or another reason. */
enum session_stop session_run(struct session *s, u64 until, struct err *e);
/* Brings machine and host program to a cycle of the past (or forward again, up to the farthest one). */
bool session_goto(struct session *s, u64 cycle, struct err *e);
/* False with *e ("no such ... did you mean") when key is "warp-sched" or "cta-sched" and value no policy of that kind.
 */
bool session_policy_known(const char *key, const char *value, struct err *e);
/* Around a change that the user makes to the machine: in the past it forks history, and the host program is brought
 * back to that time. */
bool session_change_begins(struct session *s, struct err *e);
void session_changed(struct session *s);
/* Instead of session_changed(): more may follow that is part of the same change. */
void session_change_stays_open(struct session *s);
void session_change_ends(struct session *s); /* session_changed(), if one is open */
/* Has the user changed the machine at a time that is not after the present one? */
bool session_changed_by_hand(const struct session *s);
/* Takes the last such change back, with all that came after it. */
bool session_undo(struct session *s, struct err *e);
/* Starts again from nothing: cycle 0 of the program and machine in s->opt and s->conf, which may be others than before
 * (the debugger's `run`, `file`). */
bool session_restart(struct session *s, struct err *e);
/* Why it stopped: as part of a sentence; in a word for reports ("finished", "fault", ...); as a message, text without a
 * final newline, nothing when it finished (*e is session_run()'s). */
const char *session_stop_text(enum session_stop w);
const char *session_stop_word(enum session_stop w);
void session_stop_reason(struct session *s, enum session_stop w, const struct err *e, struct strbuf *text);
/* Exit status: 0 ok, 1 check failed, 2 usage, input or host program error, 3 fault, deadlock, livelock, --max-cycles,
 * 130 interrupted. */
int session_exit_status(const struct session *s, enum session_stop w);
#endif
