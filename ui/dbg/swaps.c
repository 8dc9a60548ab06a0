#include "dbg/swaps.h"

#include <stdlib.h>

#include "base/words.h"
#include "dbg/moves.h"
#include "gpu/query_slotless.h"
#include "sm/virtual.h"

/* What has happened last to a CTA, by launch and number: a table with open places. Cycles + 1; 0: not known. */
struct seen {
	bool used, came; /* came: it has had slots */
	u32 launch;
	u64 cta;
	u64 in, out, ready;
};
struct walk {
	struct seen *seen;
	u32 room, n; /* room: a power of two */
	struct swap *swap;
	u32 nswaps, cap;
	s64 open[CONF_MAX_SMS]; /* the swap under way on an SM; -1: none is known */
};

static struct seen *place_of(struct walk *w, u32 launch, u64 cta)
{
	u32 i = (u32)((cta * 0x9e3779b97f4a7c15ull + launch * 0x85ebca6bull) >> 32) & (w->room - 1);
	while (w->seen[i].used && (w->seen[i].launch != launch || w->seen[i].cta != cta))
		i = (i + 1) & (w->room - 1);
	return &w->seen[i];
}

static void grow(struct walk *w)
{
	const struct seen *old = w->seen;
	const u32 room = w->room;
	w->room = MAX(room * 2, 1024u);
	w->seen = xcalloc(w->room, sizeof *w->seen);
	for (u32 i = 0; i < room; i++)
		if (old[i].used)
			*place_of(w, old[i].launch, old[i].cta) = old[i];
	free((void *)(uintptr_t)old);
}

static struct seen *seen(struct walk *w, u32 launch, u64 cta)
{
	if (w->n * 2 >= w->room)
		grow(w);
	struct seen *s = place_of(w, launch, cta);
	if (!s->used) {
		*s = (struct seen){.used = true, .launch = launch, .cta = cta};
		w->n++;
	}
	return s;
}

static u64 since(u64 then, u64 now) /* then: + 1 */
{
	return then ? now - (then - 1) : SWAP_UNKNOWN;
}

static struct swap *add(struct walk *w)
{
	if (w->nswaps == w->cap)
		w->swap = xrealloc(w->swap, (w->cap = MAX(w->cap * 2, 64u)) * sizeof *w->swap);
	return &w->swap[w->nswaps++];
}

static void swap_out(struct walk *w, const struct event *ev)
{
	struct seen *s = seen(w, (u32)ev->kernel, (u64)ev->cta);
	struct swap *p = add(w);
	*p = (struct swap){.cycle = ev->cycle,
	                   .sm = (u32)ev->sm,
	                   .slot = (u32)ev->arg[4],
	                   .cause = (u32)ev->arg[0],
	                   .out_launch = (u32)ev->kernel,
	                   .in_launch = (u32)ev->kernel,
	                   .out = (u64)ev->cta,
	                   .in = ev->arg[3],
	                   .held = since(s->in, ev->cycle),
	                   .away = SWAP_UNKNOWN,
	                   .ready = SWAP_UNKNOWN};
	w->open[ev->sm] = w->nswaps - 1;
	s->out = ev->cycle + 1;
}

/* Of the one that comes, as far as it is known when the swap begins. */
static void comes(struct swap *p, struct seen *s)
{
	p->is_new = !s->came;
	p->away = since(s->out, p->cycle);
	p->ready = since(s->ready, p->cycle);
}

static void swap_in(struct walk *w, const struct event *ev)
{
	struct seen *s = seen(w, (u32)ev->kernel, (u64)ev->cta);
	const s64 open = w->open[ev->sm];
	struct swap *p = open >= 0 && w->swap[open].in == (u64)ev->cta ? &w->swap[open] : NULL;
	if (!p) {
		p = add(w);
		*p = (struct swap){.cycle = ev->cycle - ev->arg[1],
		                   .sm = (u32)ev->sm,
		                   .slot = (u32)ev->arg[4],
		                   .cause = SWAP_FREE_SLOTS,
		                   .in = (u64)ev->cta,
		                   .held = SWAP_UNKNOWN};
	}
	p->in_launch = (u32)ev->kernel;
	p->over = ev->cycle;
	comes(p, s);
	w->open[ev->sm] = -1;
	s->in = p->cycle + 1;
	s->came = true;
	s->out = s->ready = 0;
}
static void on_move(void *ctx, const struct event *ev)
{
	struct walk *w = ctx;
	struct seen *s;
	switch (ev->type) {
	case EV_CTA_SWAP_OUT: swap_out(w, ev); return;
	case EV_CTA_SWAP_IN: swap_in(w, ev); return;
	case EV_CTA_DISPATCH:
	case EV_CTA_RESTORE: /* without a slot it is away from the beginning */
		s = seen(w, (u32)ev->kernel, (u64)ev->cta);
		s->in = ev->arg[1] ? ev->cycle + 1 : 0;
		s->out = ev->arg[1] ? 0 : ev->cycle + 1;
		s->came |= ev->arg[1] != 0;
		return;
	case EV_VT_READY:
		s = seen(w, (u32)ev->kernel, (u64)ev->cta);
		s->ready = ev->cycle + 1;
		return;
	default: return;
	}
}

