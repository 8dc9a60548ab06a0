/* A program of CUDA's driver library that gcc compiles: it loads PTX itself. Exit status 0: all was as CUDA has it. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cuInit(unsigned flags);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetCount(int *n);
int cuDeviceGetName(char *name, int bytes, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuCtxCreate_v2(void **c, unsigned flags, int device);
int cuCtxDestroy_v2(void *c);
int cuCtxGetCurrent(void **c);
int cuCtxSynchronize(void);
int cuModuleLoadDataEx(void **m, const void *image, unsigned n, int *options, void **values);
int cuModuleUnload(void *m);
int cuModuleGetFunction(void **f, void *m, const char *name);
int cuModuleGetGlobal_v2(uint64_t *a, size_t *n, void *m, const char *name);
int cuMemAlloc_v2(uint64_t *a, size_t n);
int cuMemFree_v2(uint64_t a);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n);
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t n, void *s);
int cuMemcpy2D_v2(const void *c);
int cuMemsetD16_v2(uint64_t a, unsigned short value, size_t n);
int cuMemsetD32_v2(uint64_t a, unsigned value, size_t n);
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *s, void **parameters, void **extra);
int cuFuncGetAttribute(int *value, int attribute, void *f);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, void *f, int threads, size_t shared);
int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *f, void *of, size_t shared, int limit);
int cuStreamCreate(void **s, unsigned flags);
int cuStreamSynchronize(void *s);
int cuStreamDestroy_v2(void *s);
int cuEventCreate(void **e, unsigned flags);
int cuEventRecord(void *e, void *s);
int cuEventSynchronize(void *e);
int cuEventElapsedTime(float *ms, void *a, void *b);
int cuEventDestroy_v2(void *e);
int cuGetErrorName(int error, const char **text);
int cuGetErrorString(int error, const char **text);
int cuGetProcAddress_v2(const char *name, void **f, int version, uint64_t flags, int *status);
int cuMemCreate(void *handle, size_t n, const void *properties, uint64_t flags);
int cudaGetDriverEntryPoint(const char *name, void **f, unsigned long long flags, int *status) __attribute__((weak));
int cudaDeviceSynchronize(void) __attribute__((weak));
int cudaMemcpy(void *to, const void *from, size_t n, int kind) __attribute__((weak));

static const char ptx[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 7;\n"
    ".visible .entry add(.param .u64 p, .param .u32 n)\n{\n"
    "\t.reg .b32 %r<3>;\n\t.reg .b64 %d<4>;\n\tld.param.u64 %d1, [p];\n\tld.param.u32 %r1, [n];\n"
    "\tmov.u32 %r2, %tid.x;\n\tcvta.to.global.u64 %d1, %d1;\n\tmul.wide.u32 %d2, %r2, 4;\n\tadd.s64 %d1, %d1, %d2;\n"
    "\tld.global.u32 %r2, [%d1];\n\tadd.s32 %r2, %r2, %r1;\n\tst.global.u32 [%d1], %r2;\n\tret;\n}\n";

#define WANT(call, error)                                                                                              \
	do {                                                                                                               \
		int e_ = (call);                                                                                               \
		if (e_ != (error)) {                                                                                           \
			printf("%s:%d: %s: %d, not %d\n", __FILE__, __LINE__, #call, e_, (int)(error));                            \
			exit(1);                                                                                                   \
		}                                                                                                              \
	} while (0)
#define OK(call) WANT(call, 0)
#define CHECK(condition)                                                                                               \
	do {                                                                                                               \
		if (!(condition)) {                                                                                            \
			printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                             \
			exit(1);                                                                                                   \
		}                                                                                                              \
	} while (0)

static void start(void)
{
	int n, device;
	char name[64];
	size_t bytes;
	void *c, *now;
	const char *text;
	WANT(cuDeviceGetCount(&n), 3);
	WANT(cuInit(1), 1);
	OK(cuInit(0));
	OK(cuDeviceGetCount(&n));
	CHECK(n == 1);
	OK(cuDeviceGet(&device, 0));
	WANT(cuDeviceGet(&device, 1), 101);
	OK(cuDeviceGetName(name, sizeof name, device));
	CHECK(strstr(name, "NVIDIA"));
	OK(cuDeviceGetAttribute(&n, 16, device)); /* SMs */
	CHECK(n > 0);
	OK(cuDeviceTotalMem_v2(&bytes, device));
	CHECK(bytes > 1 << 20);
	OK(cuCtxCreate_v2(&c, 0, device));
	OK(cuCtxGetCurrent(&now));
	CHECK(now == c);
	OK(cuGetErrorName(1, &text));
	CHECK(!strcmp(text, "CUDA_ERROR_INVALID_VALUE"));
	OK(cuGetErrorString(2, &text));
	CHECK(!strcmp(text, "out of memory"));
	WANT(cuGetErrorName(12345, &text), 1);
	CHECK(!text);
}

static void *load(void **module)
{
	char log[64] = "?";
	int options[] = {4, 3}; /* bytes of the information log, and where it goes */
	void *values[] = {(void *)sizeof log, log}, *f;
	WANT(cuModuleLoadDataEx(module, "this is no PTX", 0, NULL, NULL), 218);
	OK(cuModuleLoadDataEx(module, ptx, 2, options, values));
	CHECK(!*log);
	WANT(cuModuleGetFunction(&f, *module, "none"), 500);
	OK(cuModuleGetFunction(&f, *module, "add"));
	return f;
}

