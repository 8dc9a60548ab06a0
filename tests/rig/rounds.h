/* How often a test repeats what it does: in one place, so that it is seen what each kind of run leaves out.
 *
 * `make test` checks figures and results. `make asan` looks for memory errors, and walks the state, in programs that
 * are five times as slow: each way through the code is gone there, but less often and from fewer places. `make
 * test-full` sets the variables. */
#ifndef TESTS_RIG_ROUNDS_H
#define TESTS_RIG_ROUNDS_H
#include <stdlib.h>

#include "base/base.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* What the environment's `variable` says (NULL: there is none); else `usual`, or `sanitized` under the sanitizers. */
static inline u32 rounds(const char *variable, u32 usual, u32 sanitized)
{
	const char *n = variable ? getenv(variable) : NULL;
	return n ? (u32)strtoul(n, NULL, 10) : SANITIZED ? sanitized : usual;
}
#endif
