/* Texture fetches from PTX text against a plain reference: every geometry, texel type and channel count, point and
 * linear, float and integer coordinates, references and object handles, tex.level, refusals. */
#include "tests/rig/kernel_rig.h"
#include "tests/rig/refusal.h"

enum { W = 11, H = 6, D = 4, TEXELS = W * H * D };
static u32 store[TEXELS * 4];   /* texels packed as their type asks */
static double value[TEXELS][4]; /* and as numbers */

struct input {
	u32 v[4]; /* x, y, z as bits; layer */
};
static struct input in[N];

struct kase {
	enum texgeom geom;
	bool linear, normalised, integers, read_normalised, object, level;
	u8 type, channels, address;
};

static u32 next(void)
{
	static u32 s = 12345;
	s = s * 1664525 + 1013904223;
	return s >> 4;
}
static void put_texel(u8 type, u32 index, u32 raw, double *as)
{
	u8 *p = (u8 *)store;
	switch (type) {
	case T_U8: p[index] = (u8)raw, *as = (u8)raw; break;
	case T_S8: p[index] = (u8)raw, *as = (s8)raw; break;
	case T_U16: ((u16 *)(void *)p)[index] = (u16)raw, *as = (u16)raw; break;
	case T_S16: ((u16 *)(void *)p)[index] = (u16)raw, *as = (s16)raw; break;
	case T_U32: store[index] = raw * 13, *as = store[index]; break;
	case T_S32: store[index] = raw * 13, *as = (s32)store[index]; break;
	case T_F16: { /* integers up to 1023 are exact halves */
		const u32 v = raw % 1024;
		u32 e = 0;
		while (v >> (e + 1))
			e++;
		((u16 *)(void *)p)[index] = (u16)(v ? (e + 15) << 10 | ((v << (10 - e)) & 1023) : 0);
		*as = v;
		break;
	}
	default: {
		const float f = (float)(s32)(raw % 4096) / 16 - 100;
		memcpy(&store[index], &f, 4), *as = (double)f;
	}
	}
}
static u32 dims_of(enum texgeom g)
{
	return g == TEX_3D ? 3 : g == TEX_2D || g == TEX_A2D ? 2 : 1;
}
static bool is_layered(enum texgeom g)
{
	return g == TEX_A1D || g == TEX_A2D;
}
static bool is_real(const struct kase *k)
{
	return k->type == T_F32 || k->type == T_F16 || k->read_normalised;
}
static double full_scale(u8 type)
{
	return type == T_U8 ? 255 : type == T_S8 ? 127 : type == T_U16 ? 65535 : 32767;
}

/* One texel as numbers; outside means border. */
static void ref_texel(const struct kase *k, s64 i, s64 j, s64 l, bool outside, double out[4])
{
	for (u32 c = 0; c < 4; c++) {
		double v = outside ? 0 : c < k->channels ? value[(l * H + j) * W + i][c] : c == 3;
		if (!outside && c < k->channels && k->read_normalised)
			v = fmax(v / full_scale(k->type), -1);
		out[c] = v;
	}
}
static s64 ref_wrap(s64 i, s64 n, u8 mode, bool *outside)
{
	if (mode == TEXA_BORDER && (i < 0 || i >= n))
		*outside = true;
	if (mode == TEXA_WRAP)
		return ((i % n) + n) % n;
	if (mode == TEXA_MIRROR) {
		i = ((i % (2 * n)) + 2 * n) % (2 * n);
		return i < n ? i : 2 * n - 1 - i;
	}
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}
static void ref_fetch(const struct kase *k, const struct input *p, double out[4])
{
	static const u32 size[3] = {W, H, D};
	const u32 nd = dims_of(k->geom);
	const bool linear = k->linear && is_real(k) && !k->integers;
	const u8 mode = k->integers && k->geom == TEX_1D ? TEXA_BORDER : k->address;
	s64 base[3] = {0};
	double frac[3] = {0};
	for (u32 d = 0; d < nd; d++) {
		float f;
		memcpy(&f, &p->v[d], 4);
		double x = k->integers ? (double)(s32)p->v[d] : (double)f * (k->normalised ? size[d] : 1);
		x -= linear ? 0.5 : 0;
		base[d] = (s64)floor(x);
		frac[d] = linear ? floor((x - floor(x)) * 256 + 0.5) / 256 : 0;
	}
	memset(out, 0, 4 * sizeof(*out));
	for (u32 corner = 0; corner < (linear ? 1u << nd : 1); corner++) {
		s64 at[3] = {0};
		double w = 1, t[4];
		bool outside = false;
		for (u32 d = 0; d < nd; d++) {
			const u32 up = corner >> d & 1;
			at[d] = ref_wrap(base[d] + up, size[d], mode, &outside);
			w *= up ? frac[d] : 1 - frac[d];
		}
		if (is_layered(k->geom))
			at[2] = MIN(p->v[3], D - 1u);
		/* a1d: its layers lie `height` rows apart, as a2d's do */
		ref_texel(k, at[0], at[1], at[2], outside, t);
		for (u32 c = 0; c < 4; c++)
			out[c] += w * t[c];
	}
}