static void launches(void *f)
{
	enum { N = 64 };
	unsigned host[N], n = 5;
	uint64_t a;
	size_t bytes = 12;
	struct {
		uint64_t a;
		unsigned n;
	} parameters;
	void *s, *begin, *end, *in[] = {&a, &n};
	float ms;
	int value, block, grid;
	OK(cuStreamCreate(&s, 1));
	OK(cuEventCreate(&begin, 0));
	OK(cuEventCreate(&end, 0));
	OK(cuMemAlloc_v2(&a, sizeof host));
	WANT(cuMemAlloc_v2(&a, 0), 1);
	OK(cuMemsetD32_v2(a, 100000, N));
	OK(cuMemsetD16_v2(a, 9, 2));
	OK(cuEventRecord(begin, s));
	OK(cuLaunchKernel(f, 1, 1, 1, N, 1, 1, 0, s, in, NULL));
	parameters.a = a;
	parameters.n = 3;
	void *extra[] = {(void *)1, &parameters, (void *)2, &bytes, NULL};
	OK(cuLaunchKernel(f, 1, 1, 1, N, 1, 1, 0, s, NULL, extra));
	WANT(cuLaunchKernel(f, 1, 1, 1, N, 1, 1, 0, s, in, extra), 1);
	bytes = 11;
	WANT(cuLaunchKernel(f, 1, 1, 1, N, 1, 1, 0, s, NULL, extra), 1);
	WANT(cuLaunchKernel(f, 1, 1, 1, 1025, 1, 1, 0, s, in, NULL), 1);
	WANT(cuLaunchKernel(s, 1, 1, 1, 1, 1, 1, 0, s, in, NULL), 400);
	OK(cuEventRecord(end, s));
	OK(cuMemcpyDtoHAsync_v2(host, a, sizeof host, s));
	OK(cuStreamSynchronize(s));
	CHECK(host[0] == 0x90009 + 8 && host[1] == 100008 && host[N - 1] == 100008);
	OK(cuEventSynchronize(end));
	OK(cuEventElapsedTime(&ms, begin, end));
	CHECK(ms > 0 && ms < 1);
	OK(cuFuncGetAttribute(&value, 0, f));
	CHECK(value > 0);
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, f, 64, 0));
	CHECK(value > 0);
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
	CHECK(block % 32 == 0 && grid > 0);
	OK(cuEventDestroy_v2(begin));
	OK(cuEventDestroy_v2(end));
	OK(cuStreamDestroy_v2(s));
	OK(cuMemFree_v2(a));
	WANT(cuMemFree_v2(a + 8), 1);
}

/* The middle of a plane of the device, from one of the host. */
static void planes(void)
{
	unsigned host[4][4], back[8][8] = {{0}};
	uint64_t a;
	struct {
		size_t x, y;
		int type;
		void *host;
		uint64_t device;
		void *array;
		size_t pitch;
	} side[3] = {{.x = 4, .y = 1, .type = 1, .host = host, .pitch = 16}, {.x = 8, .y = 2, .type = 2, .pitch = 32}};
	for (unsigned i = 0; i < 16; i++)
		host[i / 4][i % 4] = i;
	OK(cuMemAlloc_v2(&a, sizeof back));
	OK(cuMemcpyHtoD_v2(a, back, sizeof back));
	side[1].device = a;
	memcpy(&side[2], (const size_t[]){8, 3}, 16); /* bytes, rows */
	OK(cuMemcpy2D_v2(side));
	OK(cuMemcpyDtoH_v2(back, a, sizeof back));
	CHECK(back[2][2] == 5 && back[2][3] == 6 && back[4][3] == 14 && !back[2][4] && !back[1][2] && !back[5][2]);
	OK(cuMemFree_v2(a));
}

int main(void)
{
	void *module, *by_name, *c;
	uint64_t a;
	size_t bytes;
	unsigned value = 0;
	int status = 9;
	start();
	void *f = load(&module);
	launches(f);
	planes();
	OK(cuModuleGetGlobal_v2(&a, &bytes, module, "counter"));
	OK(cuMemcpyDtoH_v2(&value, a, 4));
	CHECK(bytes == 4 && value == 7);
	OK(cuGetProcAddress_v2("cuMemAlloc", &by_name, 12000, 0, &status));
	CHECK(by_name && !status);
	WANT(cuGetProcAddress_v2("cuNewer", &by_name, 12000, 0, &status), 500);
	CHECK(!by_name && status == 1);
	WANT(cuMemCreate(NULL, 1, NULL, 0), 801);
	const bool both = cudaMemcpy;
	if (both) { /* the run time's calls know the driver's memory */
		OK(cudaMemcpy(&value, (void *)a, 4, 2));
		OK(cudaDeviceSynchronize());
		OK(cudaGetDriverEntryPoint("cuMemAlloc", &by_name, 0, &status));
		CHECK(by_name && !status);
		OK(cudaGetDriverEntryPoint("cuNewer", &by_name, 0, &status));
		CHECK(!by_name && status == 1);
	}
	OK(cuModuleUnload(module));
	OK(cuCtxGetCurrent(&c));
	OK(cuCtxDestroy_v2(c));
	printf("driver%s: all well\n", both ? " and run time" : "");
	return 0;
}
