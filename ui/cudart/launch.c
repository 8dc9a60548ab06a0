/* launch: kernels are started in all forms; occupancy; attributes of functions. */
#include "cudart/abi.h"
#include "cudart/launch.h"
#include "cudart/link.h"
#include "cudart/managed.h"
#include "cudart/modules.h"
#include "cudart/streams.h"
#include "cudart/version.h"
#include <stdlib.h>
#include <string.h>

/* Configurations that <<<>>> has pushed and the stub of the kernel has not popped yet: arguments may launch, too. */
#define NESTED 64
static _Thread_local struct configuration {
	struct dim3 grid, block;
	size_t shared;
	void *stream;
	const void *from;
} pushed[NESTED];
static _Thread_local unsigned npushed;
/* Of the one popped last: the stub that did is about to launch. */
static _Thread_local const void *configured_at;

EXPORT unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared, void *stream)
{
	if (npushed == NESTED)
		return (unsigned)fail(INVALID_CONFIGURATION);
	pushed[npushed++] = (struct configuration){grid, block, shared, stream, __builtin_return_address(0)};
	return 0;
}

EXPORT int __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared, void *stream)
{
	if (!npushed)
		return fail(52); /* the call is not configured */
	const struct configuration *c = &pushed[--npushed];
	*grid = c->grid;
	*block = c->block;
	*shared = c->shared;
	*(void **)stream = c->stream;
	configured_at = c->from;
	return 0;
}

static int check(const struct function *f, struct dim3 grid, struct dim3 block, size_t shared)
{
	uint64_t threads = (uint64_t)block.x * block.y * block.z;
	if (!grid.x || !grid.y || !grid.z || !threads)
		return INVALID_CONFIGURATION;
	if (grid.x > 0x7fffffffu || grid.y > 0xffff || grid.z > 0xffff)
		return INVALID_CONFIGURATION;
	if (block.x > 1024 || block.y > 1024 || block.z > 64 || threads > link_device.threads_per_cta)
		return INVALID_CONFIGURATION;
	if (f->is->threads_max && threads > f->is->threads_max)
		return 701; /* too many resources */
	return shared > f->dynamic_max ? INVALID_VALUE : 0;
}

int launch_op(const void *host, struct dim3 grid, struct dim3 block, void **args, uint64_t shared, uint32_t flags,
              struct op *op)
{
	struct function *f;
	int error = modules_need_managed();
	if (!error)
		error = function_of(host, &f);
	if (!error)
		error = check(f, grid, block, shared);
	if (error)
		return error;
	const struct wire_function *is = f->is;
	*op = (struct op){.kind = OP_LAUNCH, .launch = {f, grid, block, shared, flags, is->param_bytes, NULL}};
	if (is->param_bytes) {
		op->launch.parameters = calloc(1, is->param_bytes);
		if (!op->launch.parameters)
			return OUT_OF_MEMORY;
		for (uint32_t i = 0; i < is->nparams; i++) {
			if ((uint64_t)is->param[i].offset + is->param[i].size > is->param_bytes)
				continue;
			if (args && args[i])
				memcpy(op->launch.parameters + is->param[i].offset, args[i], is->param[i].size);
		}
	}
	return 0;
}

static int launch(const void *host, struct dim3 grid, struct dim3 block, void **args, size_t shared, void *stream,
                  uint32_t flags)
{
	struct op op;
	struct stream *s;
	if (configured_at)
		link_from(configured_at);
	configured_at = NULL;
	int error = stream_of(stream, &s);
	if (!error)
		error = launch_op(host, grid, block, args, shared, flags, &op);
	return error ? error : stream_give(s, &op);
}

int launch_run(struct stream *s, const struct op *op)
{
	regions_watch(op->launch.parameters, op->launch.bytes);
	int error = regions_to_device();
	if (error)
		return error;
	const struct dim3 *g = &op->launch.grid, *b = &op->launch.block;
	memcpy(link_shared, op->launch.parameters, op->launch.bytes);
	return ASK(WIRE_LAUNCH, op->launch.bytes, op->launch.function->number, g->x, g->y, g->z, b->x, b->y, b->z,
	           op->launch.shared, s->number, op->launch.flags);
}

EXPORT int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **args, size_t shared,
                            void *stream)
{
	ENTER;
	return leave(launch(function, grid, block, args, shared, stream, 0));
}

EXPORT int cudaLaunchCooperativeKernel(const void *function, struct dim3 grid, struct dim3 block, void **args,
                                       size_t shared, void *stream)
{
	ENTER;
	return leave(launch(function, grid, block, args, shared, stream, WIRE_COOPERATIVE));
}

EXPORT int cudaLaunchKernelExC(const struct launch_config *c, const void *function, void **args)
{
	ENTER;
	if (!c)
		return leave(INVALID_VALUE);
	uint32_t flags = 0;
	for (unsigned i = 0; i < c->nattrs; i++) {
		const struct launch_attribute *a = &c->attrs[i];
		if (a->id == ATTRIBUTE_COOPERATIVE && a->value.cooperative)
			flags |= WIRE_COOPERATIVE;
		if (a->id == ATTRIBUTE_PROGRAMMATIC && a->value.programmatic)
			flags |= WIRE_PROGRAMMATIC;
		if (a->id == ATTRIBUTE_CLUSTER && a->value.cluster.x * a->value.cluster.y * a->value.cluster.z > 1)
			return leave(link_refuse("a launch with clusters of %u x %u x %u CTAs", a->value.cluster.x,
			                         a->value.cluster.y, a->value.cluster.z));
		if (a->id == ATTRIBUTE_EVENT)
			return leave(
			    link_refuse("cudaLaunchAttributeProgrammaticEvent: an event that is recorded when the CTAs of a "
			                "launch let its dependents go"));
		if (a->id == ATTRIBUTE_COMPLETION_EVENT)
			return leave(
			    link_refuse("cudaLaunchAttributeLaunchCompletionEvent: an event that is recorded when the CTAs of "
			                "a launch have begun"));
	}
	return leave(launch(function, c->grid, c->block, args, c->shared, c->stream, flags));
}