/* Coordinates in and around the texture, clear of the texel borders where the last bit would decide. */
static void make_inputs(const struct kase *k)
{
	static const u32 size[3] = {W, H, D};
	for (u32 t = 0; t < N; t++) {
		for (u32 d = 0; d < 3; d++) {
			const s32 texel = (s32)(next() % (3 * size[d])) - (s32)size[d];
			const float f = ((float)texel + 0.1f + (float)(next() % 800) / 1000) / (float)(k->normalised ? size[d] : 1);
			if (k->integers)
				in[t].v[d] = (u32)texel;
			else
				memcpy(&in[t].v[d], &f, 4);
		}
		in[t].v[3] = next() % (D + 2);
	}
}

static void make_text(const struct kase *k, char *ptx, size_t size)
{
	static const char *const geoms[] = {
	    [TEX_1D] = "1d", [TEX_2D] = "2d", [TEX_3D] = "3d", [TEX_A1D] = "a1d", [TEX_A2D] = "a2d"};
	static const char *const coords[] = {[TEX_1D] = "{%r12}",
	                                     [TEX_2D] = "{%r12, %r13}",
	                                     [TEX_3D] = "{%r12, %r13, %r14, %r14}",
	                                     [TEX_A1D] = "{%r15, %r12}",
	                                     [TEX_A2D] = "{%r15, %r12, %r13, %r13}"};
	char coord[64];
	snprintf(coord, sizeof(coord), "%s", coords[k->geom]);
	for (char *c = coord; *c && !k->integers; c++) /* a layer is always an integer */
		if (*c == 'r' && strncmp(c, "r15", 3) != 0)
			*c = 'f';
	snprintf(ptx, size,
	         "%s.reg .b32 %%q<20>;\nld.param.u64 %%rd5, [p2];\nmul.wide.u32 %%rd4, %%r1, 16;\n"
	         "add.s64 %%rd5, %%rd5, %%rd4;\nadd.s64 %%rd6, %%rd1, %%rd4;\n"
	         "ld.global.v4.u32 {%%r12, %%r13, %%r14, %%r15}, [%%rd5];\n"
	         "mov.b32 %%f12, %%r12;\nmov.b32 %%f13, %%r13;\nmov.b32 %%f14, %%r14;\nld.global.u64 %%rd8, [%%rd1];\n"
	         "bar.sync 0;\ntex%s.%s.v4.%s.%s {%%q1, %%q2, %%q3, %%q4}, [%s, %s]%s;\n"
	         "st.global.v4.u32 [%%rd6], {%%q1, %%q2, %%q3, %%q4};\nret;\n}\n",
	         HEAD ".global .texref tx;\n" BEGIN, k->level ? ".level" : "", geoms[k->geom],
	         is_real(k)                 ? "f32"
	         : ptype_is_signed(k->type) ? "s32"
	                                    : "u32",
	         k->integers ? "s32" : "f32", k->object ? "%rd8" : "tx", coord,
	         !k->level     ? ""
	         : k->integers ? ", %r1"
	                       : ", 0f3f800000");
}

static void compare(const struct kase *k)
{
	for (u32 t = 0; t < N; t++) {
		double want[4];
		ref_fetch(k, &in[t], want);
		for (u32 c = 0; c < 4; c++) {
			const u32 bits = r.out[4 * t + c];
			float f;
			memcpy(&f, &bits, 4);
			const double got = is_real(k) ? (double)f : ptype_is_signed(k->type) ? (double)(s32)bits : (double)bits;
			if (fabs(got - want[c]) > (is_real(k) ? 1e-5 * (fabs(want[c]) + 1) : 0))
				fail_msg(
				    "geometry %u type %s x%u linear %u normalised %u integers %u read_normalised %u address %u thread "
				    "%u channel %u: %g, want %g",
				    k->geom, ptype_name(k->type), k->channels, k->linear, k->normalised, k->integers,
				    k->read_normalised, k->address, t, c, got, want[c]);
		}
	}
}

