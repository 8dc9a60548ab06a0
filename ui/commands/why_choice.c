/* why pick, why dispatch, why partition, why preempt: how a decision came about. */
#include <string.h>

#include "commands/commands.h"
#include "dbg/choice.h"
#include "gpu/query_preempt.h"

/* What a line names: "last", "next", and numbers behind words. */
struct question {
	enum choice_when when;
	u64 sm, scheduler, kernel, cta;
	bool has_sm, has_scheduler, has_kernel, has_cta;
};

static bool take_number(const char **args, const char *what, const char *word, u64 max, u64 *out, bool *has,
                        struct err *e)
{
	char number[32];
	*args = next_word(*args, number, sizeof number);
	if (!*args)
		return err_set(e, "why %s: a number is expected behind '%s'", what, word);
	if (!word_number(number, out) || *out > max)
		return err_set(e, "why %s %s: a number from 0 to %llu is expected, not '%s'", what, word,
		               (unsigned long long)max, number);
	*has = true;
	return true;
}

static bool take_words(struct debugger *d, const char *what, const char *args, bool pick, struct question *q,
                       struct err *e)
{
	const struct gpu *g = dbg_gpu(d);
	const struct conf *c = gpu_conf(g);
	char word[32];
	const char *rest;
	while ((rest = next_word(args, word, sizeof word))) {
		args = rest;
		bool ok = true;
		if (!strcmp(word, "last"))
			q->when = CHOICE_LAST;
		else if (!strcmp(word, "next"))
			q->when = CHOICE_NEXT;
		else if (!strcmp(word, "sm"))
			ok = take_number(&args, what, word, c->num_sms - 1, &q->sm, &q->has_sm, e);
		else if (pick && !strcmp(word, "scheduler"))
			ok = take_number(&args, what, word, c->sm_schedulers - 1, &q->scheduler, &q->has_scheduler, e);
		else if (!pick && !strcmp(word, "kernel") && !gpu_num_kernels(g))
			return err_set(e, "why %s: nothing has been launched yet", what);
		else if (!pick && !strcmp(word, "kernel"))
			ok = take_number(&args, what, word, gpu_num_kernels(g) - 1, &q->kernel, &q->has_kernel, e);
		else if (!pick && !strcmp(word, "cta"))
			ok = take_number(&args, what, word, UINT64_MAX - 1, &q->cta, &q->has_cta, e);
		else
			return err_set(e, "why %s: '%s' is not understood; %s is possible", what, word,
			               pick ? "'last', 'next', 'scheduler S', 'sm N'"
			                    : "'last', 'next', 'kernel K', 'cta C', 'sm N'");
		if (!ok)
			return false;
	}
	return true;
}

static bool named(struct err *e, const char *what)
{
	err_prefix(e, "why %s: ", what);
	return false;
}

static bool why_pick(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct question q = {.when = CHOICE_SLOT, .sm = d->focus.sm};
	if (!take_words(d, "pick", args, true, &q, e))
		return false;
	if (!q.has_scheduler)
		q.scheduler = d->focus.warp % gpu_conf(dbg_gpu(d))->sm_schedulers;
	return choice_pick(d, q.when, (u32)q.sm, (u32)q.scheduler, NULL, out, e) || named(e, "pick");
}

static bool why_dispatch(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct question q = {.when = CHOICE_LAST};
	if (!take_words(d, "dispatch", args, false, &q, e))
		return false;
	if (q.has_cta && q.has_kernel && q.cta >= gpu_launched(dbg_gpu(d), (u32)q.kernel)->ctas)
		return err_set(e, "why dispatch: kernel %llu has CTAs 0 to %llu", (unsigned long long)q.kernel,
		               (unsigned long long)gpu_launched(dbg_gpu(d), (u32)q.kernel)->ctas - 1);
	return choice_dispatch(d, q.when, q.has_kernel ? (s32)q.kernel : -1, q.has_cta ? q.cta : NO_CTA,
	                       q.has_sm ? (s32)q.sm : -1, NULL, out, e) ||
	       named(e, "dispatch");
}

static bool why_partition(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	return arg_none(args, "why partition", e) && (choice_partition(d, out, e) || named(e, "partition"));
}

static bool why_preempt(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	const u32 n = gpu_requests(dbg_gpu(d));
	u64 id = n;
	if (!arg_number(args, "why preempt", UINT32_MAX, &id, e))
		return false;
	if (!n && !*args) {
		strbuf_adds(out, "No kernel has been asked for SMs so far.\n");
		return true;
	}
	if (!id || id > n)
		return n ? err_set(e, "why preempt: requests are numbered from 1 to %u", n)
		         : err_set(e, "why preempt: no kernel has been asked for SMs so far");
	return choice_preempt(d, (u32)id, out, e) || named(e, "preempt");
}

bool why_a_choice(struct debugger *d, const char *what, const char *args, struct strbuf *out, bool *mine, struct err *e)
{
	static const struct {
		const char *name;
		command_fn *fn;
	} choices[] = {
	    {"pick", why_pick}, {"dispatch", why_dispatch}, {"partition", why_partition}, {"preempt", why_preempt}};
	*mine = false;
	for (u32 i = 0; i < ARRAY_LEN(choices); i++)
		if (!strcmp(what, choices[i].name)) {
			*mine = true;
			return choices[i].fn(d, args, out, e);
		}
	return true;
}
