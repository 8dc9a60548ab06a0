/* Repeats on the GPU what `warpdbg run WORKLOAD --record-launches LOG` has recorded (ui/session/host/launch_log.h
 * describes the file), times each launch, and compares what memory holds in the end. */
#include <stdlib.h>
#include <string.h>

#include "measure.h"

/* Something of the recorded machine's memory, and where it is here. */
struct region {
	uint64_t from, bytes;
	cu_ptr to;
	int live;
	char *initial; /* of a module's variable: what it holds before the first launch */
};
struct timed {
	char kernel[1024];
	double ms[99];
};
struct log {
	const char *path;
	char *text, *end, *at;
	char workload[256], size[64], why_not[256];
	unsigned seed;
	char *params[64];
	int nparams;
	struct region *regions;
	size_t nregions;
	cu_handle modules[64];
	unsigned nmodules;
	struct timed *launches;
	size_t nlaunches, next;
	uint64_t words, different;
	double farthest;
};

/* --- the file ------------------------------------------------------------------------------------------------------
 */

static void bad(const struct log *l, const char *what)
{
	die("%s: at byte %zu: %s", l->path, (size_t)(l->at - l->text), what);
}

/* The next line, ended by a NUL in place of its line break for as long as it is read. */
static char *next_line(struct log *l)
{
	char *from = l->at, *stop = memchr(from, '\n', (size_t)(l->end - from));
	if (!stop)
		bad(l, "the file is not complete");
	*stop = 0;
	l->at = stop + 1;
	return from;
}

/* The bytes behind a line. */
static char *blob(struct log *l, uint64_t bytes)
{
	char *from = l->at;
	if (bytes >= (uint64_t)(l->end - l->at) || l->at[bytes] != '\n')
		bad(l, "the file is not complete");
	l->at += bytes + 1;
	return from;
}

/* --- memory --------------------------------------------------------------------------------------------------------
 */

static struct region *region_of(struct log *l, uint64_t addr)
{
	for (size_t i = l->nregions; i-- > 0;) /* the newest first */
		if (l->regions[i].live && addr >= l->regions[i].from && addr - l->regions[i].from < l->regions[i].bytes)
			return &l->regions[i];
	bad(l, "an address that lies in no allocation");
	return NULL;
}

static struct region *add_region(struct log *l, uint64_t from, uint64_t bytes, cu_ptr to)
{
	l->regions = realloc(l->regions, (l->nregions + 1) * sizeof *l->regions);
	if (!l->regions)
		die("out of memory");
	l->regions[l->nregions] = (struct region){from, bytes, to, 1, NULL};
	return &l->regions[l->nregions++];
}

/* The address here of [addr, addr + bytes) there. */
static cu_ptr moved(struct log *l, uint64_t addr, uint64_t bytes)
{
	const struct region *r = region_of(l, addr);
	if (bytes > r->bytes - (addr - r->from))
		bad(l, "more bytes than the allocation has");
	return r->to + (addr - r->from);
}

static void do_alloc(struct log *l, uint64_t addr, uint64_t bytes)
{
	cu_ptr p;
	driver_must(drv.alloc(&p, bytes), "cuMemAlloc");
	driver_must(drv.fill(p, 0, bytes), "cuMemsetD8");
	add_region(l, addr, bytes, p);
}

static void do_free(struct log *l, uint64_t addr)
{
	struct region *r = region_of(l, addr);
	driver_must(drv.synchronize(), l->workload);
	driver_must(drv.free(r->to), "cuMemFree");
	r->live = 0;
}

/* --- modules: loaded the first time, their variables restored from then on -------------------------------------------
 */

static void do_module(struct log *l, unsigned id, char *text, uint64_t bytes, int first)
{
	char keep = text[bytes];
	if (!first)
		return;
	if (id != l->nmodules || id >= sizeof l->modules / sizeof *l->modules)
		bad(l, "a module out of order");
	text[bytes] = 0;
	l->modules[id] = load_module(l->workload, text);
	text[bytes] = keep;
	if (l->modules[id])
		l->nmodules++;
	else
		snprintf(l->why_not, sizeof l->why_not, "the driver does not take its PTX");
}

