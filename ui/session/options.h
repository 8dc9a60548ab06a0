/* options: the contents of the command line; filled by ui/session/cmdline.c. */
#ifndef UI_SESSION_OPTIONS_H
#define UI_SESSION_OPTIONS_H
#include "ir/ir.h"

#define OPTIONS_PROGRAMS 16
/* Strings belong to the options. */
struct options {
	const char *command;        /* "debug", "run", ... */
	const char *analysis;       /* analyze: which */
	const char *workload;       /* bundled name, .lua, .ptx; NULL = the demo; of an application its first word */
	const char *const *app;     /* the words behind --: an application and its arguments, NULL behind them; else NULL */
	const char *const *cu_args; /* arguments of a program a.cu, which is compiled first; NULL behind them, or none */
	const char *nvcc_flags;     /* --nvcc-flags; NULL = none */
	const char *app_input;      /* --app-input; NULL = /dev/null in the debugger */
	bool app_clock;             /* --app-clock simulated */
	const char *app_output;     /* --app-output; NULL = no copy */
	const char *gpu;            /* machine name or file; NULL = gtx480 */
	const char *kernel;         /* --kernel and the other PTX-workload options */
	struct dim3 grid, block;
	u32 shared, regs;
	s8 priority;       /* --priority: of a program's streams */
	const char **args; /* --arg texts */
	u32 nargs;
	const char **links; /* --link files */
	u32 nlinks;
	const char **inspects; /* --inspect names */
	u32 ninspects;
	bool diagnose;    /* --diagnose */
	bool cooperative; /* --cooperative */
	struct {
		u32 arg;
		const char *file;
		u64 count;
	} * outs, *prints; /* --out I=FILE, --print I[:N] */
	u32 nouts, nprints;
	struct options *more; /* further host programs beside this one: of these, what belongs to a program counts */
	u32 nmore;
	bool beside;       /* of a machine beside another: its programs write no --out files */
	const char **sets; /* --set key=value and the policy options, in order */
	u32 nsets;
	const char *size;    /* "small" "default" "large" */
	const char **params; /* --param k=v */
	u32 nparams;
	u64 max_cycles; /* NEVER = none */
	const char *stats, *format, *timeline, *trace, *trace_detail, *phases, *script;
	const char *report;  /* run, compare: --report */
	const char *palette; /* "dark", "light", "auto"; NULL = auto */
	bool no_color, ascii, allow_io;
	bool batch, keep_going;
	const char **commands; /* -ex and -x in order; a -x entry starts with '@' */
	u32 ncommands;
	const char *side[2], *by, *until; /* compare: --a, --b (NULL = ""), --by (NULL = cycles), --until (NULL = end) */
	const char *compare;              /* debug: --compare, the options of a machine beside it; NULL = none */
	const char *lesson;               /* learn: the path of the lesson that the debugger begins with; NULL = none */
	const char *out_dir;              /* paper: --out; NULL = results/NAME */
	const char *const *figures;       /* paper, explain, help, list kernels: the words behind the first */
	u32 nfigures, jobs;               /* paper: -j, 0 = as many as the machine has cores */
	const char *svg;                  /* correlate: --svg */
	const char *record_launches;      /* run: --record-launches */
	bool alone;                       /* --alone */
	bool again;                       /* --again */
	bool quick, bars, table;          /* paper: --quick, --bars; list: --table */
	char *side_text;                  /* the words of one machine's options (cmdline_side) */
};
#endif