static int by_cycle(const void *a, const void *b)
{
	const struct swap *x = a, *y = b;
	return x->cycle != y->cycle ? (x->cycle > y->cycle) - (x->cycle < y->cycle) : (x->sm > y->sm) - (x->sm < y->sm);
}

/* The one under way on an SM: who comes is known, and in which launch. */
static void open_swaps(const struct debugger *d, struct walk *w)
{
	const struct gpu *g = sim_gpu(d->s->sim);
	for (u32 sm = 0; sm < gpu_conf(g)->num_sms; sm++) {
		struct cta_info c;
		if (w->open[sm] < 0)
			continue;
		struct swap *p = &w->swap[w->open[sm]];
		gpu_cta_info(g, sm, p->slot, &c);
		if (c.used && c.cta == p->in)
			p->in_launch = c.launch;
		comes(p, seen(w, p->in_launch, p->in));
	}
}

struct swap *swaps_known(const struct debugger *d, u32 *n)
{
	struct walk w = {0};
	u64 from, to;
	gpu_counted_range(sim_gpu(d->s->sim), &from, &to);
	for (u32 i = 0; i < CONF_MAX_SMS; i++)
		w.open[i] = -1;
	moves_walk(d->moves, sim_cycle(d->s->sim), on_move, &w);
	open_swaps(d, &w);
	free(w.seen);
	if (w.nswaps)
		qsort(w.swap, w.nswaps, sizeof *w.swap, by_cycle);
	*n = 0;
	for (u32 i = 0; i < w.nswaps; i++)
		if (w.swap[i].cycle >= from && w.swap[i].cycle < to)
			w.swap[(*n)++] = w.swap[i];
	return w.swap;
}

const char *swap_cause_text(u32 cause)
{
	static const char *const texts[] = {"all its warps wait for memory",
	                                    "some of its warps wait at a barrier for those that wait for memory",
	                                    "all its warps have exited and wait for their stores"};
	return cause < ARRAY_LEN(texts) ? texts[cause] : "there were free slots";
}

void swap_line(const struct debugger *d, u32 sm, struct strbuf *out)
{
	const struct gpu *g = sim_gpu(d->s->sim);
	const struct event *ev = moves_last_swap(d->moves, sim_cycle(d->s->sim), sm);
	u32 slot, leaving;
	u64 until;
	const bool now = gpu_swap(g, sm, &slot, &leaving, &until);
	if (now && !leaving) {
		struct cta_info c;
		gpu_cta_info(g, sm, slot, &c);
		strbuf_addf(out, "CTA %llu comes to free slot %u until cycle %llu", (unsigned long long)c.cta, slot,
		            (unsigned long long)until);
	} else if (ev) {
		strbuf_addf(out, "CTA %d -> CTA %llu in slot %llu ", ev->cta, (unsigned long long)ev->arg[3],
		            (unsigned long long)ev->arg[4]);
		strbuf_addf(out, "%s cycle %llu: %s", now ? "until" : "in", (unsigned long long)(now ? until : ev->cycle),
		            swap_cause_text((u32)ev->arg[0]));
	}
}

void slotless_line(const struct debugger *d, u32 sm, struct strbuf *out)
{
	const struct gpu *g = sim_gpu(d->s->sim);
	u32 place[GPU_CTAS_MAX];
	const u32 n = gpu_inactive_ctas(g, sm, place, GPU_CTAS_MAX);
	for (u32 i = 0; i < n; i++) {
		struct cta_info c;
		struct slotless_info s;
		gpu_cta_info(g, sm, place[i], &c);
		gpu_slotless(g, sm, place[i], &s);
		strbuf_addf(out, "%s%llu (", i ? ", " : "", (unsigned long long)c.cta);
		if (c.is.state == CS_READY)
			strbuf_addf(out, "ready for %llu", (unsigned long long)(gpu_cycle(g) - c.is.since));
		else
			strbuf_addf(out, "%u %s%s", s.waits, s.ending ? "store" : "result", plural(s.waits));
		strbuf_adds(out, c.is.state == CS_SWAP_OUT ? ", leaving)" : ")");
	}
}
