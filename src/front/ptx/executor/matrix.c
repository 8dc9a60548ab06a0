/* Matrices between registers and memory: ldmatrix, stmatrix, movmatrix, wmma.load, wmma.store.
 *
 * For the caches a wmma access is one of 16 bytes a lane at most, in which the lanes cover the matrix once, line after
 * line; the reader has split larger matrices. What lanes get of it is exact. */
#include "front/ptx/executor/matrix.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#include "front/ptx/executor/memory.h"
#include "ir/devmem.h"

bool matrix_converged(struct exec *x)
{
	if (likely(x->mask == FULL_MASK))
		return true;
	exec_fault(x, FAULT_DIVERGENT_MATRIX, x->mask, 0, 0, false, SPC_NONE);
	return false;
}

/* fma; of several NaN that of b, else of c, quiet (measured on an H100). Which one a host's fma gives is its compiler's
 * choice. */
static double step_of(double a, double b, double c)
{
	const double first = b != b ? b : c != c ? c : a;
	const double r = first != first ? first : fma(a, b, c);
	u64 bits;
	if (r == r)
		return r;
	memcpy(&bits, &r, 8);
	bits = first != first ? bits | 0x8000000000000ull : 0xfff8000000000000ull;
	memcpy(&c, &bits, 8);
	return c;
}

__attribute__((noinline)) double matrix_dot(const double *a, const double *b, u32 step, u32 n, double c,
                                            enum rounding round)
{
	static const int modes[] = {
	    [RND_RN] = FE_TONEAREST, [RND_RZ] = FE_TOWARDZERO, [RND_RM] = FE_DOWNWARD, [RND_RP] = FE_UPWARD};
	const int old = fegetround();
	if (round != RND_RN)
		fesetround(modes[round]);
	volatile double sum = c;
	for (u32 k = 0; k < n; k++)
		sum = step_of(a[k], b[k * step], sum);
	if (round != RND_RN)
		fesetround(old);
	return sum;
}

/* Metadata (PTX ISA, mma.sp): two bits for each stored element say which of four columns it has; tf32 has four bits for
 * each, of which the upper one of the first two says which of two; s4 and u4 count pairs. Lane 4 * g + i of a quad has
 * those of rows g and g + 8: of f16, bf16 and tf32 16 bits of either row, of smaller types 32 bits of one row. */
u32 sparse_column(const struct mma_shape *m, const u32 *meta, u32 row, u32 c)
{
	const u32 bits = mma_type_bits[m->a], high = row >> 3;
	const u32 pair = bits == 4 ? c >> 1 : c;         /* what two bits stand for */
	const u32 at = bits == 32 ? 4 * pair : 2 * pair; /* the first bit, counted in the row */
	const u32 per_row = bits == 32 ? 2u * m->k : bits == 4 ? m->k / 2u : m->k;
	u32 lane, shift;
	if (bits >= 16) {
		lane = per_row == 16 ? m->selector : 2u * m->selector + at / 16;
		shift = 16 * high + at % 16;
	} else {
		lane = (per_row == 32 ? 2u * m->selector : 2 * (at / 32)) + high;
		shift = at % 32;
	}
	const u32 two = meta[(row & 7) * 4 + lane] >> shift & 3;
	if (bits == 32)
		return 2 * c + (two >> 1);
	if (bits == 4)
		return 2 * (4 * (pair / 2) + two) + (c & 1);
	return 4 * (c / 2) + two;
}

/* --- ldmatrix, stmatrix, movmatrix -------------------------------------------------------------------------------- */

/* The lanes that give rows' addresses; 0 when a fault was recorded. */
static u32 matrix_rows(struct exec *x, const struct inst *in, bool store)
{
	const u32 lanes = in->vec == 4 ? FULL_MASK : (1u << 8 * in->vec) - 1;
	if (!matrix_converged(x))
		return 0;
	x->out->space = SPC_SHARED;
	x->out->bytes = 16;
	x->out->store = store;
	mem_addresses(x, in);
	if (in->geom)
		mem_to_offset(x, lanes, SHARED_WINDOW);
	return mem_check_shared(x, lanes, 16, store, !store) ? lanes : 0;
}

