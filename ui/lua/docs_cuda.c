/* The reference of what host programs are given: cuda.* and host arrays. */
#include "lua/lua.h"

#define TEXTURE                                                                                                        \
	"texture: table {addr=, width=, height=0, depth=0, pitch=, type=\"f32\", channels=1, linear=false, "               \
	"normalised=false, read_normalised=false, address=\"clamp\"}: addr a device address, pitch bytes (packed unless "  \
	"given), width, height, depth texels, type as of cuda.host or f16, channels 1, 2 or 4, address wrap, clamp, "      \
	"mirror, border, or a table of one a dimension"
#define TEXTURE_ERRORS "addr or width is missing; an unknown field, or one out of range"

const struct lua_doc lua_cuda_docs[] = {
    {"cuda.module", "cuda.module(file | {file, ...}) -> module",
     "file: string; several are linked together; module: object, module.NAME a kernel, valid until the program is "
     "started again",
     "loads a PTX file, looked for in configs/kernels, the script's directory and the working directory",
     "a file is not there, or the front end refuses it (file, line and token are named); a name that is used but "
     "defined "
     "in none of the files, or twice; module.NAME: no such kernel"},
    {"cuda.symbol", "cuda.symbol(module, name) -> address", "name: string; address: integer",
     "device address of a __device__ or __constant__ variable", "no such variable"},
    {"cuda.host", "cuda.host(type, n) -> array",
     "type: string, u8 u16 u32 u64 s8 s16 s32 s64 (or i8 .. i64) f32 f64; n: integer, elements, 0 and more; array: "
     "object, a[0] to a[n-1], integers or numbers, #a = n",
     "a zeroed host array; integers wrap to the element's width",
     "no such type; above 2 GiB; array[i]: an index outside, a fraction for an integer"},
    {"array:fill", "array:fill(value) -> array", "value: integer, or number of f32 and f64; array: itself",
     "sets every element", "a fraction for an integer"},
    {"array:iota", "array:iota() -> array", "array: itself", "sets element i to i", ""},
    {"array:rand", "array:rand([lo, hi]) -> array",
     "lo, hi: numbers (0, 1) for f32 and f64, integers (0, 99) otherwise; array: itself",
     "uniform random numbers from --seed, in order of calls: [lo, hi) for floats, lo..hi for integers", "hi below lo"},
    {"array:combine", "array:combine(x, by[, y, by_y]) -> array",
     "x, y: arrays of the same length; by, by_y: numbers; array: itself",
     "sets element i to by x[i] + by_y y[i], computed as f64",
     "another length; a fraction, or a number above 2^53, for an integer"},
    {"array:halves", "array:halves(from) -> array", "array: of u16, itself; from: array of the same length",
     "sets element i to the bits of from[i] as f16, to the nearest, ties to even", "another type or length"},
    {"array:product", "array:product(a, b, m, n, k[, layout]) -> array",
     "a, b: arrays of m k and k n elements; m, n, k: integers, 1 to 2^24; layout: string, nn, nt, tn or tt: n row by "
     "row, t column by column, of a and of b (nn); array: of m n elements, itself",
     "the matrix product of a (m x k) and b (k x n), row by row; sums are f64, in the order of k",
     "another length; the array is a or b; an integer element's sum above 2^53"},
    {"array:sum", "array:sum() -> number", "number: a float", "sum of all elements in their order, as f64", ""},
    {"array:dot", "array:dot(b) -> number", "b: array of the same length",
     "sum of the products of elements in their order, as f64", "another length"},
    {"cuda.malloc", "cuda.malloc(bytes[, name]) -> address",
     "bytes: integer, at least 1; name: string; address: integer",
     "zeroed device memory; the name appears in fault messages and `info allocation`", "no room for it"},
    {"cuda.free", "cuda.free(address)", "address: integer, one that cuda.malloc gave",
     "frees device memory, after synchronising; a later access by a kernel is a fault",
     "no allocation begins there, or it is freed already"},
    {"cuda.copy", "cuda.copy(to, from[, bytes])",
     "to, from: a host array and a device address (integer), in either order; bytes: integer, at most the array's, "
     "which is also meant without it",
     "copies between host and device; synchronises first",
     "two arrays, or none; more bytes than the array has; memory that is not allocated"},
    {"cuda.memset", "cuda.memset(address, byte, bytes)",
     "address: integer; byte: integer, -128 to 255; bytes: integer, 0 and more",
     "sets device memory; synchronises first", "a byte out of range; memory beyond the allocation"},
    {"cuda.launch",
     "cuda.launch(kernel, grid, block, {arguments}[, {shared=, stream=, regs=, cooperative=, programmatic=, start_us=}]) -> "
     "launch",
     "grid, block: integer, or table of one to three; arguments: one a parameter: integer, number, cuda.f32(x) and the "
     "like, or a host array for a structure passed by value; shared: dynamic shared memory in bytes; stream: of "
     "cuda.stream (0); regs: registers a thread, at most 255 (0 = the estimate); cooperative: "
     "boolean (false), the grid may synchronise: it runs when nothing else does, with all its CTAs at once; "
     "programmatic: boolean (false), programmatic stream serialization: it may start before the launch before it in its "
     "stream has ended, once each CTA of that one has executed griddepcontrol.launch_dependents or has ended; start_us: "
     "microseconds of the run before which it does not start (0), at most 10,000,000: periodic tasks are launched "
     "ahead "
     "of their times; launch: integer, gpu.kernel's index",
     "queues a launch and returns at once; numbers are converted to the parameter's type",
     "too few or too many arguments; one that does not fit its parameter; an unknown option; a grid, block, shared "
     "memory or registers that the machine does not have; a cooperative grid of more CTAs than fit at once; more than "
     "262,144 launches"},
#define SCALAR(t)                                                                                                      \
	{"cuda." #t, "cuda." #t "(x) -> argument",                                                                         \
	 "x: integer, or number for f32 and f64; argument: object, for cuda.launch",                                       \
	 "an argument of exactly that type, for parameters whose PTX type does not say (.b32, .b64)",                      \
	 "a fraction for an integer; cuda.launch: the parameter has another type"},
    SCALAR(i32) SCALAR(u32) SCALAR(i64) SCALAR(u64) SCALAR(f32) SCALAR(f64)
#undef SCALAR
        {"cuda.stream", "cuda.stream([priority]) -> stream",
         "priority: integer, -5 to 5 (what --priority says of the program, else 0); stream: integer, from 1",
         "a new stream; launches of one stream run in order, different streams may overlap. Stream 0 is always there. As "
         "in CUDA the least priority comes first: of kernels that may start, and of CTAs that may come to an SM",
         "a priority out of range"},
    {"cuda.sync", "cuda.sync([stream])", "stream: integer",
     "waits until the stream (or everything) is idle; while other streams run, a stream is looked at every 64 cycles",
     "no such stream"},
    {"cuda.check", "cuda.check(function() return ok, message end)", "ok: boolean; message: string, for ok = false",
     "synchronises and calls the function: the run's verdict (exit status 1 when a check fails). All checks must pass",
     "ok is no boolean"},
    {"cuda.compare", "cuda.compare(array, expected[, rel[, abs]]) -> ok, message",
     "expected: a host array of the same length, or a table from index 0; rel, abs: numbers (0); ok: boolean; message: "
     "string, nil when ok",
     "|got - want| <= max(abs, rel * |want|) for every element, NaN equals NaN. The message names the first difference "
     "and how many there are",
     "different lengths; a table without a number at an index"},
    {"cuda.bind_texture", "cuda.bind_texture(module, name, texture)", "name: string; " TEXTURE,
     "binds a texture reference of the module", TEXTURE_ERRORS "; no such texture reference"},
    {"cuda.texture", "cuda.texture(texture) -> handle", "texture: as of cuda.bind_texture; handle: integer",
     "a texture object, for a u64 parameter of a kernel", TEXTURE_ERRORS},
    {"cuda.surface", "cuda.surface(surface) -> handle",
     "surface: table {addr=, width=, height=0, depth=0, pitch=, type=\"f32\", channels=1}, as of cuda.bind_texture; "
     "addr "
     "and pitch multiples of 16; handle: integer",
     "a surface object, for a u64 parameter of a kernel; its memory may be a texture's too", TEXTURE_ERRORS},
    {"cuda.print", "cuda.print(...)", "any values", "prints to the run's output, as print does", ""},
    {NULL, NULL, NULL, NULL, NULL}};
