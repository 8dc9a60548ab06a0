/* A CUDA program that gcc compiles: ./cuda_app CASE. Its kernel adds one to each of n words; it has a variable, a
 * managed variable and a constant. Exit status 0: all was as CUDA has it. */
#include "rig/cuda_app.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char ptx[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 7;\n"
    ".visible .global .align 8 .u64 shared_word[4];\n"
    ".visible .entry add_one(.param .u64 p, .param .u32 n)\n{\n"
    "\t.reg .pred %q;\n\t.reg .b32 %r<6>;\n\t.reg .b64 %d<4>;\n"
    "\tld.param.u64 %d1, [p];\n\tld.param.u32 %r1, [n];\n"
    "\tmov.u32 %r2, %ctaid.x;\n\tmov.u32 %r3, %ntid.x;\n\tmov.u32 %r4, %tid.x;\n\tmad.lo.s32 %r2, %r2, %r3, %r4;\n"
    "\tsetp.ge.u32 %q, %r2, %r1;\n\t@%q ret;\n"
    "\tcvta.to.global.u64 %d1, %d1;\n\tmul.wide.u32 %d2, %r2, 4;\n\tadd.s64 %d1, %d1, %d2;\n"
    "\tld.global.u32 %r5, [%d1];\n\tadd.s32 %r5, %r5, 1;\n\tst.global.u32 [%d1], %r5;\n\tret;\n}\n"
    /* Waits until the word at *pp, or at pp itself, is not 0, and writes 42 behind it. */
    ".visible .entry waits(.param .u64 pp, .param .u32 through)\n{\n"
    "\t.reg .pred %q<3>;\n\t.reg .b32 %r<3>;\n\t.reg .b64 %d<2>;\n"
    "\tld.param.u64 %d1, [pp];\n\tld.param.u32 %r1, [through];\n\tsetp.ne.u32 %q1, %r1, 0;\n"
    "\t@%q1 ld.global.u64 %d1, [%d1];\n"
    "AGAIN:\n\tld.volatile.global.u32 %r2, [%d1];\n\tsetp.eq.u32 %q2, %r2, 0;\n\t@%q2 bra AGAIN;\n"
    "\tst.volatile.global.u32 [%d1+4], 42;\n\tret;\n}\n"
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e) .noreturn;\n"
    ".visible .entry give_up(.param .u32 n)\n{\n"
    "\t.reg .pred %q;\n\t.reg .b32 %r<3>;\n\t.reg .b64 %d<2>;\n\tld.param.u32 %r1, [n];\n"
    "\tsetp.eq.u32 %q, %r1, 0;\n\t@%q bra ASSERT;\n\ttrap;\nASSERT:\n\tmov.u64 %d1, shared_word;\n"
    "\tcvta.global.u64 %d1, %d1;\n\tmov.u32 %r2, 7;\n"
    "\t{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; st.param.b64 [a], %d1; "
    "st.param.b64 [b], %d1; st.param.b32 [c], %r2; st.param.b64 [d], %d1; st.param.b64 [e], 1; "
    "call __assertfail, (a, b, c, d, e); }\n\tret;\n}\n"
    /* printf("kernel %d\n", n) */
    ".global .align 1 .b8 text[11] = {107, 101, 114, 110, 101, 108, 32, 37, 100, 10, 0};\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
    ".visible .entry say(.param .u32 n)\n{\n"
    "\t.local .align 4 .b8 args[4];\n\t.reg .b32 %r<3>;\n\t.reg .b64 %d<4>;\n"
    "\tld.param.u32 %r1, [n];\n\tmov.u64 %d1, args;\n\tst.local.u32 [%d1], %r1;\n\tcvta.local.u64 %d2, %d1;\n"
    "\tmov.u64 %d3, text;\n\tcvta.global.u64 %d3, %d3;\n"
    "\t{ .param .b64 f; .param .b64 a; .param .b32 r;\n\tst.param.b64 [f], %d3; st.param.b64 [a], %d2;\n"
    "\tcall.uni (r), vprintf, (f, a); }\n\tret;\n}\n";

/* One container with one member: PTX that is not compressed. */
static struct {
	struct fat_header head;
	uint16_t kind, version;
	uint32_t header_bytes;
	uint64_t padded_bytes;
	uint32_t packed_bytes, zero[2], sm;
	uint64_t more[4];
	char text[4096];
} __attribute__((aligned(8))) fat;
static struct fat_wrapper wrapper = {0x466243b1, 1, &fat, NULL};
static void **handle;
static int counter;           /* stands for the device's variable */
static uint64_t *shared_word; /* managed: its address */

static void add_one(unsigned *p, unsigned n)
{
	void *args[] = {&p, &n}, *stream;
	struct dim3 grid, block;
	size_t shared;
	if (__cudaPopCallConfiguration(&grid, &block, &shared, &stream))
		return;
	cudaLaunchKernel((const void *)add_one, grid, block, args, shared, stream);
}

static void give_up(unsigned n)
{
	void *args[] = {&n};
	const struct dim3 one = {1, 1, 1};
	OK(cudaLaunchKernel((const void *)give_up, one, one, args, 0, NULL));
}

static void launch_waits(void *word, unsigned through)
{
	void *args[] = {&word, &through};
	OK(cudaLaunchKernel((const void *)launch_waits, (struct dim3){1, 1, 1}, (struct dim3){1, 1, 1}, args, 0, NULL));
}

static void launch(unsigned *p, unsigned n, void *stream)
{
	if (!__cudaPushCallConfiguration((struct dim3){(n + 127) / 128, 1, 1}, (struct dim3){128, 1, 1}, 0, stream))
		add_one(p, n);
}

