/* Virtual threads: is there room for one more CTA, and what each CTA has while it is on the SM, with a slot or without:
 * numbers and space for its context. */
#include "sm/internal.h"
#include "sm/virtual_internal.h"

bool vt_find_word(const struct sm *s, u32 warps, u32 *word)
{
	for (*word = 0; *word < SM_AWAY_WORDS; ++*word)
		if (WARP_SLOTS - bit_count(s->away[*word]) >= warps)
			return true;
	return false;
}
bool vt_find_place(const struct sm *s, u32 *place)
{
	for (u32 i = 0; i < SM_CTA_PLACES - SM_MAX_CTAS; i++)
		if (!(s->ctas_away[i / 64] >> i % 64 & 1)) {
			*place = SM_MAX_CTAS + i;
			return true;
		}
	return false;
}

/* One more CTA without a slot leaves places for one that is to leave its. */
static bool may_be_inactive(const struct sm_ctx *x, const struct sm *s, u32 warps)
{
	u32 rest = 0, places = 0;
	for (u32 i = 0; i < SM_AWAY_WORDS; i++)
		rest += (WARP_SLOTS - bit_count(s->away[i])) / warps;
	for (u32 i = 0; i < VT_HOME_WORDS; i++)
		places += i < ARRAY_LEN(s->ctas_away) ? bit_count(s->ctas_away[i]) : 0;
	return rest >= 2 && places + 2 <= SM_CTA_PLACES - SM_MAX_CTAS;
}

/* Virtual warps that follow one another. */
static bool find_warps(const struct sm_ctx *x, u32 n, u32 *first)
{
	u32 run = 0;
	for (u32 i = 0; i < x->conf->vt_warps; i++) {
		run = x->vt->warps[i / 64] >> i % 64 & 1 ? 0 : run + 1;
		if (run == n) {
			*first = i + 1 - n;
			return true;
		}
	}
	return false;
}
static bool find_home(const struct sm_ctx *x, u32 *home)
{
	for (u32 i = 0; i < FRONT_CTA_PLACES; i++)
		if (!(x->vt->homes[i / 64] >> i % 64 & 1)) {
			*home = i;
			return true;
		}
	return false;
}

bool vt_has_room(const struct sm_ctx *x, const struct sm *s, const struct launch *l)
{
	u32 at;
	if (!sm_find_resources(x, s, l, NULL))
		return false;
	const bool slots = vt_has_slots(x, s, l->warps);
	if (!slots && (!vt_context_bytes(x->conf, l) || !may_be_inactive(x, s, l->warps)))
		return false;
	/* It may have to wait although there are slots: others do. */
	if (slots && x->vt->ready && !may_be_inactive(x, s, l->warps))
		return false;
	return find_warps(x, l->warps, &at) && find_home(x, &at);
}

static void set_warps(struct vt *v, u32 first, u32 n, bool taken)
{
	for (u32 i = first; i < first + n; i++)
		v->warps[i / 64] = taken ? v->warps[i / 64] | BIT(i % 64) : v->warps[i / 64] & ~BIT(i % 64);
}

void vt_number(struct sm_ctx *x, struct sm *s, u32 place, u8 state, u64 now)
{
	struct vt *v = x->vt;
	const struct launch *l = x->prog[s->cta[place].launch].launch;
	u32 first, home;
	const bool numbered = find_warps(x, l->warps, &first) && find_home(x, &home);
	BUG_ON(!numbered);
	set_warps(v, first, l->warps, true);
	v->homes[home / 64] |= BIT(home % 64);
	v->cta[place] = (struct vt_cta){
	    .since = now, .context = vt_context_bytes(x->conf, l), .first = (u16)first, .home = (u8)home, .state = state};
	v->context += v->cta[place].context;
	vt_map(x, s)->first[home] = (u16)first;
	vt_map(x, s)->cta[place] = (u8)home;
}

void vt_take(struct sm_ctx *x, struct sm *s, u32 slot, u64 now)
{
	u16 warp;
	vt_number(x, s, slot, VT_ACTIVE, now);
	warp = x->vt->cta[slot].first;
	FOR_EACH_BIT(w, s->cta[slot].warps)
	vt_map(x, s)->warp[w] = warp++;
}

void vt_give_back(struct sm_ctx *x, struct sm *s, u32 slot)
{
	struct vt *v = x->vt;
	struct vt_cta *c = &v->cta[slot];
	set_warps(v, c->first, s->cta[slot].nwarps, false);
	v->homes[c->home / 64] &= ~BIT(c->home % 64);
	v->context -= c->context;
	*c = (struct vt_cta){0};
}
