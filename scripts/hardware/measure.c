/* measure: runs the microbenchmarks of micro.ptx and recorded workloads on an NVIDIA GPU and writes one JSON file,
 * which `warpdbg correlate` sets beside the model. README.md beside this says how.
 *
 * Of each microbenchmark the file holds all that is needed to run it again: kernel, grid, block, arguments. Two timers:
 *
 *   clock    the SM's cycle counter, read inside the kernel; the largest of the CTAs
 *   kernel   events around the launch, less those around an empty kernel, times the SM's clock of that moment */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "measure.h"

#define OUT_WORDS 4096 /* CTAs of a kernel with the timer `clock` are fewer */
#define MAX_REPEAT 99
#define EMPTIES 100 /* launches in a row, for the time of one */

struct options opt = {.repeat = 7, .ptx = "micro.ptx"};
struct chip chip;
static FILE *out;
static cu_handle module, before, after;
static cu_ptr out_words, flush_buf;
static size_t big; /* bytes: more than the L2 holds, several times */

void die(const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	fputs("measure: ", stderr);
	vfprintf(stderr, format, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(2);
}

char *read_file(const char *path, size_t *bytes)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		die("%s: %s", path, strerror(errno));
	char *text = NULL;
	size_t n = 0, got;
	do {
		text = realloc(text, n + 65536 + 1);
		if (!text)
			die("out of memory");
		got = fread(text + n, 1, 65536, f);
		n += got;
	} while (got);
	if (ferror(f))
		die("%s: %s", path, strerror(errno));
	fclose(f);
	text[n] = 0;
	*bytes = n;
	return text;
}

uint64_t fnv1a(const void *p, size_t n)
{
	const unsigned char *b = p;
	uint64_t h = 0xcbf29ce484222325ull;
	for (size_t i = 0; i < n; i++)
		h = (h ^ b[i]) * 0x100000001b3ull;
	return h;
}

void json_text(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++)
		if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if ((unsigned char)*s < 32)
			fprintf(f, "\\u%04x", *s);
		else
			fputc(*s, f);
	fputc('"', f);
}

/* --- the chip ------------------------------------------------------------------------------------------------------
 */

static int attribute(int which)
{
	int v = 0;
	driver_must(drv.device_attribute(&v, which, opt.device), "cuDeviceGetAttribute");
	return v;
}

static void open_chip(void)
{
	int n = 0, device = 0;
	cu_handle context;
	if (driver_open())
		die("%s", drv.missing);
	int r = drv.init(0);
	if (r)
		die("no usable GPU: %s", driver_error(r));
	driver_must(drv.device_count(&n), "cuDeviceGetCount");
	if (opt.device >= n)
		die("--device %d: there are %d devices", opt.device, n);
	driver_must(drv.device(&device, opt.device), "cuDeviceGet");
	opt.device = device;
	driver_must(drv.retain(&context, device), "cuDevicePrimaryCtxRetain");
	driver_must(drv.set_current(context), "cuCtxSetCurrent");
	driver_must(drv.device_name(chip.name, sizeof chip.name, device), "cuDeviceGetName");
	driver_must(drv.device_memory(&chip.memory, device), "cuDeviceTotalMem");
	driver_must(drv.version(&chip.driver), "cuDriverGetVersion");
	chip.major = attribute(ATTR_MAJOR);
	chip.minor = attribute(ATTR_MINOR);
	chip.sms = attribute(ATTR_SMS);
	chip.l2 = attribute(ATTR_L2_BYTES);
	chip.clock_khz = attribute(ATTR_CLOCK_KHZ);
	chip.memory_khz = attribute(ATTR_MEMORY_KHZ);
	chip.bus_bits = attribute(ATTR_BUS_BITS);
	chip.shared_optin = attribute(ATTR_SHARED_PER_BLOCK_OPTIN);
	chip.shared_per_sm = attribute(ATTR_SHARED_PER_SM);
	if (chip.major < 7)
		die("%s has compute capability %d.%d; micro.ptx needs 7.0 or later", chip.name, chip.major, chip.minor);
}

