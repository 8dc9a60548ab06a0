#include "obs/record/lanes.h"

#include <string.h>

#include "conf/virtual.h"
#include "gpu/query_lanes.h"

#define AWAY_MAX 256 /* CTAs that are off their SMs, looked at per cycle */
#define ROWS_MAX (GPU_CTAS_MAX + 32)

/* What cycles have come to so far. */
struct count {
	u32 n[LANE_CTA_CLASSES], issued, cycles;
	struct lane_cell last;
};
struct lanes {
	struct gpu *g;
	s32 sm;
	u32 first, nsms, warps, scheds; /* SMs [first, first + nsms) */
	u32 places, seats;              /* of CTAs on the SM; rows: those that it has lost come behind them */
	u32 bin, cap;                   /* cycles of a column; columns */
	u64 from;
	u64 to; /* written last */
	u32 nnames, nmarks;
	u64 lost;
	struct lane_name *name; /* [1 ..] */
	struct lane_mark *mark;
	struct lane_cell *cell;   /* [column][sm][warp], then [column][seat] */
	struct lane_slots *slots; /* [column][sm] */
	struct count *count;      /* of the column that is open: [sm][warp], [seat] */
	u16 *known;               /* by row: the name of the last cycle */
	struct lane_slots *open;  /* [sm] */
	u64 (*stalls)[4][ST_COUNT];
	struct lane_cell (*issue)[WARP_SLOTS]; /* of this cycle, by SM: pc, cause; issued: how many */
};

/* --- the block ---------------------------------------------------------------------------------------------------- */

static u32 places_of(const struct conf *c)
{
	return conf_is_vt(c) ? VIRTUAL_CTA_PLACES : c->sm_ctas;
}

static u32 rows_of(const struct gpu *g, s32 sm, u32 *nsms, u32 *seats)
{
	const struct conf *c = gpu_conf(g);
	*nsms = sm < 0 ? c->num_sms : 1;
	*seats = sm < 0 ? 0 : places_of(c) + c->sm_ctas;
	return *nsms * gpu_warps_per_sm(g) + *seats;
}

u32 lanes_capacity(const struct gpu *g, s32 sm)
{
	u32 nsms, seats;
	const size_t column = rows_of(g, sm, &nsms, &seats) * sizeof(struct lane_cell) + nsms * sizeof(struct lane_slots);
	return (u32)MAX(LANES_BYTES / column, (size_t)1);
}

static void *carve(u8 **at, size_t n, size_t size)
{
	void *p = *at;
	*at += (n * size + 15) / 16 * 16;
	return p;
}

/* Lays the parts out from `mem` on; returns the bytes. */
static size_t lay_out(struct lanes *l, u8 *mem)
{
	u8 *at = mem;
	const size_t rows = (size_t)l->nsms * l->warps + l->seats;
	carve(&at, 1, sizeof *l);
	l->name = carve(&at, LANES_NAMES + 1, sizeof *l->name);
	l->mark = carve(&at, LANES_MARKS, sizeof *l->mark);
	l->cell = carve(&at, rows * l->cap, sizeof *l->cell);
	l->slots = carve(&at, (size_t)l->nsms * l->cap, sizeof *l->slots);
	l->count = carve(&at, rows, sizeof *l->count);
	l->known = carve(&at, rows, sizeof *l->known);
	l->open = carve(&at, l->nsms, sizeof *l->open);
	l->stalls = carve(&at, l->nsms, sizeof *l->stalls);
	l->issue = carve(&at, l->nsms, sizeof *l->issue);
	return (size_t)(at - mem);
}

static struct lanes shape(const struct gpu *g, s32 sm, u32 columns, u32 bin)
{
	struct lanes l = {.sm = sm, .first = sm < 0 ? 0 : (u32)sm, .warps = gpu_warps_per_sm(g), .bin = bin};
	rows_of(g, sm, &l.nsms, &l.seats);
	l.places = places_of(gpu_conf(g));
	l.scheds = gpu_conf(g)->sm_schedulers;
	l.cap = columns ? columns : lanes_capacity(g, sm);
	return l;
}

size_t lanes_bytes(const struct gpu *g, s32 sm, u32 columns)
{
	struct lanes l = shape(g, sm, columns, 1);
	return lay_out(&l, NULL);
}

struct lanes *lanes_init(void *mem, const struct gpu *g, s32 sm, u32 columns, u32 bin)
{
	struct lanes *l = mem;
	*l = shape(g, sm, columns, bin);
	lay_out(l, mem);
	l->from = l->to = NEVER;
	return l;
}

void lanes_begin(struct lanes *l, struct gpu *g)
{
	l->g = g;
	if (l->to == NEVER) {
		l->to = gpu_cycle(g);
		__atomic_store_n(&l->from, l->to, __ATOMIC_RELEASE);
	}
	for (u32 i = 0; i < l->nsms; i++)
		for (u32 k = 0; k < l->scheds; k++)
			gpu_stalls(g, l->first + i, k, l->stalls[i][k]);
}

