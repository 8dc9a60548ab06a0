/* Who got which SM: the dispatch of a CTA, the quotas of kernels. */
#include <stdio.h>
#include <string.h>

#include "obs/why/why_choice.h"
#include "obs/why/why_text.h"

/* --- a CTA -------------------------------------------------------------------------------------------------------- */

static void tell_answer(const struct gpu *g, const struct dispatch_offer *o, struct strbuf *out)
{
	const char *limiter;
	switch (o->answer) {
	case OFFER_CAME_BACK: strbuf_adds(out, "a saved CTA comes back: they are placed before new ones"); break;
	case OFFER_NONE_LEFT: strbuf_adds(out, "the kernel has no CTAs to come"); break;
	case OFFER_FOR_SAVED:
		strbuf_adds(out, "refused: the room is for saved CTAs of the kernel that it waits for");
		break;
	case OFFER_NO_ROOM:
	case OFFER_MOST:
		strbuf_addf(out, "refused: %s", room_lack_names[o->room.lack]);
		if (o->room.lack == ROOM_OCCUPANCY) {
			sm_occupancy(gpu_conf(g), gpu_launched(g, o->launch), &limiter);
			strbuf_addf(out, ", %u of %u there (by %s)", o->resident, o->room.most, limiter);
		} else if (o->room.lack == ROOM_QUOTA || o->room.lack == ROOM_SCHED_LIMIT) {
			strbuf_addf(out, ", %u of %u there", o->resident, o->room.most);
		} else if (o->room.lack == ROOM_REGS) {
			strbuf_addf(out, ", %u needed, %u free", o->room.regs, o->room.reg.free);
		} else if (o->room.lack == ROOM_SHARED) {
			strbuf_addf(out, ", %u B needed, %u free", o->room.shared, o->room.shm.free);
		} else if (o->room.lack == ROOM_HOLES) {
			strbuf_addf(out, ", %u registers and %u B needed in one piece, %u and %u there", o->room.regs,
			            o->room.shared, o->room.reg.largest, o->room.shm.largest);
		}
		break;
	case OFFER_DECLINED: strbuf_addf(out, "declined by %s: %s", gpu_conf(g)->cta_sched, o->text); break;
	case OFFER_TAKEN:
		strbuf_addf(out, "CTA %llu starts; %s: %s", (unsigned long long)o->cta, gpu_conf(g)->cta_sched,
		            *o->text ? o->text : "-");
		break;
	case OFFER_ASKED:
	case OFFER_ANSWERS: break;
	}
}

static void tell_quota(const struct dispatch_offer *o, struct strbuf *out)
{
	char quota[12] = "any";
	if (o->quota != QUOTA_ANY)
		snprintf(quota, sizeof quota, "%u", o->quota);
	strbuf_addf(out, "%3u  %6u  %5u  %5s  ", o->sm, o->launch, o->resident, quota);
}

/* Neighbours that got the same answer, up to the one for which it differs. */
static u32 alike(const struct dispatch_look *l, u32 from, u32 end)
{
	struct strbuf first = STRBUF_INIT, next = STRBUF_INIT;
	u32 n = 1;
	const struct dispatch_offer *a = &l->offer[from];
	tell_answer(l->gpu, a, &first);
	for (; from + n < end && a->answer != OFFER_TAKEN; n++) {
		const struct dispatch_offer *b = &l->offer[from + n];
		strbuf_clear(&next);
		tell_answer(l->gpu, b, &next);
		if (b->launch != a->launch || b->quota != a->quota || b->resident != a->resident || b->answer != a->answer ||
		    next.len != first.len || memcmp(next.buf, first.buf, next.len) != 0)
			break;
	}
	strbuf_release(&first);
	strbuf_release(&next);
	return n;
}

