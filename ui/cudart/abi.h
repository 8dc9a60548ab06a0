/* abi: the numbers and structs of CUDA's run time that programs pass, as nvcc lays them out. Names are CUDA's without
 * their prefix. tests/cli/test_cudart_abi.sh compares sizes and offsets with nvcc's own headers where they are. */
#ifndef UI_CUDART_ABI_H
#define UI_CUDART_ABI_H
#include <stddef.h>
#include <stdint.h>

enum {
	SUCCESS = 0,
	INVALID_VALUE = 1,
	OUT_OF_MEMORY = 2,
	INITIALIZATION_ERROR = 3,
	INVALID_CONFIGURATION = 9,
	INVALID_PITCH = 12,
	INVALID_SYMBOL = 13,
	INVALID_DIRECTION = 21,
	INVALID_CHANNELS = 20,
	INVALID_FUNCTION = 98,
	NO_DEVICE = 100,
	INVALID_DEVICE = 101,
	UNSUPPORTED_LIMIT = 215,
	INVALID_HANDLE = 400,
	SYMBOL_NOT_FOUND = 500,
	NOT_READY = 600,
	PEER_NOT_ENABLED = 705,
	ALREADY_REGISTERED = 712,
	NOT_REGISTERED = 713,
	NOT_SUPPORTED = 801,
	CAPTURE_UNSUPPORTED = 900,
	CAPTURE_INVALIDATED = 901,
	CAPTURE_MERGE = 902,
	CAPTURE_UNMATCHED = 903,
	CAPTURE_UNJOINED = 904,
	CAPTURE_IMPLICIT = 906,
	CAPTURED_EVENT = 907,
	ILLEGAL_STATE = 401,
	UNKNOWN_ERROR = 999,
};

enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, COPY_DEFAULT };
enum { MEMORY_UNREGISTERED, MEMORY_HOST, MEMORY_DEVICE, MEMORY_MANAGED };
enum { HOST_PORTABLE = 1, HOST_MAPPED = 2, HOST_COMBINED = 4 };
enum { STREAM_NON_BLOCKING = 1 };
enum { EVENT_BLOCKING = 1, EVENT_NO_TIMING = 2, EVENT_INTERPROCESS = 4 };
enum {
	ARRAY_LAYERED = 1,
	ARRAY_SURFACE = 2,
	ARRAY_CUBEMAP = 4,
	ARRAY_GATHER = 8,
	ARRAY_SPARSE = 0x40,
	ARRAY_DEFERRED = 0x80
};
enum { FUNCTION_DYNAMIC_SHARED = 8, FUNCTION_CARVEOUT = 9, FUNCTION_ATTRIBUTES = 16 };
enum {
	ATTRIBUTE_COOPERATIVE = 2,
	ATTRIBUTE_CLUSTER = 4,
	ATTRIBUTE_PROGRAMMATIC = 6,
	ATTRIBUTE_EVENT = 7,
	ATTRIBUTE_COMPLETION_EVENT = 12
};

struct dim3 {
	uint32_t x, y, z;
};
struct extent {
	size_t width, height, depth;
};
struct pos {
	size_t x, y, z;
};
struct pitched_ptr {
	void *ptr;
	size_t pitch, xsize, ysize;
};
struct channel_desc {
	int x, y, z, w;
	int f; /* 0 signed, 1 unsigned, 2 float */
};
struct array; /* cudaArray_t: of this library */
struct memcpy_3d {
	struct array *src_array;
	struct pos src_pos;
	struct pitched_ptr src_ptr;
	struct array *dst_array;
	struct pos dst_pos;
	struct pitched_ptr dst_ptr;
	struct extent extent;
	int kind;
};
struct memcpy_3d_peer {
	struct array *src_array;
	struct pos src_pos;
	struct pitched_ptr src_ptr;
	int src_device;
	struct array *dst_array;
	struct pos dst_pos;
	struct pitched_ptr dst_ptr;
	int dst_device;
	struct extent extent;
};
struct pointer_attributes {
	int type, device;
	void *device_pointer, *host_pointer;
	long reserved[8]; /* from CUDA 13 on */
};
struct func_attributes {
	size_t shared, constant, local;
	int threads_max, regs, ptx_version, binary_version, cache_mode, dynamic_max, carveout;
	int cluster_must, cluster_width, cluster_height, cluster_depth, cluster_policy, non_portable; /* from CUDA 12 on */
	int reserved[16];
};
struct launch_attribute {
	int id;
	char pad[4];
	union {
		char bytes[64];
		int cooperative;
		int programmatic;
		struct dim3 cluster;
	} value;
};
struct launch_config {
	struct dim3 grid, block;
	size_t shared;
	void *stream;
	struct launch_attribute *attrs;
	unsigned nattrs;
};
struct mem_location {
	int type, id;
};
struct resource_desc {
	int type; /* 0 array, 1 mipmapped, 2 linear, 3 pitched */
	union {
		struct array *array;
		struct {
			void *pointer;
			struct channel_desc desc;
			size_t bytes;
		} linear;
		struct {
			void *pointer;
			struct channel_desc desc;
			size_t width, height, pitch;
		} pitched;
		int reserved[32];
	} res;
};
struct texture_desc {
	int address_mode[3], filter, read_mode, srgb;
	float border[4];
	int normalized;
	unsigned anisotropy;
	int mipmap_filter;
	float mipmap_bias, mipmap_min, mipmap_max;
	int no_trilinear, seamless;
};
struct resource_view_desc {
	int format;
	size_t width, height, depth;
	unsigned first_level, last_level, first_layer, last_layer, reserved[16];
};
struct kernel_node_params {
	void *func;
	struct dim3 grid, block;
	unsigned shared;
	void **params, **extra;
};
struct memset_params {
	void *dst;
	size_t pitch;
	unsigned value, element;
	size_t width, height;
};
struct host_node_params {
	void (*fn)(void *);
	void *user;
};

/* What nvcc's code registers. */
struct fat_wrapper {
	int32_t magic, version;
	const void *data;
	const void *const *more; /* version 2: an array of fat binaries, ends with NULL */
};
struct fat_header {
	uint32_t magic; /* FAT_MAGIC */
	uint16_t version, header_bytes;
	uint64_t bytes; /* that follow the header */
};
#define FAT_MAGIC 0xBA55ED50u
#endif
