/* driver: start, errors, the device and its context, streams and events. */
#include "cudart/driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_INITIALIZED 3
#define INVALID_CONTEXT 201

static bool initialized;

/* Most numbers are the same; the run time has some of its own. */
static int as_driver(int error)
{
	switch (error) {
	case INVALID_CONFIGURATION:
	case INVALID_PITCH:
	case INVALID_CHANNELS:
	case INVALID_DIRECTION: return INVALID_VALUE;
	case INVALID_SYMBOL: return SYMBOL_NOT_FOUND;
	case INVALID_FUNCTION: return INVALID_HANDLE;
	}
	return error;
}

int driver_enter(const char *call, const void *from)
{
	return initialized ? as_driver(enter_from(call, from)) : NOT_INITIALIZED;
}

int driver_leave(int error)
{
	return as_driver(leave(error));
}

void driver_initialize(void)
{
	initialized = true;
}

EXPORT int cuInit(unsigned flags)
{
	int failed = enter_from(__func__, __builtin_return_address(0));
	if (failed)
		return as_driver(failed);
	initialized |= !flags;
	return driver_leave(flags ? INVALID_VALUE : 0);
}

EXPORT int cuDriverGetVersion(int *version)
{
	return as_driver(cudaDriverGetVersion(version));
}

/* --- names of errors --- */

