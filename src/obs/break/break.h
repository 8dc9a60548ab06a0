/* break: breakpoints over events. Filters are decided here in C; a condition in a script's language is the caller's
 * callback.
 *
 * A code breakpoint stops *before* its instruction: at the end of the cycle after which a warp is about to execute it.
 * A warp that waits at a barrier is not: the instruction behind it is about to be executed when the barrier opens.
 * (The second instruction of a dual issue is the exception: it is reported in the cycle in which it executed.) An event
 * breakpoint stops at the end of the cycle in which the event happened. A statistic's breakpoint stops when a
 * comparison has become true, looked at every so many cycles. A divergence's is a cycle that somebody else finds out. A
 * watchpoint's never stops by itself: who sees the watched value change asks break_counts().
 */
#ifndef OBS_BREAK_BREAK_H
#define OBS_BREAK_BREAK_H
#include "base/err.h"
#include "base/strbuf.h"
#include "gpu/query.h"
#include "obs/break/crossing.h"
#include "obs/break/nth.h"
#include "obs/name/coordinates.h"

/* Places and arguments an event must have. -1, NULL and has_arg = false mean "any". */
struct event_filter {
	s32 sm, warp;
	s64 cta;
	s32 launch;
	struct coordinates cta_at; /* X,Y,Z: of the grid of the event's launch; a linear number is in `cta` */
	struct coordinates thread; /* of the event's CTA: its warp, and where the event tells of lanes (ISSUE) its lane */
	char kernel[96];           /* name, "" = any */
	struct {
		bool has;
		u64 value;
		u64 set;       /* not 0: one of these values (bits) instead: states that share a name */
	} arg[EVENT_ARGS]; /* by position in the event's row */
};
void event_filter_any(struct event_filter *f);
/* Adds "sm=3", "kernel=hotspot" or "kernel=0", "cta=17" or "cta=20,15,0", "thread=.." likewise, "warp=..", or an
 * argument of the event by its name ("addr=0x100000000"; warp states and stall reasons by name, states by their letter
 * too). */
bool event_filter_add(struct event_filter *f, enum event_type t, const char *key, const char *value, struct err *e);
void event_filter_text(const struct event_filter *f, enum event_type t,
                       struct strbuf *out); /* " sm=3 warp=2", "" = any */
/* The states that an event's `state` may name, with their letters: "memory (m), short (x), ...". */
void event_states_text(enum event_type t, struct strbuf *out);
/* Is the CTA that the filter names, if it names one, in a grid of that size? */
bool event_filter_in_grid(const struct event_filter *f, struct dim3 grid);
bool event_filter_match(const struct event_filter *f, struct gpu *g, const struct event *ev);

enum break_kind { BK_EVENT, BK_CODE, BK_CYCLE, BK_STAT, BK_DIVERGE, BK_WATCH };
struct breakpoint {
	u32 id; /* 1, 2, ... */
	enum break_kind kind;
	bool enabled, temporary, internal; /* internal: made for next, finish...; not listed */
	enum event_type event;
	struct event_filter filter;
	const struct module *mod; /* BK_CODE: module and pcs (any warp about to execute one of them) */
	u32 *pcs, npcs;
	u64 cycle;            /* BK_CYCLE, BK_DIVERGE (NEVER = not known yet) */
	struct crossing stat; /* BK_STAT */
	struct nth nth;       /* count=N: stops at the N-th match only */
	char *note;           /* BK_DIVERGE: what differs, told at the stop; NULL = nothing yet */
	u64 hits, ignore;     /* ignore: hits still to be passed over */
	char *what;           /* as the user gave it: "hotspot:43", "pc 17" */
	char *cond;           /* condition's text or NULL; evaluated by the caller's function */
	int cond_ref;         /* the caller's handle for the compiled condition */
	char *commands;       /* lines to execute when hit, or NULL */
	bool scripted;        /* the caller's: who gave the commands */
};
struct break_hit {
	u32 id;
	struct event ev;    /* BK_CODE: sm, warp, kernel, cta of the warp; pc, its active lanes */
	bool executed;      /* BK_CODE: already executed (second of a dual issue) */
	double before, now; /* BK_STAT */
};
/* Evaluates a condition; ev.type is ISSUE for code breakpoints. May set *stop_anyway when the condition itself failed.
 */
