/* library: modules that the program loads itself, as fat binary or as PTX. */
#include "cudart/abi.h"
#include "cudart/link.h"
#include "cudart/modules.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRAPPER_MAGIC 0x466243b1

static int load(struct module **made, const void *code)
{
	uint32_t magic;
	memcpy(&magic, code, sizeof magic);
	if (magic == WRAPPER_MAGIC) {
		code = ((const struct fat_wrapper *)code)->data;
		memcpy(&magic, code, sizeof magic);
	}
	if (magic == FAT_MAGIC) {
		const struct fat_header *h = code;
		return module_load(WIRE_FAT_BINARY, code, h->header_bytes + h->bytes, made);
	}
	if (!memcmp(&magic, "\177ELF", 4)) {
		int status = link_refuse("machine code without PTX");
		return status == UNKNOWN_ERROR ? status : 209; /* no kernel image for the device */
	}
	return module_load(WIRE_PTX, code, strlen(code) + 1, made);
}

EXPORT int cudaLibraryLoadData(void **library, const void *code, void *options, void **values, unsigned noptions,
                               void *more, void **more_values, unsigned nmore)
{
	ENTER;
	struct module *m;
	int error = library && code ? load(&m, code) : INVALID_VALUE;
	if (!error)
		*library = m;
	return leave(error);
}

EXPORT int cudaLibraryLoadFromFile(void **library, const char *name, void *options, void **values, unsigned noptions,
                                   void *more, void **more_values, unsigned nmore)
{
	ENTER;
	FILE *f = library && name ? fopen(name, "rb") : NULL;
	if (!f)
		return leave(library && name ? 301 : INVALID_VALUE); /* file not found */
	char *text = NULL;
	size_t n = 0, room = 0, got = 1;
	while (got) {
		if (n + 4096 > room) {
			char *bigger = realloc(text, room = room * 2 + 65536);
			if (!bigger)
				break;
			text = bigger;
		}
		got = fread(text + n, 1, room - n - 8, f);
		n += got;
	}
	int error = got || ferror(f) ? OUT_OF_MEMORY : 0;
	fclose(f);
	struct module *m;
	if (!error) {
		memset(text + n, 0, 8);
		const struct fat_header *h = (const struct fat_header *)text;
		error = n >= sizeof *h && h->magic == FAT_MAGIC && h->header_bytes + h->bytes > n ? 200 : load(&m, text);
	}
	free(text);
	if (!error)
		*library = m;
	return leave(error);
}

EXPORT int cudaLibraryUnload(void *library)
{
	ENTER;
	return leave(module_is(library) ? module_unload(library) : INVALID_HANDLE);
}

EXPORT int cudaLibraryGetKernel(void **kernel, void *library, const char *name)
{
	ENTER;
	struct function *f;
	int error = !kernel || !name     ? INVALID_VALUE
	            : module_is(library) ? module_function(library, name, &f)
	                                 : INVALID_HANDLE;
	if (!error)
		*kernel = f;
	return leave(error == INVALID_FUNCTION ? SYMBOL_NOT_FOUND : error);
}

EXPORT int cudaLibraryGetGlobal(void **pointer, size_t *bytes, void *library, const char *name)
{
	ENTER;
	uint64_t address, size;
	int error = !name                ? INVALID_VALUE
	            : module_is(library) ? module_symbol(library, name, &address, &size)
	                                 : INVALID_HANDLE;
	if (!error && pointer)
		*pointer = (void *)address;
	if (!error && bytes)
		*bytes = size;
	return leave(error);
}
