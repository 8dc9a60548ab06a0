/* info kcb, info smst: the kernel scheduler's two tables - what is known of a kernel, and what each SM is doing with
 * its places. */
#include <math.h>

#include "commands/commands.h"
#include "session/programs.h"

static void figure(struct strbuf *out, const char *before, double v, const char *after)
{
	strbuf_adds(out, before);
	if (isnan(v))
		strbuf_adds(out, "not known yet");
	else
		strbuf_addf(out, "%.2f", v);
	strbuf_adds(out, after);
}

bool info_kcb(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	struct kernel_info k;
	struct kcb_info b;
	u32 launch;
	if (!arg_launch(d, "info kcb", args, &launch, e))
		return false;
	gpu_kernel_info(g, launch, &k);
	gpu_kcb(g, launch, &b);
	const char *program = programs_blame(d->s, k.program);
	strbuf_addf(out, "kernel %u, %s, of %s%sstream %u: %llu of %llu CTAs executed, %u on SMs\n", launch, k.label,
	            program ? program : "", program ? ", " : "", k.launch->stream, (unsigned long long)b.ended,
	            (unsigned long long)k.launch->ctas, k.resident);
	strbuf_addf(out, "  a CTA       %u warps, a context of %llu bytes, which an SM moves in %llu cycles\n",
	            k.launch->warps, (unsigned long long)b.context, (unsigned long long)b.switch_cycles);
	figure(out, "  counted     warp instructions a CTA ", b.cta_insts, "");
	figure(out, ", cycles a CTA ", b.cta_cycles, "");
	figure(out, ", cycles a warp instruction of it ", b.cta_cpi, "\n");
	strbuf_adds(out, "  preempted  ");
	for (u32 t = 0; t < TECHNIQUES; t++)
		strbuf_addf(out, "%s %s %llu", t ? "," : "", technique_names[t], (unsigned long long)b.by[t]);
	strbuf_addf(out, "; in the queue %u CTAs, %u of them begin again\n", b.waiting, b.restarting);
	return true;
}

static void kernels_there(const struct gpu *g, u32 sm, struct strbuf *out)
{
	const char *sep = "";
	for (u32 k = 0; k < gpu_num_kernels(g); k++) {
		const u32 n = gpu_resident(g, sm, k);
		if (n)
			strbuf_addf(out, "%s%u x kernel %u", sep, n, k);
		sep = n ? ", " : sep;
	}
	strbuf_adds(out, *sep ? "" : "-");
}

static void smst_row(const struct gpu *g, u32 sm, bool focus, struct strbuf *out)
{
	struct smst_info s;
	gpu_smst(g, sm, &s);
	strbuf_addf(out, "%c %2u  %4u %4u %6u %5u %5u %6u %6u %7u  %9u %6u %7u  ", focus ? '*' : ' ', sm, s.free, s.running,
	            s.preempting[BY_SWITCH], s.preempting[BY_DRAIN], s.preempting[BY_FLUSH], s.paused, s.moving, s.leaving,
	            s.regs, s.shared, s.threads);
	kernels_there(g, sm, out);
	if (s.inactive)
		strbuf_addf(out, "  %u without a slot", s.inactive);
	if (s.asked)
		strbuf_addf(out, " (%u to leave)", s.asked);
	if (*s.role)
		strbuf_addf(out, "  %s", s.role);
	if (s.request)
		strbuf_addf(out, "  request %u", s.request);
	strbuf_addc(out, '\n');
}

bool info_smst(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	u32 only = UINT32_MAX;
	if (*args && !arg_sm(d, args, &only, e))
		return false;
	strbuf_adds(out,
	            "      CTA slots\n"
	            "  SM  free  run switch drain flush paused moving leaving  registers shared threads  kernels, role\n");
	for (u32 sm = 0; sm < gpu_conf(g)->num_sms; sm++)
		if (only == UINT32_MAX || sm == only)
			smst_row(g, sm, sm == d->focus.sm, out);
	return true;
}
