/* properties: cudaDeviceProp in the layouts of CUDA 11, 12 and 13, as one table: each field is a size, and an
 * attribute's number or one of the names below. Layouts are compared with nvcc's by tests/cli/test_cudart_abi.sh. */
#include "cudart/properties.h"
#include "cudart/abi.h"
#include "cudart/link.h"
#include "cudart/version.h"
#include <string.h>

enum { NAME = -1, ID = -2, GLOBAL = -3, CONSTANT = -4, SKIP = -5, ONE = -6, SKIP12 = -7, UNIFIED_FUNCTIONS = -8 };
enum { FROM11 = 1, FROM12 = 2, FROM13 = 4, ALL = 7, OLD = 3, NEW = 6 };

/* The fields in their order. bytes: of one element; count: of elements, whose attributes follow each other in `what`.
 */
static const struct field {
	unsigned char bytes, versions;
	short what[3];
	unsigned char count;
} fields[] = {
    {0, ALL, {NAME}, 1},
    {0, ALL, {ID}, 1},
    {8, ALL, {GLOBAL}, 1},
    {8, ALL, {8}, 1},
    {4, ALL, {12}, 1},
    {4, ALL, {10}, 1},
    {8, ALL, {11}, 1},
    {4, ALL, {1}, 1},
    {4, ALL, {2, 3, 4}, 3},
    {4, ALL, {5, 6, 7}, 3},
    {4, OLD, {13}, 1},
    {8, ALL, {CONSTANT}, 1},
    {4, ALL, {75}, 1},
    {4, ALL, {76}, 1},
    {8, ALL, {14}, 1},
    {8, ALL, {51}, 1},
    {4, OLD, {15}, 1},
    {4, ALL, {16}, 1},
    {4, OLD, {17}, 1},
    {4, ALL, {18}, 1},
    {4, ALL, {19}, 1},
    {4, OLD, {20}, 1},
    {4, ALL, {21}, 1},
    {4, ALL, {77}, 1},
    {4, OLD, {69}, 1},
    {4, ALL, {22, 23}, 2},
    {4, ALL, {73, 74}, 2},
    {4, ALL, {70, 71, 72}, 3},
    {4, ALL, {45, 46}, 2},
    {4, ALL, {24, 25, 26}, 3},
    {4, ALL, {47, 48, 49}, 3},
    {4, ALL, {52}, 1},
    {4, ALL, {42, 43}, 2},
    {4, ALL, {27, 28, 29}, 3},
    {4, ALL, {53, 54}, 2},
    {4, ALL, {55}, 1},
    {4, ALL, {56, 57}, 2},
    {4, ALL, {58, 59, 60}, 3},
    {4, ALL, {61, 62}, 2},
    {4, ALL, {63, 64, 65}, 3},
    {4, ALL, {66}, 1},
    {4, ALL, {67, 68}, 2},
    {8, ALL, {30}, 1},
    {4, ALL, {31}, 1},
    {4, ALL, {32}, 1},
    {4, ALL, {33}, 1},
    {4, ALL, {34}, 1},
    {4, ALL, {50}, 1},
    {4, ALL, {35}, 1},
    {4, ALL, {40}, 1},
    {4, ALL, {41}, 1},
    {4, OLD, {36}, 1},
    {4, ALL, {37}, 1},
    {4, ALL, {38}, 1},
    {4, ALL, {108}, 1},
    {4, ALL, {39}, 1},
    {4, ALL, {78}, 1},
    {4, ALL, {79}, 1},
    {4, ALL, {80}, 1},
    {8, ALL, {81}, 1},
    {4, ALL, {82}, 1},
    {4, ALL, {83}, 1},
    {4, ALL, {84}, 1},
    {4, ALL, {85}, 1},
    {4, ALL, {86}, 1},
    {4, OLD, {87}, 1},
    {4, ALL, {88}, 1},
    {4, ALL, {89}, 1},
    {4, ALL, {90}, 1},
    {4, ALL, {91}, 1},
    {4, ALL, {95}, 1},
    {4, OLD, {96}, 1},
    {8, ALL, {97}, 1},
    {4, ALL, {100}, 1},
    {4, ALL, {101}, 1},
    {4, ALL, {106}, 1},
    {4, ALL, {109}, 1},
    {8, ALL, {111}, 1},
    {4, NEW, {99}, 1},
    {4, NEW, {112}, 1},
    {4, NEW, {113}, 1},
    {4, NEW, {114}, 1},
    {4, NEW, {115}, 1},
    {4, NEW, {116}, 1},
    {4, NEW, {117}, 1},
    {4, NEW, {118}, 1},
    {4, NEW, {119}, 1},
    {4, NEW, {121}, 1},
    {4, NEW, {125}, 1},
    {4, NEW, {120}, 1},
    {4, NEW, {UNIFIED_FUNCTIONS}, 1},
    {4, FROM13, {130}, 1},
    {4, FROM13, {131}, 1},
    {4, FROM13, {133}, 1},
    {4, FROM13, {134}, 1},
    {4, FROM13, {139}, 1},
    {4, FROM13, {140}, 1},
    {4, FROM13, {143}, 1},
};
/* Whole sizes: reserved room is at the end. */
static size_t whole(int version)
{
	return version >= 13 ? 1008 : version == 12 ? 1032 : 728;
}

