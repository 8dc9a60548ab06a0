/* driver_code: modules that the program loads, their functions, launches and occupancy. */
#include "cudart/driver.h"
#include "cudart/modules.h"
#include <string.h>

/* --- modules --- */

static int load(void **module, const void *image)
{
	return cudaLibraryLoadData(module, image, NULL, NULL, 0, NULL, NULL, 0);
}

static int load_file(void **module, const char *name)
{
	return cudaLibraryLoadFromFile(module, name, NULL, NULL, 0, NULL, NULL, 0);
}

EXPORT int cuModuleLoad(void **module, const char *name)
{
	DRIVER(load_file(module, name));
}

EXPORT int cuModuleLoadData(void **module, const void *image)
{
	DRIVER(load(module, image));
}

EXPORT int cuModuleLoadFatBinary(void **module, const void *image)
{
	DRIVER(load(module, image));
}

/* Logs are empty: what is wrong with a text is in warpdbg's log. */
enum { JIT_WALL_TIME = 2, JIT_INFO_LOG = 3, JIT_INFO_BYTES = 4, JIT_ERROR_LOG = 5, JIT_ERROR_BYTES = 6 };
static void answer_options(unsigned n, const int *options, void **values)
{
	for (unsigned i = 0; i < n && options && values; i++) {
		if ((options[i] == JIT_INFO_LOG || options[i] == JIT_ERROR_LOG) && values[i])
			*(char *)values[i] = 0;
		if (options[i] == JIT_WALL_TIME)
			memset(&values[i], 0, sizeof(float));
		if (options[i] == JIT_INFO_BYTES || options[i] == JIT_ERROR_BYTES)
			values[i] = NULL;
	}
}

EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options, void **values)
{
	DRIVER_ENTER;
	/* The logs' sizes are asked for by the options themselves, and are not looked at. */
	answer_options(n, options, values);
	return driver_leave(load(module, image));
}

EXPORT int cuModuleUnload(void *module)
{
	DRIVER(cudaLibraryUnload(module));
}

EXPORT int cuModuleGetFunction(void **function, void *module, const char *name)
{
	DRIVER(cudaLibraryGetKernel(function, module, name));
}

EXPORT int cuModuleGetGlobal_v2(uint64_t *pointer, size_t *bytes, void *module, const char *name)
{
	DRIVER(cudaLibraryGetGlobal((void **)pointer, bytes, module, name));
}

EXPORT int cuModuleGetLoadingMode(int *mode)
{
	if (!mode)
		return INVALID_VALUE;
	*mode = 2; /* lazy */
	return 0;
}

EXPORT int cuLibraryLoadData(void **library, const void *code, void *options, void **values, unsigned noptions,
                             void *more, void **more_values, unsigned nmore)
{
	DRIVER(load(library, code));
}

EXPORT int cuLibraryLoadFromFile(void **library, const char *name, void *options, void **values, unsigned noptions,
                                 void *more, void **more_values, unsigned nmore)
{
	DRIVER(load_file(library, name));
}

EXPORT int cuLibraryUnload(void *library)
{
	DRIVER(cudaLibraryUnload(library));
}

EXPORT int cuLibraryGetKernel(void **kernel, void *library, const char *name)
{
	DRIVER(cudaLibraryGetKernel(kernel, library, name));
}

EXPORT int cuLibraryGetModule(void **module, void *library)
{
	DRIVER_ENTER;
	int error = !module ? INVALID_VALUE : module_is(library) ? 0 : INVALID_HANDLE;
	if (!error)
		*module = library;
	return driver_leave(error);
}

EXPORT int cuLibraryGetGlobal(uint64_t *pointer, size_t *bytes, void *library, const char *name)
{
	DRIVER(cudaLibraryGetGlobal((void **)pointer, bytes, library, name));
}

EXPORT int cuKernelGetFunction(void **function, void *kernel)
{
	DRIVER_ENTER;
	struct function *f;
	int error = function ? function_of(kernel, &f) : INVALID_VALUE;
	if (!error)
		*function = f;
	return driver_leave(error);
}

/* --- functions --- */

EXPORT int cuFuncGetAttribute(int *value, int attribute, void *function)
{
	DRIVER_ENTER;
	struct func_attributes a;
	int error = value ? cudaFuncGetAttributes(&a, function) : INVALID_VALUE;
	if (error)
		return driver_leave(error);
	switch (attribute) {
	case 0: *value = a.threads_max; break;
	case 1: *value = (int)a.shared; break;
	case 2: *value = (int)a.constant; break;
	case 3: *value = (int)a.local; break;
	case 4: *value = a.regs; break;
	case 5: *value = a.ptx_version; break;
	case 6: *value = a.binary_version; break;
	case 7: *value = 0; break;
	case FUNCTION_DYNAMIC_SHARED: *value = a.dynamic_max; break;
	case FUNCTION_CARVEOUT: *value = a.carveout; break;
	case 10:
	case 11:
	case 12:
	case 13:
	case 14:
	case 15: *value = 0; break; /* there are no clusters */
	default: error = INVALID_VALUE;
	}
	return driver_leave(error);
}

EXPORT int cuFuncSetAttribute(void *function, int attribute, int value)
{
	DRIVER(cudaFuncSetAttribute(function, attribute, value));
}

