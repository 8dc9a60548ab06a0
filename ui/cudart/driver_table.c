/* driver_table: the driver's calls by their names, and those that are refused. */
#include "cudart/driver.h"
#include <stdio.h>
#include <string.h>

static int refuse(const char *name, const char *why, const void *from)
{
	int failed = driver_enter(name, from);
	return failed ? failed : driver_leave(link_refuse("%s", why));
}

#define SERVED(name, note) extern int name();
#define REFUSED(name, why)                                                                                             \
	static int name(void)                                                                                              \
	{                                                                                                                  \
		return refuse(#name, why, __builtin_return_address(0));                                                        \
	}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include "cudart/driver.def"
#pragma GCC diagnostic pop
#undef SERVED
#undef REFUSED

static const struct {
	const char *name;
	const void *function;
} entries[] = {
#define SERVED(name, note) {#name, (const void *)name},
#define REFUSED(name, why) {#name, (const void *)name},
#include "cudart/driver.def"
};

const void *driver_entry(const char *name)
{
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
		if (!strcmp(entries[i].name, name))
			return entries[i].function;
	return NULL;
}

/* For libcuda.so.1, which finds the library with the run time that the program uses: one of its versions by the first
 * name, or the preloaded one by the second. */
EXPORT const void *__cudaWarpdbgDriver(const char *name)
{
	return driver_entry(name);
}

EXPORT const void *warpdbg_driver(const char *name)
{
	return driver_entry(name);
}

/* A name without a version means the newest one that a program of this CUDA can know. */
static const void *newest(const char *name, int cuda)
{
	char full[128];
	const void *found = NULL;
	for (int version = cuda < 13000 && !strcmp(name, "cuCtxCreate") ? 2 : 4; version > 1 && !found; version--)
		if (snprintf(full, sizeof full, "%s_v%d", name, version) < (int)sizeof full)
			found = driver_entry(full);
	return found ? found : driver_entry(name);
}

EXPORT int cuGetProcAddress_v2(const char *name, void **function, int cuda, uint64_t flags, int *status)
{
	if (!name || !function)
		return INVALID_VALUE;
	*function = (void *)(uintptr_t)newest(name, cuda);
	if (status)
		*status = *function ? 0 : 1; /* symbol not found */
	return *function ? 0 : SYMBOL_NOT_FOUND;
}

EXPORT int cuGetProcAddress(const char *name, void **function, int cuda, uint64_t flags)
{
	return cuGetProcAddress_v2(name, function, cuda, flags, NULL);
}

/* --- the run time's way to them: it is initialized --- */

EXPORT int cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned cuda, unsigned long long flags,
                                            int *status)
{
	ENTER;
	driver_initialize();
	const int error = cuGetProcAddress_v2(name, function, (int)cuda, flags, status);
	return leave(error == SYMBOL_NOT_FOUND && status ? 0 : error);
}

EXPORT int cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, int *status)
{
	VIA(cudaGetDriverEntryPointByVersion(name, function, 13000, flags, status));
}

EXPORT int cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **function, unsigned cuda,
                                                 unsigned long long flags, int *status)
{
	VIA(cudaGetDriverEntryPointByVersion(name, function, cuda, flags, status));
}

EXPORT int cudaGetDriverEntryPoint_ptsz(const char *name, void **function, unsigned long long flags, int *status)
{
	VIA(cudaGetDriverEntryPointByVersion(name, function, 13000, flags, status));
}