static uint64_t value_of(int what)
{
	int value = 0;
	switch (what) {
	case GLOBAL: return link_device.memory_bytes;
	case CONSTANT: return link_device.constant_bytes;
	case UNIFIED_FUNCTIONS: return 0;
	}
	attribute_value(what, &value);
	return (uint64_t)(int64_t)value;
}

static void fill(unsigned char *to, int version)
{
	size_t at = 0;
	unsigned mask = version >= 13 ? FROM13 : version == 12 ? FROM12 : FROM11;
	memset(to, 0, whole(version));
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		const struct field *f = &fields[i];
		if (!(f->versions & mask))
			continue;
		if (f->what[0] == NAME) {
			memcpy(to, link_device.name, sizeof link_device.name);
			at = 256;
		} else if (f->what[0] == ID) {
			/* An identifier of 16 bytes, one of Windows of 8, and its mask. */
			memcpy(to + at, "warpdbg-device-0", 16);
			at += 28;
		} else {
			at = (at + f->bytes - 1) & ~(size_t)(f->bytes - 1);
			for (int k = 0; k < f->count; k++, at += f->bytes) {
				uint64_t value = value_of(f->what[k]);
				memcpy(to + at, &value, f->bytes);
			}
		}
	}
}

static int properties(void *to, int device, int version)
{
	ENTER;
	if (!to)
		return leave(INVALID_VALUE);
	if (device)
		return leave(INVALID_DEVICE);
	fill(to, version);
	return leave(0);
}

/* Programs of CUDA 12 call the second name; the first is then still the layout of 11. */
EXPORT int cudaGetDeviceProperties(void *to, int device)
{
	ENTER;
	return leave(properties(to, device, cudart_version() >= 13 ? 13 : 11));
}

EXPORT int cudaGetDeviceProperties_v2(void *to, int device)
{
	ENTER;
	return leave(properties(to, device, 12));
}

EXPORT int cudaDeviceGetAttribute(int *value, int attribute, int device)
{
	ENTER;
	if (!value)
		return leave(INVALID_VALUE);
	if (device)
		return leave(INVALID_DEVICE);
	return leave(attribute_value(attribute, value) ? 0 : INVALID_VALUE);
}

EXPORT int cudaChooseDevice(int *device, const void *wanted)
{
	ENTER;
	if (!device || !wanted)
		return leave(INVALID_VALUE);
	*device = 0;
	return leave(0);
}
