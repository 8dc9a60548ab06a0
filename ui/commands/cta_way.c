#include "commands/cta_way.h"

#include <string.h>

#include "base/words.h"
#include "dbg/moves.h"
#include "dbg/swaps.h"
#include "obs/break/break.h"
#include "obs/name/coordinates.h"
#include "obs/why/why.h"
#include "task/preempt/cost.h"

struct way {
	u32 launch;
	u64 cta;
	struct strbuf *out;
	u32 told;
	bool begun, ended;
	u64 got, left;  /* cycle + 1: it got slots last, it has been without last; 0: not so */
	u64 waits_from; /* cycle + 1: it is ready */
};

static void cycles(struct strbuf *out, const char *before, u64 n)
{
	char a[GROUPED_MAX];
	strbuf_addf(out, "%s%s cycle%s", before, grouped(n, a), plural(n));
}

static void slot_text(struct strbuf *out, u64 slot)
{
	if (slot < SM_MAX_CTAS)
		strbuf_addf(out, "in slot %llu", (unsigned long long)slot);
	else
		strbuf_adds(out, "without a slot");
}

static void came(struct way *w, const struct event *ev)
{
	const bool slot = ev->arg[0] < SM_MAX_CTAS;
	w->got = slot ? ev->cycle + 1 : 0;
	w->left = slot ? 0 : ev->cycle + 1;
	w->waits_from = 0;
}

static void tell_swap_out(struct way *w, const struct event *ev)
{
	strbuf_addf(w->out, "gives slot %llu to CTA %llu: %s", (unsigned long long)ev->arg[4],
	            (unsigned long long)ev->arg[3], swap_cause_text((u32)ev->arg[0]));
	if (w->got)
		cycles(w->out, "; it had slots for ", ev->cycle + 1 - w->got);
	w->got = w->waits_from = 0;
	w->left = ev->cycle + 1;
}

static void tell_swap_in(struct way *w, const struct event *ev)
{
	const u64 began = ev->cycle - ev->arg[1];
	strbuf_addf(w->out, "goes on in slot %llu, ", (unsigned long long)ev->arg[4]);
	if (ev->arg[0])
		strbuf_addf(w->out, "which CTA %llu has left", (unsigned long long)ev->arg[3]);
	else
		strbuf_adds(w->out, "which was free");
	cycles(w->out, "; the swap took ", ev->arg[1]);
	if (w->left && began + 1 >= w->left)
		cycles(w->out, ", before it was without slots for ", began + 1 - w->left);
	if (w->left && w->waits_from && began + 1 >= w->waits_from)
		cycles(w->out, ", ready for ", began + 1 - w->waits_from);
	w->got = began + 1;
	w->left = w->waits_from = 0;
}

static void tell_save(struct way *w, const struct event *ev)
{
	strbuf_addf(w->out, "is taken off SM %d ", ev->sm);
	if (ev->arg[3])
		strbuf_addf(w->out, "by %s for request %llu", event_arg_name(EV_CTA_SAVE, 2, ev->arg[2]),
		            (unsigned long long)ev->arg[3]);
	else
		strbuf_adds(w->out, "by a command");
	strbuf_addf(w->out, ", with %llu bytes of context", (unsigned long long)ev->arg[4]);
	w->got = w->left = w->waits_from = 0;
}

static void tell_restore(struct way *w, const struct event *ev)
{
	strbuf_addf(w->out, "goes on on SM %d ", ev->sm);
	slot_text(w->out, ev->arg[0]);
	strbuf_addf(w->out, " with %llu bytes of context; it was on no SM", (unsigned long long)ev->arg[4]);
	cycles(w->out, " for ", ev->arg[3]);
	came(w, ev);
}

static void tell_technique(struct way *w, const struct event *ev)
{
	strbuf_addf(w->out, "is to leave SM %d by %s for request %llu (`why preempt %llu`)", ev->sm,
	            technique_names[ev->arg[1]], (unsigned long long)ev->arg[0], (unsigned long long)ev->arg[0]);
}

