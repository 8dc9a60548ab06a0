/* What nvcc itself writes: fat binaries of programs compiled here, in each way of compressing, with -rdc, for several
 * chips. ptxas's own report says what cubins must say. Without nvcc ($NVCC, or else in PATH or /usr/local/cuda) this is
 * skipped: warpdbg needs no CUDA toolkit, and neither do the other tests of fat binaries. */
#include "tests/rig/machine.h"

#include <unistd.h>

#include "session/app/cubin.h"
#include "session/app/fatbin.h"

static char dir[64], nvcc[300];

static const char source[] =
    "extern \"C\" __global__ void __launch_bounds__(256) turn(float *x) {\n"
    "	__shared__ float t[300];\n	t[threadIdx.x] = x[threadIdx.x];\n	__syncthreads();\n"
    "	x[threadIdx.x] = t[(threadIdx.x + 1) & 255];\n}\n"
    "extern \"C\" __global__ void spread(int *p, int k) {\n	int a[64];\n"
    "	for (int i = 0; i < 64; i++) a[(i * k) & 63] = i;\n	p[threadIdx.x] = a[k & 63];\n}\n"
    "#ifdef RDC\nextern __device__ int twice(int);\n"
    "extern \"C\" __global__ void calls(int *p) { p[threadIdx.x] = twice(p[threadIdx.x]); }\n#endif\n"
    "int main() {\n	turn<<<1, 256>>>(0);\n	spread<<<1, 1>>>(0, 1);\n"
    "#ifdef RDC\n	calls<<<1, 1>>>(0); /* nvlink drops what is not launched */\n#endif\n	return 0;\n}\n";
static const char other[] = "__device__ int twice(int x) { return 2 * x; }\n";

static void write_file(const char *name, const char *text)
{
	char path[100];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int begin(void **state)
{
	const char *given = getenv("NVCC");
	char which[700];
	snprintf(which, sizeof which, "for n in '%s' %s; do command -v \"$n\" && break; done", given ? given : "nvcc",
	         given ? "" : "/usr/local/cuda/bin/nvcc");
	FILE *p = popen(which, "r");
	if (!p || !fgets(nvcc, sizeof nvcc, p))
		nvcc[0] = 0;
	nvcc[strcspn(nvcc, "\n")] = 0;
	if (p)
		pclose(p);
	snprintf(dir, sizeof dir, "/tmp/wd-nvcc-XXXXXX");
	assert_non_null(mkdtemp(dir));
	write_file("a.cu", source);
	write_file("b.cu", other);
	if (!nvcc[0])
		print_message("no nvcc here: skipped, what nvcc writes is not read\n");
	return 0;
}

static int end(void **state)
{
	char command[100];
	snprintf(command, sizeof command, "rm -r %s", dir);
	return system(command);
}

/* Compiles to DIR/app; *said: what ptxas reports. False: this nvcc cannot. */
static bool compiles(const char *options, struct strbuf *said)
{
	char command[1000], path[100];
	struct err e = {0};
	snprintf(command, sizeof command, "cd %s && '%s' -Xptxas -v %s -o app >said 2>&1", dir, nvcc, options);
	const bool ok = !system(command);
	snprintf(path, sizeof path, "%s/said", dir);
	strbuf_clear(said);
	assert_true(strbuf_read_file(said, path, &e));
	if (!ok)
		print_message("%s\n", strbuf_str(said));
	return ok;
}

/* A section of DIR/app, and the fat binary in it. */
static void reads_section(const char *name, struct strbuf *bytes, struct fatbin *f)
{
	char command[300], path[100];
	struct err e = {0};
	snprintf(command, sizeof command, "cd %s && objcopy --dump-section %s=section app copy", dir, name);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof path, "%s/section", dir);
	strbuf_clear(bytes);
	if (!strbuf_read_file(bytes, path, &e) || !fatbin_read(f, "app", bytes->buf, bytes->len, &e))
		fail_msg("%s", e.msg);
}