cu_handle load_module(const char *name, const char *text)
{
	static char log[4096];
	int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES};
	void *values[] = {log, (void *)(uintptr_t)sizeof log};
	cu_handle m = NULL;
	*log = 0;
	int r = drv.module_load(&m, text, 2, options, values);
	if (r) {
		fprintf(stderr, "measure: %s: the driver does not take this PTX: %s\n%s\n", name, driver_error(r), log);
		return NULL;
	}
	return m;
}

static void write_chip(uint64_t hash)
{
	fprintf(out, "{\n\"schema\": \"warpdbg-hardware\",\n\"version\": 1,\n\"chip\": {\"name\": ");
	json_text(out, chip.name);
	fprintf(out,
	        ", \"compute_capability\": \"%d.%d\", \"sms\": %d, \"l2_bytes\": %d, \"memory_bytes\": %zu, "
	        "\"shared_per_sm\": %d, \"max_sm_clock_mhz\": %g, \"memory_clock_mhz\": %g, \"memory_bus_bits\": %d},\n",
	        chip.major, chip.minor, chip.sms, chip.l2, chip.memory, chip.shared_per_sm, chip.clock_khz / 1e3,
	        chip.memory_khz / 1e3, chip.bus_bits);
	fprintf(out, "\"driver\": \"%d.%d\",\n", chip.driver / 1000, chip.driver % 1000 / 10);
	if (opt.note) {
		fprintf(out, "\"note\": ");
		json_text(out, opt.note);
		fprintf(out, ",\n");
	}
	fprintf(out, "\"repeat\": %d,\n\"micro_ptx\": \"%016llx\",\n", opt.repeat, (unsigned long long)hash);
}

/* --- microbenchmarks -----------------------------------------------------------------------------------------------
 */

