/* entries: every function of the library by its name, from the tables: only the preloaded library needs it
 * (redirect.c). */
#include "cudart/entries.h"
#include <string.h>

/* Types do not matter: only addresses are taken. */
#define SERVED(name, note) extern void name(void);
#define REFUSED(name, why) extern void name(void);
#define OF_THREAD(name, suffix, parameters, arguments) extern void name##suffix(void);
#include "cudart/calls.def"
#include "cudart/per_thread.def"
#undef SERVED
#undef REFUSED
#undef OF_THREAD

static const struct {
	const char *name;
	void (*function)(void);
} entries[] = {
#define SERVED(name, note) {#name, name},
#define REFUSED(name, why) {#name, name},
#define OF_THREAD(name, suffix, parameters, arguments) {#name #suffix, name##suffix},
#include "cudart/calls.def"
#include "cudart/per_thread.def"
};

const void *entry_of(const char *name)
{
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
		if (!strcmp(entries[i].name, name))
			return (const void *)entries[i].function;
	return NULL;
}
