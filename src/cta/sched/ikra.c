#include "cta/sched/ikra.h"

#include <string.h>

void ikra_chunk(u64 n, u32 parts, u32 k, u64 *lo, u64 *hi)
{
	u64 size = n / parts, more = n % parts;
	*lo = k * size + MIN(k, more);
	*hi = *lo + size + (k < more);
}

void ikra_deal(struct ikra_chunks *c, const struct cta_view *v, u32 first)
{
	for (u32 k = 0; k < v->num_sms; k++) {
		u32 sm = (first + k) % v->num_sms;
		ikra_chunk(v->launch->ctas, v->num_sms, k, &c->lo[sm], &c->hi[sm]);
	}
}

static u64 mul_mod(u64 a, u64 b, u64 n)
{
	return (u64)((unsigned __int128)a * b % n);
}

/* Euclid's algorithm; x and y are kept modulo n. */
u64 ikra_inverse(u64 a, u64 n)
{
	u64 r0 = n, r1 = a % n, x0 = 0, x1 = 1 % n;
	while (r1) {
		u64 q = r0 / r1, r2 = r0 - q * r1, x2 = (x0 + n - mul_mod(q, x1, n)) % n;
		r0 = r1;
		r1 = r2;
		x0 = x1;
		x1 = x2;
	}
	return r0 == 1 ? x0 : 0;
}

u64 ikra_id(const struct ikra_affine *map, u64 p, u64 n)
{
	if (!map->a || n == 1)
		return p;
	return mul_mod(p + n - map->b, ikra_inverse(map->a, n), n);
}

void ikra_share(const struct ikra_chunks *left, const struct ikra_affine *map, const struct cta_view *v, u32 sm,
                struct cta_share *out)
{
	out->from = left->lo[sm];
	out->to = left->hi[sm];
	out->next = NO_CTA;
	if (out->from != out->to)
		out->next = ikra_id(map, out->backward ? out->to - 1 : out->from, v->launch->ctas);
}

/* position of i = position then of a i + b = A (a i + b) + B */
static void follow(struct ikra_affine *map, const struct conf *c, u64 n)
{
	u64 a = c->ikra_a % n, shift = c->ikra_b % n;
	struct ikra_affine old = map->a ? *map : (struct ikra_affine){1, 0};
	if ((c->ikra_a == 1 && !c->ikra_b) || n == 1 || !ikra_inverse(a, n))
		return;
	*map = (struct ikra_affine){mul_mod(old.a, a, n), (mul_mod(old.a, shift, n) + old.b) % n};
}

bool ikra_follows(struct ikra_history *h, const struct cta_view *v)
{
	const struct dim3 *g = &v->launch->grid;
	const u32 grid[3] = {g->x, g->y, g->z};
	if (!memcmp(h->grid, grid, sizeof grid)) {
		follow(&h->map, v->conf, v->launch->ctas);
		return true;
	}
	memcpy(h->grid, grid, sizeof grid);
	h->map = (struct ikra_affine){0};
	return false;
}

void ikra_explain(const struct cta_share *s, struct strbuf *out)
{
	strbuf_addf(out, "chunk %llu-%llu, ", (unsigned long long)s->lo, (unsigned long long)s->hi - (s->hi > s->lo));
	if (s->from == s->to)
		strbuf_adds(out, "nothing is left of it");
	else
		strbuf_addf(out, "%llu left, from its %s", (unsigned long long)(s->to - s->from),
		            s->backward ? "end" : "start");
}
