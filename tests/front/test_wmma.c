/* Matrices between registers and memory: every wmma shape, type and layout, in global and shared memory, against the
 * product in C; ldmatrix, stmatrix and movmatrix against PTX's figures; cp.async; .aligned by a part of a warp is a
 * fault. */
#include "tests/rig/kernel_rig.h"

/* --- wmma --------------------------------------------------------------------------------------------------------- */

struct kind {
	const char *a, *c, *d;
	u32 bits, cbits, dbits; /* of A and B, of C, of D */
	u32 m, n, k, regs_a, regs_b;
	bool any_layout;
};
static const struct kind kinds[] = {
    {"f16", "f32", "f32", 16, 32, 32, 16, 16, 16, 8, 8, true},
    {"f16", "f32", "f32", 16, 32, 32, 32, 8, 16, 8, 8, true},
    {"f16", "f32", "f32", 16, 32, 32, 8, 32, 16, 8, 8, true},
    {"f16", "f16", "f16", 16, 16, 16, 16, 16, 16, 8, 8, true},
    {"f16", "f16", "f16", 16, 16, 16, 32, 8, 16, 8, 8, true},
    {"f16", "f16", "f16", 16, 16, 16, 8, 32, 16, 8, 8, true},
    {"f16", "f16", "f32", 16, 16, 32, 16, 16, 16, 8, 8, true},
    {"f16", "f32", "f16", 16, 32, 16, 8, 32, 16, 8, 8, true},
    {"bf16", "f32", "f32", 16, 32, 32, 16, 16, 16, 4, 4, true},
    {"bf16", "f32", "f32", 16, 32, 32, 32, 8, 16, 8, 2, true},
    {"bf16", "f32", "f32", 16, 32, 32, 8, 32, 16, 2, 8, true},
    {"s8", "s32", "s32", 8, 32, 32, 16, 16, 16, 2, 2, true},
    {"s8", "s32", "s32", 8, 32, 32, 32, 8, 16, 4, 1, true},
    {"u8", "s32", "s32", 8, 32, 32, 8, 32, 16, 1, 4, true},
    {"u8", "s32", "s32", 8, 32, 32, 16, 16, 16, 2, 2, true},
    {"tf32", "f32", "f32", 32, 32, 32, 16, 16, 8, 4, 4, true},
    {"f64", "f64", "f64", 64, 64, 64, 8, 8, 4, 1, 1, true},
    {"s4", "s32", "s32", 4, 32, 32, 8, 8, 32, 1, 1, false},
    {"u4", "s32", "s32", 4, 32, 32, 8, 8, 32, 1, 1, false},
    {"b1", "s32", "s32", 1, 32, 32, 8, 8, 128, 1, 1, false},
};
enum { A_AT = 0, B_AT = 4096, C_AT = 8192, D_AT = 16384, BYTES = 32768, PAD = 16 };

/* Small integers in each format, exact in all of them. */
static u64 encode(const char *type, s32 v)
{
	const bool bf16 = !strcmp(type, "bf16");
	double d = v;
	float f = (float)v;
	u64 x = 0;
	if (!strcmp(type, "f64"))
		memcpy(&x, &d, 8);
	else if (*type == 'f' || *type == 't' || bf16)
		memcpy(&x, &f, 4);
	else
		return (u32)v;
	if (bf16)
		return x >> 16;
	if (strcmp(type, "f16"))
		return x;
	return !v ? 0 : (x >> 16 & 0x8000) | (((x >> 23 & 255) - 127 + 15) << 10) | (x >> 13 & 0x3ff);
}
static s32 decode(const char *type, u64 x)
{
	double d;
	float f;
	if (!strcmp(type, "f64")) {
		memcpy(&d, &x, 8);
		return (s32)d;
	}
	u32 w = (u32)x;
	if (!strcmp(type, "f16"))
		w = x & 0x7fff ? (u32)(x & 0x8000) << 16 | ((u32)(x >> 10 & 31) + 127 - 15) << 23 | (u32)(x & 0x3ff) << 13 : 0;
	else if (*type != 'f')
		return (s32)w;
	memcpy(&f, &w, 4);
	return (s32)f;
}
static void put(u8 *at, u32 index, u32 bits, u64 v)
{
	if (bits >= 8) {
		memcpy(at + index * bits / 8, &v, bits / 8);
		return;
	}
	const u32 bit = index * bits;
	at[bit / 8] = (u8)((at[bit / 8] & ~(((1u << bits) - 1) << bit % 8)) | (v & ((1u << bits) - 1)) << bit % 8);
}
static u64 get(const u8 *at, u32 index, u32 bits)
{
	u64 v = 0;
	memcpy(&v, at + index * bits / 8, bits / 8);
	return v;
}
static s32 draw(const struct kind *t, u32 *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	const s32 v = (s32)(*seed >> 20);
	return t->bits == 1 ? v & 1 : *t->a == 'u' ? v & 7 : (v & 7) - 4;
}
static u32 lead(u32 width, u32 bits)
{
	return width + (bits >= 8 ? PAD * 8 / bits : 0); /* rows are apart: the stride counts */
}
static char *list(char *p, const char *prefix, u32 n)
{
	for (u32 i = 0; i < n; i++)
		p += sprintf(p, "%s%%%s%u", i ? "," : "{", prefix, i);
	return p + sprintf(p, "}");
}
static const char *accumulator(const char *type)
{
	return !strcmp(type, "f64") ? "d" : !strcmp(type, "f32") ? "f" : "r";
}
static u32 registers_of(const struct kind *t, u32 bits)
{
	return t->m * t->n * bits / (bits == 64 ? 2048 : 1024);
}

