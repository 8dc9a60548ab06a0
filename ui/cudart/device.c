/* device: the one device of the machine, its settings, waiting for it, old names of the same calls. */
#include "cudart/abi.h"
#include "cudart/index.h"
#include "cudart/link.h"
#include "cudart/managed.h"
#include "cudart/modules.h"
#include "cudart/streams.h"
#include "cudart/version.h"
#include <stdio.h>
#include <string.h>

static unsigned flags;
static int cache_config, shared_config;
/* Stack, printf's buffer, heap, depth and launches of the device's run time, granularity and persistence of L2. */
static size_t limits[7] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};

EXPORT int cudaGetDeviceCount(int *count)
{
	ENTER;
	if (!count)
		return leave(INVALID_VALUE);
	*count = 1;
	return leave(0);
}

EXPORT int cudaSetDevice(int device)
{
	ENTER;
	return leave(device ? INVALID_DEVICE : 0);
}

EXPORT int cudaInitDevice(int device, unsigned device_flags, unsigned how)
{
	ENTER;
	return leave(device ? INVALID_DEVICE : 0);
}

EXPORT int cudaGetDevice(int *device)
{
	ENTER;
	if (!device)
		return leave(INVALID_VALUE);
	*device = 0;
	return leave(0);
}

EXPORT int cudaSetValidDevices(int *devices, int count)
{
	ENTER;
	for (int i = 0; i < count; i++)
		if (!devices || devices[i])
			return leave(INVALID_DEVICE);
	return leave(count < 0 ? INVALID_VALUE : 0);
}

EXPORT int cudaSetDeviceFlags(unsigned f)
{
	ENTER;
	if (f & ~0xffu)
		return leave(INVALID_VALUE);
	flags = f;
	return leave(0);
}

EXPORT int cudaGetDeviceFlags(unsigned *f)
{
	ENTER;
	if (!f)
		return leave(INVALID_VALUE);
	*f = flags | 8; /* host memory can always be mapped */
	return leave(0);
}

EXPORT int cudaDeviceSynchronize(void)
{
	ENTER;
	return leave(stream_sync(NULL));
}

/* Everything that the program has of the device is given back. */
EXPORT int cudaDeviceReset(void)
{
	int failed = enter_anyway(__func__);
	if (failed)
		return failed;
	stream_sync(NULL);
	regions_clear();
	for (struct allocation *at; (at = index_next(0));) {
		struct allocation a = *at;
		index_remove(a.address);
		uint64_t address =
		    place_on_device(a.place) || (a.place == PLACE_HOST && a.region && !a.device) ? a.address : a.device;
		if (a.place != PLACE_SYMBOL && address)
			link_ask_wait(WIRE_FREE, address);
	}
	modules_forget();
	error_forget();
	return leave(0);
}

EXPORT int cudaDeviceSetLimit(int limit, size_t value)
{
	ENTER;
	if (limit < 0 || limit > 6)
		return leave(UNSUPPORTED_LIMIT);
	limits[limit] = value;
	return leave(0);
}

EXPORT int cudaDeviceGetLimit(size_t *value, int limit)
{
	ENTER;
	if (!value)
		return leave(INVALID_VALUE);
	if (limit < 0 || limit > 6)
		return leave(UNSUPPORTED_LIMIT);
	*value = limits[limit];
	return leave(0);
}

EXPORT int cudaDeviceSetCacheConfig(int config)
{
	ENTER;
	if (config < 0 || config > 3)
		return leave(INVALID_VALUE);
	cache_config = config;
	return leave(0);
}

EXPORT int cudaDeviceGetCacheConfig(int *config)
{
	ENTER;
	if (!config)
		return leave(INVALID_VALUE);
	*config = cache_config;
	return leave(0);
}

EXPORT int cudaDeviceSetSharedMemConfig(int config)
{
	ENTER;
	if (config < 0 || config > 2)
		return leave(INVALID_VALUE);
	shared_config = config;
	return leave(0);
}

EXPORT int cudaDeviceGetSharedMemConfig(int *config)
{
	ENTER;
	if (!config)
		return leave(INVALID_VALUE);
	*config = shared_config ? shared_config : 1;
	return leave(0);
}

EXPORT int cudaCtxResetPersistingL2Cache(void)
{
	ENTER;
	return leave(0);
}

EXPORT int cudaDriverGetVersion(int *version)
{
	ENTER;
	if (!version)
		return leave(INVALID_VALUE);
	*version = 13000;
	return leave(0);
}

EXPORT int cudaRuntimeGetVersion(int *version)
{
	if (!version)
		return fail(INVALID_VALUE);
	*version = cudart_version() >= 13 ? 13000 : cudart_version() == 12 ? 12080 : 11080;
	return 0;
}

EXPORT int cudaDeviceGetPCIBusId(char *id, int bytes, int device)
{
	ENTER;
	if (!id || bytes < 13)
		return leave(INVALID_VALUE);
	if (device)
		return leave(INVALID_DEVICE);
	snprintf(id, (size_t)bytes, "0000:01:00.0");
	return leave(0);
}

EXPORT int cudaDeviceGetByPCIBusId(int *device, const char *id)
{
	ENTER;
	if (!device || !id)
		return leave(INVALID_VALUE);
	const char *bus = strlen(id) > 5 && id[4] == ':' ? id + 5 : id;
	if (strncmp(bus, "01:00", 5))
		return leave(INVALID_DEVICE);
	*device = 0;
	return leave(0);
}

EXPORT int cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	ENTER;
	if (!can)
		return leave(INVALID_VALUE);
	if (device || peer)
		return leave(INVALID_DEVICE);
	*can = 0;
	return leave(0);
}

EXPORT int cudaDeviceEnablePeerAccess(int peer, unsigned f)
{
	ENTER;
	return leave(INVALID_DEVICE); /* there is no other */
}

EXPORT int cudaDeviceDisablePeerAccess(int peer)
{
	ENTER;
	return leave(peer ? INVALID_DEVICE : PEER_NOT_ENABLED);
}

EXPORT int cudaDeviceGetP2PAttribute(int *value, int attribute, int from, int to)
{
	ENTER;
	return leave(INVALID_DEVICE);
}

EXPORT int cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope)
{
	ENTER;
	return leave(0);
}

EXPORT int cudaProfilerStart(void)
{
	ENTER;
	return leave(0);
}

EXPORT int cudaProfilerStop(void)
{
	ENTER;
	return leave(0);
}

/* Names from before CUDA 4. */

EXPORT int cudaThreadSynchronize(void)
{
	VIA(stream_sync(NULL));
}

EXPORT int cudaThreadExit(void)
{
	return cudaDeviceReset();
}

EXPORT int cudaThreadSetLimit(int limit, size_t value)
{
	VIA(cudaDeviceSetLimit(limit, value));
}

EXPORT int cudaThreadGetLimit(size_t *value, int limit)
{
	VIA(cudaDeviceGetLimit(value, limit));
}

EXPORT int cudaThreadSetCacheConfig(int config)
{
	VIA(cudaDeviceSetCacheConfig(config));
}

EXPORT int cudaThreadGetCacheConfig(int *config)
{
	VIA(cudaDeviceGetCacheConfig(config));
}
