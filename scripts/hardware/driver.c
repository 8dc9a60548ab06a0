#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct driver drv;

int driver_open(void)
{
	void *library = dlopen(DRIVER_LIBRARY, RTLD_NOW);
	if (!library) {
		snprintf(drv.missing, sizeof drv.missing, "no NVIDIA driver here: %s", dlerror());
		return -1;
	}
#define FN(name, symbol, args)                                                                                         \
	drv.name = (int(*) args)dlsym(library, #symbol);                                                                   \
	if (!drv.name) {                                                                                                   \
		snprintf(drv.missing, sizeof drv.missing, "the NVIDIA driver is too old: it has no " #symbol);                 \
		return -1;                                                                                                     \
	}
	DRIVER_FUNCTIONS
#undef FN
	return 0;
}

const char *driver_error(int code)
{
	static char text[300];
	const char *name = NULL, *what = NULL;
	drv.error_name(code, &name);
	drv.error_text(code, &what);
	snprintf(text, sizeof text, "%s (%s, %d)", what ? what : "unknown error", name ? name : "?", code);
	return text;
}

void driver_must(int code, const char *what)
{
	if (!code)
		return;
	fprintf(stderr, "measure: %s: %s\n", what, driver_error(code));
	exit(3);
}