static void run_wmma(const struct kind *t, bool ar, bool br, bool cr, const char *space)
{
	static char text[8000];
	static u8 mem[BYTES], out[BYTES];
	const u32 lda = lead(ar ? t->k : t->m, t->bits), ldb = lead(br ? t->n : t->k, t->bits);
	const u32 ldc = lead(cr ? t->n : t->m, t->cbits), ldd = lead(cr ? t->n : t->m, t->dbits);
	const bool f64 = t->bits == 64, shared = !strcmp(space, ".shared"), generic = !*space;
	const char *fa = f64 ? "d" : "r";
	char shape[32], pa[4], pb[4], pc[4], pd[4], *p = text;
	s32 a[32][128], b[128][32], c[32][32];
	u32 seed = t->m * 7 + t->k + ar * 2 + br;
	struct err e = {0};
	memset(mem, 0, sizeof mem);
	for (u32 i = 0; i < t->m; i++)
		for (u32 k = 0; k < t->k; k++)
			put(mem + A_AT, ar ? i * lda + k : k * lda + i, t->bits, encode(t->a, a[i][k] = draw(t, &seed)));
	for (u32 k = 0; k < t->k; k++)
		for (u32 j = 0; j < t->n; j++)
			put(mem + B_AT, br ? k * ldb + j : j * ldb + k, t->bits, encode(t->a, b[k][j] = draw(t, &seed)));
	for (u32 i = 0; i < t->m; i++)
		for (u32 j = 0; j < t->n; j++)
			put(mem + C_AT, cr ? i * ldc + j : j * ldc + i, t->cbits, encode(t->c, c[i][j] = draw(t, &seed)));
	sprintf(shape, "m%un%uk%u", t->m, t->n, t->k);
	sprintf(pa, "%sa", fa), sprintf(pb, "%sb", fa);
	sprintf(pc, "%sc", accumulator(t->c)), sprintf(pd, "%sd", accumulator(t->d));
	p += sprintf(p,
	             HEAD
	             ".shared .align 128 .b8 sm[%u];\n.visible .entry k(.param .u64 p, .param .u64 in)\n{\n"
	             ".reg .b32 %%ra<8>, %%rb<8>, %%rc<8>, %%rd<8>, %%r<9>; .reg .f32 %%fc<8>, %%fd<8>; .reg .b64 %%q<9>;\n"
	             ".reg .f64 %%da<2>, %%db<2>, %%dc<2>, %%dd<2>; .reg .pred %%p;\nld.param.u64 %%q1, [in];\n",
	             BYTES);
	if (shared || generic) { /* copy there, each warp all of it */
		p += sprintf(p,
		             "mov.u32 %%r1, %%laneid; shl.b32 %%r1, %%r1, 2; mov.u32 %%r2, sm; add.u32 %%r2, %%r2, %%r1;\n"
		             "cvt.u64.u32 %%q2, %%r1; add.u64 %%q3, %%q1, %%q2; mov.u32 %%r3, 0;\n"
		             "L: ld.global.u32 %%r4, [%%q3]; st.shared.u32 [%%r2], %%r4; add.u64 %%q3, %%q3, 128;\n"
		             "add.u32 %%r2, %%r2, 128; add.u32 %%r3, %%r3, 128; setp.lt.u32 %%p, %%r3, %d; @%%p bra L;\n"
		             "bar.sync 0;\n",
		             D_AT);
	}
	if (generic)
		p += sprintf(p, "mov.u32 %%r5, sm; cvt.u64.u32 %%q4, %%r5; cvta.shared.u64 %%q5, %%q4;\n");
	const char *base = shared ? "sm" : generic ? "%q5" : "%q1";
	p += sprintf(p, "wmma.load.a.sync.aligned.%s.%s%s.%s ", ar ? "row" : "col", shape, space, t->a);
	p = list(p, pa, t->regs_a);
	p += sprintf(p, ", [%s+%d], %u;\nwmma.load.b.sync.aligned.%s.%s%s.%s ", base, A_AT, lda, br ? "row" : "col", shape,
	             space, t->a);
	p = list(p, pb, t->regs_b);
	p += sprintf(p, ", [%s+%d], %u;\nwmma.load.c.sync.aligned.%s.%s%s.%s ", base, B_AT, ldb, cr ? "row" : "col", shape,
	             space, t->c);
	p = list(p, pc, registers_of(t, t->cbits));
	p += sprintf(p, ", [%s+%d], %u;\nwmma.mma%s.sync.aligned.%s.%s.%s.", base, C_AT, ldc,
	             t->bits == 1 ? ".xor.popc" : "", ar ? "row" : "col", br ? "row" : "col", shape);
	p += strcmp(t->a, "f16") ? sprintf(p, "%s.%s.%s.%s ", t->d, t->a, t->a, t->c) : sprintf(p, "%s.%s ", t->d, t->c);
	p = list(p, pd, registers_of(t, t->dbits));
	p = list(p + sprintf(p, ","), pa, t->regs_a);
	p = list(p + sprintf(p, ","), pb, t->regs_b);
	p = list(p + sprintf(p, ","), pc, registers_of(t, t->cbits));
	p += sprintf(p, ";\nwmma.store.d.sync.aligned.%s.%s%s.%s [%s+%d],", cr ? "row" : "col", shape, space, t->d, base,
	             D_AT);
	p = list(p, pd, registers_of(t, t->dbits));
	p += sprintf(p, ", %u;\n", ldd);
	if (shared || generic) {
		p += sprintf(p,
		             "bar.sync 0; mov.u32 %%r2, sm; add.u32 %%r2, %%r2, %%r1; add.u64 %%q3, %%q1, %%q2;\n"
		             "add.u64 %%q3, %%q3, %d; add.u32 %%r2, %%r2, %d; mov.u32 %%r3, 0;\n"
		             "M: ld.shared.u32 %%r4, [%%r2]; st.global.u32 [%%q3], %%r4; add.u64 %%q3, %%q3, 128;\n"
		             "add.u32 %%r2, %%r2, 128; add.u32 %%r3, %%r3, 128; setp.lt.u32 %%p, %%r3, %d; @%%p bra M;\n",
		             D_AT, D_AT, BYTES - D_AT);
	}
	sprintf(p, "ret;\n}\n");
	rig_open(text, false);
	const u64 at = devmem_alloc(&r.mem, BYTES, "matrices", &e);
	if (!at || !devmem_write(&r.mem, at, mem, BYTES, &e))
		fail_msg("%s", e.msg);
	memcpy(r.l.params + 8, &at, 8);
	rig_run();
	fault_text(FAULT_NONE);
	if (!devmem_read(&r.mem, at, out, BYTES, &e))
		fail_msg("%s", e.msg);
	for (u32 i = 0; i < t->m; i++)
		for (u32 j = 0; j < t->n; j++) {
			s32 want = c[i][j];
			for (u32 k = 0; k < t->k; k++)
				want += t->bits == 1 ? a[i][k] ^ b[k][j] : a[i][k] * b[k][j];
			const s32 got = decode(t->d, get(out + D_AT, cr ? i * ldd + j : j * ldd + i, t->dbits));
			if (got != want)
				fail_msg("%s %s %s.%s.%s%s: D[%u][%u] = %d, want %d\n%s", t->a, shape, ar ? "row" : "col",
				         br ? "row" : "col", cr ? "row" : "col", space, i, j, got, want, text);
		}
	for (u32 i = 0; cr && i + 1 < t->m && t->cbits >= 8; i++) /* nothing between the rows */
		for (u32 k = t->n * t->dbits / 8; k < ldd * t->dbits / 8; k++)
			assert_int_equal(out[D_AT + i * ldd * t->dbits / 8 + k], 0);
	rig_close();
}
static void wmma_all(void **state)
{
	static const char *const spaces[] = {".global", ".shared", ""};
	for (u32 i = 0; i < ARRAY_LEN(kinds); i++)
		for (u32 v = 0; v < 8; v++)
			for (u32 s = 0; s < 3; s++)
				if (kinds[i].any_layout || (v & 3) == 1)
					run_wmma(&kinds[i], v & 1, v & 2, v & 4, spaces[s]);
}

