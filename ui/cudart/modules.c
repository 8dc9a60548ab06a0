/* modules: registered fat binaries, kernels and variables (modules.h). */
#include "cudart/modules.h"
#include "cudart/abi.h"
#include "cudart/code.h"
#include "cudart/index.h"
#include "cudart/link.h"
#include "cudart/managed.h"
#include "cudart/table.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct variable {
	struct module *module;
	const char *name;
	const void *host;
	void **managed; /* where the program keeps the address of a managed variable */
	uint64_t bytes; /* as registered */
	uint64_t address;
	struct variable *next;
};
struct module {
	const struct fat_wrapper *wrapper; /* NULL: loaded by itself */
	uint64_t number;                   /* WIRE_MODULE's answer; 0: not sent */
	int refused;                       /* the error that sending it gave */
	struct function *functions;
	struct variable *variables;
	bool managed; /* has managed variables that have no place yet */
	struct module *next;
};
static struct module *modules;
static struct table functions, variables; /* by the host's address, functions by their handle, too */
static bool managed;                      /* some module has managed variables without a place */
/* Registering takes no connection, and its own mutex; afterwards the tables are read under the link's. */
static pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;

EXPORT void **__cudaRegisterFatBinary(void *wrapper);
EXPORT void **__cudaRegisterFatBinary(void *wrapper)
{
	struct module *m = calloc(1, sizeof *m);
	if (!m)
		return NULL;
	m->wrapper = wrapper;
	pthread_mutex_lock(&registering);
	m->next = modules;
	modules = m;
	pthread_mutex_unlock(&registering);
	return (void **)m;
}

EXPORT void __cudaRegisterFatBinaryEnd(void **handle) {}

static struct function *function_new(struct module *m, const char *name, const void *host)
{
	struct function *f = calloc(1, sizeof *f);
	if (!f || !(f->name = strdup(name))) {
		free(f);
		return NULL;
	}
	f->module = m;
	f->host = host;
	f->carveout = -1;
	f->next = m->functions;
	m->functions = f;
	if (host)
		table_put(&functions, host, f);
	table_put(&functions, f, f);
	return f;
}

EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads,
                                   void *tid, void *bid, void *block, void *grid, int *warp)
{
	if (!handle)
		return;
	pthread_mutex_lock(&registering);
	function_new((struct module *)handle, name, host);
	pthread_mutex_unlock(&registering);
}

static void add_variable(void **handle, const void *host, void **place, const char *name, uint64_t bytes)
{
	struct variable *v = handle ? calloc(1, sizeof *v) : NULL;
	if (!v)
		return;
	struct module *m = (struct module *)handle;
	*v = (struct variable){
	    .module = m, .name = strdup(name), .host = host, .managed = place, .bytes = bytes, .next = m->variables};
	pthread_mutex_lock(&registering);
	m->variables = v;
	table_put(&variables, host, v);
	if (place)
		managed = m->managed = true;
	pthread_mutex_unlock(&registering);
}

EXPORT void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int external, size_t bytes,
                              int constant, int global)
{
	add_variable(handle, host, NULL, name, bytes);
}

EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *address, const char *name, int external,
                                     size_t bytes, int constant, int global)
{
	add_variable(handle, host, host, name, bytes);
}

/* Texture references are gone since CUDA 12: a program that has them runs up to where it binds one. */
EXPORT void __cudaRegisterTexture(void **handle, const void *host, const void **address, const char *name,
                                  int dimensions, int normalized, int external)
{
	link_say("the program has a texture reference (%s), which is not served; texture objects are", name);
}

EXPORT void __cudaRegisterSurface(void **handle, const void *host, const void **address, const char *name,
                                  int dimensions, int external)
{
	link_say("the program has a surface reference (%s), which is not served; surface objects are", name);
}

EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes)
{
	link_say("the program lets kernels use the host's variable %s, which is not served", name);
}

static int load(struct module *m)
{
	if (m->number)
		return 0;
	if (m->refused)
		return m->refused;
	if (!m->wrapper)
		return INVALID_HANDLE;
	return m->refused = code_send_wrapper(m->wrapper, &m->number);
}

static int ask_by_name(enum wire_op op, struct module *m, const char *name)
{
	size_t n = strlen(name) + 1;
	if (n > WIRE_SHARED)
		return INVALID_VALUE;
	memcpy(link_shared, name, n);
	return ASK(op, n, m->number);
}

static int function_ask(struct function *f)
{
	if (f->is)
		return 0;
	int error = load(f->module);
	if (!error)
		error = ask_by_name(WIRE_FUNCTION, f->module, f->name);
	if (error)
		return error;
	if (link_reply.bytes < offsetof(struct wire_function, param))
		return INVALID_FUNCTION;
	struct wire_function *is = calloc(1, sizeof *is);
	if (!is)
		return OUT_OF_MEMORY;
	memcpy(is, link_shared, link_reply.bytes < sizeof *is ? link_reply.bytes : sizeof *is);
	if (is->nparams > WIRE_PARAMETERS)
		is->nparams = WIRE_PARAMETERS;
	f->number = link_reply.v[0];
	f->is = is;
	/* More than the usual has to be asked for: cudaFuncSetAttribute. */
	uint32_t usual = link_device.shared_per_cta;
	f->dynamic_max = usual > is->shared ? usual - is->shared : 0;
	return 0;
}

int function_of(const void *key, struct function **found)
{
	*found = table_get(&functions, key);
	return *found ? function_ask(*found) : INVALID_FUNCTION;
}

