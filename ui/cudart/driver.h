/* driver: the calls of CUDA's driver library (libcuda.so.1), for programs that load PTX themselves.
 *
 * They are few lines each above the run time's: a module is one of cudaLibraryLoadData()'s, streams, events and
 * functions are the run time's handles, a context is the one device's. They are in the library of the run time, so that
 * a program that uses both has one connection. libcuda.so.1 itself (driver_stub.c) only leads its names to
 * __cudaWarpdbgDriver(). driver.def has one row for every call. */
#ifndef UI_CUDART_DRIVER_H
#define UI_CUDART_DRIVER_H
#include "cudart/abi.h"
#include "cudart/link.h"

/* A call begins and ends: error numbers are the driver's then, and cuInit() has to have been called. */
int driver_enter(const char *call, const void *from);
int driver_leave(int error);
void driver_initialize(void); /* as cuInit() does */
#define DRIVER_ENTER                                                                                                   \
	do {                                                                                                               \
		int failed_ = driver_enter(__func__, __builtin_return_address(0));                                             \
		if (failed_)                                                                                                   \
			return failed_;                                                                                            \
	} while (0)
/* A call that is one of the run time's. */
#define DRIVER(call)                                                                                                   \
	do {                                                                                                               \
		DRIVER_ENTER;                                                                                                  \
		return driver_leave(call);                                                                                     \
	} while (0)

/* The function of this name; NULL: there is none. */
const void *driver_entry(const char *name);

/* The run time's calls that they need. */
int cudaArrayGetInfo(struct channel_desc *desc, struct extent *extent, unsigned *flags, struct array *a);
int cudaCreateSurfaceObject(uint64_t *handle, const struct resource_desc *r);
int cudaCreateTextureObject(uint64_t *handle, const struct resource_desc *r, const struct texture_desc *d,
                            const struct resource_view_desc *v);
int cudaDestroySurfaceObject(uint64_t handle);
int cudaDestroyTextureObject(uint64_t handle);
int cudaDeviceCanAccessPeer(int *can, int device, int peer);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaDeviceGetByPCIBusId(int *device, const char *id);
int cudaDeviceGetLimit(size_t *value, int limit);
int cudaDeviceGetPCIBusId(char *id, int bytes, int device);
int cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
int cudaDeviceReset(void);
int cudaDeviceSetCacheConfig(int config);
int cudaDeviceGetCacheConfig(int *config);
int cudaDeviceSetLimit(int limit, size_t value);
int cudaDeviceSynchronize(void);
int cudaDriverGetVersion(int *version);
int cudaEventCreateWithFlags(void **event, unsigned flags);
int cudaEventDestroy(void *event);
int cudaEventElapsedTime(float *ms, void *from, void *to);
int cudaEventQuery(void *event);
int cudaEventRecordWithFlags(void *event, void *stream, unsigned flags);
int cudaEventSynchronize(void *event);
int cudaFree(void *pointer);
int cudaFreeArray(struct array *a);
int cudaFreeAsync(void *pointer, void *stream);
int cudaFreeHost(void *pointer);
int cudaFuncGetAttributes(struct func_attributes *a, const void *function);
int cudaFuncGetName(const char **name, const void *function);
int cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size);
int cudaFuncSetAttribute(const void *function, int attribute, int value);
int cudaFuncSetCacheConfig(const void *function, int config);
int cudaFuncSetSharedMemConfig(const void *function, int config);
const char *cudaGetErrorString(int error);
int cudaHostAlloc(void **pointer, size_t bytes, unsigned flags);
int cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
int cudaHostGetFlags(unsigned *flags, void *host);
int cudaHostRegister(void *pointer, size_t bytes, unsigned flags);
int cudaHostUnregister(void *pointer);
int cudaLaunchCooperativeKernel(const void *function, struct dim3 grid, struct dim3 block, void **args, size_t shared,
                                void *stream);
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *argument);
int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **args, size_t shared,
                     void *stream);
int cudaLaunchKernelExC(const struct launch_config *c, const void *function, void **args);
int cudaLibraryGetGlobal(void **pointer, size_t *bytes, void *library, const char *name);
int cudaLibraryGetKernel(void **kernel, void *library, const char *name);
int cudaLibraryLoadData(void **library, const void *code, void *options, void **values, unsigned noptions, void *more,
                        void **more_values, unsigned nmore);
int cudaLibraryLoadFromFile(void **library, const char *name, void *options, void **values, unsigned noptions,
                            void *more, void **more_values, unsigned nmore);
int cudaLibraryUnload(void *library);
int cudaMalloc3DArray(struct array **made, const struct channel_desc *desc, struct extent extent, unsigned flags);
int cudaMalloc(void **pointer, size_t bytes);
int cudaMallocAsync(void **pointer, size_t bytes, void *stream);
int cudaMallocHost(void **pointer, size_t bytes);
int cudaMallocManaged(void **pointer, size_t bytes, unsigned flags);
int cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
int cudaMemcpy3D(const struct memcpy_3d *p);
int cudaMemcpy3DAsync(const struct memcpy_3d *p, void *stream);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
int cudaMemGetInfo(size_t *available, size_t *total);
int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                           size_t shared, unsigned flags);
int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks, int threads);
int cudaStreamAddCallback(void *stream, void (*function)(void *, int, void *), void *argument, unsigned flags);
int cudaStreamCreateWithFlags(void **stream, unsigned flags);
int cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority);
int cudaStreamDestroy(void *stream);
int cudaStreamGetFlags(void *stream, unsigned *flags);
int cudaStreamGetPriority(void *stream, int *priority);
int cudaStreamQuery(void *stream);
int cudaStreamSynchronize(void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
#endif
