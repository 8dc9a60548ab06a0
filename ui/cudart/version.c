/* version: the one file that is compiled anew for each name of the library (version.h). */
#include "cudart/version.h"
#ifndef CUDART_MAJOR
#define CUDART_MAJOR 13
#endif

static int major = CUDART_MAJOR;

int cudart_version(void)
{
	return major;
}

void cudart_set_version(int m)
{
	major = m;
}
