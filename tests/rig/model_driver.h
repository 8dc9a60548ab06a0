/* The CUDA driver that scripts/hardware/driver.h declares, on the simulator: what the measuring program calls a chip is
 * a machine here. One cycle is one period of core_clock. Allocations begin behind a gap, so that device addresses are
 * not those of the machine on which a program was recorded. */
#ifndef TESTS_RIG_MODEL_DRIVER_H
#define TESTS_RIG_MODEL_DRIVER_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "scripts/hardware/driver.h"
#include "sim.h"

static struct {
	struct sim *sim;
	struct conf conf;
	struct err err;
	u64 event[8];
	u32 nevents;
	bool refuse_init;
	int devices;
	u32 modules;
} md;

struct md_function {
	struct module *m;
	const struct func *fn;
	struct md_function *next;
};
static struct md_function *md_functions;

static int md_fail(int code)
{
	return code;
}
static void md_run(void)
{
	struct stop stop;
	sim_run(md.sim, NEVER, &stop);
}
static int md_init(unsigned flags)
{
	return md.refuse_init ? md_fail(100) : 0;
}
static int md_version(int *out)
{
	*out = 13000;
	return 0;
}
static int md_error_name(int code, const char **out)
{
	*out = code == 100 ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_LAUNCH_FAILED";
	return 0;
}
static int md_error_text(int code, const char **out)
{
	*out = md.err.msg[0] ? md.err.msg : "no CUDA-capable device is detected";
	return 0;
}
static int md_device_count(int *out)
{
	*out = 1;
	return 0;
}
static int md_device(int *out, int ordinal)
{
	*out = ordinal;
	return 0;
}
static int md_device_name(char *out, int bytes, int device)
{
	snprintf(out, (size_t)bytes, "model of \"%s\"", md.conf.machine);
	return 0;
}
static int md_device_attribute(int *out, int attribute, int device)
{
	switch (attribute) {
	case ATTR_SMS: *out = (int)md.conf.num_sms; break;
	case ATTR_L2_BYTES:
		*out = (int)(md.conf.partitions * md.conf.l2_slices * md.conf.l2_sets * md.conf.l2_ways * md.conf.l2_line);
		break;
	case ATTR_MAJOR: *out = 7; break;
	case ATTR_MINOR: *out = 0; break;
	case ATTR_CLOCK_KHZ: *out = (int)(md.conf.core_clock * 1e3); break;
	case ATTR_SHARED_PER_BLOCK_OPTIN:
	case ATTR_SHARED_PER_SM: *out = (int)md.conf.sm_shared; break;
	default: *out = 0;
	}
	return 0;
}
static int md_device_memory(size_t *out, int device)
{
	*out = (size_t)md.conf.heap_mb << 20;
	return 0;
}
static int md_retain(cu_handle *out, int device)
{
	*out = &md;
	return 0;
}
static int md_set_current(cu_handle context)
{
	u64 gap;
	md.sim = sim_create(&md.conf, &md.err);
	gap = md.sim ? devmem_alloc(sim_devmem(md.sim), 12345, "gap", &md.err) : 0;
	return gap ? 0 : 2;
}
static int md_synchronize(void)
{
	md_run();
	return sim_faulted(md.sim) ? 719 : 0;
}
static int md_module_load(cu_handle *out, const void *image, unsigned n, int *options, void **values)
{
	char name[32];
	snprintf(name, sizeof name, "module%u.ptx", md.modules++);
	*out = sim_load_text(md.sim, name, image, strlen(image), &md.err);
	return *out ? 0 : 218;
}
static int md_module_unload(cu_handle module)
{
	return 0;
}
static int md_function(cu_handle *out, cu_handle module, const char *name)
{
	const struct func *fn = module_func(module, name, true);
	struct md_function *f;
	if (!fn)
		return 500;
	f = xcalloc(1, sizeof *f);
	*f = (struct md_function){module, fn, md_functions};
	md_functions = f;
	*out = f;
	return 0;
}
static int md_global(cu_ptr *out, size_t *bytes, cu_handle module, const char *name)
{
	struct module *m = module;
	for (u32 i = 0; i < m->nsymbols; i++)
		if (!strcmp(m->symbols[i].name, name)) {
			*out = m->symbols[i].addr;
			*bytes = m->symbols[i].size;
			return 0;
		}
	return 500;
}
static int md_function_set(cu_handle function, int attribute, int value)
{
	return 0;
}
static int md_alloc(cu_ptr *out, size_t bytes)
{
	*out = devmem_alloc(sim_devmem(md.sim), bytes, "", &md.err);
	return *out ? 0 : 2;
}
static int md_free(cu_ptr at)
{
	md_run();
	return devmem_free(sim_devmem(md.sim), at, &md.err) ? 0 : 1;
}
static int md_to_device(cu_ptr to, const void *from, size_t bytes)
{
	md_run();
	return devmem_write(sim_devmem(md.sim), to, from, bytes, &md.err) ? 0 : 1;
}
static int md_from_device(void *to, cu_ptr from, size_t bytes)
{
	md_run();
	return devmem_read(sim_devmem(md.sim), from, to, bytes, &md.err) ? 0 : 1;
}
static int md_fill(cu_ptr to, unsigned char v, size_t bytes)
{
	u8 chunk[4096];
	md_run();
	memset(chunk, v, sizeof chunk);
	for (size_t at = 0; at < bytes; at += sizeof chunk)
		if (!devmem_write(sim_devmem(md.sim), to + at, chunk, MIN(bytes - at, sizeof chunk), &md.err))
			return 1;
	return 0;
}
static int md_launch(cu_handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                     unsigned shared, cu_handle stream, void **params, void **extra)
{
	const struct md_function *f = function;
	u8 buffer[PARAM_BYTES_MAX] = {0};
	for (u32 i = 0; params && i < f->fn->nparams; i++)
		memcpy(buffer + f->fn->params[i].offset, params[i], f->fn->params[i].size);
	if (extra)
		memcpy(buffer, extra[1], *(size_t *)extra[3]);
	return sim_launch(md.sim,
	                  &(struct launch_spec){.mod = f->m,
	                                        .fn = f->fn,
	                                        .grid = {gx, gy, gz},
	                                        .block = {bx, by, bz},
	                                        .dynamic_shared = shared,
	                                        .params = buffer,
	                                        .param_bytes = f->fn->param_bytes},
	                  &md.err) < 0
	           ? 1
	           : 0;
}
static int md_event_create(cu_handle *out, unsigned flags)
{
	*out = &md.event[md.nevents++];
	return 0;
}
static int md_event_record(cu_handle event, cu_handle stream)
{
	md_run();
	*(u64 *)event = sim_cycle(md.sim);
	return sim_faulted(md.sim) ? 719 : 0;
}
static int md_event_wait(cu_handle event)
{
	return 0;
}
static int md_event_ms(float *out, cu_handle from, cu_handle to)
{
	*out = (float)((double)(*(u64 *)to - *(u64 *)from) / md.conf.core_clock / 1e3);
	return 0;
}

/* In place of the one that opens the driver's library. */
struct driver drv;
int driver_open(void)
{
#define FN(name, symbol, args) drv.name = md_##name;
	DRIVER_FUNCTIONS
#undef FN
	return 0;
}
const char *driver_error(int code)
{
	const char *text;
	md_error_text(code, &text);
	return text;
}
void driver_must(int code, const char *what)
{
	if (!code)
		return;
	struct strbuf why = STRBUF_INIT;
	if (sim_faulted(md.sim))
		sim_fault_text(md.sim, &why);
	fprintf(stderr, "measure: %s: %s %s\n", what, md.err.msg, strbuf_str(&why));
	exit(3);
}
#endif