/* CUDA 13: nvcc's stubs fetch a handle once. */
EXPORT int __cudaGetKernel(void **kernel, const void *function)
{
	ENTER;
	struct function *f;
	int error = function_of(function, &f);
	if (!error)
		*kernel = f;
	return leave(error);
}

EXPORT int __cudaLaunchKernel(void *kernel, struct dim3 grid, struct dim3 block, void **args, size_t shared,
                              void *stream)
{
	int failed = enter_from("cudaLaunchKernel", __builtin_return_address(0));
	if (failed)
		return failed;
	return leave(launch(kernel, grid, block, args, shared, stream, 0));
}

EXPORT int cudaGetKernel(void **kernel, const void *function)
{
	VIA(__cudaGetKernel(kernel, function));
}

EXPORT int cudaGetFuncBySymbol(void **function, const void *symbol)
{
	VIA(__cudaGetKernel(function, symbol));
}

/* Functions. */

EXPORT int cudaFuncGetAttributes(struct func_attributes *a, const void *function)
{
	ENTER;
	struct function *f;
	int error = a ? function_of(function, &f) : INVALID_VALUE;
	if (error)
		return leave(error);
	memset(a, 0, cudart_version() >= 12 ? sizeof *a : offsetof(struct func_attributes, cluster_must));
	a->shared = f->is->shared;
	a->constant = f->is->constant;
	a->local = f->is->local;
	a->threads_max = (int)f->is->threads_max;
	a->regs = (int)f->is->regs;
	a->ptx_version = (int)f->is->ptx_version;
	a->binary_version = (int)f->is->binary_version;
	a->dynamic_max = (int)f->dynamic_max;
	a->carveout = f->carveout;
	return leave(0);
}

EXPORT int cudaFuncSetAttribute(const void *function, int attribute, int value)
{
	ENTER;
	struct function *f;
	int error = function_of(function, &f);
	if (error)
		return leave(error);
	switch (attribute) {
	case FUNCTION_DYNAMIC_SHARED:
		if (value < 0 || (uint32_t)value > f->is->dynamic_max)
			return leave(INVALID_VALUE);
		f->dynamic_max = (uint32_t)value;
		return leave(0);
	case FUNCTION_CARVEOUT:
		if (value < -1 || value > 100)
			return leave(INVALID_VALUE);
		f->carveout = value;
		return leave(0);
	case 14: /* cluster sizes that are not portable: there are no clusters */
	case 15: return leave(0);
	}
	return leave(attribute > 9 && attribute < FUNCTION_ATTRIBUTES ? link_refuse("clusters of CTAs") : INVALID_VALUE);
}

EXPORT int cudaKernelSetAttributeForDevice(void *kernel, int attribute, int value, int device)
{
	VIA(device ? INVALID_DEVICE : cudaFuncSetAttribute(kernel, attribute, value));
}

EXPORT int cudaFuncSetCacheConfig(const void *function, int config)
{
	ENTER;
	struct function *f;
	return leave(config < 0 || config > 3 ? INVALID_VALUE : function_of(function, &f));
}

EXPORT int cudaFuncSetSharedMemConfig(const void *function, int config)
{
	ENTER;
	struct function *f;
	return leave(config < 0 || config > 2 ? INVALID_VALUE : function_of(function, &f));
}

EXPORT int cudaFuncGetName(const char **name, const void *function)
{
	ENTER;
	struct function *f;
	int error = name ? function_of(function, &f) : INVALID_VALUE;
	if (!error)
		*name = f->name;
	return leave(error);
}

EXPORT int cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size)
{
	ENTER;
	struct function *f;
	int error = offset ? function_of(function, &f) : INVALID_VALUE;
	if (!error && index >= f->is->nparams)
		error = INVALID_VALUE;
	if (error)
		return leave(error);
	*offset = f->is->param[index].offset;
	if (size)
		*size = f->is->param[index].size;
	return leave(0);
}

/* Occupancy. */

EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                                  size_t shared, unsigned flags)
{
	ENTER;
	struct function *f;
	int error = blocks && threads > 0 && flags <= 1 ? function_of(function, &f) : INVALID_VALUE;
	if (error)
		return leave(error);
	*blocks = 0;
	error = ASK(WIRE_OCCUPANCY, 0, f->number, (uint64_t)threads, shared);
	if (!error)
		*blocks = (int)link_reply.v[0];
	return leave(error);
}

EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads, size_t shared)
{
	VIA(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0));
}

/* The most dynamic shared memory with which an SM still holds so many CTAs: found by halves. */
EXPORT int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks, int threads)
{
	ENTER;
	struct function *f;
	int error = bytes && blocks > 0 && threads > 0 ? function_of(function, &f) : INVALID_VALUE;
	if (error)
		return leave(error);
	uint64_t fits = 0, none = (uint64_t)f->dynamic_max + 1;
	bool any = false;
	while (fits + 1 < none || !any) {
		uint64_t middle = any ? (fits + none) / 2 : 0;
		error = ASK(WIRE_OCCUPANCY, 0, f->number, (uint64_t)threads, middle);
		if (error)
			return leave(error);
		if (link_reply.v[0] >= (uint64_t)blocks)
			fits = middle;
		else
			none = middle;
		if (!any && !none)
			return leave(INVALID_VALUE);
		any = true;
	}
	*bytes = fits;
	return leave(0);
}