static void on_event(void *ctx, const struct event *ev)
{
	struct way *w = ctx;
	if (ev->kernel != (s32)w->launch || (u64)ev->cta != w->cta)
		return;
	w->begun = true;
	if (!w->told++)
		strbuf_adds(w->out, "its way:\n");
	strbuf_addf(w->out, "  cycle %9llu  ", (unsigned long long)ev->cycle);
	switch (ev->type) {
	case EV_CTA_DISPATCH:
		strbuf_addf(w->out, "begins on SM %d ", ev->sm);
		slot_text(w->out, ev->arg[0]);
		came(w, ev);
		break;
	case EV_CTA_DONE:
		strbuf_adds(w->out, "ends");
		cycles(w->out, " after ", ev->arg[1]);
		strbuf_addf(w->out, " and %llu warp instructions", (unsigned long long)ev->arg[2]);
		w->ended = true;
		break;
	case EV_CTA_SWAP_OUT: tell_swap_out(w, ev); break;
	case EV_CTA_SWAP_IN: tell_swap_in(w, ev); break;
	case EV_VT_READY:
		strbuf_adds(w->out, "is ready for slots");
		if (w->left)
			cycles(w->out, ", without them for ", ev->cycle + 1 - w->left);
		w->waits_from = ev->cycle + 1;
		break;
	case EV_CTA_DROP:
		strbuf_addf(w->out, "is dropped and begins again: %llu warp instructions are lost",
		            (unsigned long long)ev->arg[1]);
		break;
	case EV_CTA_SAVE: tell_save(w, ev); break;
	case EV_CTA_RESTORE: tell_restore(w, ev); break;
	default: tell_technique(w, ev); break;
	}
	strbuf_addc(w->out, '\n');
}

static bool take_args(struct debugger *d, const char *args, u32 *launch, u64 *cta, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	struct coordinates named = {0};
	char word[64];
	u64 n = d->focus.kernel >= 0 ? (u64)d->focus.kernel : 0;
	if (!gpu_num_kernels(g))
		return err_set(e, "why cta: nothing has been launched yet");
	while (args && (args = next_word(args, word, sizeof word))) {
		const bool kernel = !strncmp(word, "kernel=", 7);
		if (kernel && !arg_number(word + 7, "why cta", gpu_num_kernels(g) - 1, &n, e))
			return false;
		if (!kernel && (named.parts || !coordinates_read(word, &named)))
			return err_set(e, "why cta: '%.40s' is not understood: `why cta N [kernel=K]`", word);
	}
	const struct dim3 grid = gpu_launched(g, (u32)n)->grid;
	*launch = (u32)n;
	if (!named.parts && (d->focus.cta < 0 || d->focus.kernel != (s32)n))
		return err_set(e, "why cta: no CTA is focused: `why cta N`");
	if (named.parts > 1 && !coordinates_inside(&named, grid))
		return err_set(e, "why cta: the grid of launch %u has %u x %u x %u CTAs", *launch, grid.x, grid.y, grid.z);
	*cta = named.parts > 1 ? coordinates_linear(&named, grid) : named.parts ? named.at[0] : (u64)d->focus.cta;
	if (*cta >= gpu_launched(g, *launch)->ctas)
		return err_set(e, "why cta: launch %u has CTAs 0 to %llu", *launch,
		               (unsigned long long)gpu_launched(g, *launch)->ctas - 1);
	return true;
}

bool why_a_cta(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct strbuf way = STRBUF_INIT;
	struct way w = {.out = &way};
	if (!take_args(d, args, &w.launch, &w.cta, e))
		return false;
	moves_walk(d->moves, sim_cycle(d->s->sim), on_event, &w);
	const enum why_known known = w.ended                                ? WHY_ENDED
	                             : w.begun || moves_forgotten(d->moves) ? WHY_NOT_KNOWN
	                                                                    : WHY_NOT_BEGUN;
	why_cta(dbg_gpu(d), w.launch, w.cta, known, out);
	strbuf_add(out, strbuf_str(&way), way.len);
	if (moves_forgotten(d->moves))
		strbuf_addf(out, "what came before the last %u moves of CTAs is forgotten\n", MOVES_MAX);
	strbuf_release(&way);
	return true;
}