typedef bool break_cond_fn(void *ctx, struct breakpoint *b, const struct event *ev);

struct break_set {
	struct breakpoint **list; /* by id; heap objects, pointers stay valid until deleted */
	u32 n, cap, next_id;
	u32 next_internal; /* ids of internal ones count down from UINT32_MAX */
	break_cond_fn *cond;
	void *cond_ctx;
	struct break_hit hit; /* the first hit of the cycle that stops; id 0 = none */
	u32 also;             /* further hits in the same cycle */
	struct {              /* of the last ISSUE event, to notice dual issue */
		u64 cycle;
		s32 sm, warp;
	} last_issue;
	struct break_arrivals { /* at barriers of an SM, in the last cycle with one; filled only for code breakpoints */
		u64 cycle, arrived, released; /* released: of those that had come before that cycle */
		s32 sm;
	} last_bar;
	event_set mask; /* union of what the enabled ones need: break_mask() */
};
void break_init(struct break_set *s);
void break_release(struct break_set *s);
/* New enabled breakpoints; they live until deleted. `what` is copied. */
struct breakpoint *break_new_event(struct break_set *s, enum event_type t, const char *what);
struct breakpoint *break_new_code(struct break_set *s, const struct module *m, const u32 *pcs, u32 n, const char *what);
struct breakpoint *break_new_cycle(struct break_set *s, u64 cycle);
/* Takes `c` over. */
struct breakpoint *break_new_stat(struct break_set *s, struct crossing *c);
struct breakpoint *break_new_divergence(struct break_set *s, const char *what);
struct breakpoint *break_new_watch(struct break_set *s, const char *what);
struct breakpoint *break_find(const struct break_set *s, u32 id);
void break_delete(struct break_set *s, u32 id);
void break_make_internal(struct break_set *s, struct breakpoint *b);
/* b has matched in this event: condition, count=N, hit count, ignore count. True when it is to stop. */
bool break_counts(struct break_set *s, struct breakpoint *b, const struct event *ev);
/* Event types that enabled breakpoints need. */
event_set break_mask(struct break_set *s);
/* The nearest cycle at or after `from` that break_at_cycle() must be asked about, NEVER when there is none. */
u64 break_next_cycle(const struct break_set *s, u64 from);
/* Is there one for this very cycle? Looks at the statistics due, counts the hit and fills s->hit. */
bool break_at_cycle(struct break_set *s, struct gpu *g, u64 cycle);
/* The machine has been put somewhere else. Statistics: what holds here is no crossing. */
void break_moved(struct break_set *s, struct gpu *g);
/* For a search through the past: that many cycles before where it begins, break_moved() and then break_look() at each
 * break_next_look() must have been called, so that a crossing right at its beginning is seen. The same before the
 * machine is left at a cycle that break_ready() denies: a window there would begin before what is known. */
u64 break_lead(const struct break_set *s);
bool break_ready(const struct break_set *s, u64 cycle);
u64 break_next_look(const struct break_set *s, u64 from);
void break_look(struct break_set *s, struct gpu *g, u64 cycle);
/* History was forked at `cycle`: matches counted from there on have not happened, windows later than it neither. */
void break_forked(struct break_set *s, u64 cycle);
/* Shows an event to every breakpoint. True when one wants to stop; s->hit tells which (until break_clear_hit). */
bool break_event(struct break_set *s, struct gpu *g, const struct event *ev);
void break_clear_hit(struct break_set *s);

/* pcs of a PTX line of a module (of one kernel when fn != NULL): the first instruction of each run of instructions with
 * that line. When the line has no code, the next line of the same function that has. *line becomes the line used.
 * Returns how many. */
u32 break_line_pcs(const struct module *m, const struct func *fn, u32 *line, u32 *pcs, u32 max);
/* The same for a CUDA source line (.loc), any function of the module. */
u32 break_loc_pcs(const struct module *m, u32 file, u32 line, u32 *pcs, u32 max);
/* The word that an argument's value stands for - a warp state, a stall reason, a preemption technique or policy - as
 * texts and filters have it; NULL: none. */
const char *event_arg_name(enum event_type t, u32 i, u64 v);
/* "cta-dispatch: SM 1, CTA 412 of hotspot (warps 8-15)": an event as a sentence. */
void event_text(struct gpu *g, const struct event *ev, struct strbuf *out);
#endif
