/* PTX's special registers as the focused lane reads them: no register of the kernel has them, but a debugger's user
 * asks for %tid.x first. */
#include <stdio.h>
#include <string.h>

#include "dbg/value.h"

static u32 part(struct dim3 d, char axis)
{
	return axis == 'x' ? d.x : axis == 'y' ? d.y : d.z;
}

/* Place number i of a grid or block of size d. */
static struct dim3 place(u64 i, struct dim3 d)
{
	return (struct dim3){(u32)(i % d.x), (u32)(i / d.x % d.y), (u32)(i / d.x / d.y)};
}

/* "NAME.x", .y or .z; 0 = it is not. */
static char axis_of(const char *reg, const char *name)
{
	size_t n = strlen(name);
	return !strncmp(reg, name, n) && reg[n] == '.' && reg[n + 1] && strchr("xyz", reg[n + 1]) && !reg[n + 2]
	           ? reg[n + 1]
	           : 0;
}

bool cuda_variable(const char *expr, char reg[SPECIAL_NAME_MAX])
{
	static const char *const names[][2] = {
	    {"threadIdx", "%tid"}, {"blockIdx", "%ctaid"}, {"blockDim", "%ntid"}, {"gridDim", "%nctaid"}};
	for (u32 i = 0; i < ARRAY_LEN(names); i++) {
		const char axis = axis_of(expr, names[i][0]);
		if (axis)
			snprintf(reg, SPECIAL_NAME_MAX, "%s.%c", names[i][1], axis);
		if (axis)
			return true;
	}
	return false;
}

bool special_register(struct debugger *d, const struct warp_info *w, const char *name, u64 *bits)
{
	struct kernel_info k;
	gpu_kernel_info(dbg_gpu(d), (u32)w->launch, &k);
	struct dim3 block = k.launch->block, grid = k.launch->grid;
	struct {
		const char *name;
		struct dim3 value;
	} vectors[] = {{"%tid", place((u64)w->warp_in_cta * WARP_SIZE + d->focus.lane, block)},
	               {"%ntid", block},
	               {"%ctaid", place(w->cta, grid)},
	               {"%nctaid", grid}};
	struct {
		const char *name;
		u64 value;
	} scalars[] = {{"%laneid", d->focus.lane}, {"%warpid", w->warp_in_cta}, {"%smid", d->focus.sm}};
	for (u32 i = 0; i < ARRAY_LEN(vectors); i++) {
		char axis = axis_of(name, vectors[i].name);
		if (axis) {
			*bits = part(vectors[i].value, axis);
			return true;
		}
	}
	for (u32 i = 0; i < ARRAY_LEN(scalars); i++)
		if (!strcmp(name, scalars[i].name)) {
			*bits = scalars[i].value;
			return true;
		}
	return false;
}
