/* cuda_app: CUDA's calls for programs that gcc compiles, which register themselves as nvcc's code does. */
#ifndef TESTS_RIG_CUDA_APP_H
#define TESTS_RIG_CUDA_APP_H
#include "cudart/abi.h"
#include <stdio.h>
#include <stdlib.h>

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads, void *tid,
                            void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int external, size_t bytes,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *address, const char *name, int external, size_t bytes,
                              int constant, int global);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared, void *stream);
int __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared, void *stream);
int __cudaGetKernel(void **kernel, const void *function);
int __cudaLaunchKernel(void *kernel, struct dim3 grid, struct dim3 block, void **args, size_t shared, void *stream);

int cudaLaunchKernel(const void *f, struct dim3 grid, struct dim3 block, void **args, size_t shared, void *stream);
int cudaLibraryLoadFromFile(void **library, const char *name, void *options, void **values, unsigned noptions,
                            void *more, void **more_values, unsigned nmore);
int cudaLibraryGetKernel(void **kernel, void *library, const char *name);
int cudaLaunchKernelExC(const struct launch_config *c, const void *function, void **args);
int cudaMalloc(void **p, size_t n);
int cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height);
int cudaMallocManaged(void **p, size_t n, unsigned flags);
int cudaMallocHost(void **p, size_t n);
int cudaMemGetInfo(size_t *left, size_t *all);
int cudaHostAlloc(void **p, size_t n, unsigned flags);
int cudaHostRegister(void *p, size_t n, unsigned flags);
int cudaHostUnregister(void *p);
int cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
int cudaFree(void *p);
int cudaFreeHost(void *p);
int cudaMemcpy(void *to, const void *from, size_t n, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t n, int kind, void *stream);
int cudaMemcpy2D(void *to, size_t tp, const void *from, size_t fp, size_t width, size_t height, int kind);
int cudaMemcpy3D(const struct memcpy_3d *p);
int cudaMemset(void *p, int value, size_t n);
int cudaMemcpyToSymbol(const void *name, const void *from, size_t n, size_t at, int kind);
int cudaMemcpyFromSymbol(void *to, const void *name, size_t n, size_t at, int kind);
int cudaGetSymbolSize(size_t *n, const void *name);
int cudaMallocArray(struct array **a, const struct channel_desc *desc, size_t width, size_t height, unsigned flags);
int cudaMalloc3DArray(struct array **a, const struct channel_desc *desc, struct extent extent, unsigned flags);
int cudaFreeArray(struct array *a);
int cudaMemcpy2DToArray(struct array *to, size_t x, size_t y, const void *from, size_t p, size_t width, size_t height,
                        int kind);
int cudaMemcpyFromArray(void *to, const struct array *from, size_t x, size_t y, size_t n, int kind);
int cudaPointerGetAttributes(struct pointer_attributes *a, const void *p);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);
int cudaGetDeviceCount(int *n);
int cudaSetDevice(int device);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaGetDeviceProperties(void *to, int device);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char *cudaGetErrorName(int error);
const char *cudaGetErrorString(int error);
int cudaStreamCreate(void **s);
int cudaStreamCreateWithFlags(void **s, unsigned flags);
int cudaStreamDestroy(void *s);
int cudaStreamSynchronize(void *s);
int cudaStreamQuery(void *s);
int cudaStreamWaitEvent(void *s, void *e, unsigned flags);
int cudaLaunchHostFunc(void *s, void (*f)(void *), void *argument);
int cudaStreamAddCallback(void *s, void (*f)(void *, int, void *), void *argument, unsigned flags);
int cudaEventCreate(void **e);
int cudaEventRecord(void *e, void *s);
int cudaEventElapsedTime(float *ms, void *a, void *b);
int cudaEventDestroy(void *e);
int cudaStreamBeginCapture(void *s, int mode);
int cudaStreamEndCapture(void *s, void **graph);
int cudaStreamIsCapturing(void *s, int *status);
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *exec, void *s);
int cudaMallocMipmappedArray(void **a, void *desc, struct extent e, unsigned levels, unsigned flags);
int cudaFuncGetAttributes(struct func_attributes *a, const void *f);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *f, int threads, size_t shared);

#define OK(call)                                                                                                       \
	do {                                                                                                               \
		int e_ = (call);                                                                                               \
		if (e_) {                                                                                                      \
			printf("%s:%d: %s: %d %s\n", __FILE__, __LINE__, #call, e_, cudaGetErrorName(e_));                         \
			exit(1);                                                                                                   \
		}                                                                                                              \
	} while (0)
#define WANT(call, error)                                                                                              \
	do {                                                                                                               \
		int e_ = (call);                                                                                               \
		if (e_ != (error)) {                                                                                           \
			printf("%s:%d: %s: %d, not %d\n", __FILE__, __LINE__, #call, e_, (int)(error));                            \
			exit(1);                                                                                                   \
		}                                                                                                              \
	} while (0)
#define CHECK(condition)                                                                                               \
	do {                                                                                                               \
		if (!(condition)) {                                                                                            \
			printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                             \
			exit(1);                                                                                                   \
		}                                                                                                              \
	} while (0)
#endif