static void ldmatrix(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const u32 lanes = matrix_rows(x, in, false);
	if (!lanes)
		return;
	const u8 *shared = exec_shared(x);
	for (u32 r = 0; r < in->vec; r++) {
		u32 out[LANES];
		const u64 *row = x->out->addr + 8 * r;
		for (u32 l = 0; l < LANES; l++) {
			const u32 g = l >> 2, t = l & 3;
			u16 low, high;
			memcpy(&low, shared + (in->mode ? row[2 * t] + 2 * g : row[g] + 4 * t), 2);
			memcpy(&high, shared + (in->mode ? row[2 * t + 1] + 2 * g : row[g] + 4 * t + 2), 2);
			out[l] = low | (u32)high << 16;
		}
		if (in->d[r] != OPND_NONE)
			memcpy(exec_at(x, in->d[r]), out, sizeof out);
	}
	x->out->mask = lanes; /* the others give no addresses */
}

/* The mirror of ldmatrix: each lane puts its two elements where ldmatrix would have them from. */
static void stmatrix(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const u32 lanes = matrix_rows(x, in, true);
	if (!lanes)
		return;
	u8 *shared = exec_shared(x);
	for (u32 r = 0; r < in->vec; r++) {
		const u32 *from = exec_at(x, in->s[1 + r]);
		const u64 *row = x->out->addr + 8 * r;
		for (u32 l = 0; l < LANES; l++) {
			const u32 g = l >> 2, t = l & 3;
			const u16 low = (u16)from[l], high = (u16)(from[l] >> 16);
			memcpy(shared + (in->mode ? row[2 * t] + 2 * g : row[g] + 4 * t), &low, 2);
			memcpy(shared + (in->mode ? row[2 * t + 1] + 2 * g : row[g] + 4 * t + 2), &high, 2);
		}
	}
	x->out->mask = lanes;
}

static void movmatrix(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	u32 from[LANES];
	if (!matrix_converged(x))
		return;
	memcpy(from, exec_at(x, in->s[0]), sizeof from);
	u32 *to = exec_at(x, in->d[0]);
	for (u32 l = 0; l < LANES; l++) {
		const u32 g = l >> 2, t = l & 3, shift = 16 * (g & 1);
		to[l] = (from[8 * t + g / 2] >> shift & 0xffff) | (from[8 * t + 4 + g / 2] >> shift & 0xffff) << 16;
	}
}

/* --- wmma.load, wmma.store ---------------------------------------------------------------------------------------- */

struct region { /* a matrix in memory */
	u64 base;
	u32 lines, line_bytes; /* rows, or columns if they are what lies together */
	u64 step;              /* bytes from line to line */
	u32 bits;
	bool transposed; /* a line is a column */
	u32 part_bytes;  /* of one lane in one part */
};
static u8 type_of(const struct mma_shape *m)
{
	return m->matrix == MM_A ? m->a : m->matrix == MM_B ? m->b : m->d;
}
static struct region region_of(const struct exec *x, const struct inst *in)
{
	const struct wide *w = in->wide;
	const struct mma_shape *m = &w->shape;
	const u32 rows = m->matrix == MM_B ? m->k : m->m, cols = m->matrix == MM_A ? m->k : m->n;
	struct region g = {.base = (u64)in->imm, .bits = mma_type_bits[type_of(m)]};
	g.transposed = m->matrix == MM_A ? m->a_col : m->matrix == MM_B ? !m->b_row : m->c_col;
	const u32 width = g.transposed ? rows : cols;
	u32 stride = width;
	if (w->s[0] != OPND_NONE)
		g.base += in->base_bytes == 4 ? *(const u32 *)exec_at(x, w->s[0]) : *(const u64 *)exec_at(x, w->s[0]);
	if (w->s[1] != OPND_NONE)
		stride = *(const u32 *)exec_at(x, w->s[1]);
	g.lines = g.transposed ? cols : rows;
	g.line_bytes = width * g.bits / 8;
	g.step = (u64)stride * g.bits / 8;
	g.part_bytes = g.lines * g.line_bytes / (LANES * m->parts);
	return g;
}
/* Where an element is: its line, and the byte in the line. */
static inline u32 byte_of(const struct region *g, struct element e, u32 *line)
{
	*line = g->transposed ? e.col : e.row;
	return (g->transposed ? e.row : e.col) * g->bits / 8;
}
static void part_addresses(struct exec *x, const struct region *g, u32 part)
{
	for (u32 l = 0; l < LANES; l++) {
		const u32 at = (part * LANES + l) * g->part_bytes;
		x->out->addr[l] = g->base + at / g->line_bytes * g->step + at % g->line_bytes;
	}
}
/* Generic addresses become those of the space they are in. */
static bool resolve(struct exec *x, struct region *g, u8 space)
{
	x->out->space = space;
	if (space != SPC_GENERIC)
		return true;
	part_addresses(x, g, 0);
	const struct generic_lanes in = mem_split_generic(x);
	x->out->space = in.shared & 1 ? SPC_SHARED : SPC_GLOBAL;
	if (in.local & 1) {
		exec_fault(x, FAULT_OOB, x->mask, g->base, g->part_bytes, false, SPC_GENERIC);
		return false;
	}
	if (in.shared & 1)
		g->base -= SHARED_WINDOW;
	return true;
}
/* All of the matrix is checked; the addresses of the instruction's own part stay. */
static bool begin(struct exec *x, const struct inst *in, struct region *g, bool store)
{
	const struct mma_shape *m = &in->wide->shape;
	*g = region_of(x, in);
	if (!matrix_converged(x) || !resolve(x, g, in->space))
		return false;
	x->out->bytes = (u8)g->part_bytes;
	x->out->store = store;
	for (u32 i = 1; i <= m->parts; i++) {
		part_addresses(x, g, (m->part + i) % m->parts);
		if (!(x->out->space == SPC_SHARED ? mem_check_shared(x, FULL_MASK, g->part_bytes, store, !store)
		                                  : mem_check_device(x, FULL_MASK, g->part_bytes, store, in->space)))
			return false;
	}
	return true;
}
static uintptr_t host_of(const struct exec *x)
{
	return x->out->space == SPC_SHARED ? (uintptr_t)exec_shared(x) : (uintptr_t)x->f->mem->mem - DEVMEM_BASE;
}

