/* The table of findings: pairs of lines, each with its first occurrence. */
#include "sm/checks_impl.h"
#include "sm/internal.h"

static u64 code_of(const struct view *v, const struct check_side *s)
{
	return v->x->prog[s->launch].launch->mod->code_base + 8 * (u64)s->pc;
}

static struct check_side first_side(const struct view *v, const struct finding_args *f)
{
	const struct access *a = f->first;
	if (!a)
		return (struct check_side){0};
	const struct run *r = run_of(v->k, a->run);
	return (struct check_side){.cycle = r->start + a->time - 1,
	                           .cta = r->cta,
	                           .launch = r->launch,
	                           .pc = ACCESS_PC(a->what),
	                           .thread = (u16)ACCESS_THREAD(a->what),
	                           .store = f->first_stores,
	                           .atomic = (a->what & ACCESS_ATOMIC) != 0};
}

/* The writer let others know without a fence, and this one has looked. */
static bool lacks_fence(const struct view *v, const struct finding_args *f)
{
	if (!f->first || f->first->run == v->cta->run)
		return false;
	const struct run *r = run_of(v->k, f->first->run);
	const u64 at = r->start + f->first->time - 1;
	return f->first_stores && f->first->time > r->released[ACCESS_THREAD(f->first->what) / WARP_SIZE] &&
	       r->signalled > at && v->cta->acquired[v->note->warp] > at;
}

static bool alike(const struct view *v, const struct check_finding *a, const struct check_finding *b)
{
	return a->kind == b->kind && a->space == b->space && a->same == b->same &&
	       code_of(v, &a->second) == code_of(v, &b->second) &&
	       (a->kind == CHECK_UNINIT || code_of(v, &a->first) == code_of(v, &b->first));
}

static struct check_finding *look_up(const struct view *v, const struct check_finding *f, u32 *at)
{
	struct check_state *st = v->k->st;
	const u64 code = code_of(v, &f->second) * 0x9e3779b97f4a7c15ull ^
	                 (f->kind == CHECK_UNINIT ? 0 : code_of(v, &f->first) * 0xc2b2ae3d27d4eb4full);
	*at = (u32)(code >> 40) % TABLE;
	for (; st->table[*at]; *at = (*at + 1) % TABLE)
		if (alike(v, &st->found[st->table[*at] - 1], f))
			return &st->found[st->table[*at] - 1];
	return NULL;
}

static void tell(const struct view *v, const struct check_finding *f, u32 number)
{
	if (f->same || !event_wanted(v->x->ev, EV_FINDING))
		return;
	struct event *e = sm_event(v->x, v->s, EV_FINDING, f->warp, v->now);
	e->pc = f->second.pc;
	e->arg[0] = f->kind;
	e->arg[1] = f->addr;
	e->arg[2] = number;
	e->arg[3] = f->second.pc;
	e->arg[4] = f->first.pc;
	e->arg[5] = f->first.cycle;
}

void check_found(struct view *v, const struct finding_args *a)
{
	struct check_state *st = v->k->st;
	const struct note *n = v->note;
	const struct check_finding f = {.kind = (u8)a->kind,
	                                .space = n->space,
	                                .same = a->same,
	                                .fence = lacks_fence(v, a),
	                                .bytes = a->bytes,
	                                .addr = a->addr,
	                                .times = 1,
	                                .first = first_side(v, a),
	                                .second = {.cycle = v->now,
	                                           .cta = v->me->cta,
	                                           .launch = v->me->launch,
	                                           .pc = n->pc,
	                                           .thread = (u16)(n->warp * WARP_SIZE + a->lane),
	                                           .store = (n->flags & NOTE_WRITE) != 0,
	                                           .atomic = (n->flags & NOTE_IS_ATOMIC) != 0},
	                                .sm = (u16)v->s->id,
	                                .warp = n->place,
	                                .last = st->notes};
	u32 at;
	struct check_finding *known = look_up(v, &f, &at);
	if (known) {
		known->times += known->last != st->notes;
		known->last = st->notes;
		return;
	}
	if (st->nfound == CHECK_FINDINGS) {
		st->lost++;
		return;
	}
	st->found[st->nfound++] = f;
	st->table[at] = (u16)st->nfound;
	v->news |= !f.same;
	tell(v, &f, st->nfound);
}