static void do_symbol(struct log *l, unsigned id, const char *name, uint64_t addr, uint64_t bytes, int first)
{
	cu_ptr p;
	size_t have;
	struct region *r;
	if (!first) {
		for (r = l->regions; r < l->regions + l->nregions; r++)
			if (r->initial && r->from == addr)
				driver_must(drv.to_device(r->to, r->initial, r->bytes), name);
		return;
	}
	if (id >= l->nmodules)
		bad(l, "a variable of an unknown module");
	if (drv.global(&p, &have, l->modules[id], name))
		return; /* nothing refers to it: the driver's assembler has left it away */
	if (have != bytes)
		bad(l, "a variable of another size");
	r = add_region(l, addr, bytes, p);
	r->initial = malloc(bytes);
	if (!r->initial)
		die("out of memory");
	driver_must(drv.from_device(r->initial, p, bytes), name);
}

/* --- launches ------------------------------------------------------------------------------------------------------
 */

struct one {
	cu_handle f;
	unsigned g[3], b[3], shared;
	void **extra;
};

static void go(void *ctx)
{
	struct one *o = ctx;
	driver_must(drv.launch(o->f, o->g[0], o->g[1], o->g[2], o->b[0], o->b[1], o->b[2], o->shared, NULL, NULL, o->extra),
	            "cuLaunchKernel");
}

static struct timed *launch_slot(struct log *l, const char *kernel, int rep)
{
	if (rep == 0) {
		l->launches = realloc(l->launches, (l->nlaunches + 1) * sizeof *l->launches);
		if (!l->launches)
			die("out of memory");
		snprintf(l->launches[l->nlaunches++].kernel, sizeof l->launches->kernel, "%s", kernel);
	}
	return &l->launches[l->next++];
}

static void do_launch(struct log *l, char *line, int rep)
{
	char kernel[1024];
	unsigned id, pointers;
	struct one o = {0};
	size_t bytes;
	int used = 0;
	if (sscanf(line, "%u %1023s %u %u %u %u %u %u %u %zu %u%n", &id, kernel, &o.g[0], &o.g[1], &o.g[2], &o.b[0],
	           &o.b[1], &o.b[2], &o.shared, &bytes, &pointers, &used) != 11 ||
	    id >= l->nmodules || bytes > 65536)
		bad(l, "a launch cannot be read");
	char *params = malloc(bytes + 1);
	if (!params)
		die("out of memory");
	memcpy(params, blob(l, bytes), bytes);
	for (char *p = line + used; pointers; pointers--) {
		uint64_t value;
		size_t at = strtoul(p, &p, 10);
		if (at + sizeof value > bytes)
			bad(l, "a pointer behind the parameters");
		memcpy(&value, params + at, sizeof value);
		value = moved(l, value, 0);
		memcpy(params + at, &value, sizeof value);
	}
	driver_must(drv.function(&o.f, l->modules[id], kernel), kernel);
	if (o.shared > 48 << 10)
		driver_must(drv.function_set(o.f, FUNCTION_MAX_DYNAMIC_SHARED, (int)o.shared), kernel);
	void *extra[] = {(void *)LAUNCH_BUFFER, params, (void *)LAUNCH_BUFFER_SIZE, &bytes, NULL};
	if (bytes)
		o.extra = extra;
	double ms = elapsed_ms(go, &o, 1);
	launch_slot(l, kernel, rep)->ms[rep] = ms;
	free(params);
}

/* --- results -------------------------------------------------------------------------------------------------------
 */

/* By how much two words differ, taken as f32, as a share of the larger; 1 where one is no number. */
static double relative(uint32_t a, uint32_t b)
{
	float x, y;
	memcpy(&x, &a, sizeof x);
	memcpy(&y, &b, sizeof y);
	double most = x < 0 ? -x : x, other = y < 0 ? -y : y, by = (double)x - y;
	most = other > most ? other : most;
	by = by < 0 ? -by : by;
	return most > 0 && by <= 2 * most ? by / most : 1; /* NaN: 1 */
}

