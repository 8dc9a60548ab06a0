/* A child of `whatif`: the machine of one row, run to its end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dbg/elsewhen.h"
#include "dbg/whatif.h"
#include "obs/name/probe_path.h"
#include "session/lockstep.h"
#include "session/policy/lua_policy.h"
#include "session/progress.h"

#define NEWS_NS 100000000ull /* of simulating between two messages */

struct child {
	struct debugger *d;
	const struct whatif *w;
	const struct whatif_row *r;
	struct session *s; /* the debugger's own, or one from cycle 0 */
	int to;
	struct whatif_news news;
};

/* --- news --- */

static void send(struct child *c)
{
	const char *p = (const char *)&c->news;
	for (size_t left = sizeof c->news; left;) {
		const ssize_t n = write(c->to, p + sizeof c->news - left, left);
		if (n < 0 && errno != EINTR)
			_exit(1);
		left -= n > 0 ? (size_t)n : 0;
	}
}

static void look(struct child *c)
{
	c->news.cycle = sim_cycle(c->s->sim);
	c->news.insts = lockstep_position(c->s->sim, LOCKSTEP_INSTS);
}

static _Noreturn void last_word(struct child *c, enum session_stop stop, const struct err *e)
{
	struct whatif_news *n = &c->news;
	struct strbuf why = STRBUF_INIT;
	look(c);
	n->final = true;
	n->stop = stop;
	n->check = c->s->check;
	n->hash = c->w->hashes ? sim_hash(c->s->sim) : 0;
	for (u32 i = 0; i < c->w->nfigures; i++) {
		struct probe_path p;
		n->value[i] = (struct probe_value){.real = true, .d = __builtin_nan("")};
		if (probe_parse(sim_gpu(c->s->sim), c->w->figure[i].probe, &p, NULL))
			n->value[i] = probe_read(sim_gpu(c->s->sim), &p);
	}
	if (n->check == CHECK_FAIL && stop == SS_FINISHED)
		strbuf_adds(&why, strbuf_str(&c->s->check_message));
	else
		session_stop_reason(c->s, stop, e, &why);
	snprintf(n->why, sizeof n->why, "%s", strbuf_str(&why));
	send(c);
	_exit(0);
}

/* There is no machine to tell of. */
static _Noreturn void refused(struct child *c, const struct err *e)
{
	c->news.final = true;
	c->news.stop = SS_HOST_ERROR;
	snprintf(c->news.why, sizeof c->news.why, "%s", e->msg);
	send(c);
	_exit(0);
}

/* --- running --- */

/* The past is needed as long as it has turns that lie ahead; then it only costs memory. */
static void drop_history(struct session *s)
{
	struct sim_history_info h;
	sim_history_info(s->sim, &h);
	if (h.on && !h.turn_ahead && sim_cycle(s->sim) >= h.frontier)
		sim_history(s->sim, 0, NULL);
}

/* To a cycle, or to what ends the run before. */
static enum session_stop run_to(struct child *c, u64 until, struct err *e)
{
	u64 slice = 1024;
	for (;;) {
		const u64 now = sim_cycle(c->s->sim), began = host_ns();
		drop_history(c->s);
		const enum session_stop why = session_run(c->s, MIN(until, now > NEVER - slice ? NEVER : now + slice), e);
		strbuf_clear(&c->s->output);
		if ((why == SS_CYCLE && sim_cycle(c->s->sim) >= until) ||
		    (why != SS_CYCLE && why != SS_REQUEST && why != SS_BUSY))
			return why;
		if (host_ns() - began < NEWS_NS / 2 && slice < 1u << 30)
			slice *= 2;
		else if (host_ns() - began > NEWS_NS * 2)
			slice = MAX(slice / 2, 64);
		look(c);
		send(c);
	}
}

/* --- settings --- */

static bool set_one(struct session *s, const struct conf_key *k, const struct conf *want, bool *begun, struct err *e)
{
	struct strbuf is = STRBUF_INIT, to = STRBUF_INIT;
	conf_get(gpu_conf(sim_gpu(s->sim)), k, &is);
	conf_get(want, k, &to);
	bool ok = true;
	if (strcmp(strbuf_str(&is), strbuf_str(&to))) {
		ok = *begun || session_change_begins(s, e);
		drop_history(s); /* nothing lies ahead any more */
		ok = ok && policy_load(s, k->key, strbuf_str(&to), e) && sim_set(s->sim, k->key, strbuf_str(&to), e);
		*begun = true;
	}
	strbuf_release(&is);
	strbuf_release(&to);
	return ok;
}

/* What changes at the present cycle: policies first, for they imply others. */
static bool set_all(struct session *s, const struct conf *want, struct err *e)
{
	bool begun = false, ok = true;
	for (u32 policies = 2; policies-- > 0;)
		for (u32 i = 0; i < conf_nkeys && ok; i++)
			if ((policy_kind_of(conf_keys[i].key) != POLICY_KINDS) == policies)
				ok = set_one(s, &conf_keys[i], want, &begun, e);
	if (begun && ok)
		session_changed(s);
	return ok;
}

/* --- from cycle 0 --- */

/* The options of a machine of its own, with the keys that cannot change now. They live as long as the process. */
static void options_of(struct child *c, struct options *o)
{
	struct debugger *d = c->d;
	*o = compare_beside(d->s->opt);
	o->command = "run"; /* without a history and what else shows a run to somebody */
	o->record_launches = NULL;
	const char **sets = xcalloc(o->nsets + conf_nkeys + 1, sizeof *sets);
	if (o->nsets)
		memcpy(sets, o->sets, o->nsets * sizeof *sets);
	for (u32 i = 0; i < conf_nkeys; i++) {
		struct strbuf pair = STRBUF_INIT, is = STRBUF_INIT, to = STRBUF_INIT;
		const struct conf_key *k = &conf_keys[i];
		conf_get(gpu_conf(dbg_gpu(d)), k, &is);
		conf_get(&c->r->conf, k, &to);
		if (strcmp(strbuf_str(&is), strbuf_str(&to)) && !whatif_changes_now(d, k->key, strbuf_str(&to))) {
			strbuf_addf(&pair, "%s=%s", k->key, strbuf_str(&to));
			sets[o->nsets++] = pair.buf;
		}
		strbuf_release(&is);
		strbuf_release(&to);
	}
	o->sets = sets;
}

/* Builds it and brings it to the present cycle. */
static void begin_at_zero(struct child *c)
{
	struct options *o = xcalloc(1, sizeof *o);
	struct err e = {0};
	options_of(c, o);
	c->s = session_open(o, c->d->s->modules, &e);
	if (!c->s)
		refused(c, &e);
	enum session_stop why = session_run(c->s, 0, &e);
	if ((why == SS_CYCLE || why == SS_REQUEST) && c->w->from)
		why = run_to(c, c->w->from, &e);
	if (why != SS_CYCLE)
		last_word(c, why, &e);
}

_Noreturn void whatif_child(struct debugger *d, const struct whatif *w, const struct whatif_row *r, int to)
{
	struct child c = {.d = d, .w = w, .r = r, .s = d->s, .to = to};
	struct err e = {0};
	process_let_go(to, w->parent);
	session_forked(d->s);
	if (r->from_zero)
		begin_at_zero(&c);
	look(&c);
	c.news.forked = true;
	c.news.insts_at = c.news.insts;
	send(&c);
	if (!set_all(c.s, &r->conf, &e))
		refused(&c, &e);
	last_word(&c, run_to(&c, w->until, &e), &e);
}
