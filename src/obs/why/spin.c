#include "obs/why/why.h"

#include "obs/name/names.h"
#include "passes/spin.h"

static u64 address(const struct gpu *g, u32 sm, u32 warp, const struct inst *in)
{
	u32 mask = front_active_mask(gpu_front(g), sm, warp);
	if (!mask || in->s[0] == OPND_NONE)
		return (u64)in->imm;
	enum ptype t = in->base_bytes == 4 ? T_U32 : T_U64;
	return front_read_reg(gpu_front(g), sm, warp, bit_first(mask), in->s[0], t) + (u64)in->imm;
}

bool spin_find(const struct gpu *g, u32 sm, u32 warp, struct spin *out)
{
	struct warp_info w;
	gpu_warp_info(g, sm, warp, &w);
	const struct module *m = module_of_launch(g, w.launch);
	const struct func *f = m && w.pc != PC_DONE ? func_of_pc(m, w.pc) : NULL;
	for (u32 b = w.pc; f && b < f->end && b < w.pc + SPIN_LOOP_MAX; b++) {
		const struct inst *in = &m->code[b];
		if (in->op != OP_BRA || in->target < (s32)f->entry || (u32)in->target > w.pc ||
		    b - (u32)in->target >= SPIN_LOOP_MAX)
			continue;
		*out = (struct spin){.from = (u32)in->target, .to = b};
		if (spin_loop(m, out->from, b, &out->load) && m->code[out->load].space != SPC_FPARAM) {
			out->space = (enum space)m->code[out->load].space;
			out->addr = address(g, sm, warp, &m->code[out->load]);
			return true;
		}
	}
	return false;
}

bool spin_anywhere(const struct gpu *g)
{
	struct spin found;
	struct warp_info w;
	for (u32 sm = 0; sm < gpu_conf(g)->num_sms; sm++)
		for (u32 warp = 0; warp < gpu_warps_per_sm(g); warp++) {
			gpu_warp_info(g, sm, warp, &w);
			if (w.launch >= 0 && w.pc != PC_DONE && spin_find(g, sm, warp, &found))
				return true;
		}
	return false;
}
