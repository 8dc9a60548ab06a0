/* preempt, release; info preemptions: SMs are taken from a kernel, and given back. A change of the machine, as in
 * cta_verbs.c. */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "commands/commands.h"
#include "dbg/travel.h"
#include "gpu/query_preempt.h"
#include "gpu/verbs.h"

#define USAGE "`preempt [kernel K] sms N | sm S,S-S... within US [by TECHNIQUE]`"

struct words { /* what a line names */
	struct sm_order o;
	u64 set[CONF_SM_WORDS];
	char by[32];
	bool within;
};

static bool a_number(const char *word, const char *what, u64 max, u32 *out, struct err *e)
{
	u64 n;
	if (!word_number(word, &n))
		return err_set(e, "'%.40s' is no number of %s", word, what);
	if (n > max)
		return err_set(e, "%s %llu: at most %llu are possible", what, (unsigned long long)n, (unsigned long long)max);
	*out = (u32)n;
	return true;
}

/* "3,5-7" */
static bool take_list(char *word, u64 *set, struct err *e)
{
	char *rest = word;
	for (char *part; (part = strsep(&rest, ","));) {
		u32 from, to;
		char *dash = strchr(part, '-');
		if (dash)
			*dash++ = 0;
		if (!a_number(part, "SM", CONF_MAX_SMS - 1, &from, e) ||
		    !a_number(dash ? dash : part, "SM", CONF_MAX_SMS - 1, &to, e))
			return false;
		if (to < from)
			return err_set(e, "SMs %u-%u: the first is behind the last", from, to);
		for (u32 i = from; i <= to; i++)
			set[i / 64] |= BIT(i % 64);
	}
	return true;
}

static bool take_time(const char *word, struct words *w, struct err *e)
{
	char *end;
	w->o.within_us = strtod(word, &end);
	w->within = end != word && !*end;
	return w->within || err_set(e, "'%.40s' is no time in microseconds", word);
}

static bool take(const char *key, char *value, struct words *w, struct err *e)
{
	if (!strcmp(key, "kernel"))
		return a_number(value, "launch", UINT32_MAX - 1, &w->o.launch, e);
	if (!strcmp(key, "sms"))
		return a_number(value, "SMs", CONF_MAX_SMS, &w->o.sms, e);
	if (!strcmp(key, "within"))
		return take_time(value, w, e);
	if (!strcmp(key, "sm")) {
		w->o.set = w->set;
		return take_list(value, w->set, e);
	}
	if (!strcmp(key, "by")) {
		strcpy(w->by, value);
		w->o.by = w->by;
		return true;
	}
	return err_set(e, "'%.40s' is not understood: " USAGE, key);
}

static bool take_line(struct debugger *d, const char *args, struct words *w, struct err *e)
{
	char key[32], value[1024];
	*w = (struct words){.o.launch = d->focus.kernel >= 0 ? (u32)d->focus.kernel : 0};
	while (*args) {
		args = next_word(args, key, sizeof key);
		const char *rest = next_word(args, value, sizeof value);
		if (!rest)
			return err_set(e, "something is missing behind '%s': " USAGE, key);
		args = rest;
		if (!strcmp(key, "by") && strlen(value) >= sizeof w->by)
			return err_set(e, "there is no technique '%.40s'", value);
		if (!take(key, value, w, e))
			return false;
	}
	if (w->o.set && w->o.sms)
		return err_set(e, "`sms` says how many, `sm` which ones: not both");
	if (!w->o.set && !w->o.sms)
		return err_set(e, "which SMs? " USAGE);
	return w->within || err_set(e, "within what time? " USAGE);
}

static double in_us(const struct gpu *g, u64 cycles)
{
	return (double)cycles / gpu_conf(g)->core_clock;
}

/* Latency and loss; "-" for what is not known. */
static void add_cost(const struct gpu *g, u64 cycles, u64 insts, struct strbuf *out)
{
	if (cycles < COST_MAX)
		strbuf_addf(out, "  %10.2f", in_us(g, cycles));
	else
		strbuf_addf(out, "  %10s", "-");
	if (insts < COST_MAX)
		strbuf_addf(out, " %9llu", (unsigned long long)insts);
	else
		strbuf_addf(out, " %9s", "-");
}

static void add_cta(const struct gpu *g, const struct request_sm *p, const struct request_cta *a, struct strbuf *out)
{
	strbuf_addf(out, "        %-8s %6llu", technique_names[a->technique], (unsigned long long)a->id);
	add_cost(g, a->by[a->technique].latency, a->by[a->technique].overhead, out);
	if (a->left_at)
		add_cost(g, a->left_at - p->at, p->done_at ? a->lost : COST_MAX, out);
	const char *sep = "  ";
	if (a->inactive) {
		strbuf_addf(out, "%shad no slot", sep);
		sep = "; ";
	}
	if (a->no_flush != COST_KNOWN) {
		strbuf_addf(out, "%sno flush: %s", sep, cost_bar_names[a->no_flush]);
		sep = "; ";
	}
	if (a->no_drain != COST_KNOWN)
		strbuf_addf(out, "%sdrain not known: %s", sep, cost_bar_names[a->no_drain]);
	strbuf_addc(out, '\n');
}

/* What the SM would have cost, all its CTAs by one technique: those that were not chosen for all. */
static void add_others(const struct gpu *g, const struct request_sm *p, struct strbuf *out)
{
	const char *sep = "        would have cost: ";
	for (u32 t = 0; t < TECHNIQUES; t++) {
		const struct preempt_cost *c = &p->would[t];
		if (t == p->technique)
			continue;
		strbuf_addf(out, "%s%s ", sep, technique_names[t]);
		sep = "; ";
		if (c->latency < COST_MAX)
			strbuf_addf(out, "%.2f us", in_us(g, c->latency));
		else
			strbuf_adds(out, "-");
		if (c->overhead < COST_MAX)
			strbuf_addf(out, ", %llu lost", (unsigned long long)c->overhead);
	}
	strbuf_addc(out, '\n');
}

