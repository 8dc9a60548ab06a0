/* driver_stub: libcuda.so.1. Each of its names jumps to the function that the library of the run time has for it
 * (driver.h); this library is found through LD_LIBRARY_PATH, and knows nothing else. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static int alone(void)
{
	static const char text[] =
	    "warpdbg: this program's CUDA calls are for a simulated GPU. Start it so: warpdbg run -- ./app\n";
	if (write(2, text, sizeof text - 1) < 0)
		return 999;
	return 100; /* no device */
}

#define HIDDEN __attribute__((visibility("hidden")))
#if defined __x86_64__
#define JUMP(name) "endbr64\n\tjmp *warpdbg_slot_" #name "(%rip)\n"
#elif defined __aarch64__
#define JUMP(name) "adrp x16, warpdbg_slot_" #name "\n\tldr x16, [x16, #:lo12:warpdbg_slot_" #name "]\n\tbr x16\n"
#endif

#define ROW(name)                                                                                                      \
	HIDDEN const void *warpdbg_slot_##name = (const void *)alone;                                                      \
	__asm__(".text\n.globl " #name "\n.type " #name ", %function\n.balign 16\n" #name                                  \
	        ":\n\t" JUMP(name) ".size " #name ", . - " #name "\n");
#define SERVED(name, note) ROW(name)
#define REFUSED(name, why) ROW(name)
#include "cudart/driver.def"
#undef SERVED
#undef REFUSED

static const struct {
	const char *name;
	const void **slot;
} slots[] = {
#define SERVED(name, note) {#name, &warpdbg_slot_##name},
#define REFUSED(name, why) {#name, &warpdbg_slot_##name},
#include "cudart/driver.def"
};

__attribute__((constructor(101))) static void find_all(void)
{
	const void *(*find)(const char *) = (const void *(*)(const char *))dlsym(RTLD_DEFAULT, "__cudaWarpdbgDriver");
	if (!find)
		find = (const void *(*)(const char *))dlsym(RTLD_DEFAULT, "warpdbg_driver");
	for (size_t i = 0; find && i < sizeof slots / sizeof *slots; i++) {
		const void *function = find(slots[i].name);
		if (function)
			*slots[i].slot = function;
	}
}
