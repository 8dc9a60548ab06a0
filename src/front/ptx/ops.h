/* ops: the functions of the PTX front end that others reach through front_ops. front/front.h says what each does. */
#ifndef FRONT_PTX_OPS_H
#define FRONT_PTX_OPS_H
#include "front/front.h"

/* clang-format off */
#define PTX_OPS(OP) \
	OP(state_bytes) OP(create) OP(destroy) \
	OP(place) OP(grid_workspace) OP(check_launch) OP(kernel_start) OP(cta_start) OP(barrier_release) OP(cta_save) OP(cta_restore) \
	OP(pc) OP(active_mask) OP(issue) OP(read) OP(commit) OP(queued) \
	OP(fault) OP(raise_fault) OP(clear_fault) OP(fault_text) OP(take_printf) \
	OP(bind_texture) OP(texture_object) OP(surface_object) \
	OP(host_save) OP(host_restore) \
	OP(check_state) OP(stack) OP(warp_hash) OP(deep_hash) \
	OP(read_reg) OP(stored) OP(write_reg) OP(read_local) OP(lock) OP(heap) OP(heap_block) OP(shared) \
	OP(mbarriers) OP(mbarrier_wait) OP(mbarrier_poll) OP(copies_arrive)
/* clang-format on */

#define OP(name) extern __typeof__(*(struct front_ops){0}.name) ptx_##name;
PTX_OPS(OP)
#undef OP
#endif