/* --- ldmatrix, movmatrix ------------------------------------------------------------------------------------------ */

#define MTOP                                                                                                           \
	HEAD ".shared .align 128 .b8 sm[4096];\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<40>; .reg .b64 %q<9>;\n" \
	     ".reg .pred %p<3>;\nld.param.u64 %q1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %q2, %r1, 16;\n"               \
	     "add.u64 %q3, %q1, %q2;\nmov.u32 %r2, sm;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r4, %r2, %r3;\n"                    \
	     "mad.lo.u32 %r5, %r1, 131074, 65536;\n" /* halves 2t, 2t + 1 */                                               \
	     "st.shared.u32 [%r4], %r5;\nbar.sync 0;\nmov.u32 %r6, %laneid;\n"                                             \
	     "mul.lo.u32 %r7, %r6, 5;\nand.b32 %r7, %r7, 31;\nshl.b32 %r7, %r7, 4;\nadd.u32 %r8, %r2, %r7;\n" /* row 5l %  \
	                                                                                                         32 */
static u32 half_at(u32 lane, u32 k) /* the k-th half of the row whose address a lane gives */
{
	return lane * 5 % 32 * 8 + k;
}
static void ldmatrix(void **state)
{
	static const char *const regs[] = {"%r10", "%r10,%r11", "", "%r10,%r11,%r12,%r13"};
	for (u32 n = 1; n <= 4; n *= 2)
		for (u32 variant = 0; variant < 4; variant++) {
			const bool trans = variant & 1, generic = variant & 2;
			char text[3000];
			snprintf(text, sizeof text,
			         "%smov.u32 %%r10, 7; mov.u32 %%r11, 7; mov.u32 %%r12, 7; mov.u32 %%r13, 7;\n"
			         "cvt.u64.u32 %%q4, %%r8; cvta.shared.u64 %%q5, %%q4;\n"
			         "ldmatrix.sync.aligned.m8n8.x%u%s%s.b16 {%s}, [%s];\nst.global.v4.u32 [%%q3], "
			         "{%%r10,%%r11,%%r12,%%r13};\nret;\n}\n",
			         MTOP, n, trans ? ".trans" : "", generic ? "" : ".shared", regs[n - 1], generic ? "%q5" : "%r8");
			rig_open(text, false);
			rig_run();
			fault_text(FAULT_NONE);
			struct err e = {0};
			if (!devmem_read(&r.mem, r.buf, r.out, sizeof r.out, &e))
				fail_msg("%s", e.msg);
			for (u32 t = 0; t < N; t++)
				for (u32 k = 0; k < 4; k++) {
					const u32 l = t % 32, g = l / 4, q = l % 4;
					const u32 low = trans ? half_at(8 * k + 2 * q, g) : half_at(8 * k + g, 2 * q);
					const u32 high = trans ? half_at(8 * k + 2 * q + 1, g) : half_at(8 * k + g, 2 * q + 1);
					const u32 want = k < n ? low | high << 16 : 7;
					if (r.out[4 * t + k] != want)
						fail_msg("x%u%s: thread %u register %u: 0x%x, want 0x%x", n, trans ? ".trans" : "", t, k,
						         r.out[4 * t + k], want);
				}
			rig_close();
		}
}
/* The first warp stores registers of noise to rows 5l % 32, which held halves 2t, 2t + 1 before: what is not stored to
 * stays. */
