/* gpu: handles of the Lua objects under `gpu`, and the table of their fields. */
#ifndef UI_SCRIPT_GPU_H
#define UI_SCRIPT_GPU_H
#include "gpu/query.h"
#include "script/dbg.h"

#define HANDLE_META "warpdbg.gpu"

enum handle_kind {
	H_GPU,
	H_SMS,
	H_SM,
	H_WARPS,
	H_WARP,
	H_CTAS,
	H_CTA,
	H_KERNELS,
	H_KERNEL,
	H_REGS,
	H_REG,
	H_GROUP,
	H_COUNT
};
extern const char *const gpu_kind_names[H_COUNT];
/* Meaning of a, b, c: SM, CTA lists: a = SM. Warp, CTA: a = SM, b = slot. Register: and c = row of regnames. Kernel: a
 * = launch. Group: a = counter group, b = instance or PROBE_ALL. */
struct handle {
	enum handle_kind kind;
	u32 a, b, c;
};
void gpu_push(lua_State *L, enum handle_kind kind, u32 a, u32 b, u32 c);
struct gpu *gpu_of(lua_State *L);
/* A raw value of a PTX type as a Lua value: predicates boolean, floats number, the rest integer. */
void gpu_push_bits(lua_State *L, enum ptype t, u64 bits);

/* One row a field: kind, name, what it is, and how it is read (pushes one value). Ends with a row without name. */
struct gpu_field {
	enum handle_kind kind;
	const char *name, *doc;
	void (*push)(lua_State *L, const struct handle *h);
};
extern const struct gpu_field gpu_fields[];
#endif