static int variable_ask(struct variable *v)
{
	if (v->address)
		return 0;
	int error = load(v->module);
	if (!error)
		error = ask_by_name(WIRE_SYMBOL, v->module, v->name);
	if (error)
		return error;
	uint64_t address = link_reply.v[0], bytes = link_reply.v[1];
	if (bytes)
		v->bytes = bytes;
	if (!index_find((void *)address)) {
		struct allocation a = {.address = address, .bytes = v->bytes, .place = PLACE_SYMBOL};
		if (v->managed) {
			a.place = PLACE_MANAGED;
			error = region_new(address, address, v->bytes, REGION_OF_VARIABLE, &a.region);
			if (error)
				return error;
		}
		if (!index_add(a))
			return OUT_OF_MEMORY;
	}
	v->address = address;
	if (v->managed)
		*v->managed = (void *)address;
	return 0;
}

int symbol_of(const void *host, uint64_t *address, uint64_t *bytes)
{
	struct variable *v = table_get(&variables, host);
	/* A managed variable is also named by where it lies: &variable. */
	if (!v) {
		struct allocation *a = index_find(host);
		if (!a || a->place != PLACE_MANAGED || a->address != (uint64_t)host)
			return INVALID_SYMBOL;
		*address = a->address;
		*bytes = a->bytes;
		return 0;
	}
	int error = variable_ask(v);
	if (error)
		return error == UNKNOWN_ERROR ? error : error == SYMBOL_NOT_FOUND ? INVALID_SYMBOL : error;
	*address = v->address;
	*bytes = v->bytes;
	return 0;
}

static int place_managed(struct module *m)
{
	int error = 0;
	for (struct variable *v = m->variables; v && !error; v = v->next)
		if (v->managed)
			error = variable_ask(v);
	if (!error)
		m->managed = false;
	return error;
}

int modules_need_managed(void)
{
	if (!managed)
		return 0;
	int error = 0;
	for (struct module *m = modules; m && !error; m = m->next)
		if (m->managed)
			error = place_managed(m);
	if (!error)
		managed = false;
	return error;
}

/* nvcc's code calls it before it reads a managed variable's address. */
EXPORT char __cudaInitModule(void **handle)
{
	struct module *m = (struct module *)handle;
	if (!m || !m->managed)
		return 1;
	if (enter(__func__))
		return 0;
	return !leave(place_managed(m));
}

static void module_free(struct module *m)
{
	for (struct module **at = &modules; *at; at = &(*at)->next)
		if (*at == m) {
			*at = m->next;
			break;
		}
	for (struct function *f = m->functions, *next; f; f = next) {
		next = f->next;
		if (f->host && table_get(&functions, f->host) == f)
			table_remove(&functions, f->host);
		table_remove(&functions, f);
		free(f->is);
		free((char *)f->name);
		free(f);
	}
	for (struct variable *v = m->variables, *next; v; v = next) {
		next = v->next;
		if (table_get(&variables, v->host) == v)
			table_remove(&variables, v->host);
		free((char *)v->name);
		free(v);
	}
	free(m);
}

/* At the end of the program, or when a shared library goes: its code is not there any more. Managed variables keep
 * their places: destructors that run later may still use them. */
EXPORT void __cudaUnregisterFatBinary(void **handle)
{
	struct module *m = (struct module *)handle;
	if (!m)
		return;
	bool locked = link_lock();
	pthread_mutex_lock(&registering);
	if (locked && m->number) {
		ASK(WIRE_MODULE_FREE, 0, m->number);
		for (struct variable *v = m->variables; v; v = v->next)
			if (v->address && !v->managed)
				index_remove(v->address);
	}
	module_free(m);
	pthread_mutex_unlock(&registering);
	if (locked)
		link_unlock();
}

bool module_is(const struct module *m)
{
	for (struct module *at = modules; at; at = at->next)
		if (at == m)
			return true;
	return false;
}

int module_load(enum wire_code kind, const void *code, size_t bytes, struct module **made)
{
	uint64_t number;
	int error = code_send(kind, code, bytes, &number);
	if (error)
		return error;
	struct module *m = (struct module *)__cudaRegisterFatBinary(NULL);
	if (!m)
		return OUT_OF_MEMORY;
	m->number = number;
	*made = m;
	return 0;
}

int module_function(struct module *m, const char *name, struct function **found)
{
	for (struct function *f = m->functions; f; f = f->next)
		if (!strcmp(f->name, name)) {
			*found = f;
			return function_ask(f);
		}
	struct function *f = function_new(m, name, NULL);
	if (!f)
		return OUT_OF_MEMORY;
	*found = f;
	return function_ask(f);
}

int module_symbol(struct module *m, const char *name, uint64_t *address, uint64_t *bytes)
{
	int error = ask_by_name(WIRE_SYMBOL, m, name);
	if (error)
		return error;
	*address = link_reply.v[0];
	*bytes = link_reply.v[1];
	struct allocation a = {.address = *address, .bytes = *bytes, .place = PLACE_SYMBOL};
	if (!index_find((void *)*address) && !index_add(a))
		return OUT_OF_MEMORY;
	return 0;
}

int module_unload(struct module *m)
{
	int error = ASK(WIRE_MODULE_FREE, 0, m->number);
	module_free(m);
	return error;
}

void modules_forget(void)
{
	for (struct module *m = modules; m; m = m->next) {
		if (m->number)
			ASK(WIRE_MODULE_FREE, 0, m->number);
		m->number = 0;
		for (struct function *f = m->functions; f; f = f->next) {
			free(f->is);
			f->is = NULL;
		}
		for (struct variable *v = m->variables; v; v = v->next) {
			v->address = 0;
			if (v->managed)
				managed = m->managed = true;
		}
	}
}
