/* info room: what each SM has left for one more CTA of a kernel, in how large a piece, and what it lacks. */
#include "commands/commands.h"

bool info_room(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	struct kernel_info k;
	struct room_info o;
	u32 launch;
	if (!arg_launch(d, "info room", args, &launch, e))
		return false;
	gpu_kernel_info(g, launch, &k);
	if (!gpu_room(g, launch, 0, &o)) {
		strbuf_addf(out, "Kernel %u is %s; `why kernel %u` tells more.\n", launch,
		            k.state == KS_DONE ? "done" : "queued", launch);
		return true;
	}
	strbuf_addf(out, "kernel %u, %s: a CTA has %u registers and %u bytes of shared memory\n", launch, k.label, o.regs,
	            o.shared);
	strbuf_adds(out, "  SM  CTAs  most  registers free  in a piece  shared free  in a piece  fragmented  lacks\n");
	for (u32 sm = 0; sm < gpu_conf(g)->num_sms; sm++) {
		gpu_room(g, launch, sm, &o);
		strbuf_addf(out, "%c %2u  %4u  %4u  %14u  %10u  %11u  %10u  %4u CTA%-3s  %s\n", sm == d->focus.sm ? '*' : ' ',
		            sm, o.resident, o.most, o.reg.free, o.reg.largest, o.shm.free, o.shm.largest, o.fragmented,
		            o.fragmented == 1 ? "" : "s", o.lack == ROOM_IS_THERE ? "-" : room_lack_names[o.lack]);
	}
	return true;
}