static void check(const struct kase *k)
{
	struct err e = {0};
	char ptx[4096];
	make_text(k, ptx, sizeof(ptx));
	for (u32 i = 0; i < TEXELS; i++)
		for (u32 c = 0; c < k->channels; c++)
			put_texel(k->type, i * k->channels + c, next(), &value[i][c]);
	make_inputs(k);
	rig_open(ptx, false);
	const u64 img = devmem_alloc(&r.mem, sizeof(store), "img", &e), coords = devmem_alloc(&r.mem, sizeof(in), "in", &e);
	assert_true(devmem_write(&r.mem, img, store, sizeof(store), &e) &&
	            devmem_write(&r.mem, coords, in, sizeof(in), &e));
	memcpy(r.l.params + 8, &coords, 8);
	struct texture t = {.addr = img,
	                    .width = W,
	                    .height = k->geom == TEX_1D ? 0 : H,
	                    .depth = k->geom == TEX_1D || k->geom == TEX_2D ? 0 : D,
	                    .pitch = (u64)W * k->channels * ptype_bytes(k->type),
	                    .channels = k->channels,
	                    .type = k->type,
	                    .address = {k->address, k->address, k->address},
	                    .linear = k->linear,
	                    .normalised_coords = k->normalised,
	                    .read_normalised = k->read_normalised};
	if (k->object) {
		const u64 handle = front_texture_object(r.f, &t, &e);
		assert_true(handle != 0);
		assert_true(devmem_write(&r.mem, r.buf, &handle, 8, &e));
	} else if (!front_bind_texture(r.f, r.m, "tx", &t, &e)) {
		fail_msg("%s", e.msg);
	}
	rig_run();
	fault_text(FAULT_NONE);
	compare(k);
	rig_close();
}

static void test_geometries(void **state)
{
	for (u32 g = TEX_1D; g <= TEX_A2D; g++)
		for (u32 bits = 0; bits < 16; bits++) {
			const bool norm = bits & 2;
			const u8 modes[2][2] = {{TEXA_CLAMP, TEXA_BORDER}, {TEXA_WRAP, TEXA_MIRROR}};
			check(&(struct kase){.geom = (enum texgeom)g,
			                     .linear = bits & 1,
			                     .normalised = norm,
			                     .object = bits & 8,
			                     .level = bits & 8,
			                     .type = T_F32,
			                     .channels = (u8)(1 << (bits + g) % 3),
			                     .address = modes[norm][bits >> 2 & 1]});
		}
}
static void test_texel_types(void **state)
{
	static const u8 types[] = {T_U8, T_S8, T_U16, T_S16, T_U32, T_S32, T_F16};
	for (u32 i = 0; i < ARRAY_LEN(types); i++)
		for (u32 channels = 1; channels <= 4; channels *= 2)
			for (u32 norm = 0; norm < (ptype_bytes(types[i]) < 4 && types[i] != T_F16 ? 2u : 1); norm++)
				for (u32 linear = 0; linear < 2; linear++)
					check(&(struct kase){.geom = TEX_2D,
					                     .type = types[i],
					                     .channels = (u8)channels,
					                     .read_normalised = norm,
					                     .linear = linear,
					                     .address = linear ? TEXA_BORDER : TEXA_CLAMP});
}
static void test_integer_coordinates(void **state)
{
	static const u8 types[] = {T_U8, T_S16, T_S32, T_F32};
	for (u32 g = TEX_1D; g <= TEX_A2D; g++)
		for (u32 i = 0; i < ARRAY_LEN(types); i++)
			for (u32 k = 0; k < 4; k++)
				check(&(struct kase){.geom = (enum texgeom)g,
				                     .type = types[i],
				                     .channels = (u8)(k & 1 ? 4 : 1),
				                     .integers = true,
				                     .level = k & 2,
				                     .address = k & 2 ? TEXA_BORDER : TEXA_CLAMP});
}
static void test_refused(void **state)
{
	static const char *const bodies[] = {
	    "tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%f1, %f2}];\n",
	    "tex.cube.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tx, {%r1, %r1, %r1, %r1}];\n",
	    "tex.acube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%r1, %f2, %f3}];\n",
	    "tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tx, {%r1, %r1, %r1, %r1}];\n",
	    "tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%f1, %f2}], {%f1, %f2};\n",
	    "tld4.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%f1, %f2}];\n",
	    "tld4.r.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%f1, %f2, %f3, %f4}];\n",
	    "tld4.r.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tx, {%r1, %r1}];\n",
	    "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%f1, %f2}], %f1;\n",
	    "suld.b.cube.b32.trap {%r1}, [tx, {%r1, %r2}];\n",
	    "tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%f1, %f2}];\n",
	    "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%f1, %f2}], 0f00000000;\n",
	    "tex.2d.f32.f32 %f1, [tx, {%f1, %f2}];\n",
	    "suld.b.2d.b32.trap {%r1}, [tx, {%r1, %r2}];\n",
	    "sust.b.2d.b32.trap [tx, {%r1, %r2}], {%r1};\n",
	    "txq.size.b32 %r1, [tx];\n",
	};
	for (u32 i = 0; i < ARRAY_LEN(bodies); i++) {
		char word[8];
		const struct refusal why = expect_refused(HEAD ".global .texref tx;\n" BEGIN, bodies[i], END);
		snprintf(word, sizeof(word), "%.3s", bodies[i]);
		expect_words(why.text, word[0] != 's' ? word : strstr(bodies[i], "cube") ? "cube" : "surface reference 'tx'");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_geometries),
	    cmocka_unit_test(test_texel_types),
	    cmocka_unit_test(test_integer_coordinates),
	    cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
