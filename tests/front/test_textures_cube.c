/* Cube maps and the gather of four texels, from PTX text against plain references. The faces of the reference are the
 * table of the CUDA programming guide, as three axes each: the face is the one whose own axis the direction has most
 * of.
 */
#include "tests/rig/kernel_rig.h"
#include "base/rng.h"

enum { S = 6, CUBES = 2, LAYERS = 6 * CUBES };
static u32 store[LAYERS * S * S * 4];
static double value[LAYERS][S][S][4];
static float in[N][4]; /* a direction or a place; the layer as bits */
static u64 seed = 5;

static const s32 axes[6][3][3] = {/* of each face: its own, to the right, down */
                                  {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
                                  {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},   {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}},
                                  {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}},  {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}}};

struct kase {
	const char *op, *geom; /* "tex", "tex.level", "tld4.b" ... */
	u8 type, channels, address;
	bool linear, read_normalised, normalised;
};
static bool is_cube(const struct kase *k)
{
	return strstr(k->geom, "cube") != NULL;
}
static bool is_layered(const struct kase *k)
{
	return k->geom[0] == 'a';
}
static bool is_real(const struct kase *k)
{
	return k->type == T_F32 || k->read_normalised;
}
static double along(const s32 axis[3], const float v[3])
{
	return axis[0] * (double)v[0] + axis[1] * (double)v[1] + axis[2] * (double)v[2];
}
/* The layer, and the place in texels. */
static u32 place_of(const struct kase *k, const float v[4], double at[2])
{
	u32 layer, face = 0;
	memcpy(&layer, &v[3], 4);
	if (!is_cube(k)) {
		for (u32 d = 0; d < 2; d++)
			at[d] = (double)v[d] * (k->normalised ? S : 1);
		return is_layered(k) ? MIN(layer, LAYERS - 1u) : 0;
	}
	for (u32 f = 1; f < 6; f++) /* of several, z before y before x */
		if (along(axes[f][0], v) >= along(axes[face][0], v))
			face = f;
	for (u32 d = 0; d < 2; d++)
		at[d] = (along(axes[face][1 + d], v) / along(axes[face][0], v) + 1) / 2 * S;
	return 6 * (is_layered(k) ? MIN(layer, CUBES - 1u) : 0) + face;
}
static double texel(const struct kase *k, u32 layer, s64 x, s64 y, u32 c)
{
	const bool border = !is_cube(k) && k->address == TEXA_BORDER && (x < 0 || x >= S || y < 0 || y >= S);
	if (!is_cube(k) && k->normalised && k->address == TEXA_WRAP) {
		x = (x % S + S) % S;
		y = (y % S + S) % S;
	}
	x = MIN(MAX(x, 0), S - 1);
	y = MIN(MAX(y, 0), S - 1);
	return border ? 0 : c < k->channels ? value[layer][y][x][c] : c == 3;
}
static void ref_fetch(const struct kase *k, const float v[4], double out[4])
{
	double at[2];
	const u32 layer = place_of(k, v, at);
	const bool gathers = !strncmp(k->op, "tld4", 4), linear = k->linear && is_real(k);
	const double x = at[0] - (gathers || linear ? 0.5 : 0), y = at[1] - (gathers || linear ? 0.5 : 0);
	const s64 i = (s64)floor(x), j = (s64)floor(y);
	if (gathers) {
		const u32 c = (u32)(strchr("rgba", k->op[5]) - "rgba");
		out[0] = texel(k, layer, i, j + 1, c);
		out[1] = texel(k, layer, i + 1, j + 1, c);
		out[2] = texel(k, layer, i + 1, j, c);
		out[3] = texel(k, layer, i, j, c);
		return;
	}
	const double wx = floor((x - floor(x)) * 256 + 0.5) / 256, wy = floor((y - floor(y)) * 256 + 0.5) / 256;
	for (u32 c = 0; c < 4; c++)
		out[c] = !linear
		             ? texel(k, layer, i, j, c)
		             : (1 - wx) * (1 - wy) * texel(k, layer, i, j, c) + wx * (1 - wy) * texel(k, layer, i + 1, j, c) +
		                   (1 - wx) * wy * texel(k, layer, i, j + 1, c) + wx * wy * texel(k, layer, i + 1, j + 1, c);
}

static float random_float(void)
{
	return (float)((double)(s64)rng_next(&seed) * 0x1p-62);
}
static bool near_texel_border(const struct kase *k, const float v[4])
{
	double at[2];
	place_of(k, v, at);
	for (u32 d = 0; d < 2; d++)
		if (fabs(2 * at[d] - nearbyint(2 * at[d])) < 1e-3)
			return true;
	return false;
}
/* Directions of every length, among them ones along an axis and into edges and corners; places in and around. */
static void make_input(const struct kase *k, u32 t)
{
	do
		for (u32 d = 0; d < 3; d++)
			in[t][d] = is_cube(k) ? random_float() * (t % 5 ? 1 : 1e20f)
			                      : (random_float() + 0.5f) * 1.5f * (k->normalised ? 1 : S);
	while (near_texel_border(k, in[t]));
	if (is_cube(k) && t % 4 == 0 && t / 4 % 3 != 0) { /* two coordinates of one size, or all */
		in[t][1] = in[t][0] * (t & 4 ? -1 : 1);
		if (t / 4 % 3 == 2)
			in[t][2] = in[t][0] * (t & 8 ? -1 : 1);
	}
	const u32 layer = (u32)(rng_next(&seed) >> 40) % (LAYERS + 2);
	memcpy(&in[t][3], &layer, 4);
}
static void make_texels(const struct kase *k)
{
	for (u32 i = 0; i < LAYERS * S * S; i++)
		for (u32 c = 0; c < k->channels; c++) {
			const u32 raw = (u32)(rng_next(&seed) >> 32), at = i * k->channels + c;
			double *v = &value[i / (S * S)][i / S % S][i % S][c];
			if (k->type == T_F32) {
				const float f = (float)(s32)raw * 0x1p-20f;
				memcpy(&store[at], &f, 4);
				*v = (double)f;
			} else {
				((u8 *)store)[at] = (u8)raw;
				*v = (u8)raw / (k->read_normalised ? 255.0 : 1);
			}
		}
}

