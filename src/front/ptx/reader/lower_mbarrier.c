/* mbarrier instructions, cp.async.mbarrier.arrive. They read their modifiers themselves: .expect_tx and the like are
 * operations, and the order of the others varies among compilers. */
#include "front/ptx/reader/lower.h"

struct words {
	s32 op; /* enum mbar_op; -1: none yet */
	bool expect, no_complete, no_increment, parity, shared, cluster, b64, release, acquire, relaxed, cta_scope, count;
};
static const struct {
	const char *word;
	enum mbar_op op;
} ops[] = {{"init", MBAR_INIT},
           {"inval", MBAR_INVAL},
           {"arrive", MBAR_ARRIVE},
           {"arrive_drop", MBAR_ARRIVE_DROP},
           {"test_wait", MBAR_TEST_WAIT},
           {"try_wait", MBAR_TRY_WAIT},
           {"complete_tx", MBAR_COMPLETE_TX}};

static bool flag_word(const struct token *t, struct words *w)
{
	const struct {
		const char *word;
		bool *flag;
	} rows[] = {{"noComplete", &w->no_complete},
	            {"noinc", &w->no_increment},
	            {"parity", &w->parity},
	            {"shared", &w->shared},
	            {"shared::cta", &w->shared},
	            {"shared::cluster", &w->shared},
	            {"b64", &w->b64},
	            {"release", &w->release},
	            {"acquire", &w->acquire},
	            {"relaxed", &w->relaxed},
	            {"cta", &w->cta_scope},
	            {"cluster", &w->cluster},
	            {"pending_count", &w->count}};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++)
		if (tok_is_mod(t, rows[i].word))
			return *rows[i].flag = true;
	return false;
}
static bool op_word(const struct token *t, struct words *w)
{
	if (tok_is_mod(t, "expect_tx")) { /* alone, or what an arrival does first */
		if (w->op < 0)
			w->op = MBAR_EXPECT_TX;
		else
			w->expect = w->op == MBAR_ARRIVE || w->op == MBAR_ARRIVE_DROP;
		return w->expect || w->op == MBAR_EXPECT_TX;
	}
	for (u32 i = 0; i < ARRAY_LEN(ops); i++)
		if (tok_is_mod(t, ops[i].word) && w->op < 0) {
			w->op = (s32)ops[i].op;
			return true;
		}
	return false;
}
static bool read_words(struct stmt *s, u32 from, struct words *w)
{
	*w = (struct words){.op = -1};
	for (u32 i = from; i < s->nmods; i++)
		if (!op_word(&s->mod[i], w) && !flag_word(&s->mod[i], w))
			return ld_unsupported(s->ld, &s->mod[i], "'%s' is not supported ('%s' does not know '%s')", NAME(s),
			                      s->form->name, TEXT(&s->mod[i]));
	if (!w->b64)
		return ld_fail(s->ld, &s->op, "'%s' needs type .b64", NAME(s));
	return true;
}

/* The address in brackets: offsets in shared memory, or generic addresses. */
static bool lower_object(struct stmt *s, const struct operand *o, bool shared)
{
	s->in.type = T_B64;
	s->in.space = SPC_SHARED;
	if (!shared && o->kind == A_ADDR && o->base == A_REG) {
		s->in.geom |= MBAR_GENERIC;
		if (ptype_bytes(o->type) != 8)
			return ld_fail(s->ld, &o->at, "'%s' without .shared needs a generic address: a 64-bit register", NAME(s));
	}
	return lower_address(s, o);
}