EXPORT int cuFuncSetCacheConfig(void *function, int config)
{
	DRIVER(cudaFuncSetCacheConfig(function, config));
}

EXPORT int cuFuncSetSharedMemConfig(void *function, int config)
{
	DRIVER(cudaFuncSetSharedMemConfig(function, config));
}

EXPORT int cuFuncGetName(const char **name, void *function)
{
	DRIVER(cudaFuncGetName(name, function));
}

EXPORT int cuFuncGetModule(void **module, void *function)
{
	DRIVER_ENTER;
	struct function *f;
	int error = module ? function_of(function, &f) : INVALID_VALUE;
	if (!error)
		*module = f->module;
	return driver_leave(error);
}

EXPORT int cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *bytes)
{
	DRIVER(cudaFuncGetParamInfo(function, index, offset, bytes));
}

/* --- launches --- */

/* extra: {1, buffer, 2, &bytes, 0}: the parameters as the kernel has them, in the place of one pointer each. */
static int parameters_in(struct function *f, void **extra, void *out[WIRE_PARAMETERS])
{
	char *buffer = NULL;
	size_t bytes = 0;
	for (; *extra; extra += 2) {
		if ((uintptr_t)*extra == 1)
			buffer = extra[1];
		else if ((uintptr_t)*extra == 2 && extra[1])
			bytes = *(size_t *)extra[1];
		else
			return INVALID_VALUE;
	}
	const struct wire_function *is = f->is;
	for (uint32_t i = 0; i < is->nparams; i++) {
		if (!buffer || (uint64_t)is->param[i].offset + is->param[i].size > bytes)
			return INVALID_VALUE;
		out[i] = buffer + is->param[i].offset;
	}
	return 0;
}

EXPORT int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **parameters, void **extra)
{
	DRIVER_ENTER;
	struct function *f;
	void *in[WIRE_PARAMETERS];
	int error = parameters && extra ? INVALID_VALUE : function_of(function, &f);
	if (!error && extra) {
		error = parameters_in(f, extra, in);
		parameters = in;
	}
	if (!error && !parameters && f->is->nparams)
		error = INVALID_VALUE;
	if (!error)
		error = cudaLaunchKernel(function, (struct dim3){gx, gy, gz}, (struct dim3){bx, by, bz}, parameters, shared,
		                         stream);
	return driver_leave(error);
}

EXPORT int cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                     unsigned bz, unsigned shared, void *stream, void **parameters)
{
	DRIVER(cudaLaunchCooperativeKernel(function, (struct dim3){gx, gy, gz}, (struct dim3){bx, by, bz}, parameters,
	                                   shared, stream));
}

struct driver_config {
	unsigned grid[3], block[3], shared;
	void *stream;
	struct launch_attribute *attrs;
	unsigned nattrs;
};

EXPORT int cuLaunchKernelEx(const struct driver_config *c, void *function, void **parameters, void **extra)
{
	DRIVER_ENTER;
	struct function *f;
	void *in[WIRE_PARAMETERS];
	int error = !c || (parameters && extra) ? INVALID_VALUE : function_of(function, &f);
	if (!error && extra) {
		error = parameters_in(f, extra, in);
		parameters = in;
	}
	if (error)
		return driver_leave(error);
	const struct launch_config config = {{c->grid[0], c->grid[1], c->grid[2]},
	                                     {c->block[0], c->block[1], c->block[2]},
	                                     c->shared,
	                                     c->stream,
	                                     c->attrs,
	                                     c->nattrs};
	return driver_leave(cudaLaunchKernelExC(&config, function, parameters));
}

/* --- occupancy --- */

static int ctas(int *n, void *function, int threads, size_t shared, unsigned flags)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(n, function, threads, shared, flags);
}

EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, void *function, int threads, size_t shared)
{
	DRIVER(ctas(n, function, threads, shared, 0));
}

EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, void *function, int threads, size_t shared,
                                                                unsigned flags)
{
	DRIVER(ctas(n, function, threads, shared, flags));
}

EXPORT int cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, void *function, int blocks, int threads)
{
	DRIVER(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads));
}

typedef size_t shared_of_threads(int threads);

/* The largest block with which an SM holds the most threads. */
static int best_block(int *grid, int *block, void *function, shared_of_threads *shared_of, size_t shared, int limit,
                      unsigned flags)
{
	struct func_attributes a;
	int error = grid && block ? cudaFuncGetAttributes(&a, function) : INVALID_VALUE, best = 0;
	if (error)
		return error;
	const int warp = (int)link_device.warp_size, most = limit && limit < a.threads_max ? limit : a.threads_max;
	for (int threads = (most + warp - 1) / warp * warp; threads > 0 && !error; threads -= warp) {
		int n, used = threads < most ? threads : most;
		error = ctas(&n, function, used, shared_of ? shared_of(used) : shared, flags);
		if (!error && n * used > best) {
			best = n * used;
			*block = used;
			*grid = n * (int)link_device.sms;
		}
	}
	return error;
}

EXPORT int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *function, shared_of_threads *shared_of,
                                            size_t shared, int limit)
{
	DRIVER(best_block(grid, block, function, shared_of, shared, limit, 0));
}

EXPORT int cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, void *function,
                                                     shared_of_threads *shared_of, size_t shared, int limit,
                                                     unsigned flags)
{
	DRIVER(best_block(grid, block, function, shared_of, shared, limit, flags));
}
