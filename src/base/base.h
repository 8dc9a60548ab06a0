/* base: what every layer uses: integer names, branch hints, BUG.
 *
 * There are three kinds of error (and no fourth). The user's mistakes travel upwards in a struct err and are returned.
 * A bug in warpdbg stops with BUG() and the place. Running out of memory stops in xmalloc(). Input never meets an
 * assert. */
#ifndef BASE_BASE_H
#define BASE_BASE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define WARP_SIZE 32
#define NEVER UINT64_MAX /* a cycle that does not come */

/* Reports an internal inconsistency and aborts. For states that no input can reach. */
_Noreturn void bug_at(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
#define BUG_ON(cond)                                                                                                   \
	do {                                                                                                               \
		if (unlikely(cond))                                                                                            \
			BUG("%s", #cond);                                                                                          \
	} while (0)

/* malloc family that never returns NULL: out of memory ends the process with a message (exit status 2). */
void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
#endif
