/* break stat, friendlier spellings of event breakpoints (becomes STATE, cta N), notes on those that will not happen */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"

/* A word of the form sm=3: none that a comparison may have behind its value. */
static bool is_filter(const char *word)
{
	size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyz_");
	return n && word[n] == '=' && word[n + 1] != '=';
}

bool stat_split(const char *command, const char *text, struct strbuf *compared, u64 *count, const char **cond,
                struct err *e)
{
	char word[160];
	*cond = NULL;
	for (const char *rest; (rest = next_word(text, word, sizeof(word))); text = rest) {
		if (compared->len && !strcmp(word, "if")) {
			*cond = rest;
			return *rest || err_set(e, "%s: a Lua expression is expected after 'if'", command);
		}
		if (!strncmp(word, "count=", 6)) {
			if (!break_count(word, command, count, e))
				return false;
		} else if (compared->len && is_filter(word)) {
			return err_set(e,
			               "%s takes no filters ('%.60s'): the statistic itself says where, as gpu.sm[3].ipc does; "
			               "`if` may test anything",
			               command, word);
		} else {
			strbuf_addf(compared, "%s%s", compared->len ? " " : "", word);
		}
	}
	return true;
}

struct breakpoint *break_stat(struct debugger *d, const char *text, struct err *e)
{
	struct crossing c;
	if (!crossing_parse(dbg_gpu(d), text, &c, e))
		return NULL;
	struct breakpoint *b = break_new_stat(&d->breaks, &c);
	stats_know_windows(d);
	crossing_moved(&b->stat, dbg_gpu(d)); /* what holds now is no crossing */
	return b;
}

static bool is_ready(const char *state)
{
	const struct warp_state_desc *x = &warp_state_descs[WS_READY_SP];
	return !strcmp(state, x->name) || (state[0] == x->ascii && !state[1]);
}

/* Ready and the stalls are told of by different events: each would name only its own states. */
static bool becomes(const char *command, const char *args, struct strbuf *out, struct err *e)
{
	char state[64] = "";
	const char *after = next_word(args, state, sizeof(state));
	struct event_filter f;
	struct err no = {0};
	event_filter_any(&f);
	if (is_ready(state)) {
		strbuf_addf(out, "warp-ready %s", after);
	} else if (*state && event_filter_add(&f, EV_WARP_STALL, "state", state, &no)) {
		strbuf_addf(out, "warp-stall state=%s %s", state, after);
	} else {
		struct strbuf names = STRBUF_INIT;
		event_states_text(EV_WARP_STALL, &names);
		strbuf_adds(&names, ", ");
		event_states_text(EV_WARP_READY, &names);
		err_set(e, "%s becomes%s%.40s: a warp's state is expected: %s", command, *state ? " " : "", state,
		        strbuf_str(&names));
		strbuf_release(&names);
		return false;
	}
	return true;
}

bool break_spelling(const char *command, const char *args, struct strbuf *out, struct err *e)
{
	char word[32], value[64];
	const char *rest = next_word(args, word, sizeof(word));
	const char *after = rest ? next_word(rest, value, sizeof(value)) : NULL;
	struct coordinates at;
	if (rest && !strcmp(word, "becomes"))
		return becomes(command, rest, out, e);
	if (after && !strcmp(word, "cta") && coordinates_read(value, &at))
		strbuf_addf(out, "cta-dispatch cta=%s %s", value, after);
	return true;
}

/* --- CTAs that there are --- */

static u64 ctas_of(const struct launch *l)
{
	return (u64)l->grid.x * l->grid.y * l->grid.z;
}

/* May the filter mean this launch? */
static bool may_be(const struct event_filter *f, const struct launch *l, u32 id)
{
	return (f->launch < 0 || (u32)f->launch == id) && (!*f->kernel || func_named(l->fn, f->kernel));
}

/* "CTA 17", "CTA 20,15,0" */
static void cta_text(const struct event_filter *f, struct strbuf *out)
{
	strbuf_adds(out, "CTA ");
	coordinates_text(&f->cta_at, out);
}

