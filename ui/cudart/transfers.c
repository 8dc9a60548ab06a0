/* transfers: read() and the like on managed memory. The kernel raises no signal for pages that the program may not
 * touch just now, it answers EFAULT: so they are touched before. Only in the preloaded library, which knows nothing of
 * the regions: a touch has the handler of whichever library serves the calls fetch them (fault.c). */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define EXPORT __attribute__((visibility("default")))

/* Device addresses begin there; what the kernel places by itself is above. */
#define LOWEST 0x100000000ull
#define HIGHEST (1ull << 40)

static void touch(const void *memory, size_t bytes, bool write)
{
	uint64_t first = (uint64_t)memory;
	if (first < LOWEST || first >= HIGHEST || !bytes || bytes > HIGHEST)
		return;
	for (uint64_t at = first; at < first + bytes; at = (at & ~4095ull) + 4096) {
		volatile unsigned char *byte = (volatile unsigned char *)at;
		const unsigned char same = *byte;
		if (write)
			*byte = same;
	}
}

/* The function of this name in libc. */
#define NEXT(name, type, parameters)                                                                                   \
	static type(*next) parameters;                                                                                     \
	if (!next)                                                                                                         \
	next = (type(*) parameters)dlsym(RTLD_NEXT, #name)

#define TRANSFER(name, type, parameters, arguments, memory, bytes, written)                                            \
	EXPORT type name parameters;                                                                                       \
	EXPORT type name parameters                                                                                        \
	{                                                                                                                  \
		NEXT(name, type, parameters);                                                                                  \
		touch(memory, bytes, written);                                                                                 \
		return next arguments;                                                                                         \
	}

TRANSFER(read, ssize_t, (int fd, void *to, size_t n), (fd, to, n), to, n, true)
TRANSFER(__read_chk, ssize_t, (int fd, void *to, size_t n, size_t room), (fd, to, n, room), to, n, true)
TRANSFER(pread, ssize_t, (int fd, void *to, size_t n, off_t at), (fd, to, n, at), to, n, true)
TRANSFER(pread64, ssize_t, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at), to, n, true)
TRANSFER(write, ssize_t, (int fd, const void *from, size_t n), (fd, from, n), from, n, false)
TRANSFER(pwrite, ssize_t, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at), from, n, false)
TRANSFER(pwrite64, ssize_t, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at), from, n, false)
TRANSFER(fread, size_t, (void *to, size_t size, size_t n, FILE *f), (to, size, n, f), to, size *n, true)
TRANSFER(__fread_chk, size_t, (void *to, size_t room, size_t size, size_t n, FILE *f), (to, room, size, n, f), to,
         size *n, true)
TRANSFER(fwrite, size_t, (const void *from, size_t size, size_t n, FILE *f), (from, size, n, f), from, size *n, false)