/* --- names, marks ------------------------------------------------------------------------------------------------- */

static bool is_called(const struct lanes *l, u32 name, u32 sm, u32 launch, u64 cta)
{
	const struct lane_name *n = &l->name[name];
	return name && n->launch == launch && n->cta == cta && n->sm == sm;
}

static u16 new_name(struct lanes *l, u32 sm, u32 launch, u64 cta)
{
	if (l->nnames == LANES_NAMES) {
		l->lost++;
		return 0;
	}
	l->name[++l->nnames] = (struct lane_name){sm, launch, cta};
	return (u16)l->nnames;
}

static void add_mark(struct lanes *l, const struct event *e)
{
	if (l->nmarks == LANES_MARKS) {
		l->lost++;
		return;
	}
	struct lane_mark *m = &l->mark[l->nmarks];
	*m = (struct lane_mark){e->cycle, (u64)(s64)e->cta, {0}, e->sm, e->kernel, e->type};
	memcpy(m->arg, e->arg, sizeof m->arg);
	l->nmarks++;
}

event_set lanes_events(const struct lanes *l)
{
	const event_set ctas = EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_DONE) | EVENT(EV_CTA_PAUSE) | EVENT(EV_CTA_RESUME) |
	                       EVENT(EV_CTA_DROP) | EVENT(EV_CTA_SAVE) | EVENT(EV_CTA_RESTORE) | EVENT(EV_CTA_SWAP_OUT) |
	                       EVENT(EV_CTA_SWAP_IN);
	return l->bin > 1 ? ctas : ctas | EVENT(EV_BARRIER_RELEASE) | EVENT(EV_ISSUE);
}

bool lanes_event(void *ctx, const struct event *e)
{
	struct lanes *l = ctx;
	const u32 i = (u32)e->sm - l->first;
	if (i >= l->nsms || e->cycle < l->to)
		return false;
	if (e->type != EV_ISSUE) {
		add_mark(l, e);
		return false;
	}
	if (!gpu_issue_cost(l->g, (u32)e->sm, (u32)e->kernel, (u32)e->arg[0]))
		return false; /* it takes no slot */
	struct lane_cell *c = &l->issue[i][e->warp];
	if (!c->issued++)
		c->pc = (u32)e->arg[0];
	else
		c->cause = (u32)e->arg[0];
	return false;
}

/* --- a cycle ------------------------------------------------------------------------------------------------------ */

static u8 class_of(u8 state, bool refused)
{
	return refused ? LANE_REFUSED : warp_state_is_ready(state) ? WS_READY_SP : state;
}

static void count(struct count *c, u8 class, bool issued, u32 name, u32 pc, u32 cause)
{
	c->cycles++;
	c->issued += issued;
	c->n[class] += !issued;
	c->last = (struct lane_cell){class, 0, (u16)(name ? name : c->last.name), pc, cause};
}

/* The rule of a column: see the header. */
static struct lane_cell mix(const struct count *c)
{
	struct lane_cell out = c->last;
	u32 most = 0;
	for (u32 i = 1; i <= LANE_CTA_CLASSES; i++) {
		const u32 class = i % LANE_CTA_CLASSES; /* empty last */
		if (c->n[class] > most) {
			most = c->n[class];
			out.class = (u8) class;
		}
	}
	const u32 share = c->issued * 255 / MAX(c->cycles, 1u);
	out.issued =
	    (u8)(2 * c->issued >= c->cycles && c->issued ? MAX(share, 128u) : MIN(MAX(share, (u32) !!c->issued), 127u));
	return out;
}

/* --- rows of CTAs --- */

/* Its name: what the row was called in the cycle before, or another row that it has left; else a new one. */
static u16 name_in(struct lanes *l, u32 row, u32 launch, u64 cta)
{
	const u16 *known = l->known + (size_t)l->nsms * l->warps;
	if (is_called(l, known[row], l->first, launch, cta))
		return known[row];
	for (u32 i = 0; i < l->seats; i++)
		if (is_called(l, known[i], l->first, launch, cta))
			return known[i];
	return new_name(l, l->first, launch, cta);
}

/* What most warps of a slot's CTA are, and whether one has issued. */
static u8 class_of_cta(const struct lanes *l, const struct warp_lane *w, u32 slot, bool *issued)
{
	u32 n[LANE_CLASSES] = {0}, best = WS_NONE;
	for (u32 i = 0; i < l->warps; i++)
		if (w[i].launch >= 0 && w[i].cta_slot == slot) {
			*issued |= w[i].issued;
			n[class_of(w[i].state, w[i].refused)]++;
		}
	for (u32 i = 1; i < LANE_CLASSES; i++)
		if (n[i] > n[best])
			best = i;
	return (u8)best;
}