/* Elements that are moved at once, and their bytes: those of less than a byte only as whole registers. */
static u32 units(const struct region *g, u8 type, u32 *bytes)
{
	*bytes = g->bits < 8 ? 4 : g->bits / 8;
	return g->bits < 8 ? 1 : elements_per_register(type);
}

static void wmma_load(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const struct wide *w = in->wide;
	const u8 type = type_of(&w->shape);
	struct region g;
	u32 bytes;
	if (!begin(x, in, &g, false))
		return;
	const uintptr_t host = host_of(x);
	const u32 n = units(&g, type, &bytes);
	for (u32 r = 0; r < w->nd; r++) {
		u8 *to = w->d[r] == OPND_NONE ? NULL : exec_at(x, w->d[r]);
		for (u32 l = 0; l < LANES && to; l++)
			for (u32 j = 0; j < n; j++) {
				u32 line;
				const u32 at =
				    byte_of(&g, element_at(&w->shape, (enum mma_matrix)w->shape.matrix, l, w->first + r, j), &line);
				memcpy(to + l * n * bytes + j * bytes, (const void *)(host + g.base + line * g.step + at), bytes);
			}
	}
}

static void wmma_store(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const struct wide *w = in->wide;
	const u8 type = type_of(&w->shape);
	u8 image[2 * 16 * LANES] __attribute__((aligned(64)));
	struct region g;
	u32 bytes;
	if (!begin(x, in, &g, true))
		return;
	const u32 n = units(&g, type, &bytes);
	for (u32 r = 0; r + 2 < w->ns; r++) {
		const u8 *from = exec_at(x, w->s[r + 2]);
		for (u32 l = 0; l < LANES; l++)
			for (u32 j = 0; j < n; j++) {
				u32 line;
				const u32 at = byte_of(&g, element_at(&w->shape, MM_D, l, r, j), &line);
				memcpy(image + line * g.line_bytes + at, from + l * n * bytes + j * bytes, bytes);
			}
	}
	const u8 *mine = image + w->shape.part * LANES * g.part_bytes;
	if (x->out->space == SPC_SHARED) {
		for (u32 l = 0; l < LANES; l++)
			memcpy(exec_shared(x) + x->out->addr[l], mine + l * g.part_bytes, g.part_bytes);
		return;
	}
	struct pending *p = mem_queue(x, PENDING_STORE, FULL_MASK, g.part_bytes);
	p->contig = false;
	memcpy(p->addr, x->out->addr, sizeof p->addr);
	memcpy(p->data, mine, LANES * g.part_bytes);
}

exec_fn exec_matrix(const struct inst *in)
{
	const bool moves = in->wide && (in->space == SPC_GLOBAL || in->space == SPC_SHARED || in->space == SPC_GENERIC);
	switch (in->op) {
	case OP_LDMATRIX: return in->space == SPC_SHARED ? ldmatrix : NULL;
	case OP_STMATRIX: return in->space == SPC_SHARED ? stmatrix : NULL;
	case OP_MOVMATRIX: return in->d[0] != OPND_NONE ? movmatrix : NULL;
	case OP_WMMA_LOAD: return moves ? wmma_load : NULL;
	case OP_WMMA_STORE: return moves ? wmma_store : NULL;
	default: return NULL;
	}
}
