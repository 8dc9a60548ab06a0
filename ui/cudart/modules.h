/* modules: fat binaries that the program registers, their kernels and variables. Nothing is sent before it is needed.
 */
#ifndef UI_CUDART_MODULES_H
#define UI_CUDART_MODULES_H
#include "cudart/wire.h"
#include <stdbool.h>
#include <stddef.h>

struct module;
struct function {
	struct module *module;
	const char *name;     /* mangled */
	const void *host;     /* the program's function that stands for it; NULL: there is none */
	uint64_t number;      /* WIRE_FUNCTION's answer */
	uint32_t dynamic_max; /* bytes of dynamic shared memory that a launch may ask for */
	int carveout;
	struct wire_function *is; /* NULL: not asked for yet */
	struct function *next;    /* of the module */
};

/* The caller has the mutex in all of these; each returns an error of CUDA. */
int function_of(const void *host_or_handle, struct function **f); /* asks for it when it is used for the first time */
int symbol_of(const void *host, uint64_t *address, uint64_t *bytes);
int module_load(enum wire_code kind, const void *code, size_t bytes, struct module **m); /* not of the program's own */
int module_function(struct module *m, const char *name, struct function **f);
int module_symbol(struct module *m, const char *name, uint64_t *address, uint64_t *bytes);
int module_unload(struct module *m);
bool module_is(const struct module *m);
void modules_forget(void);      /* the machine has been reset: all is sent anew */
int modules_need_managed(void); /* variables that are managed get their places before anything is launched */
#endif