/* The CTAs of a launch as the filter names one: "0..255", "16 x 16 x 1". */
static void grid_text(const struct event_filter *f, const struct launch *l, struct strbuf *out)
{
	if (f->cta_at.parts > 1)
		strbuf_addf(out, "%u x %u x %u", l->grid.x, l->grid.y, l->grid.z);
	else
		strbuf_addf(out, "0..%llu", (unsigned long long)ctas_of(l) - 1);
}

bool break_cta_exists(struct debugger *d, const struct event_filter *f, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	struct strbuf cta = STRBUF_INIT, grid = STRBUF_INIT;
	if (!f->cta_at.parts || f->launch < 0 || (u32)f->launch >= gpu_num_kernels(g))
		return true;
	const struct launch *l = gpu_launched(g, (u32)f->launch);
	if (event_filter_in_grid(f, l->grid))
		return true;
	coordinates_text(&f->cta_at, &cta);
	grid_text(f, l, &grid);
	err_set(e, "cta=%s: the grid of launch %d, %s, has CTAs %s", strbuf_str(&cta), f->launch, func_label(l->fn),
	        strbuf_str(&grid));
	strbuf_release(&cta);
	strbuf_release(&grid);
	return false;
}

void break_cta_note(struct debugger *d, const struct event_filter *f, struct strbuf *out)
{
	struct gpu *g = dbg_gpu(d);
	const struct launch *largest = NULL;
	if (!f->cta_at.parts)
		return;
	for (u32 i = 0; i < gpu_num_kernels(g); i++) {
		const struct launch *l = gpu_launched(g, i);
		if (may_be(f, l, i) && event_filter_in_grid(f, l->grid))
			return;
		if (may_be(f, l, i) && (!largest || ctas_of(l) > ctas_of(largest)))
			largest = l;
	}
	if (!largest)
		return;
	strbuf_adds(out, "No launch so far has a ");
	cta_text(f, out);
	strbuf_addf(out, ": the largest grid, of %s, has ", func_label(largest->fn));
	grid_text(f, largest, out);
	strbuf_adds(out, ". A later launch may have it.\n");
}

/* --- events that only come with an option --- */

struct need {
	enum event_type event;
	const char *policy;  /* what the names of the warp schedulers begin with that tell of it; NULL = it is not theirs */
	const char *command; /* to be given to `run` */
};
static const struct need needs[] = {
    {EV_SCHED_PROMOTE, "tl-", "--warp-sched tl-gto"},
    {EV_SCHED_DEMOTE, "tl-", "--warp-sched tl-gto"},
    {EV_ELF_RECALC, "elf", "--warp-sched elf"},
    {EV_CCWS_THROTTLE, "ccws", "--warp-sched ccws"},
    {EV_MASCAR_MODE, "mascar", "--warp-sched mascar"},
    {EV_SCA_GROUP, "sca", "--warp-sched sca"},
    {EV_REPLAY_ENTER, NULL, "--set lsu.replay=newcar"},
    {EV_REPLAY_LEAVE, NULL, "--set lsu.replay=newcar"},
    {EV_CTA_NONIDEMPOTENT, NULL, "--set idempotence.track=true"},
    {EV_FINDING, NULL, "--check races,init"},
};

static bool need_is_met(const struct need *n, const struct conf *c)
{
	if (n->policy)
		return !strncmp(c->warp_sched, n->policy, strlen(n->policy));
	if (n->event == EV_FINDING)
		return c->check_races || c->check_init;
	return n->event == EV_CTA_NONIDEMPOTENT ? c->idem_track : c->lsu_replay != LSU_REPLAY_NONE;
}

void break_event_note(struct debugger *d, const struct breakpoint *b, struct strbuf *out)
{
	const struct conf *c = gpu_conf(dbg_gpu(d));
	for (u32 i = 0; i < ARRAY_LEN(needs) && b->kind == BK_EVENT; i++)
		if (needs[i].event == b->event && !need_is_met(&needs[i], c))
			strbuf_addf(out,
			            "This machine has no %s events. `run %s` starts again with one that has; breakpoints stay.\n",
			            event_descs[b->event].name, needs[i].command);
}
