/* wire: what a CUDA program and warpdbg say to each other.
 *
 * The program runs as a process of its own. Its calls of the CUDA run time come to the library of this folder, which
 * stands in for NVIDIA's. The library asks warpdbg, where the machine is, and waits for the answer. There is one
 * connection for each process: a Unix socket of type SOCK_SEQPACKET, whose name is in the environment variable
 * WIRE_VARIABLE (the abstract name, without the leading zero byte). Each message is one packet. A request is a struct
 * wire_request, and its answer a struct wire_reply. One request is under way at a time: a process with several threads
 * takes turns. A thread whose turn does not come, as another one waits for the machine, sends WIRE_NUDGE in place of an
 * op; that has no answer. The one that waits is then answered with status 600, as if a function had to be called.
 *
 * Bytes that belong to a message lie in memory that both sides have mapped, from its beginning: request.bytes of them
 * before the request is sent, reply.bytes when the answer has come. The answer to WIRE_HELLO brings its descriptor
 * (SCM_RIGHTS); it is WIRE_SHARED bytes long.
 *
 * Both ends are on one machine and of one version of the project: numbers are in its byte order, structs as its
 * compiler lays them out, and WIRE_VERSION is compared once.
 *
 * Streams. Work of a stream is done in its order. Stream 0 is CUDA's legacy default stream: its work waits for what all
 * blocking streams were given before, and theirs for it. Copies and fills take no simulated time.
 *
 * Deliveries. A queued copy to the host, and a function that a stream calls, are work for the library. They are ready
 * when simulated time has come so far. Each answer says how many are ready (reply.pending); the library then fetches
 * them with WIRE_NEXT, before its caller goes on. A request that waits for its work may find a function before it in
 * its stream. It is then answered with status 600, and goes on as a request that does not wait: when the deliveries
 * have been fetched, WIRE_STREAM_SYNC waits for it, and the rows of a copy to the host come as a delivery.
 *
 * Status. An answer's status is a number of cudaError_t: 0 = success, 600 = not ready. */
#ifndef UI_CUDART_WIRE_H
#define UI_CUDART_WIRE_H
#include <stdint.h>

#define WIRE_VERSION 4
#define WIRE_VARIABLE "WARPDBG_APP"
#define WIRE_LINES "WARPDBG_APP_LINES" /* set: standard output is shown line by line, so it is not to be kept back */
#define WIRE_SHARED (64ull << 20)      /* bytes */
#define WIRE_PIECE (2ull << 20)        /* bytes that the library copies at a time: they stay in the host's caches */
#define WIRE_ALL_STREAMS (~0ull)
#define WIRE_NUDGE 0x10000u
#define WIRE_AT_ONCE                                                                                                   \
	(~1ull) /* as a copy's stream: done now, in no stream's order, with wait: pages that both sides see */
#define WIRE_ARGUMENTS 10
#define WIRE_VALUES 6
#define WIRE_CALL 40        /* bytes of a call's name, with its final zero */
#define WIRE_PARAMETERS 512 /* of a kernel, at most */