static void add_sm(const struct gpu *g, const struct request_sm *p, struct strbuf *out)
{
	struct request_cta cta[PREEMPT_MAX_CTAS];
	const u32 n = gpu_request_ctas(g, p->request, p->sm, cta, PREEMPT_MAX_CTAS);
	strbuf_addf(out, "  %4u  %-8s    all", p->sm, technique_names[p->technique]);
	add_cost(g, p->cost.latency, p->cost.overhead, out);
	if (p->done_at)
		add_cost(g, p->done_at - p->at, p->lost, out);
	else
		strbuf_addf(out, "  %u CTA%s there", p->left, p->left == 1 ? " is" : "s are");
	strbuf_addc(out, '\n');
	for (u32 i = 0; i < MIN(n, (u32)PREEMPT_MAX_CTAS); i++)
		add_cta(g, p, &cta[i], out);
	add_others(g, p, out);
}

static void add_request(const struct gpu *g, u32 id, struct strbuf *out)
{
	struct request_info r;
	struct request_sm sm[REQUEST_SMS_MAX];
	if (!gpu_request(g, id, &r))
		return;
	strbuf_addf(out, "request %u, cycle %llu: launch %u %s gives ", r.id, (unsigned long long)r.at, r.launch,
	            func_label(gpu_launched(g, r.launch)->fn));
	if (r.keep)
		strbuf_addf(out, "up %u CTA%s on ", r.ctas, r.ctas == 1 ? "" : "s");
	strbuf_addf(out, "%u SM%s", r.sms, r.sms == 1 ? "" : "s");
	if (r.keep)
		strbuf_addf(out, " (%u stay%s on each)", r.keep, r.keep == 1 ? "s" : "");
	if (r.whom >= 0)
		strbuf_addf(out, " for launch %d %s", r.whom, func_label(gpu_launched(g, (u32)r.whom)->fn));
	if (r.partition)
		strbuf_addf(out, ", asked by %s,", gpu_conf(g)->partition);
	strbuf_addf(out, " within %.2f us, by %s: ", in_us(g, r.limit), r.by);
	if (r.held)
		strbuf_addf(
		    out,
		    "%u SM%s stay%s with the kernel: it is not idempotent, and preempt.idempotence=strict forbids to flush "
		    "it%s\n",
		    r.held, r.held == 1 ? "" : "s", r.held == 1 ? "s" : "", r.done_at ? "; too late" : "");
	else if (!r.done_at)
		strbuf_addf(out, "%u %s not free yet\n", r.left, r.left == 1 ? "is" : "are");
	else
		strbuf_addf(out, "%s after %.2f us\n", r.done_at - r.at <= r.limit ? "free" : "too late,",
		            in_us(g, r.done_at - r.at));
	strbuf_addf(out, "    SM  technique   CTA  estimated: us     lost  measured: us   lost\n");
	const u32 n = gpu_request_sms(g, id, sm, REQUEST_SMS_MAX);
	for (u32 i = 0; i < n; i++)
		add_sm(g, &sm[i], out);
}

bool info_preemptions(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	const struct gpu *g = dbg_gpu(d);
	const u32 last = gpu_requests(g);
	u64 n = 4;
	if (!arg_number(args, "info preemptions", UINT32_MAX, &n, e))
		return false;
	if (!last)
		strbuf_adds(out, "No kernel was asked for an SM yet (`help preempt`).\n");
	for (u32 id = last - (u32)MIN(n, last) + 1; id <= last; id++)
		add_request(g, id, out);
	for (u32 r = 0; r < gpu_num_kernels(g); r++) {
		u32 kept = 0;
		for (u32 i = 0; i < gpu_conf(g)->num_sms; i++)
			kept += gpu_kept_away(g, i, r);
		if (kept)
			strbuf_addf(out, "%u SM%s kept from launch %u (`release sms`).\n", kept, kept == 1 ? " is" : "s are", r);
	}
	return true;
}

static bool changed(struct debugger *d)
{
	session_changed(d->s);
	debugger_refresh_focus(d);
	return true;
}

bool cmd_preempt(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	struct words w;
	if (!take_line(d, args, &w, e) || !gpu_may_preempt(g, &w.o, e)) {
		err_prefix(e, "preempt: ");
		return false;
	}
	if (!change_begins(d, e)) /* a mistake forks nothing */
		return false;
	const u32 id = gpu_preempt(g, &w.o, e);
	if (id)
		add_request(g, id, out);
	return changed(d) && id;
}

bool cmd_release(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	char word[16], list[1024];
	u64 set[CONF_SM_WORDS] = {0};
	const char *rest = next_word(args, word, sizeof word);
	const bool named = rest && !strcmp(word, "sm");
	if (!rest || (!named && strcmp(word, "sms") != 0))
		return err_set(e, "release: `release sms` or `release sm S,S-S...` is expected");
	if (named && !(rest = next_word(rest, list, sizeof list)))
		return err_set(e, "release: which SMs? `release sm S,S-S...`");
	if (*rest)
		return err_set(e, "release: '%.40s' is left over", rest);
	if ((named && !take_list(list, set, e)) || !gpu_may_release_sms(g, named ? set : NULL, e)) {
		err_prefix(e, "release: ");
		return false;
	}
	if (!change_begins(d, e))
		return false;
	const bool ok = gpu_release_sms(g, named ? set : NULL, e);
	strbuf_adds(out, "The kernels have their SMs back.\n");
	return changed(d) && ok;
}