static u32 noise(u32 t, u32 k)
{
	return (t * 4 + k + 1) * 2654435761u;
}
static void stmatrix(void **state)
{
	static const char *const regs[] = {"%r10", "%r10,%r11", "", "%r10,%r11,%r12,%r13"};
	for (u32 n = 1; n <= 4; n *= 2)
		for (u32 variant = 0; variant < 4; variant++) {
			const bool trans = variant & 1, generic = variant & 2;
			char text[3000];
			u16 want[32 * 8];
			snprintf(
			    text, sizeof text,
			    "%smov.u32 %%r9, 2654435761; mad.lo.u32 %%r20, %%r1, 4, 1; mul.lo.u32 %%r10, %%r20, %%r9;\n"
			    "add.u32 %%r11, %%r10, %%r9; add.u32 %%r12, %%r11, %%r9; add.u32 %%r13, %%r12, %%r9;\n"
			    "setp.ge.u32 %%p1, %%r1, 32; @%%p1 ret;\n"
			    "cvt.u64.u32 %%q4, %%r8; cvta.shared.u64 %%q5, %%q4;\n"
			    "stmatrix.sync.aligned.m8n8.x%u%s%s.b16 [%s], {%s};\nshl.b32 %%r21, %%r1, 4; add.u32 %%r21, %%r21, "
			    "%%r2;\nld.shared.v4.u32 {%%r14,%%r15,%%r16,%%r17}, [%%r21];\nst.global.v4.u32 [%%q3], "
			    "{%%r14,%%r15,%%r16,%%r17};\nret;\n}\n",
			    MTOP, n, trans ? ".trans" : "",
			    generic   ? ""
			    : variant ? ".shared::cta"
			              : ".shared",
			    generic ? "%q5" : "%r8", regs[n - 1]);
			rig_open(text, false);
			rig_run();
			fault_text(FAULT_NONE);
			struct err e = {0};
			if (!devmem_read(&r.mem, r.buf, r.out, sizeof r.out, &e))
				fail_msg("%s", e.msg);
			for (u32 i = 0; i < ARRAY_LEN(want); i += 2) {
				const u32 word = i / 2 * 131074 + 65536; /* as MTOP fills it */
				want[i] = (u16)word;
				want[i + 1] = (u16)(word >> 16);
			}
			for (u32 k = 0; k < n; k++)
				for (u32 l = 0; l < 32; l++)
					for (u32 h = 0; h < 2; h++) {
						const u32 row = trans ? 2 * (l % 4) + h : l / 4, col = trans ? l / 4 : 2 * (l % 4) + h;
						want[half_at(8 * k + row, col)] = (u16)(noise(l, k) >> 16 * h);
					}
			for (u32 i = 0; i < ARRAY_LEN(want); i++)
				if (((const u16 *)r.out)[i] != want[i])
					fail_msg("x%u%s: half %u of row %u is 0x%x, want 0x%x", n, trans ? ".trans" : "", i % 8, i / 8,
					         ((const u16 *)r.out)[i], want[i]);
			rig_close();
		}
}
static void movmatrix(void **state)
{
	rig_open(MTOP "shl.b32 %r9, %r6, 1; shl.b32 %r14, %r9, 16; add.u32 %r15, %r9, %r14; add.u32 %r15, %r15, 65536;\n"
	              "movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r15;\nst.global.u32 [%q3], %r10;\nret;\n}\n",
	         false);
	rig_run();
	fault_text(FAULT_NONE);
	struct err e = {0};
	if (!devmem_read(&r.mem, r.buf, r.out, sizeof r.out, &e))
		fail_msg("%s", e.msg);
	for (u32 t = 0; t < N; t++) {
		const u32 g = t % 32 / 4, q = t % 4;
		assert_int_equal(r.out[4 * t], (2 * q * 8 + g) | ((2 * q + 1) * 8 + g) << 16);
	}
	rig_close();
}
/* cp.async: sizes, a source size with zeros behind it, ignore-src. Thread t copies from word 4t of a table to its own
 * 16 bytes of shared memory, which hold 7 before. */
