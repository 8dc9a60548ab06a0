/* info chunks: what CTA schedulers for reuse between kernels keep of a kernel's CTAs for each SM, and what SMs stole */
#include "commands/commands.h"

/* Places [from, to) in the order in which they are taken. */
static void range(struct strbuf *out, u64 from, u64 to, bool backward)
{
	if (from == to)
		strbuf_addf(out, "%-15s", "-");
	else if (backward)
		strbuf_addf(out, "%6llu .. %-5llu", (unsigned long long)to - 1, (unsigned long long)from);
	else
		strbuf_addf(out, "%6llu .. %-5llu", (unsigned long long)from, (unsigned long long)to - 1);
}

static void queue(struct strbuf *out, const struct cta_share *c)
{
	if (!c->queued)
		strbuf_adds(out, " -");
	for (u32 i = 0; i < c->queued; i++)
		strbuf_addf(out, i >= c->qfrom && i < c->qto ? " [%llu]" : " %llu", (unsigned long long)c->queue[i]);
}

bool info_chunks(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	struct cta_share c;
	struct kernel_info k;
	u32 launch = 0;
	if (!arg_launch(d, "info chunks", args, &launch, e))
		return false;
	gpu_kernel_info(g, launch, &k);
	if (!gpu_cta_share(g, launch, 0, &c)) {
		if (k.state == KS_RUNNING)
			strbuf_addf(out, "cta-sched %s deals no chunks; chunk, reset, flip and steal do.\n",
			            gpu_conf(g)->cta_sched);
		else
			strbuf_addf(out, "Kernel %u is %s; chunks are those of a kernel that runs.\n", launch,
			            k.state == KS_DONE ? "done" : "queued");
		return true;
	}
	strbuf_addf(out, "kernel %u, %s: chunks from their %s\n", launch, k.label, c.backward ? "ends" : "beginnings");
	strbuf_addf(out, "  SM    next  left in chunk  chunk        %s\n",
	            c.steals ? "  steal queue, [still to be dispatched]" : "");
	for (u32 sm = 0; sm < gpu_conf(g)->num_sms; sm++) {
		gpu_cta_share(g, launch, sm, &c);
		strbuf_addf(out, "%c %2u ", sm == d->focus.sm ? '*' : ' ', sm);
		if (c.next == NO_CTA)
			strbuf_addf(out, "%7s", "-");
		else
			strbuf_addf(out, "%7llu", (unsigned long long)c.next);
		strbuf_adds(out, "  ");
		range(out, c.from, c.to, c.backward);
		range(out, c.lo, c.hi, false);
		if (c.steals)
			queue(out, &c);
		strbuf_addc(out, '\n');
	}
	return true;
}
