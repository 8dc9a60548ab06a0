/* The two parts of L2: see far.h. */
#include "mem/far.h"

u64 far_packets(const struct conf *c, u32 slices, u64 places)
{
	return c->l2_parts > 1 ? slices * places : 0;
}

bool far_works(const struct conf *c, const struct coherence_ops *rule)
{
	return c->l2_parts > 1 && !rule->serve && !c->noc_shared;
}

/* The place of the line in a slice's tags, home or copy; TAGS_NONE: it has none. */
static u32 find(const struct mem *m, u32 slice, u64 addr, u32 *set)
{
	const struct tags *t = &m->slice[slice].tags;
	struct mem_place place = map_place(&m->map, addr);
	*set = tags_set(t, map_slice_line(&m->map, &place, addr));
	return tags_find(t, *set, tags_line_of(t, addr));
}

static bool is_read(u32 op)
{
	return class_up(op) == MSG_READ;
}

/* A copy has all that the packet wants. */
static bool copy_has(const struct mem *m, u32 slice, const struct packet *p)
{
	const struct tags *t = &m->slice[slice].tags;
	if (!is_read(p->op))
		return false;
	u32 i = tags_find(t, p->set, tags_line_of(t, p->addr));
	return i != TAGS_NONE && !(p->need & (u8)~t->line[i].valid);
}

static void cross(struct mem *m, u32 pi, enum packet_state state, u64 now)
{
	m->packet[pi].state = (u8)state;
	HOP_TELL(m->ear, .what = NEWS_CROSS, .cycle = now, .id = pi, .hit = state == PS_FROM_FAR);
	wheel_set(&m->wheel, m->timer_packet + pi, now + m->c.l2_far);
}

bool far_enter(struct mem *m, u32 slice, u32 pi)
{
	struct packet *p = &m->packet[pi];
	if (map_place(&m->map, p->addr).slice == slice)
		return false;
	p->state = PS_ENTRY;
	m->slice[slice].st->away++;
	wheel_set(&m->wheel, m->timer_packet + pi, p->ready);
	return true;
}

/* Into the queue beside the slice's input. */
static void queue(struct mem *m, u32 slice, u32 pi, enum packet_state state, u64 now)
{
	struct slice_state *st = m->slice[slice].st;
	struct packet *p = &m->packet[pi];
	p->state = (u8)state;
	p->slice = (u16)slice;
	p->ready = now;
	HOP_TELL(m->ear, .what = NEWS_QUEUED, .cycle = now, .id = pi, .slice = slice);
	list_push(m, &st->far_head, &st->far_tail, pi);
	if (st->far_n++ == 0)
		l2_arm(m, slice, now);
}

bool far_pass(struct mem *m, u32 slice, u32 pi, u64 now)
{
	struct slice *s = &m->slice[slice];
	s->st->away--;
	if (copy_has(m, slice, &m->packet[pi])) {
		s->cc->copy_hits++;
		return false;
	}
	s->st->away++;
	cross(m, pi, PS_TO_FAR, now);
	return true;
}

void far_return(struct mem *m, u32 pi, u64 now)
{
	cross(m, pi, PS_FROM_FAR, now);
}

/* What has come stays, if there is room at once. */
static void keep(struct mem *m, u32 slice, const struct packet *p, u64 now)
{
	struct slice *s = &m->slice[slice];
	u32 i = tags_find(&s->tags, p->set, tags_line_of(&s->tags, p->addr));
	if (i == TAGS_NONE && l2_make_room(m, slice, p, 0, now, &i) != MR_HIT)
		return;
	tags_touch(&s->tags, i);
	s->tags.line[i].valid |= p->need;
	s->cc->copy_fills += sector_count(p->need);
	if (s->ideal.n)
		ideal_use(&s->ideal, i, s->tags.tag[i] - 1, p->need);
	if (s->st->mq_n)
		channel_refill(m, s->channel, now);
}

/* Back at its entry. */
static void leave(struct mem *m, u32 pi, u64 now)
{
	struct packet *p = &m->packet[pi];
	u32 entry = far_twin(m, p->slice);
	p->slice = (u16)entry;
	m->slice[entry].st->away--;
	if (m->c.l2_far_copies && is_read(p->op))
		keep(m, entry, p, now);
	noc_reply(m, entry, pi, now);
	noc_credit(m, entry, now);
}

bool far_arrive(struct mem *m, u32 pi, u64 now)
{
	struct packet *p = &m->packet[pi];
	switch (p->state) {
	case PS_ENTRY:
		if (copy_has(m, p->slice, p))
			queue(m, p->slice, pi, PS_COPY, now);
		else
			cross(m, pi, PS_TO_FAR, now);
		return true;
	case PS_TO_FAR: queue(m, far_twin(m, p->slice), pi, PS_L2, now); return true;
	case PS_FROM_FAR: leave(m, pi, now); return true;
	default: return false;
	}
}

void far_drop_copy(struct mem *m, u32 slice, const struct packet *p)
{
	struct slice *s = &m->slice[far_twin(m, slice)];
	u64 line = tags_line_of(&s->tags, p->addr);
	u32 i = tags_find(&s->tags, p->set, line);
	if (i == TAGS_NONE)
		return;
	u8 gone = s->tags.line[i].valid & p->need;
	s->tags.line[i].valid &= (u8)~gone;
	s->cc->copy_drops += sector_count(gone);
	if (s->ideal.n && gone)
		ideal_invalidate(&s->ideal, line, gone);
}

u8 far_copy_of(const struct mem *m, u64 addr)
{
	u32 slice = far_twin(m, map_place(&m->map, addr).slice), set;
	u32 i = m->parted ? find(m, slice, addr, &set) : TAGS_NONE;
	return i == TAGS_NONE ? 0 : m->slice[slice].tags.line[i].valid;
}

void far_forget(struct mem *m)
{
	for (u32 slice = 0; slice < m->nslices; slice++) {
		struct tags *t = &m->slice[slice].tags;
		for (u32 set = 0; *t->stamp && set < t->sets; set++)
			for (u32 i = tags_place(t, set, 0), end = i + t->ways; i < end; i++)
				if (t->tag[i] && map_place(&m->map, t->tag[i] - 1).slice != slice)
					tags_drop(t, i);
	}
}