/* A number of ptxas's report on a kernel compiled for sm: "Used 12 registers", "1200 bytes smem"; 0: it says none. */
static u32 reported(const char *said, const char *kernel, u32 sm, const char *unit)
{
	char title[200];
	snprintf(title, sizeof title, "Compiling entry function '%s' for 'sm_%u'", kernel, sm);
	const char *p = strstr(said, title), *next = p ? strstr(p + 1, "Compiling entry function") : NULL;
	const char *at = p ? strstr(p, unit) : NULL;
	if (!p)
		fail_msg("ptxas says nothing of %s for sm_%u", kernel, sm);
	if (!at || (next && at > next))
		return 0;
	while (at > said && at[-1] == ' ')
		at--;
	while (at > said && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return (u32)strtoul(at, NULL, 10);
}

static void cubin_agrees(const struct fatbin *f, const struct fatbin_member *m, const char *said)
{
	static const char *const kernels[] = {"turn", "spread"};
	struct err e = {0};
	struct cubin c;
	size_t len;
	char *bytes = fatbin_unpack(f, m, &len, &e);
	if (!bytes || !cubin_read(&c, "app", bytes, len, &e))
		fail_msg("%s", e.msg);
	for (u32 i = 0; i < c.n && i < ARRAY_LEN(kernels); i++) {
		const struct cubin_kernel *k = cubin_kernel(&c, kernels[i]);
		assert_non_null(k);
		assert_true(k->regs > 0);
		assert_int_equal(k->regs, reported(said, kernels[i], m->sm, " registers"));
		assert_int_equal(k->shared_bytes, i ? 0 : 1200);
		assert_int_equal(k->shared_bytes, reported(said, kernels[i], m->sm, " bytes smem"));
		assert_int_equal(k->frame_bytes, reported(said, kernels[i], m->sm, " bytes stack frame"));
		assert_int_equal(k->max_threads[0], i ? 0 : 256);
	}
	cubin_release(&c);
	free(bytes);
}

/* The last container is the program's own: one before it is what nvcc links to every program. */
static void ways_of_compiling(void **state)
{
	static const struct {
		const char *options;
		u32 sm;           /* the machine's */
		u32 ptx, cubin;   /* taken; 0: none */
		u64 flags, among; /* of the PTX */
	} t[] = {
	    {"-arch=sm_80", 80, 80, 80, 0, 0},
	    {"-arch=sm_80 --compress-mode=speed", 86, 80, 80, FATBIN_LZ4, FATBIN_LZ4 | FATBIN_ZSTD},
	    {"-arch=sm_80 --compress-mode=size", 80, 80, 80, FATBIN_ZSTD, FATBIN_LZ4 | FATBIN_ZSTD},
	    {"-arch=sm_80 --compress-mode=none", 80, 80, 80, 0, FATBIN_LZ4 | FATBIN_ZSTD},
	    {"-arch=sm_80 -maxrregcount=16 -lineinfo", 80, 80, 80, 0, 0},
	    {"-gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=[sm_80,compute_80] "
	     "-gencode arch=compute_90,code=[sm_90,compute_90]",
	     75, 80, 75, 0, 0},
	    {"-gencode arch=compute_90a,code=[sm_90a,compute_90a]", 90, 90, 90, FATBIN_CHIP, FATBIN_CHIP},
	    {"-gencode arch=compute_75,code=sm_75", 75, 0, 75, 0, 0},
	};
	struct strbuf said = STRBUF_INIT, bytes = STRBUF_INIT;
	if (!nvcc[0])
		skip();
	for (u32 i = 0; i < ARRAY_LEN(t); i++) {
		char options[400];
		struct fatbin f;
		struct err e = {0};
		snprintf(options, sizeof options, "%s a.cu", t[i].options);
		if (!compiles(options, &said)) {
			print_message("nvcc cannot: %s\n", options);
			assert_true(i); /* the first way is everyone's */
			continue;
		}
		reads_section(".nv_fatbin", &bytes, &f);
		const struct fatbin_member *m = fatbin_choose_ptx(&f, f.containers - 1, t[i].sm, NULL, &e);
		assert_int_equal(m ? m->sm : 0, t[i].ptx);
		if (!m)
			assert_non_null(strstr(e.msg, "has machine code for sm_75 and no PTX; the simulator runs PTX. Compile the "
			                              "program with -gencode arch=compute_75,code=compute_75"));
		size_t len;
		char *text = m ? fatbin_unpack(&f, m, &len, &e) : NULL;
		assert_true(!m || (text && strstr(text, ".entry turn(") && len == strlen(text)));
		assert_true(!m || (m->flags & t[i].among) == t[i].flags);
		if (strstr(t[i].options, "maxrregcount"))
			assert_true(m->options && strstr(m->options, "-maxrregcount=16"));
		free(text);
		m = fatbin_choose_cubin(&f, f.containers - 1, t[i].sm, NULL);
		assert_int_equal(m ? m->sm : 0, t[i].cubin);
		for (u32 k = 0; k < f.n; k++)
			if (f.m[k].container == f.containers - 1 && f.m[k].kind == FATBIN_CUBIN && !strstr(options, "90a"))
				cubin_agrees(&f, &f.m[k], said.buf);
		fatbin_release(&f);
	}
	strbuf_release(&said);
	strbuf_release(&bytes);
}

/* PTX of both translation units makes one module; registers are in the cubin that nvlink made. */
static void relocatable(void **state)
{
	struct strbuf said = STRBUF_INIT, bytes = STRBUF_INIT;
	struct source_text part[8];
	struct fatbin f;
	struct cubin c;
	struct err e = {0};
	size_t len;
	if (!nvcc[0])
		skip();
	assert_true(compiles("-arch=sm_80 -rdc=true -DRDC a.cu b.cu", &said));
	reads_section("__nv_relfatbin", &bytes, &f);
	assert_in_range(f.containers, 2, ARRAY_LEN(part));
	for (u32 i = 0; i < f.containers; i++) {
		const struct fatbin_member *m = fatbin_choose_ptx(&f, i, 80, NULL, &e);
		part[i] = (struct source_text){.name = "app", .text = m ? fatbin_unpack(&f, m, &part[i].len, &e) : NULL};
		if (!part[i].text)
			fail_msg("%s", e.msg);
		part[i].len = strlen(part[i].text);
	}
	struct sim *s = machine(NULL);
	struct module *m = sim_load_linked_text(s, part, f.containers, &e);
	if (!m)
		fail_msg("%s", e.msg);
	assert_non_null(module_func(m, "calls", true));
	assert_non_null(module_func(m, "turn", true));
	for (u32 i = 0; i < f.containers; i++)
		free((char *)part[i].text);
	sim_destroy(s);
	fatbin_release(&f);
	reads_section(".nv_fatbin", &bytes, &f);
	const struct fatbin_member *code = fatbin_choose_cubin(&f, f.containers - 1, 80, NULL);
	assert_non_null(code);
	char *text = fatbin_unpack(&f, code, &len, &e);
	assert_true(text && cubin_read(&c, "app", text, len, &e));
	assert_non_null(cubin_kernel(&c, "calls"));
	assert_true(cubin_kernel(&c, "calls")->regs > 0);
	assert_int_equal(cubin_kernel(&c, "turn")->regs, reported(said.buf, "turn", 80, " registers"));
	cubin_release(&c);
	free(text);
	fatbin_release(&f);
	strbuf_release(&said);
	strbuf_release(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(ways_of_compiling), cmocka_unit_test(relocatable)};
	return cmocka_run_group_tests(tests, begin, end);
}