static void do_result(struct log *l, uint64_t addr, uint64_t bytes, const char *want, int rep)
{
	if (rep + 1 < opt.repeat) /* the last time: memory must have been as at first */
		return;
	for (size_t i = 0; i < l->nregions; i++) /* a variable that the assembler has left away has no place here */
		if (l->regions[i].live && l->regions[i].from == addr)
			goto found;
	return;
found:;
	char *have = malloc(bytes + 4);
	if (!have)
		die("out of memory");
	driver_must(drv.from_device(have, moved(l, addr, bytes), bytes), "cuMemcpyDtoH");
	for (uint64_t at = 0; at < bytes; at += 4) {
		uint32_t a = 0, b = 0;
		size_t n = bytes - at < 4 ? (size_t)(bytes - at) : 4;
		memcpy(&a, want + at, n);
		memcpy(&b, have + at, n);
		l->words++;
		if (a == b)
			continue;
		double by = relative(a, b);
		l->different++;
		l->farthest = by > l->farthest ? by : l->farthest;
	}
	free(have);
}

/* --- the walk ------------------------------------------------------------------------------------------------------
 */

static int is(char **line, const char *word)
{
	size_t n = strlen(word);
	if (strncmp(*line, word, n) || (*line)[n] != ' ')
		return 0;
	*line += n + 1;
	return 1;
}

/* One line and its bytes; 0 at the end. */
static int act(struct log *l, int rep)
{
	char name[1024];
	unsigned id, value;
	unsigned long long addr, bytes;
	char *line = next_line(l), *cut = l->at - 1;
	int more = strcmp(line, "end") != 0, known = 1;
	if (!more)
		known = 1;
	else if (is(&line, "workload"))
		snprintf(l->workload, sizeof l->workload, "%s", line);
	else if (is(&line, "size"))
		snprintf(l->size, sizeof l->size, "%s", line);
	else if (is(&line, "seed"))
		l->seed = (unsigned)strtoul(line, NULL, 10);
	else if (is(&line, "param")) {
		if (!rep && l->nparams < 64)
			l->params[l->nparams++] = strdup(line);
	} else if (is(&line, "module") && sscanf(line, "%u %llu", &id, &bytes) == 2)
		do_module(l, id, blob(l, bytes), bytes, !rep);
	else if (is(&line, "symbol") && sscanf(line, "%u %1023s %llx %llu", &id, name, &addr, &bytes) == 4)
		do_symbol(l, id, name, addr, bytes, !rep);
	else if (is(&line, "alloc") && sscanf(line, "%llx %llu", &addr, &bytes) == 2)
		do_alloc(l, addr, bytes);
	else if (is(&line, "free") && sscanf(line, "%llx", &addr) == 1)
		do_free(l, addr);
	else if (is(&line, "write") && sscanf(line, "%llx %llu", &addr, &bytes) == 2)
		driver_must(drv.to_device(moved(l, addr, bytes), blob(l, bytes), bytes), "cuMemcpyHtoD");
	else if (is(&line, "fill") && sscanf(line, "%llx %llu %u", &addr, &bytes, &value) == 3)
		driver_must(drv.fill(moved(l, addr, bytes), (unsigned char)value, bytes), "cuMemsetD8");
	else if (is(&line, "launch"))
		do_launch(l, line, rep);
	else if (is(&line, "result") && sscanf(line, "%llx %llu", &addr, &bytes) == 2)
		do_result(l, addr, bytes, blob(l, bytes), rep);
	else
		known = 0;
	if (!known)
		bad(l, "a line that means nothing");
	*cut = '\n';
	return more && !*l->why_not;
}

/* Allocations of one walk; the modules' variables stay. */
static void free_all(struct log *l)
{
	size_t kept = 0;
	for (size_t i = 0; i < l->nregions; i++) {
		struct region *r = &l->regions[i];
		if (r->initial)
			l->regions[kept++] = *r;
		else if (r->live)
			driver_must(drv.free(r->to), "cuMemFree");
	}
	l->nregions = kept;
}