/* The CTAs of a cycle by their rows. */
struct ctas {
	u8 class[ROWS_MAX];
	bool issued[ROWS_MAX];
	u16 name[ROWS_MAX];
};

/* Those that have been taken off this SM, behind the rows of its places. */
static void look_at_those_away(struct lanes *l, struct ctas *of)
{
	struct away_info away[AWAY_MAX];
	const u32 n = MIN(gpu_ctas_away(l->g, -1, away, AWAY_MAX), (u32)AWAY_MAX);
	u32 row = l->places;
	for (u32 i = 0; i < n; i++) {
		if (away[i].sm != l->first)
			continue;
		if (row == l->seats) {
			l->lost++;
			return;
		}
		of->class[row] = (u8)(LANE_CLASSES + away[i].state);
		of->name[row] = name_in(l, row, away[i].launch, away[i].cta);
		row++;
	}
}

static void look_at_ctas(struct lanes *l, const struct warp_lane *w)
{
	u32 place[GPU_CTAS_MAX];
	struct ctas of = {0};
	const u32 n = MIN(gpu_ctas(l->g, l->first, place, GPU_CTAS_MAX), (u32)GPU_CTAS_MAX);
	for (u32 i = 0; i < n; i++) {
		struct cta_info c;
		gpu_cta_info(l->g, l->first, place[i], &c);
		const u32 row = front_slot(gpu_front(l->g), l->first, place[i]);
		const bool runs = c.is.state == CS_RUNNING || c.is.state == CS_LOW;
		of.class[row] = runs ? class_of_cta(l, w, place[i], &of.issued[row]) : (u8)(LANE_CLASSES + c.is.state);
		of.name[row] = name_in(l, row, c.launch, c.cta);
	}
	look_at_those_away(l, &of);
	struct count *to = l->count + (size_t)l->nsms * l->warps;
	for (u32 i = 0; i < l->seats; i++)
		count(&to[i], of.class[i], of.issued[i], of.name[i], PC_DONE, PC_DONE);
	memcpy(l->known + (size_t)l->nsms * l->warps, of.name, l->seats * sizeof *of.name);
}

/* --- rows of warps --- */

/* The name of a warp's CTA: of one SM that of the CTA's row. Of a warp that has issued its last and left the one
 * before.
 */
static u32 name_of(struct lanes *l, u32 sm, const struct warp_lane *w, u32 before)
{
	struct cta_info c;
	if (w->launch < 0)
		return w->issued ? before : 0;
	if (l->seats)
		return l->known[(size_t)l->nsms * l->warps + front_slot(gpu_front(l->g), sm, w->cta_slot)];
	gpu_cta_info(l->g, sm, w->cta_slot, &c);
	if (is_called(l, before, sm, c.launch, c.cta))
		return before;
	return new_name(l, sm, c.launch, c.cta);
}

static void look_at_warps(struct lanes *l, u32 i, const struct warp_lane *w)
{
	struct count *to = l->count + (size_t)i * l->warps;
	u16 *known = l->known + (size_t)i * l->warps;
	u32 cause[WARP_SLOTS], name = 0;
	if (l->bin == 1)
		gpu_producers(l->g, l->first + i, cause);
	for (u32 k = 0; k < l->warps; k++) {
		u32 pc = w[k].pc, why = l->bin == 1 && w[k].launch >= 0 ? cause[k] : PC_DONE;
		if (w[k].issued && l->bin == 1) {
			const struct lane_cell *is = &l->issue[i][k];
			why = is->issued > 1 ? is->cause : is->issued ? PC_DONE : pc;
			pc = is->issued ? is->pc : pc;
		}
		const bool same = k && w[k].launch >= 0 && w[k - 1].launch == w[k].launch && w[k - 1].cta_slot == w[k].cta_slot;
		name = same ? name : name_of(l, l->first + i, &w[k], known[k]);
		known[k] = (u16)name;
		count(&to[k], class_of(w[k].state, w[k].refused), w[k].issued, name, pc, why);
	}
}

static void look_at_slots(struct lanes *l, u32 i)
{
	struct lane_slots *to = &l->open[i];
	for (u32 k = 0; k < l->scheds; k++) {
		u64 now[ST_COUNT];
		gpu_stalls(l->g, l->first + i, k, now);
		for (u32 r = 0; r < ST_COUNT; r++) {
			const u64 n = now[r] - l->stalls[i][k][r];
			to->n[r] += (u32)n;
			if (n)
				to->reason[k] = (u8)r;
		}
		memcpy(l->stalls[i][k], now, sizeof now);
	}
}

/* --- columns --- */

static size_t rows(const struct lanes *l)
{
	return (size_t)l->nsms * l->warps + l->seats;
}