static const struct {
	int number;
	const char *name;
} names[] = {{0, "CUDA_SUCCESS"},
             {1, "CUDA_ERROR_INVALID_VALUE"},
             {2, "CUDA_ERROR_OUT_OF_MEMORY"},
             {3, "CUDA_ERROR_NOT_INITIALIZED"},
             {4, "CUDA_ERROR_DEINITIALIZED"},
             {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
             {100, "CUDA_ERROR_NO_DEVICE"},
             {101, "CUDA_ERROR_INVALID_DEVICE"},
             {200, "CUDA_ERROR_INVALID_IMAGE"},
             {201, "CUDA_ERROR_INVALID_CONTEXT"},
             {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
             {215, "CUDA_ERROR_UNSUPPORTED_LIMIT"},
             {218, "CUDA_ERROR_INVALID_PTX"},
             {300, "CUDA_ERROR_INVALID_SOURCE"},
             {301, "CUDA_ERROR_FILE_NOT_FOUND"},
             {400, "CUDA_ERROR_INVALID_HANDLE"},
             {401, "CUDA_ERROR_ILLEGAL_STATE"},
             {500, "CUDA_ERROR_NOT_FOUND"},
             {600, "CUDA_ERROR_NOT_READY"},
             {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
             {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
             {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
             {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
             {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
             {719, "CUDA_ERROR_LAUNCH_FAILED"},
             {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
             {801, "CUDA_ERROR_NOT_SUPPORTED"},
             {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
             {999, "CUDA_ERROR_UNKNOWN"}};

static const char *name_of(int error)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].number == error)
			return names[i].name;
	return NULL;
}

EXPORT int cuGetErrorName(int error, const char **text)
{
	if (!text)
		return INVALID_VALUE;
	*text = name_of(error);
	return *text ? 0 : INVALID_VALUE;
}

EXPORT int cuGetErrorString(int error, const char **text)
{
	if (!text)
		return INVALID_VALUE;
	*text = name_of(error) ? cudaGetErrorString(error) : NULL;
	return *text ? 0 : INVALID_VALUE;
}

/* --- the device --- */

EXPORT int cuDeviceGetCount(int *count)
{
	DRIVER_ENTER;
	if (count)
		*count = 1;
	return driver_leave(count ? 0 : INVALID_VALUE);
}

EXPORT int cuDeviceGet(int *device, int ordinal)
{
	DRIVER_ENTER;
	if (device && !ordinal)
		*device = 0;
	return driver_leave(!device ? INVALID_VALUE : ordinal ? INVALID_DEVICE : 0);
}

static int on_device(int device, const void *to)
{
	return device ? INVALID_DEVICE : to ? 0 : INVALID_VALUE;
}

EXPORT int cuDeviceGetName(char *name, int bytes, int device)
{
	DRIVER_ENTER;
	int error = on_device(device, bytes > 0 ? name : NULL);
	if (!error)
		snprintf(name, (size_t)bytes, "%s", link_device.name);
	return driver_leave(error);
}

EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
	DRIVER_ENTER;
	int error = on_device(device, bytes);
	if (!error)
		*bytes = link_device.memory_bytes;
	return driver_leave(error);
}

EXPORT int cuDeviceComputeCapability(int *major, int *minor, int device)
{
	DRIVER_ENTER;
	int error = on_device(device, minor ? major : NULL);
	if (!error) {
		*major = (int)link_device.major;
		*minor = (int)link_device.minor;
	}
	return driver_leave(error);
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	DRIVER(cudaDeviceGetAttribute(value, attribute, device));
}

EXPORT int cuDeviceGetUuid_v2(unsigned char uuid[16], int device)
{
	DRIVER_ENTER;
	int error = on_device(device, uuid);
	if (!error)
		memset(uuid, 0, 16);
	return driver_leave(error);
}

EXPORT int cuDeviceGetPCIBusId(char *id, int bytes, int device)
{
	DRIVER(cudaDeviceGetPCIBusId(id, bytes, device));
}

EXPORT int cuDeviceGetByPCIBusId(int *device, const char *id)
{
	DRIVER(cudaDeviceGetByPCIBusId(device, id));
}

EXPORT int cuDeviceCanAccessPeer(int *can, int device, int peer)
{
	DRIVER(cudaDeviceCanAccessPeer(can, device, peer));
}

/* --- contexts: all are the device's, and its memory and streams are all contexts' --- */

struct context {
	unsigned flags, depth;
	bool primary;
};
static struct context primary = {.primary = true};
#define DEPTH 32
static _Thread_local struct context *stack[DEPTH];
static _Thread_local unsigned nstack;

static struct context *current(void)
{
	return nstack ? stack[nstack - 1] : NULL;
}

static int push(struct context *c)
{
	if (nstack == DEPTH)
		return OUT_OF_MEMORY;
	stack[nstack++] = c;
	return 0;
}

static int create(struct context **made, unsigned flags, int device)
{
	int error = on_device(device, made);
	struct context *c = error || nstack == DEPTH ? NULL : calloc(1, sizeof *c);
	if (!c)
		return error ? error : OUT_OF_MEMORY;
	c->flags = flags;
	*made = c;
	return push(c);
}

EXPORT int cuCtxCreate_v2(struct context **c, unsigned flags, int device)
{
	DRIVER(create(c, flags, device));
}

EXPORT int cuCtxCreate_v3(struct context **c, void *affinity, int n, unsigned flags, int device)
{
	DRIVER(create(c, flags, device));
}

EXPORT int cuCtxCreate_v4(struct context **c, void *how, unsigned flags, int device)
{
	DRIVER(create(c, flags, device));
}

/* What it had is the device's, and goes with the process. */
EXPORT int cuCtxDestroy_v2(struct context *c)
{
	DRIVER_ENTER;
	if (!c || c->primary)
		return driver_leave(c ? INVALID_CONTEXT : INVALID_VALUE);
	int error = cudaDeviceSynchronize();
	if (current() == c)
		nstack--;
	for (unsigned i = 0; i < nstack; i++)
		if (stack[i] == c)
			stack[i] = NULL;
	free(c);
	return driver_leave(error);
}

EXPORT int cuCtxGetCurrent(struct context **c)
{
	DRIVER_ENTER;
	if (c)
		*c = current();
	return driver_leave(c ? 0 : INVALID_VALUE);
}

EXPORT int cuCtxSetCurrent(struct context *c)
{
	DRIVER_ENTER;
	if (nstack)
		nstack--;
	return driver_leave(c ? push(c) : 0);
}

EXPORT int cuCtxPushCurrent_v2(struct context *c)
{
	DRIVER(c ? push(c) : INVALID_CONTEXT);
}

EXPORT int cuCtxPopCurrent_v2(struct context **c)
{
	DRIVER_ENTER;
	struct context *top = current();
	if (nstack)
		nstack--;
	if (c)
		*c = top;
	return driver_leave(top ? 0 : INVALID_CONTEXT);
}

EXPORT int cuCtxGetDevice(int *device)
{
	DRIVER_ENTER;
	if (device)
		*device = 0;
	return driver_leave(!current() ? INVALID_CONTEXT : device ? 0 : INVALID_VALUE);
}

EXPORT int cuCtxGetFlags(unsigned *flags)
{
	DRIVER_ENTER;
	if (flags && current())
		*flags = current()->flags;
	return driver_leave(!current() ? INVALID_CONTEXT : flags ? 0 : INVALID_VALUE);
}

EXPORT int cuCtxGetApiVersion(struct context *c, unsigned *version)
{
	DRIVER_ENTER;
	if (version)
		*version = 3020;
	return driver_leave(version ? 0 : INVALID_VALUE);
}

EXPORT int cuCtxSynchronize(void)
{
	DRIVER(cudaDeviceSynchronize());
}

EXPORT int cuCtxSetLimit(int limit, size_t value)
{
	DRIVER(cudaDeviceSetLimit(limit, value));
}

EXPORT int cuCtxGetLimit(size_t *value, int limit)
{
	DRIVER(cudaDeviceGetLimit(value, limit));
}

EXPORT int cuCtxSetCacheConfig(int config)
{
	DRIVER(cudaDeviceSetCacheConfig(config));
}

EXPORT int cuCtxGetCacheConfig(int *config)
{
	DRIVER(cudaDeviceGetCacheConfig(config));
}

EXPORT int cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	DRIVER(cudaDeviceGetStreamPriorityRange(least, greatest));
}

EXPORT int cuDevicePrimaryCtxRetain(struct context **c, int device)
{
	DRIVER_ENTER;
	int error = on_device(device, c);
	if (!error)
		*c = &primary;
	primary.depth += !error;
	return driver_leave(error);
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device)
{
	DRIVER_ENTER;
	int error = device ? INVALID_DEVICE : primary.depth ? 0 : INVALID_CONTEXT;
	primary.depth -= !error;
	return driver_leave(error);
}

EXPORT int cuDevicePrimaryCtxReset_v2(int device)
{
	DRIVER(device ? INVALID_DEVICE : cudaDeviceReset());
}

EXPORT int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
	DRIVER_ENTER;
	primary.flags = device ? primary.flags : flags;
	return driver_leave(device ? INVALID_DEVICE : 0);
}

EXPORT int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
	DRIVER_ENTER;
	int error = on_device(device, active ? flags : NULL);
	if (!error) {
		*flags = primary.flags;
		*active = primary.depth > 0;
	}
	return driver_leave(error);
}

/* --- streams and events --- */

#define STREAM(name, parameters, call)                                                                                 \
	EXPORT int name parameters                                                                                         \
	{                                                                                                                  \
		DRIVER(call);                                                                                                  \
	}
STREAM(cuStreamCreate, (void **s, unsigned flags), cudaStreamCreateWithFlags(s, flags))
STREAM(cuStreamCreateWithPriority, (void **s, unsigned flags, int priority),
       cudaStreamCreateWithPriority(s, flags, priority))
STREAM(cuStreamDestroy_v2, (void *s), cudaStreamDestroy(s))
STREAM(cuStreamSynchronize, (void *s), cudaStreamSynchronize(s))
STREAM(cuStreamQuery, (void *s), cudaStreamQuery(s))
STREAM(cuStreamWaitEvent, (void *s, void *e, unsigned flags), cudaStreamWaitEvent(s, e, flags))
STREAM(cuStreamAddCallback, (void *s, void (*f)(void *, int, void *), void *argument, unsigned flags),
       cudaStreamAddCallback(s, f, argument, flags))
STREAM(cuStreamGetFlags, (void *s, unsigned *flags), cudaStreamGetFlags(s, flags))
STREAM(cuStreamGetPriority, (void *s, int *priority), cudaStreamGetPriority(s, priority))
STREAM(cuLaunchHostFunc, (void *s, void (*f)(void *), void *argument), cudaLaunchHostFunc(s, f, argument))
STREAM(cuEventCreate, (void **e, unsigned flags), cudaEventCreateWithFlags(e, flags))
STREAM(cuEventDestroy_v2, (void *e), cudaEventDestroy(e))
STREAM(cuEventRecord, (void *e, void *s), cudaEventRecordWithFlags(e, s, 0))
STREAM(cuEventRecordWithFlags, (void *e, void *s, unsigned flags), cudaEventRecordWithFlags(e, s, flags))
STREAM(cuEventSynchronize, (void *e), cudaEventSynchronize(e))
STREAM(cuEventQuery, (void *e), cudaEventQuery(e))
STREAM(cuEventElapsedTime, (float *ms, void *a, void *b), cudaEventElapsedTime(ms, a, b))
STREAM(cuEventElapsedTime_v2, (float *ms, void *a, void *b), cudaEventElapsedTime(ms, a, b))