static void check(const struct kase *k)
{
	struct err e = {0};
	char ptx[4096];
	const char *place = !is_cube(k)     ? (is_layered(k) ? "{%r15, %f12, %f13, %f13}" : "{%f12, %f13}")
	                    : is_layered(k) ? "{%r15, %f12, %f13, %f14}"
	                                    : "{%f12, %f13, %f14, %f14}";
	snprintf(ptx, sizeof(ptx),
	         "%s.reg .b32 %%q<20>;\nld.param.u64 %%rd5, [p2];\nmul.wide.u32 %%rd4, %%r1, 16;\n"
	         "add.s64 %%rd5, %%rd5, %%rd4;\nadd.s64 %%rd6, %%rd1, %%rd4;\n"
	         "ld.global.v4.u32 {%%r12, %%r13, %%r14, %%r15}, [%%rd5];\n"
	         "mov.b32 %%f12, %%r12;\nmov.b32 %%f13, %%r13;\nmov.b32 %%f14, %%r14;\nld.global.u64 %%rd8, [%%rd1];\n"
	         "bar.sync 0;\n%s.%s.v4.%s.f32 {%%q1, %%q2, %%q3, %%q4}, [%%rd8, %s]%s;\n"
	         "st.global.v4.u32 [%%rd6], {%%q1, %%q2, %%q3, %%q4};\nret;\n}\n",
	         HEAD BEGIN, k->op, k->geom, is_real(k) ? "f32" : "u32", place,
	         strstr(k->op, "level")  ? ", 0f00000000"
	         : strstr(k->op, "grad") ? ", {%f12, %f12, %f12, %f12}, {%f13, %f13, %f13, %f13}"
	                                 : "");
	make_texels(k);
	for (u32 t = 0; t < N; t++)
		make_input(k, t);
	rig_open(ptx, false);
	const u64 img = devmem_alloc(&r.mem, sizeof(store), "img", &e), coords = devmem_alloc(&r.mem, sizeof(in), "in", &e);
	assert_true(devmem_write(&r.mem, img, store, sizeof(store), &e) &&
	            devmem_write(&r.mem, coords, in, sizeof(in), &e));
	memcpy(r.l.params + 8, &coords, 8);
	const struct texture t = {.addr = img,
	                          .width = S,
	                          .height = S,
	                          .depth = LAYERS,
	                          .pitch = (u64)S * k->channels * ptype_bytes(k->type),
	                          .channels = k->channels,
	                          .type = k->type,
	                          .address = {k->address, k->address, k->address},
	                          .linear = k->linear,
	                          .normalised_coords = k->normalised,
	                          .read_normalised = k->read_normalised};
	const u64 handle = front_texture_object(r.f, &t, &e);
	assert_true(handle && devmem_write(&r.mem, r.buf, &handle, 8, &e));
	rig_run();
	fault_text(FAULT_NONE);
	for (u32 i = 0; i < N; i++) {
		double want[4];
		ref_fetch(k, in[i], want);
		for (u32 c = 0; c < 4; c++) {
			const u32 bits = r.out[4 * i + c];
			float f;
			memcpy(&f, &bits, 4);
			const double got = is_real(k) ? (double)f : (double)bits;
			if (fabs(got - want[c]) > (is_real(k) ? (k->linear ? 0.02 : 1e-6) * (fabs(want[c]) + 1) : 0))
				fail_msg("%s.%s %s x%u linear %u address %u, (%g %g %g) channel %u: %g, want %g", k->op, k->geom,
				         ptype_name(k->type), k->channels, k->linear, k->address, (double)in[i][0], (double)in[i][1],
				         (double)in[i][2], c, got, want[c]);
		}
	}
	rig_close();
}

static void each_texel(struct kase k)
{
	for (u32 v = 0; v < 6; v++) {
		k.type = v < 3 ? T_F32 : T_U8;
		k.channels = (u8)(1u << v % 3);
		for (u32 b = 0; b < 4; b++) {
			k.linear = b & 1;
			k.read_normalised = k.type == T_U8 && b & 2;
			check(&k);
		}
	}
}
static void test_cube(void **state)
{
	static const char *const ops[] = {"tex", "tex.level", "tex.grad", "tld4.r", "tld4.a"};
	for (u32 i = 0; i < ARRAY_LEN(ops); i++)
		for (u32 layered = 0; layered < 2; layered++)
			each_texel((struct kase){.op = ops[i],
			                         .geom = layered ? "acube" : "cube",
			                         .normalised = i & 1,
			                         .address = i & 1 ? TEXA_WRAP : TEXA_BORDER}); /* neither counts */
}
static void test_gather(void **state)
{
	static const char *const ops[] = {"tld4.r", "tld4.g", "tld4.b", "tld4.a"};
	for (u32 i = 0; i < ARRAY_LEN(ops); i++)
		for (u32 v = 0; v < 6; v++)
			each_texel((struct kase){.op = ops[i],
			                         .geom = v & 1 ? "a2d" : "2d",
			                         .normalised = v > 3,
			                         .address = v < 2   ? TEXA_CLAMP
			                                    : v < 4 ? TEXA_BORDER
			                                            : TEXA_WRAP});
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_cube), cmocka_unit_test(test_gather)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