static void say(unsigned n)
{
	void *args[] = {&n};
	OK(cudaLaunchKernel((const void *)say, (struct dim3){1, 1, 1}, (struct dim3){1, 1, 1}, args, 0, NULL));
}

static void unregister(void)
{
	__cudaUnregisterFatBinary(handle);
}

__attribute__((constructor)) static void register_all(void)
{
	size_t n = sizeof ptx;
	memcpy(fat.text, ptx, n);
	fat.kind = 1;
	fat.version = 0x0101;
	fat.header_bytes = (uint32_t)(offsetof(__typeof__(fat), text) - offsetof(__typeof__(fat), kind));
	fat.padded_bytes = (n + 7) & ~7ull;
	fat.sm = 50;
	fat.more[1] = 0;
	fat.head = (struct fat_header){FAT_MAGIC, 1, sizeof fat.head, fat.header_bytes + fat.padded_bytes};
	handle = __cudaRegisterFatBinary(&wrapper);
	__cudaRegisterFunction(handle, (const char *)add_one, "add_one", "add_one", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(handle, (const char *)launch_waits, "waits", "waits", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(handle, (const char *)give_up, "give_up", "give_up", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(handle, (const char *)say, "say", "say", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterVar(handle, (char *)&counter, "counter", "counter", 0, 4, 0, 0);
	__cudaRegisterManagedVar(handle, (void **)&shared_word, "shared_word", "shared_word", 0, 32, 0, 0);
	__cudaRegisterFatBinaryEnd(handle);
	atexit(unregister);
}

/* Copies of all forms, launches, variables, errors of wrong arguments. */
static void basic(void)
{
	enum { N = 1000 };
	unsigned host[N], back[N], *device, *other;
	int n = 0;
	OK(cudaGetDeviceCount(&n));
	CHECK(n == 1);
	OK(cudaSetDevice(0));
	WANT(cudaSetDevice(1), INVALID_DEVICE);
	CHECK(cudaPeekAtLastError() == INVALID_DEVICE && cudaGetLastError() == INVALID_DEVICE && !cudaGetLastError());
	for (unsigned i = 0; i < N; i++)
		host[i] = i * 3;
	OK(cudaMalloc((void **)&device, sizeof host));
	OK(cudaMalloc((void **)&other, sizeof host));
	OK(cudaMemcpy(device, host, sizeof host, HOST_TO_DEVICE));
	launch(device, N, NULL);
	OK(cudaGetLastError());
	OK(cudaMemcpy(other, device, sizeof host, DEVICE_TO_DEVICE));
	OK(cudaMemset(device, 0xff, sizeof host));
	OK(cudaMemcpy(back, other, sizeof back, COPY_DEFAULT));
	for (unsigned i = 0; i < N; i++)
		CHECK(back[i] == host[i] + 1);
	OK(cudaMemcpy(back, device, 4, DEVICE_TO_HOST));
	CHECK(back[0] == ~0u);

	WANT(cudaMemcpy(back, host, 4, HOST_TO_DEVICE), INVALID_VALUE);
	WANT(cudaMemcpy(device, other, 4, DEVICE_TO_HOST), INVALID_VALUE);
	WANT(cudaMemcpy(device + N - 1, host, 8, HOST_TO_DEVICE), INVALID_VALUE);
	WANT(cudaMemcpy(device, host, 4, 9), INVALID_DIRECTION);
	WANT(cudaFree(host), INVALID_VALUE);
	WANT(cudaStreamSynchronize(host), INVALID_HANDLE);

	void *args[] = {&device, &n};
	WANT(cudaLaunchKernel((const void *)basic, (struct dim3){1, 1, 1}, (struct dim3){1, 1, 1}, args, 0, NULL),
	     INVALID_FUNCTION);
	WANT(cudaLaunchKernel((const void *)add_one, (struct dim3){1, 0, 1}, (struct dim3){1, 1, 1}, args, 0, NULL),
	     INVALID_CONFIGURATION);
	WANT(cudaLaunchKernel((const void *)add_one, (struct dim3){1, 1, 1}, (struct dim3){1025, 1, 1}, args, 0, NULL),
	     INVALID_CONFIGURATION);
	struct launch_attribute cluster = {.id = ATTRIBUTE_CLUSTER, .value.cluster = {2, 1, 1}};
	struct launch_config config = {{2, 1, 1}, {32, 1, 1}, 0, NULL, &cluster, 1};
	WANT(cudaLaunchKernelExC(&config, (const void *)add_one, args), NOT_SUPPORTED);
	void *mip;
	WANT(cudaMallocMipmappedArray(&mip, NULL, (struct extent){1, 1, 1}, 2, 0), NOT_SUPPORTED);

	int value = 0;
	size_t bytes = 0;
	OK(cudaMemcpyFromSymbol(&value, &counter, 4, 0, DEVICE_TO_HOST));
	CHECK(value == 7);
	value = 12;
	OK(cudaMemcpyToSymbol(&counter, &value, 4, 0, HOST_TO_DEVICE));
	value = 0;
	OK(cudaMemcpyFromSymbol(&value, &counter, 4, 0, DEVICE_TO_HOST));
	CHECK(value == 12);
	WANT(cudaMemcpyToSymbol(&counter, &value, 4, 2, HOST_TO_DEVICE), INVALID_VALUE);
	WANT(cudaMemcpyToSymbol(&value, &value, 4, 0, HOST_TO_DEVICE), INVALID_SYMBOL);
	OK(cudaGetSymbolSize(&bytes, &counter));
	CHECK(bytes == 4);
	OK(cudaFree(device));
	WANT(cudaMemcpy(device, host, 4, HOST_TO_DEVICE), INVALID_VALUE);
	OK(cudaFree(other));
	OK(cudaFree(NULL));
}

static void rectangles(void)
{
	enum { W = 37, H = 11, D = 3 };
	unsigned char host[D][H][W], back[D][H][W];
	unsigned char *device;
	size_t pitch;
	for (int i = 0; i < D * H * W; i++)
		((unsigned char *)host)[i] = (unsigned char)(i * 7);
	OK(cudaMallocPitch((void **)&device, &pitch, W, H * D));
	CHECK(pitch % 512 == 0);
	OK(cudaMemcpy2D(device, pitch, host, W, W, H * D, HOST_TO_DEVICE));
	memset(back, 0, sizeof back);
	OK(cudaMemcpy2D(back, W, device, pitch, W, H * D, DEVICE_TO_HOST));
	CHECK(!memcmp(host, back, sizeof back));
	WANT(cudaMemcpy2D(device, 8, host, W, W, H, HOST_TO_DEVICE), INVALID_PITCH);

	/* A box inside the boxes. */
	memset(back, 0, sizeof back);
	struct memcpy_3d box = {.src_pos = {1, 2, 1},
	                        .src_ptr = {device, pitch, W, H},
	                        .dst_pos = {0, 1, 0},
	                        .dst_ptr = {back, W, W, H},
	                        .extent = {9, 4, 2},
	                        .kind = DEVICE_TO_HOST};
	OK(cudaMemcpy3D(&box));
	for (int z = 0; z < 2; z++)
		for (int y = 0; y < 4; y++)
			CHECK(!memcmp(&back[z][y + 1][0], &host[z + 1][y + 2][1], 9));
	OK(cudaFree(device));

	struct array *array;
	struct channel_desc bytes = {8, 0, 0, 0, 1}, three = {8, 8, 8, 0, 1};
	WANT(cudaMallocArray(&array, &three, W, H, 0), INVALID_CHANNELS);
	OK(cudaMallocArray(&array, &bytes, W, H, 0));
	OK(cudaMemcpy2DToArray(array, 0, 0, host, W, W, H, HOST_TO_DEVICE));
	memset(back, 0, sizeof back);
	OK(cudaMemcpyFromArray(back, array, 5, 1, 2 * W, DEVICE_TO_HOST));
	CHECK(!memcmp(back, &host[0][1][5], 2 * W));
	WANT(cudaMemcpy2DToArray(array, 1, 0, host, W, W, H, HOST_TO_DEVICE), INVALID_VALUE);
	OK(cudaFreeArray(array));
	WANT(cudaFreeArray(array), INVALID_HANDLE);

	/* Cube maps have square faces, six each. */
	WANT(cudaMalloc3DArray(&array, &bytes, (struct extent){16, 16, 5}, ARRAY_CUBEMAP), INVALID_VALUE);
	WANT(cudaMalloc3DArray(&array, &bytes, (struct extent){16, 8, 6}, ARRAY_CUBEMAP), INVALID_VALUE);
	WANT(cudaMalloc3DArray(&array, &bytes, (struct extent){16, 16, 12}, ARRAY_CUBEMAP), INVALID_VALUE);
	OK(cudaMalloc3DArray(&array, &bytes, (struct extent){16, 16, 6}, ARRAY_CUBEMAP));
	OK(cudaFreeArray(array));
	OK(cudaMalloc3DArray(&array, &bytes, (struct extent){16, 16, 12}, ARRAY_CUBEMAP | ARRAY_LAYERED));
	OK(cudaFreeArray(array));

	/* Larger than what both sides share. */
	size_t big = (150ull << 20) + 12345;
	unsigned *large, *from = malloc(big), *to = malloc(big);
	CHECK(from && to);
	for (size_t i = 0; i < big / 4; i++)
		from[i] = (unsigned)(i * 2654435761u);
	OK(cudaMalloc((void **)&large, big));
	OK(cudaMemcpy(large, from, big, HOST_TO_DEVICE));
	OK(cudaMemcpy(to, large, big, DEVICE_TO_HOST));
	CHECK(!memcmp(from, to, big / 4 * 4));
	OK(cudaFree(large));
}

static int called;
static unsigned *pinned;
static void host_function(void *argument)
{
	called++;
	*(unsigned *)argument += 10;
}
static void callback(void *stream, int status, void *argument)
{
	called += 100 + status;
}

static void streams(void)
{
	void *s, *e, *f;
	unsigned *device;
	float ms = -1;
	OK(cudaStreamCreate(&s));
	OK(cudaEventCreate(&e));
	OK(cudaEventCreate(&f));
	OK(cudaMallocHost((void **)&pinned, 4096));
	OK(cudaMalloc((void **)&device, 4096));
	OK(cudaEventRecord(e, s));
	*pinned = 5;
	/* Copies and functions of the stream in its order, each sees what the one before has left in the pinned memory. */
	OK(cudaMemcpyAsync(device, pinned, 4, HOST_TO_DEVICE, s));
	launch(device, 1, s);
	OK(cudaMemcpyAsync(pinned, device, 4, DEVICE_TO_HOST, s));
	OK(cudaLaunchHostFunc(s, host_function, pinned));
	OK(cudaMemcpyAsync(device, pinned, 4, HOST_TO_DEVICE, s));
	launch(device, 1, s);
	OK(cudaMemcpyAsync(pinned, device, 4, DEVICE_TO_HOST, s));
	OK(cudaStreamAddCallback(s, callback, NULL, 0));
	OK(cudaEventRecord(f, s));
	OK(cudaStreamSynchronize(s));
	CHECK(called == 101);
	CHECK(*pinned == 17);
	OK(cudaStreamQuery(s));
	OK(cudaEventElapsedTime(&ms, e, f));
	CHECK(ms >= 0);
	OK(cudaEventDestroy(e));
	OK(cudaEventDestroy(f));
	OK(cudaStreamDestroy(s));
	WANT(cudaStreamDestroy(s), INVALID_HANDLE);
	OK(cudaFreeHost(pinned));
	OK(cudaFree(device));
}

static void graphs(void)
{
	void *s, *graph, *exec;
	unsigned *device, value = 0;
	int status = 0;
	OK(cudaStreamCreate(&s));
	OK(cudaMalloc((void **)&device, 4096));
	OK(cudaMemset(device, 0, 4096));
	OK(cudaStreamBeginCapture(s, 0));
	OK(cudaStreamIsCapturing(s, &status));
	CHECK(status == 1);
	launch(device, 1, s);
	launch(device, 1, s);
	OK(cudaStreamEndCapture(s, &graph));
	OK(cudaMemcpy(&value, device, 4, DEVICE_TO_HOST));
	CHECK(value == 0);
	OK(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < 3; i++)
		OK(cudaGraphLaunch(exec, s));
	OK(cudaStreamSynchronize(s));
	OK(cudaMemcpy(&value, device, 4, DEVICE_TO_HOST));
	CHECK(value == 6);
	OK(cudaStreamBeginCapture(s, 0));
	WANT(cudaStreamSynchronize(s), CAPTURE_UNSUPPORTED);
	WANT(cudaStreamEndCapture(s, &graph), CAPTURE_INVALIDATED);
}

static void managed(void)
{
	enum { N = 300000 };
	unsigned *data, *mapped, *seen, *registered = malloc(4000);
	OK(cudaMallocManaged((void **)&data, N * 4, 1));
	for (unsigned i = 0; i < N; i++)
		data[i] = i;
	launch(data, N, NULL);
	OK(cudaDeviceSynchronize());
	for (unsigned i = 0; i < N; i++)
		CHECK(data[i] == i + 1);
	data[70000] = 5; /* one piece is changed, the others stay the device's */
	launch(data, N, NULL);
	launch(data, N, NULL);
	OK(cudaDeviceSynchronize());
	CHECK(data[70000] == 7 && data[0] == 3 && data[N - 1] == N + 2);
	unsigned copy[4] = {9, 9, 9, 9};
	OK(cudaMemcpy(data + 2, copy, sizeof copy, HOST_TO_DEVICE));
	CHECK(data[1] == 4 && data[2] == 9 && data[5] == 9 && data[6] == 9);
	OK(cudaMemcpy(copy, data, sizeof copy, DEVICE_TO_HOST));
	CHECK(copy[0] == 3 && copy[2] == 9);
	struct pointer_attributes a;
	OK(cudaPointerGetAttributes(&a, data + 1));
	CHECK(a.type == MEMORY_MANAGED && a.device_pointer == data + 1);
	OK(cudaFree(data));

	__cudaInitModule(handle);
	CHECK(shared_word);
	shared_word[0] = 40;
	launch((unsigned *)shared_word, 1, NULL);
	OK(cudaDeviceSynchronize());
	CHECK(shared_word[0] == 41);
	int value = 3;
	OK(cudaMemcpyToSymbol(&counter, &value, 4, 0, HOST_TO_DEVICE));
	shared_word[1] = 1;
	launch((unsigned *)shared_word, 1, NULL);
	OK(cudaMemcpyFromSymbol(&value, &counter, 4, 0, DEVICE_TO_HOST));
	CHECK(value == 3);
	CHECK(shared_word[0] == 42 && shared_word[1] == 1);

	OK(cudaHostAlloc((void **)&mapped, 5000, HOST_MAPPED));
	OK(cudaHostGetDevicePointer((void **)&seen, mapped, 0));
	mapped[10] = 1;
	launch(seen + 10, 1, NULL);
	OK(cudaDeviceSynchronize());
	CHECK(mapped[10] == 2);
	OK(cudaFreeHost(mapped));

	memset(registered, 0, 4000);
	OK(cudaHostRegister(registered, 4000, 2));
	WANT(cudaHostRegister(registered + 1, 8, 2), ALREADY_REGISTERED);
	OK(cudaHostGetDevicePointer((void **)&seen, registered, 0));
	registered[3] = 8;
	launch(seen, 5, NULL);
	OK(cudaDeviceSynchronize());
	CHECK(registered[3] == 9 && registered[4] == 1 && registered[5] == 0);
	OK(cudaHostUnregister(registered));
	WANT(cudaHostUnregister(registered), NOT_REGISTERED);
}

/* System calls and stdio on pages that the device has. */
static void transfers(void)
{
	enum { BYTES = 1 << 20 };
	unsigned *data;
	int ends[2];
	FILE *f = tmpfile();
	OK(cudaMallocManaged((void **)&data, BYTES, 1));
	data[100000] = 6;
	launch(data, 5, NULL);
	OK(cudaDeviceSynchronize());
	CHECK(f && fwrite(data, 1, BYTES, f) == BYTES && !fflush(f));
	launch(data, 5, NULL);
	OK(cudaDeviceSynchronize());
	rewind(f);
	CHECK(fread(data, 1, BYTES, f) == BYTES);
	CHECK(data[0] == 1 && data[4] == 1 && data[5] == 0 && data[100000] == 6);
	launch(data, 5, NULL);
	OK(cudaDeviceSynchronize());
	CHECK(!pipe(ends) && write(ends[1], data + 4, 8) == 8);
	launch(data, 5, NULL);
	OK(cudaDeviceSynchronize());
	CHECK(read(ends[0], data, 8) == 8);
	CHECK(data[0] == 2 && data[1] == 0 && data[2] == 3);
	fclose(f);
}

/* A fault that is not CUDA's goes to the program's handler, one while a kernel may run waits for it. */
static void own_handler(int number)
{
	static const char text[] = "own handler\n";
	_exit(write(1, text, sizeof text - 1) == (ssize_t)sizeof text - 1 ? 0 : 1);
}

static void faults(void)
{
	unsigned *data;
	signal(SIGSEGV, own_handler);
	OK(cudaMallocManaged((void **)&data, 4096, 1));
	data[0] = 1;
	launch(data, 1, NULL);
	OK(cudaDeviceSynchronize());
	CHECK(data[0] == 2);
	*(volatile int *)8 = 1;
}

static void busy(void)
{
	unsigned *data;
	OK(cudaMallocManaged((void **)&data, 4096, 1));
	for (unsigned i = 0; i < 3; i++) {
		launch(data, 2, NULL);
		data[0] += 10;
	}
	CHECK(data[0] == 33 && data[1] == 3);
}

static void large(void)
{
	void *device = NULL;
	CHECK(cudaMalloc(&device, 1ull << 42) == 2 && !device);
	CHECK(cudaGetLastError() == 2);
	OK(cudaMalloc(&device, 4096));
}

/* Memory that has been freed is there again. */
static void again(void)
{
	for (unsigned i = 0; i < 20; i++) {
		unsigned *device, *other, value;
		OK(cudaMalloc((void **)&device, 1ull << 30));
		OK(cudaMalloc((void **)&other, 1ull << 28));
		launch(device, 1, NULL);
		OK(cudaMemcpy(&value, device, 4, DEVICE_TO_HOST));
		CHECK(value == 1);
		OK(cudaFree(device));
		OK(cudaFree(other));
	}
}

/* The host writes what a running kernel waits for, in memory that both see. */
static void signal_kernel(unsigned volatile *flag, void *word, unsigned through)
{
	flag[0] = flag[1] = 0;
	launch_waits(word, through);
	for (int i = 0; i < 3; i++)
		WANT(cudaStreamQuery(NULL), NOT_READY);
	CHECK(flag[0] == 0 && flag[1] == 0);
	flag[0] = 1;
	OK(cudaDeviceSynchronize());
	CHECK(flag[0] == 1 && flag[1] == 42);
}

static void signals(void)
{
	unsigned *word, *mapped, *managed, *other, *device;
	int pipes[2];
	OK(cudaMallocHost((void **)&word, 8));
	OK(cudaHostAlloc((void **)&mapped, 8, HOST_MAPPED));
	OK(cudaMallocManaged((void **)&managed, 8, 1));
	OK(cudaMallocHost((void **)&other, 1 << 20));
	OK(cudaMalloc((void **)&device, 8));
	signal_kernel(word, word, 0);
	signal_kernel(mapped, mapped, 0);
	signal_kernel(managed, managed, 0);

	/* A kernel finds the address in memory. */
	OK(cudaMallocHost((void **)&word, 8));
	OK(cudaMemcpy(device, &word, 8, HOST_TO_DEVICE));
	signal_kernel(word, device, 1);

	/* What no kernel knows of stays the host's: the system may write there while a kernel runs. */
	word[0] = 0;
	launch_waits(word, 0);
	WANT(cudaStreamQuery(NULL), NOT_READY);
	CHECK(!pipe(pipes) && write(pipes[1], "words", 5) == 5 && read(pipes[0], other, 5) == 5);
	word[0] = 1;
	OK(cudaDeviceSynchronize());
	CHECK(!memcmp(other, "words", 5));
	OK(cudaFreeHost(other));
	OK(cudaFreeHost(word));

	/* Large pinned buffers take nothing from the device. */
	size_t left, now, all;
	OK(cudaMemGetInfo(&left, &all));
	OK(cudaMallocHost((void **)&other, all / 8 + 1));
	OK(cudaMemGetInfo(&now, &all));
	CHECK(now == left);
	OK(cudaMemcpy(other, managed, 8, DEVICE_TO_HOST));
	CHECK(other[0] == 1 && other[1] == 42);
	OK(cudaFreeHost(other));
	OK(cudaFreeHost(mapped));
}

static void *work(void *argument)
{
	unsigned *device, value = 0, mine = (unsigned)(uintptr_t)argument;
	void *s;
	OK(cudaStreamCreate(&s));
	OK(cudaMalloc((void **)&device, 64));
	for (unsigned i = 0; i < 50; i++) {
		value = mine + i;
		OK(cudaMemcpyAsync(device, &value, 4, HOST_TO_DEVICE, s));
		launch(device, 1, s);
		value = 0;
		OK(cudaMemcpyAsync(&value, device, 4, DEVICE_TO_HOST, s));
		OK(cudaStreamSynchronize(s));
		CHECK(value == mine + i + 1);
		CHECK(cudaGetLastError() == 0);
	}
	WANT(cudaFree((void *)8), INVALID_VALUE);
	CHECK(cudaPeekAtLastError() == INVALID_VALUE);
	OK(cudaFree(device));
	return NULL;
}

static void threads(void)
{
	pthread_t t[16];
	for (size_t i = 0; i < 16; i++)
		CHECK(!pthread_create(&t[i], NULL, work, (void *)(i * 1000)));
	for (size_t i = 0; i < 16; i++)
		pthread_join(t[i], NULL);
	CHECK(cudaPeekAtLastError() == 0);
}

static void forks(void)
{
	int n, status;
	OK(cudaGetDeviceCount(&n));
	pid_t child = fork();
	if (!child)
		_exit(cudaGetDeviceCount(&n) == INITIALIZATION_ERROR ? 5 : 6);
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5);
	OK(cudaDeviceSynchronize());
}

/* warpdbg is not there, or goes: no call hangs or crashes. */
static void gone(void)
{
	int n, e = 0;
	for (int i = 0; i < 20 && !e; i++)
		e = cudaGetDeviceCount(&n) ? cudaGetLastError() : cudaDeviceSynchronize();
	printf("%d %s\n", e, cudaGetErrorName(e));
	CHECK(cudaDeviceSynchronize() == e);
	WANT(cudaFree(NULL), e);
}

#ifdef STATIC_RUN_TIME
int cudaNewerThanTheLibrary(void);
static void unknown(void)
{
	WANT(cudaNewerThanTheLibrary(), NOT_SUPPORTED);
}
#endif

static void sticky(void)
{
	unsigned *device;
	OK(cudaMalloc((void **)&device, 4));
	launch(device, 0xdead, NULL);
	WANT(cudaDeviceSynchronize(), 700);
	WANT(cudaFree(device), 700);
	CHECK(cudaGetLastError() == 700 && cudaGetLastError() == 700);
	CHECK(!strcmp(cudaGetErrorString(700), "an illegal memory access was encountered"));
}

/* A kernel writes where nothing is. */
/* Each fault has the error that CUDA gives. */
static void asserts(void)
{
	give_up(0);
	WANT(cudaDeviceSynchronize(), 710);
	printf("asserts: the error it should be\n");
	exit(9);
}
static void traps(void)
{
	give_up(1);
	WANT(cudaDeviceSynchronize(), 719);
	printf("traps: the error it should be\n");
	exit(9);
}
static void crooked(void)
{
	unsigned *device;
	OK(cudaMalloc((void **)&device, 4096));
	launch((unsigned *)((char *)device + 2), 1, NULL);
	WANT(cudaDeviceSynchronize(), 716);
	printf("crooked: the error it should be\n");
	exit(9);
}

static void stray(void)
{
	launch((unsigned *)0x7000000000, 1, NULL);
	WANT(cudaDeviceSynchronize(), 700);
	CHECK(cudaMalloc(NULL, 4) != 0);
	exit(9);
}

/* Three launches on one buffer, with a line of output after each. */
static void steps(void)
{
	unsigned *device, value;
	OK(cudaMalloc((void **)&device, 4096));
	OK(cudaMemset(device, 0, 4096));
	for (int i = 0; i < 3; i++) {
		launch(device, 1024, NULL);
		OK(cudaMemcpy(&value, device, 4, DEVICE_TO_HOST));
		printf("step %u\n", value);
	}
}

static double by(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* us that clocks tell for launches of together so many simulated us. */
static void clocks(void)
{
	static const clockid_t ids[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID};
	struct timeval of_day[2];
	unsigned *device;
	void *begin, *end;
	float ms;
	double at[4];
	OK(cudaMalloc((void **)&device, 4 << 18));
	OK(cudaEventCreate(&begin));
	OK(cudaEventCreate(&end));
	OK(cudaEventRecord(begin, NULL));
	const clock_t ticks = clock();
	gettimeofday(&of_day[0], NULL);
	for (int i = 0; i < 4; i++)
		at[i] = by(ids[i]);
	for (int i = 0; i < 10; i++) {
		launch(device, 1 << 18, NULL);
		OK(cudaDeviceSynchronize());
	}
	for (int i = 0; i < 4; i++)
		at[i] = by(ids[i]) - at[i];
	gettimeofday(&of_day[1], NULL);
	const double cpu = (double)(clock() - ticks) * 1e6 / CLOCKS_PER_SEC;
	OK(cudaEventRecord(end, NULL));
	OK(cudaDeviceSynchronize());
	OK(cudaEventElapsedTime(&ms, begin, end));
	printf("simulated %.0f us, clocks %.0f %.0f %.0f %.0f, time of day %ld, ticks %.0f\n", (double)ms * 1e3, at[0],
	       at[1], at[2], at[3], (of_day[1].tv_sec - of_day[0].tv_sec) * 1000000 + of_day[1].tv_usec - of_day[0].tv_usec,
	       cpu);
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec until, now;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 50000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&mutex);
	CHECK(pthread_cond_timedwait(&never, &mutex, &until) == ETIMEDOUT);
	clock_gettime(CLOCK_REALTIME, &now);
	CHECK(now.tv_sec > until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
}

/* What it asks for depends on the time. */
static void timely(void)
{
	unsigned *device;
	for (int i = 0; i < 3; i++) {
		OK(cudaMalloc((void **)&device, 4096));
		launch(device, 1024, NULL);
		OK(cudaDeviceSynchronize());
		OK(cudaMalloc((void **)&device, 4096 + (size_t)by(CLOCK_MONOTONIC) % 1000000 * 16));
	}
}

/* Fetches a MiB after each of four launches. */
static void fetches(void)
{
	enum { WORDS = 1 << 18 };
	unsigned *device, *host = malloc(WORDS * sizeof *host);
	OK(cudaMalloc((void **)&device, WORDS * sizeof *host));
	OK(cudaMemset(device, 0, WORDS * sizeof *host));
	for (int i = 0; i < 4; i++) {
		launch(device, 1024, NULL);
		OK(cudaMemcpy(host, device, WORDS * sizeof *host, DEVICE_TO_HOST));
		printf("fetched %u\n", host[1023]);
	}
	free(host);
}

/* Asks for other memory when it runs for the second time. */
static void fickle(void)
{
	unsigned *device, value = 0;
	const char *mark = getenv("FICKLE");
	const size_t bytes = access(mark, F_OK) ? 4096 : 8192;
	fclose(fopen(mark, "w"));
	OK(cudaMalloc((void **)&device, bytes));
	OK(cudaMemset(device, 0, 4096));
	launch(device, 1024, NULL);
	OK(cudaMemcpy(&value, device, 4, DEVICE_TO_HOST));
}

static void dies(void)
{
	unsigned *device;
	OK(cudaMalloc((void **)&device, 4096));
	launch(device, 1024, NULL);
	raise(SIGKILL);
}

static void *killer(void *argument)
{
	usleep(200000);
	kill(getpid(), SIGKILL);
	return argument;
}

/* Ends in the middle of a call, whose kernel has minutes to go. */
static void killed(void)
{
	unsigned *device;
	pthread_t t;
	OK(cudaMalloc((void **)&device, 512u << 20));
	launch(device, 128u << 20, NULL);
	CHECK(!pthread_create(&t, NULL, killer, NULL));
	cudaDeviceSynchronize();
}

/* Works without the GPU, for ever. */
static void stands(void)
{
	unsigned *device;
	OK(cudaMalloc((void **)&device, 4096));
	raise(SIGSTOP);
}

/* A stream's end is asked for again and again. */
static void polls(void)
{
	unsigned *device, n = 0;
	void *s;
	OK(cudaStreamCreate(&s));
	OK(cudaMalloc((void **)&device, 4096));
	launch(device, 1024, s);
	while (cudaStreamQuery(s) == 600)
		n++;
	printf("asked %u times\n", n);
	CHECK(n > 0 && n < 100);
}

static const char *word = "0";

/* Asks so often whether the kernel is done that waits for it, before it writes what that waits for. */
static void patient(void)
{
	unsigned volatile *flag;
	OK(cudaMallocHost((void **)&flag, 8));
	flag[0] = flag[1] = 0;
	launch_waits((void *)flag, 0);
	for (int i = atoi(word); i > 0; i--)
		WANT(cudaStreamQuery(NULL), NOT_READY);
	flag[0] = 1;
	OK(cudaDeviceSynchronize());
	CHECK(flag[1] == 42);
}

static void *helper(void *flag)
{
	if (atoi(word) < 0)
		pause();
	usleep((useconds_t)atoi(word) * 1000);
	*(unsigned volatile *)flag = 1;
	return NULL;
}

/* One thread waits for a kernel that waits for what another one writes: with cudaDeviceSynchronize(), in a copy. The
 * second argument: after so many ms. Negative: it never does. */
static void helped(void)
{
	unsigned volatile *flag;
	unsigned *device, value = 7;
	pthread_t t;
	OK(cudaMallocHost((void **)&flag, 8));
	OK(cudaMalloc((void **)&device, 4));
	for (int i = 0; i < 2; i++) {
		flag[0] = flag[1] = 0;
		launch_waits((void *)flag, 0);
		CHECK(!pthread_create(&t, NULL, helper, (void *)flag));
		if (i)
			OK(cudaMemcpy(device, &value, 4, HOST_TO_DEVICE));
		else
			OK(cudaDeviceSynchronize());
		CHECK(flag[1] == 42);
		CHECK(!pthread_join(t, NULL));
	}
	OK(cudaMemcpy((void *)flag, device, 4, DEVICE_TO_HOST));
	CHECK(flag[0] == 7);
}

static void *helps_after_a_call(void *flag)
{
	size_t left, all;
	OK(cudaMemGetInfo(&left, &all));
	*(unsigned volatile *)flag = 1;
	return NULL;
}

static void frees_one(void *p, void *stream, size_t before)
{
	size_t left, all;
	unsigned sum = 0;
	called = 0;
	OK(cudaLaunchHostFunc(stream, host_function, &sum));
	OK(cudaFree(p));
	CHECK(called == 1);
	OK(cudaMemGetInfo(&left, &all));
	CHECK(left == before);
	WANT(cudaFree(p), INVALID_VALUE);
	WANT(cudaGetLastError(), INVALID_VALUE);
}

/* cudaFree() of memory in use waits: for a function that a stream calls, and for a kernel that waits for another
 * thread, which asks for something itself before it helps. Then the memory is free. */
static void frees(void)
{
	unsigned volatile *flag;
	void *p, *stream;
	size_t before, left, all;
	pthread_t t;
	OK(cudaStreamCreate(&stream));
	OK(cudaMallocHost((void **)&flag, 8));
	OK(cudaMallocHost(&p, 4096));
	launch(p, 1, stream); /* the code has its place from now on */
	OK(cudaFreeHost(p));
	OK(cudaMemGetInfo(&before, &all));
	OK(cudaMalloc(&p, 1 << 20));
	launch(p, 1 << 10, stream);
	frees_one(p, stream, before);
	OK(cudaMallocManaged(&p, 1 << 20, 1));
	frees_one(p, stream, before);
	flag[0] = flag[1] = 0;
	OK(cudaMalloc(&p, 1 << 20));
	launch_waits((void *)flag, 0);
	CHECK(!pthread_create(&t, NULL, helps_after_a_call, (void *)flag));
	OK(cudaFree(p));
	CHECK(flag[1] == 42);
	CHECK(!pthread_join(t, NULL));
	OK(cudaMemGetInfo(&left, &all));
	CHECK(left == before);
}

/* More launches than a machine has room for: what follows fails. */
static void countless(void)
{
	unsigned *device;
	int error = 0, n = 0;
	OK(cudaMalloc((void **)&device, 4096));
	for (; n < 400000 && !error; n++) {
		launch(device, 1, NULL);
		error = n % 1024 ? 0 : cudaDeviceSynchronize();
	}
	CHECK(n > 262144 && n < 262144 + 2048);
	CHECK(error == 701 && cudaDeviceSynchronize() == 701);
}

/* Programmatic dependent launches: a dependent reads what the kernel before it has written, and both together take less
 * time with the attribute than without; in a graph, too. */
enum { PDL_CTAS = 4, PDL_N = PDL_CTAS * 64, PDL_TURNS = 2000 };
static void *pdl_first, *pdl_second;
static int pdl_launch(void *kernel, void **args, void *s, int attribute)
{
	struct launch_attribute a = {.id = attribute ? attribute : ATTRIBUTE_PROGRAMMATIC};
	a.value.programmatic = attribute != 0;
	const struct launch_config c = {{PDL_CTAS, 1, 1}, {PDL_N / PDL_CTAS, 1, 1}, 0, s, &a, 1};
	return cudaLaunchKernelExC(&c, kernel, args);
}
static void pdl_pair(unsigned **words, void *s, int attribute)
{
	unsigned turns = PDL_TURNS, before = PDL_TURNS / 2;
	OK(pdl_launch(pdl_first, (void *[]){&words[0], &turns}, s, 0));
	OK(pdl_launch(pdl_second, (void *[]){&words[0], &words[1], &before}, s, attribute));
}
static float pdl_time(unsigned **words, void *s, int attribute, void *graph)
{
	static unsigned got[PDL_N];
	float ms;
	void *from, *to;
	OK(cudaMemset(words[0], 0, sizeof got));
	OK(cudaEventCreate(&from));
	OK(cudaEventCreate(&to));
	OK(cudaEventRecord(from, s));
	if (graph)
		OK(cudaGraphLaunch(graph, s));
	else
		pdl_pair(words, s, attribute);
	OK(cudaEventRecord(to, s));
	OK(cudaStreamSynchronize(s));
	OK(cudaEventElapsedTime(&ms, from, to));
	OK(cudaMemcpy(got, words[1], sizeof got, DEVICE_TO_HOST));
	for (unsigned i = 0; i < PDL_N; i++)
		CHECK(got[i] == 3 * (PDL_N - 1 - i) + 1 + 5);
	return ms;
}
static void dependents(void)
{
	void *library, *s, *graph, *exec;
	unsigned *words[2];
	OK(cudaLibraryLoadFromFile(&library, "tests/kernels/dependents.ptx", NULL, NULL, 0, NULL, NULL, 0));
	OK(cudaLibraryGetKernel(&pdl_first, library, "first"));
	OK(cudaLibraryGetKernel(&pdl_second, library, "second"));
	OK(cudaStreamCreate(&s));
	for (int i = 0; i < 2; i++)
		OK(cudaMalloc((void **)&words[i], PDL_N * 4));
	pdl_time(words, s, 0, NULL);
	const float without = pdl_time(words, s, 0, NULL), with = pdl_time(words, s, ATTRIBUTE_PROGRAMMATIC, NULL);
	CHECK(with < 0.9f * without);
	for (int i = 0; i < 2; i++) {
		OK(cudaStreamBeginCapture(s, 0));
		pdl_pair(words, s, i ? ATTRIBUTE_PROGRAMMATIC : 0);
		OK(cudaStreamEndCapture(s, &graph));
		OK(cudaGraphInstantiate(&exec, graph, 0));
		const float ms = pdl_time(words, s, 0, exec);
		CHECK(i ? ms < 0.9f * without : ms > 0.9f * without);
	}
	/* The first kernel of a graph does not overlap what the stream did before. */
	unsigned turns = PDL_TURNS, before = 1;
	OK(cudaStreamBeginCapture(s, 0));
	OK(pdl_launch(pdl_second, (void *[]){&words[0], &words[1], &before}, s, ATTRIBUTE_PROGRAMMATIC));
	OK(cudaStreamEndCapture(s, &graph));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(pdl_launch(pdl_first, (void *[]){&words[0], &turns}, s, 0));
	OK(cudaGraphLaunch(exec, s));
	OK(cudaStreamSynchronize(s));
	turns = 1;
	WANT(pdl_launch(pdl_first, (void *[]){&words[0], &turns}, s, ATTRIBUTE_EVENT), 801);
}

/* Its kernels print its second argument. */
static void says(void)
{
	for (int i = 0; i < 3; i++) {
		say((unsigned)atoi(word));
		OK(cudaDeviceSynchronize());
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
#ifdef STATIC_RUN_TIME
	    {"unknown", unknown},
#endif
	    {"basic", basic},         {"rectangles", rectangles},
	    {"streams", streams},     {"graphs", graphs},
	    {"managed", managed},     {"faults", faults},
	    {"busy", busy},           {"signals", signals},
	    {"large", large},         {"again", again},
	    {"threads", threads},     {"forks", forks},
	    {"gone", gone},           {"sticky", sticky},
	    {"transfers", transfers}, {"stray", stray},
	    {"asserts", asserts},     {"traps", traps},
	    {"crooked", crooked},     {"steps", steps},
	    {"fickle", fickle},       {"dies", dies},
	    {"killed", killed},       {"stands", stands},
	    {"polls", polls},         {"says", says},
	    {"fetches", fetches},     {"clocks", clocks},
	    {"timely", timely},       {"patient", patient},
	    {"countless", countless}, {"helped", helped},
	    {"frees", frees},         {"dependents", dependents}};
	word = argc > 2 ? argv[2] : word;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (argc > 1 && !strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			printf("%s: all well\n", argv[1]);
			return 0;
		}
	printf("usage: cuda_app CASE\n");
	return 2;
}
