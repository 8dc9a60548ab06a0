/* diagnose: why a run, or a launch, is slow, as a ranked list of findings. Each finding comes from a rule, a Lua file
 * (session/rules.h, scripts/diagnose/README.md).
 *
 * A rule gets a scope, a table with the figures of the part of the run that the scope of the machine is (dbg/scope.h),
 * which scripts/diagnose/lib.lua makes. A finding's cost is a bound in issue slots: so many of the scope's lost slots
 * (or, of a finding about slots that were used badly, of its used slots) it can have cost at most. Bounds of different
 * findings overlap. */
#ifndef UI_DBG_DIAGNOSE_H
#define UI_DBG_DIAGNOSE_H
#include "lua/fields.h"
#include "probe/probe.h"
#include "session/session.h"

struct finding {
	char *rule, *path; /* name of the rule; its file */
	char *title;
	double slots;              /* the bound, in issue slots */
	bool of_used;              /* of the slots that were used; else of those that were lost */
	bool note;                 /* it says something that is worth knowing whatever the bound */
	char *place, *cuda, *code; /* "k.ptx:20", "k.cu:7", the instruction's text; "" = none */
	struct text_list evidence;
	char *remedy;          /* what to do about it */
	char *test;            /* a line of the console */
	struct text_list uses; /* names of the figures that the rule has used, as `explain` knows them */
};
struct diagnosis {
	char *program;
	s32 launch;   /* -1: the whole run so far */
	char *kernel; /* name of the launch's kernel; "" */
	u64 from, to; /* cycles */
	u64 slots, used, lost;
	u64 reason[ST_COUNT];    /* issue slots by base reason; their sum is slots */
	struct finding *finding; /* highest bound first */
	u32 n;
	u32 rules;               /* that were asked */
	struct text_list broken; /* what is wrong with rules, with file and line; the others have been asked all the same */
};

/* Asks all rules about what figures are of now: the run so far, or the scope (dbg/scope.h). NULL with *e: interrupted,
 * or scripts/diagnose/lib.lua fails. Nothing of the machine changes. */
struct diagnosis *diagnose(struct session *s, struct err *e);
/* The same in the scope of a launch, whichever there is, and rules hear of this launch alone; launch < 0: as above.
 * NULL with *e also for what scope_launch() refuses. */
struct debugger;
struct diagnosis *diagnose_launch(struct debugger *d, s32 launch, struct err *e);
void diagnosis_free(struct diagnosis *d); /* NULL is fine */

/* diagnose_text.c: the head and the first `most` findings that are worth a percent of the slots, or all; one at length,
 * with the text at its rule's head; JSON. */
void diagnosis_text(const struct diagnosis *d, u32 most, struct strbuf *out);
void diagnosis_finding_text(const struct diagnosis *d, u32 i, struct strbuf *out);
void diagnosis_json(const struct diagnosis *d, struct strbuf *out);
/* A finding's bound in percent of the scope's slots. */
double diagnosis_percent(const struct diagnosis *d, const struct finding *f);

/* diagnose_verify.c: runs the test of a finding, if it is a `whatif`, and sets the gain beside the bound. False with
 * *e: the test cannot be run, or was interrupted. */
bool diagnosis_verify(struct debugger *d, const struct diagnosis *of, u32 i, struct strbuf *out, struct err *e);
#endif