static void walk(struct log *l, int rep)
{
	char *line = l->at = l->text;
	line = next_line(l);
	if (strcmp(line, "warpdbg-launches 1"))
		die("%s: this is no log of `warpdbg run --record-launches` (version 1)", l->path);
	line[strlen(line)] = '\n';
	l->next = 0;
	while (act(l, rep))
		;
	driver_must(drv.synchronize(), l->workload);
	free_all(l);
}

/* Whether it was left out is said at the end: nothing is to be done before that is known. */
static void find_left_out(struct log *l)
{
	static const char tag[] = "\nleft-out ";
	char *from = l->end - l->text > 300 ? l->end - 300 : l->text;
	char *p = memmem(from, (size_t)(l->end - from), tag, sizeof tag - 1);
	if (l->end - l->text < 4 || memcmp(l->end - 4, "end\n", 4))
		die("%s: the file is not complete", l->path);
	if (!p)
		return;
	p += sizeof tag - 1;
	snprintf(l->why_not, sizeof l->why_not, "%.*s", (int)strcspn(p, "\n"), p);
	for (l->at = l->text; strncmp(l->at, "module ", 7) && l->at < l->end;) {
		char *line = next_line(l), *cut = l->at - 1;
		if (is(&line, "workload"))
			snprintf(l->workload, sizeof l->workload, "%s", line);
		else if (is(&line, "size"))
			snprintf(l->size, sizeof l->size, "%s", line);
		*cut = '\n';
	}
}

static void write_launches(struct log *l, FILE *to, double mhz, double empty)
{
	fprintf(to, ",\n \"launches\": [");
	for (size_t i = 0; i < l->nlaunches; i++) {
		double v = median(l->launches[i].ms, opt.repeat) * mhz * 1e3 - empty;
		fprintf(to, "%s{\"kernel\": ", i ? ",\n  " : "");
		json_text(to, l->launches[i].kernel);
		fprintf(to, ", \"cycles\": %.1f}", v > 1 ? v : 1);
	}
	fputs("]", to);
}

static void release(struct log *l)
{
	for (size_t i = 0; i < l->nregions; i++)
		free(l->regions[i].initial);
	for (unsigned i = 0; i < l->nmodules; i++)
		driver_must(drv.module_unload(l->modules[i]), "cuModuleUnload");
	for (int i = 0; i < l->nparams; i++)
		free(l->params[i]);
	free(l->regions);
	free(l->launches);
	free(l->text);
}

void replay_log(const char *path, FILE *to, int first)
{
	size_t bytes;
	struct log l = {.path = path, .text = read_file(path, &bytes)};
	double mhz = sm_mhz(), empty = empty_cycles(mhz);
	l.end = l.text + bytes;
	l.at = l.text;
	find_left_out(&l);
	for (int rep = 0; rep < opt.repeat && !*l.why_not; rep++)
		walk(&l, rep);
	fprintf(to, "%s{\"name\": ", first ? "\n" : ",\n");
	json_text(to, l.workload);
	fprintf(to, ", \"size\": ");
	json_text(to, l.size);
	fprintf(to, ", \"seed\": %u, \"params\": [", l.seed);
	for (int i = 0; i < l.nparams; i++) {
		fputs(i ? ", " : "", to);
		json_text(to, l.params[i]);
	}
	fputs("]", to);
	if (*l.why_not) {
		fprintf(to, ", \"left_out\": ");
		json_text(to, l.why_not);
		fprintf(stderr, "%-28s left out: %s\n", l.workload, l.why_not);
	} else {
		fprintf(to, ", \"mhz\": %.1f, \"memory\": {\"words\": %llu, \"different\": %llu, \"max_relative\": %.6g}", mhz,
		        (unsigned long long)l.words, (unsigned long long)l.different, l.farthest);
		write_launches(&l, to, mhz, empty);
		fprintf(stderr, "%-28s %zu launches; %llu of %llu words differ, as f32 by up to %.2g\n", l.workload,
		        l.nlaunches, (unsigned long long)l.different, (unsigned long long)l.words, l.farthest);
	}
	fputs("}", to);
	release(&l);
}