/* Requests. a: arguments, v: values of the answer, "bytes": what lies in shared memory. */
enum wire_op {
	WIRE_HELLO,  /* a: WIRE_VERSION, process id; call: the command's name. -> bytes: struct wire_device */
	WIRE_MORE,   /* bytes: a piece of what the next WIRE_MODULE reads, behind the pieces before it */
	WIRE_MODULE, /* a: enum wire_code, linked (0, 1: the first fat binary is the machine code that the others, -rdc,
	                have been linked to: it has no PTX, and the registers of all); bytes: the last piece. The pieces are
	                one fat binary, or several one behind the other that are linked (-rdc), or a PTX text. -> v: module
	              */
	WIRE_MODULE_FREE, /* a: module */
	WIRE_FUNCTION,    /* a: module; bytes: name. -> v: function; bytes: struct wire_function */
	WIRE_SYMBOL,      /* a: module; bytes: name. -> v: address, bytes of the variable */
	WIRE_ALLOCATE,    /* a: bytes, alignment (0: as usual). -> v: device address */
	WIRE_FREE,        /* a: address. Waits for all streams. Status 600 as for WIRE_STREAM_SYNC: it is not freed yet */
	WIRE_LAUNCH,      /* a: function, grid x y z, block x y z, dynamic shared memory in bytes, stream, enum wire_launch;
	                     bytes: the parameters as the kernel has them, wire_function.param_bytes */
	WIRE_TO_DEVICE,   /* a: stream, address, pitch, width, height in bytes and rows, wait (0, 1), bytes of the same copy
	                     that further requests bring; bytes: the rows, one behind the other. With wait the answer comes
	                     when it is done */
	WIRE_FROM_DEVICE, /* a: stream, address, pitch, width, height, wait, host address, its pitch. With wait -> bytes:
	                     the rows; without, they are a delivery */
	WIRE_ON_DEVICE,   /* a: stream, to, its pitch, from, its pitch, width, height, wait */
	WIRE_FILL,        /* a: stream, address, pitch, width in bytes, height, value, its bytes (1, 2, 4), wait */
	WIRE_STREAM,      /* a: flags (1: does not wait for stream 0), priority (signed). -> v: stream, from 1 on */
	WIRE_STREAM_FREE, /* a: stream; what it has been given is still done */
	WIRE_STREAM_SYNC, /* a: stream, or WIRE_ALL_STREAMS. Status 600: deliveries are pending that it has to go on with */
	WIRE_STREAM_QUERY,  /* a: stream, or WIRE_ALL_STREAMS. Status 0 or 600 */
	WIRE_STREAM_WAIT,   /* a: stream, event: what the stream is given from now on waits for it */
	WIRE_EVENT,         /* -> v: event, from 1 on */
	WIRE_EVENT_FREE,    /* a: event */
	WIRE_EVENT_RECORD,  /* a: event, stream */
	WIRE_EVENT_SYNC,    /* a: event. Status 600 as for WIRE_STREAM_SYNC */
	WIRE_EVENT_QUERY,   /* a: event. Status 0 or 600 */
	WIRE_EVENT_ELAPSED, /* a: from, to. -> v: the bits of a double, milliseconds of simulated time. Status 400: never
	                       recorded, 600: not ready */
	WIRE_CALL_HOST,     /* a: stream, function, its argument, tag: the stream has the library call a function */
	WIRE_CALL_DONE,     /* a: the delivery's number: the function has returned, the stream goes on */
	WIRE_NEXT,          /* -> v: enum wire_delivery, and its values */
	WIRE_OCCUPANCY,     /* a: function, threads of a CTA, dynamic shared memory in bytes. -> v: CTAs that an SM holds */
	WIRE_TEXTURE,       /* bytes: struct wire_texture. -> v: handle */
	WIRE_SURFACE,       /* the same */
	WIRE_MEMORY,        /* -> v: free, all bytes of device memory */
	WIRE_TIME,          /* -> v: simulated time in ns */
	WIRE_CLOCK,         /* a: enum clock_kind, measured ns (clock.h). -> v: the reading in ns */
	WIRE_REFUSED,       /* bytes: a text: a call that the library does not serve, and why; for warpdbg's user */
	WIRE_OPS
};
enum wire_code { WIRE_FAT_BINARY, WIRE_PTX };
enum wire_launch { WIRE_COOPERATIVE = 1, WIRE_PROGRAMMATIC = 2 };
enum wire_delivery {
	WIRE_NOTHING,
	WIRE_DATA,     /* v: kind, host address, its pitch, width, height; bytes: the rows */
	WIRE_CALL_NOW, /* v: kind, number, function, argument, tag, status: to be called, then WIRE_CALL_DONE */
	WIRE_TEXT      /* v: kind; bytes: what kernels have printed, for standard output */
};

struct wire_request {
	uint32_t op, thread; /* enum wire_op; number of the calling thread, from 0 */
	uint64_t bytes;
	uint64_t a[WIRE_ARGUMENTS];
	uint64_t from;        /* where in the program the call stands: the address that it returns to */
	char call[WIRE_CALL]; /* the call of the run time that asks: "cudaMemcpy" */
};
struct wire_reply {
	int32_t status;
	uint32_t pending;
	uint64_t bytes;
	uint64_t v[WIRE_VALUES];
	uint64_t simulated; /* time in ns */
};

/* The modelled chip, for device properties and attributes. */
struct wire_device {
	char name[128];
	uint32_t major, minor; /* compute capability */
	uint32_t sms, warp_size;
	uint32_t threads_per_sm, ctas_per_sm, threads_per_cta;
	uint32_t regs_per_sm, regs_per_cta, regs_per_thread;
	uint32_t shared_per_sm, shared_per_cta, shared_per_cta_optin; /* bytes */
	uint32_t core_khz, memory_khz, bus_bits;
	uint32_t l2_bytes;
	uint32_t texture_pitch, texture_alignment; /* bytes */
	uint64_t memory_bytes, constant_bytes;
	uint64_t first_address; /* no device address is below it */
	uint64_t
	    last_address; /* nor beyond it; the pages between are not used in the program's process, as far as it is free */
};
struct wire_function {
	uint32_t nparams, param_bytes;
	uint32_t regs;   /* per thread */
	uint32_t shared; /* static, bytes */
	uint32_t local;  /* bytes a thread */
	uint32_t constant, threads_max;
	uint32_t ptx_version, binary_version; /* as cudaFuncAttributes: 75 */
	uint32_t dynamic_max;                 /* bytes of dynamic shared memory that it may have */
	struct {
		uint32_t offset, size;
	} param[WIRE_PARAMETERS];
};
enum wire_resource { WIRE_LINEAR, WIRE_PITCHED, WIRE_LAYERS };
struct wire_texture {
	uint64_t address;
	uint32_t resource;                    /* enum wire_resource */
	uint32_t width, height, depth, pitch; /* texels, texels, layers or planes, bytes; 0: there is none */
	uint32_t channels, bits;              /* of a channel */
	uint32_t kind;                        /* 0 signed, 1 unsigned, 2 float: enum cudaChannelFormatKind */
	uint32_t linear, normalised, read_normalised;
	uint32_t address_mode[3]; /* 0 wrap, 1 clamp, 2 mirror, 3 border */
};
#endif