/* state, [addr] {, count}; [addr], count */
static bool lower_arrive(struct stmt *s, const struct words *w)
{
	const bool state = w->op == MBAR_ARRIVE || w->op == MBAR_ARRIVE_DROP;
	/* without a count one thread arrives; the others need their operand */
	const u32 must = state + 1u + (w->expect || w->no_complete || !state);
	if (!want_args(s, must, state + 2u))
		return false;
	if (state && !lower_dst(s, &s->arg[0], T_B64, W_EXACT, &s->in.d[0]))
		return false;
	if (!lower_object(s, &s->arg[state], w->shared))
		return false;
	const bool given = s->nargs == state + 2u;
	const bool wants_90 = w->expect || !state || w->cluster || w->relaxed || (given && !w->no_complete);
	s->in.cmp = wants_90 ? 90 : 80;
	return !given || lower_src(s, &s->arg[state + 1], T_B32, W_EXACT, &s->in.s[1]);
}
/* [addr], count; [addr] */
static bool lower_init(struct stmt *s, const struct words *w)
{
	const u32 n = w->op == MBAR_INIT ? 2 : 1;
	s->in.cmp = 80;
	return want_args(s, n, n) && lower_object(s, &s->arg[0], w->shared) &&
	       (n == 1 || lower_src(s, &s->arg[1], T_B32, W_EXACT, &s->in.s[1]));
}
/* waitComplete, [addr], state or parity {, suspendTimeHint} */
static bool lower_wait(struct stmt *s, const struct words *w)
{
	const bool try = w->op == MBAR_TRY_WAIT;
	s->in.cmp = try || w->cluster || w->relaxed ? 90 : 80;
	if (!want_args(s, 3, try ? 4 : 3) || !lower_dst(s, &s->arg[0], T_PRED, W_EXACT, &s->in.d[0]) ||
	    !lower_object(s, &s->arg[1], w->shared) ||
	    !lower_src(s, &s->arg[2], w->parity ? T_B32 : T_B64, W_EXACT, &s->in.s[1]))
		return false;
	if (s->in.d[0] == OPND_NONE)
		return ld_fail(s->ld, &s->arg[0].at, "'%s' needs a predicate as destination", NAME(s));
	return s->nargs == 3 || lower_src(s, &s->arg[3], T_B32, W_EXACT, &s->in.s[2]);
}
/* count, state */
static bool lower_count(struct stmt *s)
{
	s->in.op = OP_MBARRIER_COUNT;
	s->in.type = T_B32;
	s->in.cmp = 80;
	if (!want_args(s, 2, 2) || !lower_dst(s, &s->arg[0], T_B32, W_EXACT, &s->in.d[0]) ||
	    !lower_src(s, &s->arg[1], T_B64, W_EXACT, &s->in.s[0]))
		return false;
	emit(s, &s->in);
	return true;
}

static bool check_words(struct stmt *s, const struct words *w)
{
	const bool waits = w->op == MBAR_TEST_WAIT || w->op == MBAR_TRY_WAIT;
	const bool arrives = w->op == MBAR_ARRIVE || w->op == MBAR_ARRIVE_DROP;
	if (w->op < 0)
		return ld_fail(s->ld, &s->op, "'%s' lacks a modifier that says what to do", NAME(s));
	if (w->parity && !waits)
		return ld_fail(s->ld, &s->op, "'%s': .parity is for test_wait and try_wait", NAME(s));
	if ((w->no_complete && !arrives) || (w->no_complete && w->expect) || w->no_increment)
		return ld_fail(s->ld, &s->op, "'%s': .noComplete is for arrive and arrive_drop, .noinc for cp.async.mbarrier",
		               NAME(s));
	if ((w->release && waits) || (w->acquire && !waits))
		return ld_fail(s->ld, &s->op, "'%s': arrivals have .release, waits .acquire", NAME(s));
	return true;
}

bool lower_mbarrier(struct stmt *s)
{
	struct words w;
	if (!read_words(s, 0, &w))
		return false;
	if (w.count)
		return lower_count(s);
	if (!check_words(s, &w))
		return false;
	s->in.mode = (u8)w.op;
	s->in.geom =
	    (u8)((w.expect ? MBAR_EXPECT : 0) | (w.no_complete ? MBAR_NO_COMPLETE : 0) | (w.parity ? MBAR_PARITY : 0));
	const bool init = w.op == MBAR_INIT || w.op == MBAR_INVAL;
	const bool waits = w.op == MBAR_TEST_WAIT || w.op == MBAR_TRY_WAIT;
	if (!(init ? lower_init(s, &w) : waits ? lower_wait(s, &w) : lower_arrive(s, &w)))
		return false;
	return emit_access(s, true);
}

/* cp.async.mbarrier.arrive{.noinc}{.shared}.b64 [addr] */
bool lower_copy_arrive(struct stmt *s)
{
	struct words w;
	if (!read_words(s, 2, &w))
		return false;
	if (w.op != MBAR_ARRIVE || w.parity || w.expect || w.no_complete)
		return ld_unsupported(s->ld, &s->op, "'%s' is not supported", NAME(s));
	s->in.op = OP_CP_ARRIVE;
	s->in.mode = MBAR_ARRIVE;
	s->in.geom = w.no_increment ? MBAR_NO_INCREMENT : 0;
	s->in.cmp = 80;
	return want_args(s, 1, 1) && lower_object(s, &s->arg[0], w.shared) && emit_access(s, true);
}