enum timer { CLOCK, KERNEL };
struct bench {
	const char *name, *group, *kernel;
	unsigned grid; /* CTAs; 0 = one for each SM, times per_sm */
	unsigned per_sm, block, n, stride, seed;
	size_t buffer;
	double ops;   /* the cycles are of so many steps (per CTA with a CLOCK; of all with KERNEL) */
	double bytes; /* moved in the timed part, by all CTAs */
	enum timer timer;
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static cu_handle function(const char *name)
{
	cu_handle f;
	int r = drv.function(&f, module, name);
	if (r)
		die("%s has no kernel %s: %s", opt.ptx, name, driver_error(r));
	return f;
}

static void launch(cu_handle f, unsigned grid, unsigned block, cu_ptr buf, unsigned n, unsigned stride, unsigned seed)
{
	void *params[] = {&out_words, &buf, &n, &stride, &seed};
	driver_must(drv.launch(f, grid, 1, 1, block, 1, 1, 0, NULL, params, NULL), "cuLaunchKernel");
}

/* The chip is kept busy while the events and what stands between them are queued. Without that, the time between the
 * events of a short kernel is the host's: the second event would come later than the kernel's end. */
double elapsed_ms(void (*go)(void *), void *what, unsigned launches)
{
	float ms;
	launch(function("clock_rate"), 1, 1, 0, opt.hold_kcycles * (launches > 10 ? launches / 10 : 1), 0, 0);
	driver_must(drv.event_record(before, NULL), "cuEventRecord");
	go(what);
	driver_must(drv.event_record(after, NULL), "cuEventRecord");
	driver_must(drv.event_wait(after), "a kernel");
	driver_must(drv.event_ms(&ms, before, after), "cuEventElapsedTime");
	return ms;
}

/* The SM's clock now, in MHz. */
double sm_mhz(void)
{
	uint64_t t[2];
	launch(function("clock_rate"), 1, 1, 0, opt.clock_kcycles, 0, 0);
	driver_must(drv.synchronize(), "clock_rate");
	driver_must(drv.from_device(t, out_words, sizeof t), "cuMemcpyDtoH");
	return t[1] ? 1e3 * (double)t[0] / (double)t[1] : 0;
}

static void one_empty(void *f)
{
	launch(f, 1, 32, 0, 0, 0, 0);
}

static void many_empties(void *f)
{
	for (int i = 0; i < EMPTIES; i++)
		launch(f, 1, 32, 0, 0, 0, 0);
}

/* Cycles of the SM between the events around an empty kernel. */
double empty_cycles(double mhz)
{
	double v[MAX_REPEAT];
	cu_handle f = function("empty");
	elapsed_ms(one_empty, f, 1);
	for (int i = 0; i < opt.repeat; i++)
		v[i] = elapsed_ms(one_empty, f, 1) * mhz * 1e3;
	return median(v, opt.repeat);
}

struct bench_run {
	const struct bench *b;
	cu_handle f;
	cu_ptr buf;
	unsigned grid;
};

static void go_bench(void *ctx)
{
	const struct bench_run *r = ctx;
	launch(r->f, r->grid, r->b->block, r->buf, r->b->n, r->b->stride, r->b->seed);
}

/* Reads as much as the L2 holds, several times over: what was in it is in it no more. */
static void flush(void)
{
	if (!flush_buf) {
		driver_must(drv.alloc(&flush_buf, big), "cuMemAlloc");
		driver_must(drv.fill(flush_buf, 0, big), "cuMemsetD8");
	}
	launch(function("stream_read"), 8 * (unsigned)chip.sms, 256, flush_buf, (unsigned)(big >> 10), 0, 0);
}

static double largest_clock(unsigned ctas)
{
	static uint64_t t[OUT_WORDS];
	uint64_t most = 0;
	driver_must(drv.from_device(t, out_words, ctas * sizeof *t), "cuMemcpyDtoH");
	for (unsigned i = 0; i < ctas; i++)
		most = t[i] > most ? t[i] : most;
	return (double)most;
}

static void run_bench(const struct bench *b, int first)
{
	struct bench_run r = {.b = b, .f = function(b->kernel), .grid = b->grid ? b->grid : (unsigned)chip.sms * b->per_sm};
	double v[MAX_REPEAT], mhz = sm_mhz(), empty = b->timer == KERNEL ? empty_cycles(mhz) : 0;
	if (b->timer == CLOCK && r.grid > OUT_WORDS)
		die("%s: %u CTAs are too many", b->name, r.grid);
	driver_must(drv.alloc(&r.buf, b->buffer ? b->buffer : 256), b->name);
	for (int i = -1; i < opt.repeat; i++) { /* the first is to warm up */
		driver_must(drv.fill(r.buf, 0, b->buffer ? b->buffer : 256), "cuMemsetD8");
		if (b->buffer == big)
			flush();
		driver_must(drv.synchronize(), b->name);
		double cycles = elapsed_ms(go_bench, &r, 1) * mhz * 1e3 - empty;
		if (i >= 0)
			v[i] = b->timer == CLOCK ? largest_clock(r.grid) : cycles;
	}
	driver_must(drv.free(r.buf), "cuMemFree");
	double ops = b->ops * (b->timer == KERNEL && !b->grid ? r.grid : 1), bytes = b->bytes * (b->grid ? 1 : r.grid);
	double mid = median(v, opt.repeat);
	fprintf(out, "%s{\"name\": \"%s\", \"group\": \"%s\", \"kernel\": \"%s\", \"timer\": \"%s\", ", first ? "" : ",\n",
	        b->name, b->group, b->kernel, b->timer == CLOCK ? "clock" : "kernel");
	fprintf(out,
	        "\"grid\": %u, \"block\": %u, \"n\": %u, \"stride\": %u, \"seed\": %u, \"buffer\": %zu, \"steps\": %.0f, ",
	        r.grid, b->block, b->n, b->stride, b->seed, b->buffer, ops);
	fprintf(out, "\"bytes\": %.0f, \"mhz\": %.1f, \"cycles\": %.1f, \"spread\": %.4f}", bytes, mhz, mid,
	        mid > 0 ? (v[opt.repeat - 1] - v[0]) / mid : 0);
	fprintf(stderr, "%-28s %10.2f cycles a step", b->name, mid / ops);
	if (b->bytes)
		fprintf(stderr, ", %8.1f B a cycle", bytes / mid);
	fputc('\n', stderr);
}

/* What a launch costs when many follow each other. */
static void run_launches(void)
{
	double v[MAX_REPEAT], mhz = sm_mhz();
	cu_handle f = function("empty");
	for (int i = -1; i < opt.repeat; i++) {
		double ms = elapsed_ms(many_empties, f, EMPTIES);
		if (i >= 0)
			v[i] = ms * mhz * 1e3;
	}
	double mid = median(v, opt.repeat);
	fprintf(out,
	        ",\n{\"name\": \"launch_empty\", \"group\": \"launch\", \"kernel\": \"empty\", \"timer\": \"launches\", "
	        "\"grid\": 1, \"block\": 32, \"n\": 0, \"stride\": 0, \"seed\": 0, \"buffer\": 0, \"steps\": %d, "
	        "\"bytes\": 0, \"mhz\": %.1f, \"cycles\": %.1f, \"spread\": %.4f}",
	        EMPTIES, mhz, mid, (v[opt.repeat - 1] - v[0]) / mid);
	fprintf(stderr, "%-28s %10.2f cycles a step\n", "launch_empty", mid / EMPTIES);
}

#define CHAIN_N 64
#define CHAIN(what)                                                                                                    \
	{                                                                                                                  \
#what, "latency", #what, 1, 0, 32, CHAIN_N, 0, 3, 0, CHAIN_N * 16, 0, CLOCK                                    \
	}
#define RATE_N 16
#define RATE(what)                                                                                                     \
	{                                                                                                                  \
#what, "rate", #what, 1, 0, 1024, RATE_N, 0, 3, 0, RATE_N * 32 * 32, 0, CLOCK                                  \
	}
#define BANKS(d)                                                                                                       \
	{                                                                                                                  \
		"bank_stride_" #d, "shared", "bank_stride", 1, 0, 32, 64, d, 0, 0, 512, 0, CLOCK                               \
	}

static void run_all(void)
{
	big = 32 << 20;
	while (big < 4 * (size_t)chip.l2 && big < (size_t)1 << 31)
		big *= 2;
	if (opt.big)
		big = opt.big;
	unsigned hop = (unsigned)(big / 2048) - 264, kib = (unsigned)(big >> 10);
	const struct bench benches[] = {
	    CHAIN(chain_int_add_xor),
	    CHAIN(chain_int_mul),
	    CHAIN(chain_int_mad),
	    CHAIN(chain_int_min_max),
	    CHAIN(chain_int_shift_xor),
	    CHAIN(chain_int_div),
	    CHAIN(chain_popc_add),
	    CHAIN(chain_f32_add),
	    CHAIN(chain_f32_mul),
	    CHAIN(chain_f32_fma),
	    CHAIN(chain_f32_min_add),
	    CHAIN(chain_f32_div),
	    CHAIN(chain_f32_sqrt),
	    CHAIN(chain_rcp_add),
	    CHAIN(chain_ex2),
	    CHAIN(chain_sin),
	    CHAIN(chain_rsqrt),
	    CHAIN(chain_f64_add),
	    CHAIN(chain_f64_mul),
	    CHAIN(chain_f64_fma),
	    CHAIN(chain_f64_div),
	    CHAIN(chain_cvt),
	    CHAIN(chain_setp_selp),
	    CHAIN(chain_shfl),
	    RATE(rate_int_add_xor),
	    RATE(rate_int_mad),
	    RATE(rate_f32_fma),
	    RATE(rate_f32_fma_int_xor),
	    RATE(rate_ex2),
	    RATE(rate_f64_fma),
	    RATE(rate_shfl),
	    {"chase_shared", "memory latency", "chase_shared", 1, 0, 1, 64, 64, 64, 0, 512, 0, CLOCK},
	    {"chase_const", "memory latency", "chase_const", 1, 0, 32, 64, 0, 0, 0, 512, 0, CLOCK},
	    {"chase_l1", "memory latency", "chase_l1", 1, 0, 32, 32, 128, 64, 8192, 256, 0, CLOCK},
	    {"chase_l2", "memory latency", "chase_l2", 1, 0, 32, 256, 256, 1024, 1 << 18, 2048, 0, CLOCK},
	    {"chase_dram", "memory latency", "chase_dram", 1, 0, 1, 128, hop, 0, big, 1024, 0, CLOCK},
	    BANKS(1),
	    BANKS(2),
	    BANKS(4),
	    BANKS(8),
	    BANKS(16),
	    BANKS(32),
	    {"read_shared", "bandwidth", "read_shared", 1, 0, 1024, 64, 0, 1, 0, 64 * 8 * 32, 64 * 8 * 16384., CLOCK},
	    {"read_l1", "bandwidth", "read_l1", 1, 0, 256, 64, 16384, 16384, 16384, 64 * 32, 64 * 16384., CLOCK},
	    {"read_l2", "bandwidth", "read_l2", 0, 1, 1024, 8, 65536, 1 << 19, 1 << 19, 8 * 128, 8 * 65536., CLOCK},
	    {"stream_read", "bandwidth", "stream_read", 8 * (unsigned)chip.sms, 0, 256, kib, 0, 0, big, kib * 2.,
	     kib * 1024., KERNEL},
	    {"stream_write", "bandwidth", "stream_write", 8 * (unsigned)chip.sms, 0, 256, kib, 0, 1, big, kib * 2.,
	     kib * 1024., KERNEL},
	    {"stream_copy", "bandwidth", "stream_copy", 8 * (unsigned)chip.sms, 0, 256, kib / 2, 0, 0, big, kib * 2.,
	     kib * 1024., KERNEL},
	    {"atomic_shared_latency", "atomics", "atomic_shared_latency", 1, 0, 1, 32, 0, 1, 0, 256, 0, CLOCK},
	    {"atomic_global_latency", "atomics", "atomic_global_latency", 1, 0, 1, 32, 0, 1, 256, 256, 0, CLOCK},
	    {"atomic_shared_distinct", "atomics", "atomic_shared_rate", 1, 0, 256, 16, 4, 1, 0, 16 * 64, 0, CLOCK},
	    {"atomic_shared_same", "atomics", "atomic_shared_rate", 1, 0, 256, 16, 0, 1, 0, 16 * 64, 0, CLOCK},
	    {"atomic_global_distinct", "atomics", "atomic_global_rate", 0, 1, 256, 32, 4, 1024, 1 << 20, 32 * 64, 0,
	     KERNEL},
	    {"atomic_global_same", "atomics", "atomic_global_rate", 0, 1, 256, 32, 0, 0, 256, 32 * 64, 0, KERNEL},
	    {"barrier_32", "barrier", "barrier", 1, 0, 32, 32, 0, 0, 0, 256, 0, CLOCK},
	    {"barrier_256", "barrier", "barrier", 1, 0, 256, 32, 0, 0, 0, 256, 0, CLOCK},
	    {"barrier_1024", "barrier", "barrier", 1, 0, 1024, 32, 0, 0, 0, 256, 0, CLOCK},
	};
	int done = 0;
	fprintf(out, "\"microbenchmarks\": [\n");
	for (size_t i = 0; i < sizeof benches / sizeof *benches; i++)
		if (!opt.only || strstr(benches[i].name, opt.only))
			run_bench(&benches[i], !done++);
	if (done && (!opt.only || strstr("launch_empty", opt.only)))
		run_launches();
	fprintf(out, "\n],\n");
}

/* --- the program ---------------------------------------------------------------------------------------------------
 */

static const char usage[] =
    "usage: measure --out FILE.json [--ptx micro.ptx] [--device N] [--repeat N] [--only TEXT] [--note TEXT] [LOG...]\n"
    "  --out     the file to write\n"
    "  --repeat  measurements of each figure, of which the median counts (7)\n"
    "  --only    microbenchmarks whose name has TEXT in it (- : none)\n"
    "  --big     bytes that the streams go over, instead of four times the L2\n"
    "  --note    a text for the file: which machine, under which conditions\n"
    "  --device  which GPU, counted from 0\n"
    "  LOG       launches of a workload, as `warpdbg run WORKLOAD --record-launches LOG` writes them\n";

static const char *value(int argc, char **argv, int *i)
{
	if (*i + 1 >= argc)
		die("%s needs a value\n%s", argv[*i], usage);
	return argv[++*i];
}

static long number(const char *option, const char *text, long least, long most)
{
	char *end;
	errno = 0;
	long v = strtol(text, &end, 10);
	if (errno || end == text || *end || v < least || v > most)
		die("%s: '%s' is not a whole number within %ld..%ld", option, text, least, most);
	return v;
}

static int parse(int argc, char **argv)
{
	int i = 1;
	for (; i < argc && argv[i][0] == '-'; i++) {
		const char *o = argv[i];
		if (!strcmp(o, "--out"))
			opt.out = value(argc, argv, &i);
		else if (!strcmp(o, "--ptx"))
			opt.ptx = value(argc, argv, &i);
		else if (!strcmp(o, "--note"))
			opt.note = value(argc, argv, &i);
		else if (!strcmp(o, "--only"))
			opt.only = value(argc, argv, &i);
		else if (!strcmp(o, "--device"))
			opt.device = (int)number(o, value(argc, argv, &i), 0, 1023);
		else if (!strcmp(o, "--repeat"))
			opt.repeat = (int)number(o, value(argc, argv, &i), 1, MAX_REPEAT);
		else if (!strcmp(o, "--big"))
			opt.big = (size_t)number(o, value(argc, argv, &i), 1 << 20, 1L << 31);
		else if (!strcmp(o, "--clock-kcycles"))
			opt.clock_kcycles = (unsigned)number(o, value(argc, argv, &i), 1, 1000000);
		else if (!strcmp(o, "--hold-kcycles"))
			opt.hold_kcycles = (unsigned)number(o, value(argc, argv, &i), 1, 1000000);
		else if (!strcmp(o, "--help")) {
			fputs(usage, stdout);
			exit(0);
		} else
			die("unknown option %s\n%s", o, usage);
	}
	if (!opt.out)
		die("--out FILE.json is missing\n%s", usage);
	if (!opt.clock_kcycles)
		opt.clock_kcycles = 5000;
	if (!opt.hold_kcycles)
		opt.hold_kcycles = 100;
	return i;
}

int main(int argc, char **argv)
{
	int first = parse(argc, argv);
	size_t bytes;
	char *text = read_file(opt.ptx, &bytes);
	open_chip();
	module = load_module(opt.ptx, text);
	if (!module)
		return 3;
	out = fopen(opt.out, "w");
	if (!out)
		die("%s: %s", opt.out, strerror(errno));
	driver_must(drv.alloc(&out_words, OUT_WORDS * 8), "cuMemAlloc");
	driver_must(drv.event_create(&before, 0), "cuEventCreate");
	driver_must(drv.event_create(&after, 0), "cuEventCreate");
	fprintf(stderr, "%s, %d SMs\n", chip.name, chip.sms);
	write_chip(fnv1a(text, bytes));
	run_all();
	fprintf(out, "\"workloads\": [");
	for (int i = first; i < argc; i++)
		replay_log(argv[i], out, i == first);
	fprintf(out, "\n],\n\"sm_clock_mhz\": %.1f\n}\n", sm_mhz());
	if (fclose(out))
		die("%s: %s", opt.out, strerror(errno));
	free(text);
	return 0;
}
