#include "scr/pace.h"

#define SLICE_FIRST 4096

void pace_init(struct pace *p)
{
	*p = (struct pace){.slice = {SLICE_FIRST, SLICE_FIRST}};
}

/* How long A may lead: less when B is the slower machine, whose turn is no longer then. */
static double lead_seconds(const struct pace *p)
{
	return LEAD_SECONDS * MIN((double)p->slice[TURN_B] / (double)p->slice[TURN_A], 1.0);
}

/* A view of both wants them side by side for its next frame: as A has run half of the time, B gets the other half. */
static bool wanted_beside(const struct pace *p)
{
	return p->hurry || (p->lead >= FRAME_SECONDS / 2 && p->frame_debt <= 0);
}

enum machine_turn pace_turn(struct pace *p, bool behind, bool both, bool stopped)
{
	if (!behind)
		p->following = false;
	else if (stopped || p->lead >= lead_seconds(p) || (both && wanted_beside(p)))
		p->following = true;
	return p->following ? TURN_B : TURN_A;
}

void pace_sliced(struct pace *p, enum machine_turn t, u64 cycles, double wall, double cpu, bool behind)
{
	u64 *slice = &p->slice[t];
	if (wall < SLICE_SECONDS / 2 && cycles >= *slice) /* one that was cut short says nothing */
		*slice = MIN(*slice * 2, (u64)1 << 30);
	else if (wall > SLICE_SECONDS * 2)
		*slice = MAX(*slice / 2, (u64)64);
	p->frame_debt = MAX(p->frame_debt - DRAW_SHARE * cpu, 0.0);
	if (!behind)
		p->lead = 0;
	else if (t == TURN_A)
		p->lead += wall;
}

bool pace_may_draw(const struct pace *p, double now, bool apart)
{
	if (apart && now < p->frame_due + APART_SECONDS)
		return false;
	return p->hurry || (now >= p->frame_due && p->frame_debt <= 0);
}

void pace_drawn(struct pace *p, double now, double cpu)
{
	p->frame_due = now + FRAME_SECONDS;
	p->frame_debt = MIN((p->hurry ? 0 : p->frame_debt) + cpu, DEBT_SECONDS);
	p->hurry = false;
}

void pace_hurry(struct pace *p)
{
	p->hurry = true;
}

void pace_stopped(struct pace *p)
{
	p->frame_due = p->frame_debt = 0;
}
