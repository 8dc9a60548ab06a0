/* The CUDA driver's functions that the measuring program calls, looked up in the driver's library when it starts:
 * neither a toolkit's header nor its stub library is needed to build. Names, arguments and values are those of CUDA's
 * driver API. */
#ifndef HARDWARE_DRIVER_H
#define HARDWARE_DRIVER_H
#include <stddef.h>
#include <stdint.h>

typedef void *cu_handle; /* CUcontext, CUmodule, CUfunction, CUevent, CUstream */
typedef uint64_t cu_ptr; /* CUdeviceptr */

/* FN(our name, symbol, arguments) */
#define DRIVER_FUNCTIONS                                                                                               \
	FN(init, cuInit, (unsigned flags))                                                                                 \
	FN(version, cuDriverGetVersion, (int *out))                                                                        \
	FN(error_name, cuGetErrorName, (int code, const char **out))                                                       \
	FN(error_text, cuGetErrorString, (int code, const char **out))                                                     \
	FN(device_count, cuDeviceGetCount, (int *out))                                                                     \
	FN(device, cuDeviceGet, (int *out, int ordinal))                                                                   \
	FN(device_name, cuDeviceGetName, (char *out, int bytes, int device))                                               \
	FN(device_attribute, cuDeviceGetAttribute, (int *out, int attribute, int device))                                  \
	FN(device_memory, cuDeviceTotalMem_v2, (size_t * out, int device))                                                 \
	FN(retain, cuDevicePrimaryCtxRetain, (cu_handle * out, int device))                                                \
	FN(set_current, cuCtxSetCurrent, (cu_handle context))                                                              \
	FN(synchronize, cuCtxSynchronize, (void))                                                                          \
	FN(module_load, cuModuleLoadDataEx,                                                                                \
	   (cu_handle * out, const void *image, unsigned noptions, int *options, void **values))                           \
	FN(module_unload, cuModuleUnload, (cu_handle module))                                                              \
	FN(function, cuModuleGetFunction, (cu_handle * out, cu_handle module, const char *name))                           \
	FN(global, cuModuleGetGlobal_v2, (cu_ptr * out, size_t * bytes, cu_handle module, const char *name))               \
	FN(function_set, cuFuncSetAttribute, (cu_handle function, int attribute, int value))                               \
	FN(alloc, cuMemAlloc_v2, (cu_ptr * out, size_t bytes))                                                             \
	FN(free, cuMemFree_v2, (cu_ptr at))                                                                                \
	FN(to_device, cuMemcpyHtoD_v2, (cu_ptr to, const void *from, size_t bytes))                                        \
	FN(from_device, cuMemcpyDtoH_v2, (void *to, cu_ptr from, size_t bytes))                                            \
	FN(fill, cuMemsetD8_v2, (cu_ptr to, unsigned char value, size_t bytes))                                            \
	FN(launch, cuLaunchKernel,                                                                                         \
	   (cu_handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,              \
	    unsigned shared, cu_handle stream, void **params, void **extra))                                               \
	FN(event_create, cuEventCreate, (cu_handle * out, unsigned flags))                                                 \
	FN(event_record, cuEventRecord, (cu_handle event, cu_handle stream))                                               \
	FN(event_wait, cuEventSynchronize, (cu_handle event))                                                              \
	FN(event_ms, cuEventElapsedTime, (float *out, cu_handle from, cu_handle to))

struct driver {
#define FN(name, symbol, args) int(*name) args;
	DRIVER_FUNCTIONS
#undef FN
	char missing[256]; /* why it could not be opened */
};
enum { /* CUdevice_attribute */
	   ATTR_SHARED_PER_BLOCK_OPTIN = 97,
	   ATTR_CLOCK_KHZ = 13,
	   ATTR_SMS = 16,
	   ATTR_MEMORY_KHZ = 36,
	   ATTR_BUS_BITS = 37,
	   ATTR_L2_BYTES = 38,
	   ATTR_MAJOR = 75,
	   ATTR_MINOR = 76,
	   ATTR_SHARED_PER_SM = 81,
};
enum { FUNCTION_MAX_DYNAMIC_SHARED = 8 };            /* CUfunction_attribute */
enum { JIT_ERROR_LOG = 5, JIT_ERROR_LOG_BYTES = 6 }; /* CUjit_option */
enum { LAUNCH_BUFFER = 1, LAUNCH_BUFFER_SIZE = 2 };  /* CU_LAUNCH_PARAM_BUFFER_POINTER, ..._SIZE */

/* The library that holds the functions, by default the driver's; NULL = the program itself. */
#ifndef DRIVER_LIBRARY /* -D... for tests */
#define DRIVER_LIBRARY "libcuda.so.1"
#endif
/* 0, or -1 with drv.missing. */
extern struct driver drv;
int driver_open(void);
/* Ends the program with a message if a call failed. */
void driver_must(int code, const char *what);
const char *driver_error(int code);
#endif