static void put_column(struct lanes *l, u64 column)
{
	for (size_t r = 0; r < rows(l); r++) {
		l->cell[column * rows(l) + r] = mix(&l->count[r]);
		memset(&l->count[r], 0, sizeof l->count[r]);
	}
	memcpy(l->slots + column * l->nsms, l->open, l->nsms * sizeof *l->open);
	memset(l->open, 0, l->nsms * sizeof *l->open);
}

void lanes_look(void *ctx, u64 cycle)
{
	struct lanes *l = ctx;
	struct warp_lane w[WARP_SLOTS];
	if (l->to >= lanes_limit(l))
		return;
	BUG_ON(cycle != l->to + 1); /* every cycle, one after the other */
	for (u32 i = 0; i < l->nsms; i++) {
		gpu_warp_lanes(l->g, l->first + i, w);
		if (l->seats)
			look_at_ctas(l, w);
		look_at_warps(l, i, w);
		look_at_slots(l, i);
		memset(l->issue[i], 0, sizeof l->issue[i]);
	}
	if (cycle % l->bin == 0)
		put_column(l, (cycle - 1 - l->from) / l->bin);
	__atomic_store_n(&l->to, cycle, __ATOMIC_RELEASE);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

u64 lanes_from(const struct lanes *l)
{
	return __atomic_load_n(&l->from, __ATOMIC_ACQUIRE);
}
u64 lanes_to(const struct lanes *l)
{
	return __atomic_load_n(&l->to, __ATOMIC_ACQUIRE);
}
u64 lanes_limit(const struct lanes *l)
{
	return l->from == NEVER ? NEVER : l->from + (u64)l->cap * l->bin;
}
s32 lanes_sm(const struct lanes *l)
{
	return l->sm;
}
u32 lanes_bin(const struct lanes *l)
{
	return l->bin;
}
u32 lanes_warps(const struct lanes *l)
{
	return l->warps;
}
u32 lanes_ctas(const struct lanes *l)
{
	return l->seats;
}
const struct lane_name *lanes_name(const struct lanes *l, u32 name)
{
	return name && name <= l->nnames ? &l->name[name] : NULL;
}
u32 lanes_marks(const struct lanes *l)
{
	return l->nmarks;
}
const struct lane_mark *lanes_mark(const struct lanes *l, u32 i)
{
	return &l->mark[i];
}
u64 lanes_marks_lost(const struct lanes *l)
{
	return l->lost;
}

/* The columns [*a, *b) of [from, from + n) that are complete, and whether the open one belongs to it, too. */
static bool columns(const struct lanes *l, u64 from, u32 n, u64 *a, u64 *b, bool *open)
{
	const u64 to = lanes_to(l), start = MAX(from, l->from), end = MIN(from + n, to);
	if (l->from == NEVER || start >= end)
		return false;
	*a = (start - l->from) / l->bin;
	*b = (end - l->from) / l->bin;
	*open = (end - l->from) % l->bin != 0;
	return true;
}

static bool get(const struct lanes *l, size_t row, u64 from, u32 n, struct lane_cell *out)
{
	struct count sum = {0};
	u64 a, b;
	bool open;
	if (!columns(l, from, n, &a, &b, &open))
		return false;
	if (open || b - a == 1) {
		*out = open ? mix(&l->count[row]) : l->cell[a * rows(l) + row];
		return true;
	}
	for (; a < b; a++) {
		const struct lane_cell *c = &l->cell[a * rows(l) + row];
		count(&sum, c->class, lane_is_issued(c), c->name, c->pc, c->cause);
	}
	*out = mix(&sum);
	return true;
}

bool lanes_warp(const struct lanes *l, u32 sm, u32 warp, u64 from, u32 n, struct lane_cell *out)
{
	return sm - l->first < l->nsms && warp < l->warps &&
	       get(l, (size_t)(sm - l->first) * l->warps + warp, from, n, out);
}

bool lanes_cta(const struct lanes *l, u32 row, u64 from, u32 n, struct lane_cell *out)
{
	return row < l->seats && get(l, (size_t)l->nsms * l->warps + row, from, n, out);
}

bool lanes_slots(const struct lanes *l, u32 sm, u64 from, u32 n, struct lane_slots *out)
{
	u64 a, b;
	bool open;
	*out = (struct lane_slots){0};
	if (sm - l->first >= l->nsms || !columns(l, from, n, &a, &b, &open))
		return false;
	for (; a < b + open; a++) {
		const struct lane_slots *s = (a < b ? l->slots + a * l->nsms : l->open) + (sm - l->first);
		for (u32 r = 0; r < ST_COUNT; r++)
			out->n[r] += s->n[r];
		memcpy(out->reason, s->reason, sizeof out->reason);
	}
	return true;
}
