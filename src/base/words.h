/* words: numbers and their nouns ("1 cycle", "2 cycles") in texts for people. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H
#include "base/base.h"

/* The ending of a noun behind its number, "%u warp%s": "" for 1, else "s". */
static inline const char *plural(u64 n)
{
	return n == 1 ? "" : "s";
}
/* The same where more than an ending changes: "is", "are"; "y", "ies". */
static inline const char *by_number(u64 n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}
/* 1234567 -> "1,234,567"; returns out. */
#define GROUPED_MAX 27 /* of the largest number, its end included */
const char *grouped(u64 v, char out[GROUPED_MAX]);
#endif
