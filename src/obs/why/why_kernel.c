/* why kernel K: why a kernel gets no more CTAs on the SMs, or does not start. */
#include "base/words.h"
#include "gpu/verbs.h"
#include "obs/why/why.h"
#include "gpu/query_preempt.h"

/* The launch before it in its stream that is not done; -1: there is none. */
static s32 stream_before(struct gpu *g, u32 launch, const struct kernel_info *k)
{
	for (u32 i = launch; i-- > 0;) {
		struct kernel_info o;
		gpu_kernel_info(g, i, &o);
		if (o.program == k->program && o.launch->stream == k->launch->stream && o.state != KS_DONE)
			return (s32)i;
	}
	return -1;
}

static void tell_queued(struct gpu *g, u32 launch, const struct kernel_info *k, struct strbuf *out)
{
	const s32 before = stream_before(g, launch, k);
	struct kernel_info o;
	if (before >= 0 && k->ready_at == NEVER) {
		gpu_kernel_info(g, (u32)before, &o);
		strbuf_addf(out, "has not begun: kernel %d (%s) comes before it in stream %u%s\n", before, o.label,
		            k->launch->stream,
		            k->programmatic ? "; it may begin when each CTA of that one has executed "
		                              "griddepcontrol.launch_dependents or has ended"
		                            : "");
	} else if (k->ready_at > gpu_cycle(g)) {
		strbuf_addf(out, "has not begun: it starts in cycle %llu (launch latency, or a time of its own)\n",
		            (unsigned long long)k->ready_at);
	} else {
		strbuf_addf(out, "has not begun: %s\n",
		            k->launch->cooperative
		                ? "it is cooperative and waits until nothing else runs"
		                : "a cooperative kernel, or as many kernels as can run at a time, are before it");
	}
}

/* What is to be said of an SM. */
struct place {
	struct room_info room;
	u32 other, others; /* the kernel that has most CTAs there besides, and how many */
	u32 request;       /* that is under way there; 0: none */
	u32 by;            /* its technique */
	bool own;          /* the SM is taken from the kernel itself */
};

static void look_at_request(struct gpu *g, u32 sm, u32 launch, struct place *o)
{
	struct request_sm r;
	if (!gpu_preempted(g, sm, &r))
		return;
	o->request = r.request;
	o->own = r.launch == launch;
	o->by = r.technique;
}

static bool look(struct gpu *g, u32 sm, u32 launch, struct place *o)
{
	*o = (struct place){.others = 0};
	if (!gpu_room(g, launch, sm, &o->room))
		return false;
	for (u32 i = 0; i < gpu_num_kernels(g); i++) {
		struct room_info k;
		if (i != launch && gpu_room(g, i, sm, &k) && k.resident > o->others) {
			o->others = k.resident;
			o->other = i;
		}
	}
	look_at_request(g, sm, launch, o);
	return true;
}

static void tell_request(const struct place *p, struct strbuf *out)
{
	if (!p->request)
		return;
	strbuf_addf(out, p->own ? "; request %u, by %s, is under way" : ", request %u takes them off by %s", p->request,
	            technique_names[p->by]);
	strbuf_adds(out, " (`info preemptions`)");
}

static void tell_lack(struct gpu *g, const struct place *p, struct strbuf *out)
{
	const struct room_info *o = &p->room;
	const struct conf *c = gpu_conf(g);
	switch (o->lack) {
	case ROOM_IS_THERE:
		strbuf_addf(out, "there is room: cta-sched %s, or an SM that was offered first, gives it none now",
		            c->cta_sched);
		return;
	case ROOM_ALL_DISPATCHED: strbuf_adds(out, "it has no CTAs to come"); return;
	case ROOM_TAKEN_AWAY: strbuf_adds(out, "the SM has been taken from it by preemption"); break;
	case ROOM_QUOTA:
		strbuf_addf(out, "partition %s lets it have %u CTA%s, it has %u", c->partition, o->most, plural(o->most),
		            o->resident);
		break;
	case ROOM_OCCUPANCY: strbuf_addf(out, "an SM holds no more than %u of its CTAs", o->most); return;
	case ROOM_SCHED_LIMIT:
		strbuf_addf(out, "cta-sched %s lets it have %u CTA%s", c->cta_sched, o->most, plural(o->most));
		return;
	case ROOM_REGS: strbuf_addf(out, "registers: a CTA has %u, %u are free", o->regs, o->reg.free); break;
	case ROOM_SHARED: strbuf_addf(out, "shared memory: a CTA has %u bytes, %u are free", o->shared, o->shm.free); break;
	case ROOM_HOLES:
		strbuf_addf(out, "fragmentation: free are %u registers (largest hole %u, a CTA has %u) and %u bytes (%u, %u)",
		            o->reg.free, o->reg.largest, o->regs, o->shm.free, o->shm.largest, o->shared);
		break;
	case ROOM_CONTEXT: strbuf_adds(out, "shared memory for the context of one more CTA (cta-virtual=vt)"); break;
	default: strbuf_addf(out, "no %s are free", room_lack_names[o->lack]); break;
	}
	if (p->others)
		strbuf_addf(out, "; kernel %u has %u CTA%s there", p->other, p->others, plural(p->others));
	tell_request(p, out);
}

/* SMs of which the same is to be said, but for how much is free. */
static bool alike(const struct place *a, const struct place *b)
{
	return a->room.lack == b->room.lack && a->room.most == b->room.most && a->room.resident == b->room.resident &&
	       a->other == b->other && a->others == b->others && a->request == b->request && a->by == b->by;
}

static void tell_sms(struct gpu *g, u32 launch, struct strbuf *out)
{
	const u32 n = gpu_conf(g)->num_sms;
	bool told[CONF_MAX_SMS] = {false};
	for (u32 i = 0; i < n; i++) {
		struct place a, b;
		if (told[i] || !look(g, i, launch, &a))
			continue;
		const char *sep = "";
		strbuf_adds(out, "  SM ");
		for (u32 k = i; k < n; k++) {
			u32 last = k;
			while (last < n && !told[last] && look(g, last, launch, &b) && alike(&a, &b))
				told[last++] = true;
			if (last == k)
				continue;
			strbuf_addf(out, last - k > 1 ? "%s%u-%u" : "%s%u", sep, k, last - 1);
			sep = ",";
			k = last - 1;
		}
		strbuf_adds(out, ": ");
		tell_lack(g, &a, out);
		strbuf_addc(out, '\n');
	}
}

void why_kernel_waits(struct gpu *g, u32 launch, struct strbuf *out)
{
	struct kernel_info k;
	gpu_kernel_info(g, launch, &k);
	strbuf_addf(out, "kernel %u (%s) ", launch, k.label);
	if (k.state == KS_QUEUED) {
		tell_queued(g, launch, &k, out);
		return;
	}
	if (k.state == KS_DONE) {
		strbuf_addf(out, "has ended in cycle %llu\n", (unsigned long long)k.counters->ended_at);
		return;
	}
	strbuf_addf(out, "has %u CTA%s on SMs; %llu of %llu have been dispatched\n", k.resident, plural(k.resident),
	            (unsigned long long)k.dispatched, (unsigned long long)k.launch->ctas);
	tell_sms(g, launch, out);
}
