/* state: the whole state of a session. Each of its files has a part of it; session.h stands on top of them. */
#ifndef UI_SESSION_STATE_H
#define UI_SESSION_STATE_H
#include "obs/stats/figures.h"
#include "obs/stats/slowdown.h"
#include "session/app/compile.h"
#include "session/options.h"
#include "sim.h"

struct lua_State;
struct session;
/* Gives the session's Lua state what its scripts are to have besides host programs: called once, in protected mode. */
typedef void session_modules(struct lua_State *L, struct session *s);

enum check_state { CHECK_NONE, CHECK_PASS, CHECK_FAIL };
/* One run of a host program: the first, and with --again those behind it (ui/session/program_runs.h). */
struct program_run {
	struct host *host;
	u32 begins;             /* steps of the program before it */
	enum check_state check; /* of the runs before it */
	char *check_message;
};
/* A host program of the session (ui/session/programs.h). */
struct session_program {
	const struct options *opt; /* what they say of a program is its own */
	char *name;
	struct host *host; /* of the run that it is in: host_lua.c's or host_ptx.c's in ui/session/host */
	struct program_run *runs;
	u32 nruns; /* begun; the last is the one that it is in */
	u32 index;
	u32 turns;                  /* steps it has done, in all runs */
	bool started, ended;        /* it has taken its first step; the last one of this run (its kernels may still run) */
	struct program_alone alone; /* what it comes to by itself (session/alone.h); cpi 0: not measured */
	bool mid_step;              /* HOST_BUSY: its step goes on */
	bool called;                /* it is its turn, whatever it waits for: a thread of it wants to go on */
	int exit_status;            /* of an application that has ended */
	bool torn; /* its last step was interrupted and taken back: it is to be built anew before it goes on */
	enum check_state check;
	struct strbuf check_message; /* why the check failed */
};
#define TURN_OF_USER 0

struct session {
	struct options *opt;
	session_modules *modules; /* session_open()'s */
	struct conf conf;         /* effective configuration */
	struct sim *sim;
	struct lua_policy *policies; /* schedulers in Lua (ui/session/policy/lua_policy.h) */
	struct lua_State *L;         /* always there: host programs, conditions, scripts */
	struct session_program programs[OPTIONS_PROGRAMS];
	u32 nprograms;
	struct compiled compiled[OPTIONS_PROGRAMS]; /* programs a.cu, by index */
	struct session_program *now;                /* the one that takes, or took last, a step */
	char *name;                                 /* of the workload, or workloads, for titles */
	char *data_dir;                             /* where configs/ and scripts/ are */
	bool finished;                              /* the host programs have ended */
	enum check_state check;                     /* of all of them */
	struct strbuf check_message;                /* why it failed */
	struct measured_list figures;               /* what scripts have measured: dbg.figure */
	u8 *turn_of;                                /* by turn: TURN_OF_USER, or the program's index + 1 */
	u32 turns_cap;
	bool replaying;            /* a search through the past is running: callbacks see e.replay */
	bool app_apart;            /* applications do not have the terminal: their output comes into `output` */
	struct call_texts *calls;  /* where launches were made */
	struct app_copy *app_copy; /* --app-output, once there is an application; else NULL */
	struct record_budget {
		u64 used, most; /* bytes; history.host_mb */
	} app_records;      /* what applications were told (ui/session/app/records.h) */
	bool app_gone;      /* an application has gone while it waited for the machine; session_run() has not said it yet */
	bool app_slices;    /* a step that an application keeps waiting comes back: there is a screen to serve */
	struct strbuf output;      /* text printed by host program and kernels, to be shown by the front end */
	struct timeline *timeline; /* samples of the whole run (obs/record/timeline.h), attached; NULL in `run` */
	int timeline_sampler;
	struct heat *heat; /* which instructions cause waits (obs/stats/heat.h), attached; NULL in `run` without JSON */
	bool counts_lines; /* session_count_lines() */
	char *diagnosis;   /* JSON of the findings of --diagnose, once the run is over; NULL = none */
	struct phase_track
	    *phases; /* the phase graph (obs/record/phase_track.h), attached; NULL in `run` without --phases */
	struct launch_log *launch_log;     /* --record-launches (ui/session/host/launch_log.h), else NULL */
	struct dependencies *dependencies; /* `analyze dependencies` (obs/stats/dependencies.h), else NULL */
	struct outputs *outputs;           /* --timeline and --trace writers (ui/session/outputs.h) */
	u64 generation;                    /* grows with every session_restart: handles of the old machine are stale */
	u64 sim_ns;                        /* host time spent simulating, for rates shown to the user only */
	bool started;                      /* a host program has taken its first step */
	bool host_torn;                    /* a program's last step was interrupted and taken back */
	bool script_done;                  /* --script has run */
	bool change_open; /* the user's change is not complete: whatever runs or moves the machine ends it first */
};
#endif