static void copies(void **state)
{
	static const struct {
		const char *op, *behind;
		u32 bytes;
	} t[] = {{"cp.async.ca.shared.global", "4", 4},
	         {"cp.async.ca.shared::cta.global.L2::128B", "8", 8},
	         {"cp.async.cg.shared.global.L2::256B", "16", 16},
	         {"cp.async.ca.shared.global", "16, %r20", 16},
	         {"cp.async.cg.shared.global", "16, %p1", 16},
	         {"cp.async.ca.shared.global", "4, 0", 4}};
	for (u32 i = 0; i < ARRAY_LEN(t); i++) {
		char text[3000];
		struct err e = {0};
		u32 table[4 * N];
		snprintf(text, sizeof text,
		         HEAD ".shared .align 16 .b8 sm[4096];\n.visible .entry k(.param .u64 p, .param .u64 tab)\n{\n"
		              ".reg .b32 %%r<40>; .reg .b64 %%q<9>; .reg .pred %%p<3>;\nld.param.u64 %%q1, [p];\n"
		              "ld.param.u64 %%q4, [tab];\nmov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%q2, %%r1, 16;\n"
		              "add.u64 %%q3, %%q1, %%q2;\nadd.u64 %%q5, %%q4, %%q2;\nshl.b32 %%r2, %%r1, 4;\n"
		              "mov.u32 %%r3, sm;\nadd.u32 %%r4, %%r2, %%r3;\nmov.u32 %%r5, 7;\n"
		              "st.shared.v4.u32 [%%r4], {%%r5,%%r5,%%r5,%%r5};\nsub.u32 %%r6, %%r4, 32;\n"
		              "and.b32 %%r20, %%r1, 31;\nand.b32 %%r21, %%r1, 1;\nsetp.eq.u32 %%p1, %%r21, 1;\n"
		              "%s [%%r6+32], [%%q5], %s;\ncp.async.commit_group;\ncp.async.wait_group 0;\n"
		              "cp.async.wait_all;\nld.shared.v4.u32 {%%r10,%%r11,%%r12,%%r13}, [%%r4];\n"
		              "st.global.v4.u32 [%%q3], {%%r10,%%r11,%%r12,%%r13};\nret;\n}\n",
		         t[i].op, t[i].behind);
		rig_open(text, false);
		for (u32 k = 0; k < 4 * N; k++)
			table[k] = 0x01010101 * (k % 255 + 1);
		const u64 at = devmem_alloc(&r.mem, sizeof table, "table", &e);
		if (!at || !devmem_write(&r.mem, at, table, sizeof table, &e))
			fail_msg("%s", e.msg);
		memcpy(r.l.params + 8, &at, 8);
		rig_run();
		fault_text(FAULT_NONE);
		for (u32 k = 0; k < 16 * N; k++) {
			const u32 th = k / 16, size = i == 3   ? MIN(th % 32, 16u)
			                              : i == 4 ? (th & 1 ? 0u : 16u)
			                              : i == 5 ? 0u
			                                       : t[i].bytes;
			const u8 old = k % 4 ? 0 : 7, got = ((const u8 *)r.out)[k];
			const u8 want = k % 16 < size ? ((const u8 *)table)[k] : k % 16 < t[i].bytes ? 0 : old;
			if (got != want)
				fail_msg("%s %s: byte %u of thread %u: %u, want %u", t[i].op, t[i].behind, k % 16, th, got, want);
		}
		rig_close();
	}
}
/* A row out of the CTA's shared memory, one that is not aligned, and half a warp. */
static void faults(void **state)
{
	rig_open(MTOP "add.u32 %r8, %r8, 1000000;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r8];\nret;\n}\n",
	         false);
	rig_run();
	fault_text(FAULT_SHARED_OOB);
	rig_close();
	rig_open(MTOP "add.u32 %r8, %r8, 8;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r8];\nret;\n}\n", false);
	rig_run();
	fault_text(FAULT_MISALIGNED);
	rig_close();
	rig_open(MTOP "add.u32 %r8, %r8, 4000;\nstmatrix.sync.aligned.m8n8.x2.shared.b16 [%r8], {%r10,%r11};\nret;\n}\n",
	         false);
	rig_run();
	assert_non_null(strstr(fault_text(FAULT_SHARED_OOB), "store"));
	rig_close();
	rig_open(MTOP "setp.lt.u32 %p1, %r6, 16;\n@%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r8];\nret;\n}\n",
	         false);
	rig_run();
	assert_non_null(strstr(fault_text(FAULT_DIVERGENT_MATRIX), "lanes 0x0000ffff only"));
	rig_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(wmma_all), cmocka_unit_test(ldmatrix),
	                                   cmocka_unit_test(stmatrix), cmocka_unit_test(movmatrix),
	                                   cmocka_unit_test(copies),   cmocka_unit_test(faults)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