void why_tell_dispatch(const struct gpu *g, const struct dispatch_look *l, struct strbuf *out)
{
	const struct dispatch_offer *taken = NULL;
	u32 end = 0;
	for (u32 i = 0; i < l->n; i++) {
		const struct dispatch_offer *o = &l->offer[i];
		if (o->answer != OFFER_TAKEN)
			continue;
		const bool mine = !l->keep || (o->launch == l->launch && (l->cta == NO_CTA || o->cta == l->cta) &&
		                               (l->sm < 0 || o->sm == (u32)l->sm));
		if (mine && (!l->keep || !taken)) {
			taken = o;
			end = i + 1;
		}
	}
	if (!taken) {
		strbuf_addf(out, "cycle %llu: no CTA was dispatched\n", (unsigned long long)l->cycle);
		end = l->n;
	} else {
		struct kernel_info k;
		strbuf_addf(out, "cycle %llu: CTA %llu of %s#%u was dispatched to SM %u\n", (unsigned long long)l->cycle,
		            (unsigned long long)taken->cta, why_kernel(g, (s32)taken->launch, &k), taken->launch, taken->sm);
	}
	strbuf_addf(out, "offers of that cycle up to it, in order (cta-sched %s, partition %s):\n", gpu_conf(g)->cta_sched,
	            gpu_conf(g)->partition);
	strbuf_adds(out, " SM  kernel  there  quota  answer\n");
	for (u32 i = 0; i < end;) {
		const u32 n = alike(l, i, end);
		tell_quota(&l->offer[i], out);
		tell_answer(g, &l->offer[i], out);
		if (n > 1)
			strbuf_addf(out, "  (so are the next %u, up to SM %u)", n - 1, l->offer[i + n - 1].sm);
		strbuf_addc(out, '\n');
		i += n;
	}
	if (l->lost)
		strbuf_addf(out, "%u more offers are not shown\n", l->lost);
}

/* --- quotas ------------------------------------------------------------------------------------------------------- */

static void tell_number(u8 n, u8 any, const char *name, struct strbuf *out)
{
	if (n == any)
		strbuf_adds(out, name);
	else
		strbuf_addf(out, "%u", n);
}

/* Runs of SMs with the same change. */
static void tell_changes(const struct gpu *g, const struct look_kernel *k, struct strbuf *out)
{
	const u32 sms = gpu_conf(g)->num_sms;
	for (u32 i = 0, n; i < sms; i += n) {
		n = 1;
		while (i + n < sms && k->before[i + n] == k->before[i] && k->after[i + n] == k->after[i] &&
		       k->keep[i + n] == k->keep[i])
			n++;
		strbuf_addf(out, n > 1 ? "    SMs %u-%u: " : "    SM %u: ", i, i + n - 1);
		tell_number(k->before[i], QUOTA_ANY, "any", out);
		if (k->before[i] != k->after[i]) {
			strbuf_adds(out, " -> ");
			tell_number(k->after[i], QUOTA_ANY, "any", out);
		}
		if (k->keep[i] != KEEP_ALL)
			strbuf_addf(out, ", all but %u CTAs are to leave at once", k->keep[i]);
		strbuf_addc(out, '\n');
	}
}

void why_tell_partition(const struct gpu *g, const struct partition_look *l, struct strbuf *out)
{
	strbuf_addf(out, "cycle %llu: %s was asked%s; kernels in the order in which they are served:\n",
	            (unsigned long long)l->cycle, gpu_conf(g)->partition, l->changed ? "" : ", and changed nothing");
	for (u32 i = 0; i < l->n; i++) {
		const struct look_kernel *k = &l->kernel[i];
		struct kernel_info o;
		strbuf_addf(out, "  %s#%u: %s\n", why_kernel(g, (s32)k->launch, &o), k->launch, *k->text ? k->text : "-");
		tell_changes(g, k, out);
	}
	if (!l->n)
		strbuf_adds(out, "  no kernel runs\n");
	if (*l->policy)
		strbuf_addf(out, "the policy says:\n%s%s", l->policy, l->policy[strlen(l->policy) - 1] == '\n' ? "" : "\n");
}
