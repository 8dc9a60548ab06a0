#include "base/words.h"

#include <stdio.h>

const char *grouped(u64 v, char out[GROUPED_MAX])
{
	char digits[24];
	int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)v), at = 0;
	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = 0;
	return out;
}
