/* Ray tracing of spheres above a chequered floor with point light, shadows and mirrors, one thread a pixel, after the
 * ray tracer RAY of GPGPU-Sim's benchmarks: CTAs of 16 x 8, recursion turned into a loop over the bounces with a weight
 * carried along, spheres in constant memory. Rays of a warp hit different things, so they take different ways through
 * every bounce; one that leaves the scene waits for the others. */
#include "device.h"

#define SPHERES 64
#define EPSILON 1e-3f
#define FAR 1e20f
#define HORIZON 30.0f /* the floor ends here, along a ray: beyond, a pixel would be many of its squares */

__constant__ float4 sphere[SPHERES];  /* centre, radius */
__constant__ float4 surface[SPHERES]; /* colour, share that is mirrored */

struct vec {
	float x, y, z;
};

static __device__ __forceinline__ struct vec along(struct vec o, float t, struct vec d)
{
	struct vec v = {o.x + t * d.x, o.y + t * d.y, o.z + t * d.z};
	return v;
}
static __device__ __forceinline__ float dot(struct vec a, struct vec b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}
static __device__ __forceinline__ struct vec scaled(struct vec a, float s)
{
	struct vec v = {a.x * s, a.y * s, a.z * s};
	return v;
}

/* Distance to sphere i along the ray from o in direction d of length 1; FAR if it misses. The distance of the ray from
 * the centre is taken from their vector and not from a difference of squares, which would lose half the digits. */
static __device__ __forceinline__ float hit_sphere(int i, struct vec o, struct vec d)
{
	float4 s = sphere[i];
	struct vec c = {s.x - o.x, s.y - o.y, s.z - o.z};
	float b = dot(c, d);
	struct vec apart = along(c, -b, d);
	float disc = s.w * s.w - dot(apart, apart);

	if (disc < 0.0f)
		return FAR;
	float root = sqrtf(disc), t = b - root;
	if (t < EPSILON)
		t = b + root;
	return t < EPSILON ? FAR : t;
}

/* The nearest thing: a sphere's index, -1 for the floor y = 0, -2 for nothing. */
static __device__ __forceinline__ int nearest(int n, struct vec o, struct vec d, float *distance)
{
	float best = FAR;
	int what = -2;

	if (d.y < -1e-6f) {
		best = -o.y / d.y;
		what = -1;
	}
	if (best > HORIZON) {
		best = FAR;
		what = -2;
	}
#pragma unroll 1
	for (int i = 0; i < n; i++) {
		float t = hit_sphere(i, o, d);

		if (t < best) {
			best = t;
			what = i;
		}
	}
	*distance = best;
	return what;
}

static __device__ __forceinline__ bool shadowed(int n, struct vec o, struct vec d, float until)
{
#pragma unroll 1
	for (int i = 0; i < n; i++)
		if (hit_sphere(i, o, d) < until)
			return true;
	return false;
}

/* image: red, green, blue planes of width x height; camera (0, eye, 0) looks along z, `step` between pixels of the
 * plane at distance 1. light: position and ambient share. */
extern "C" __global__ void trace(float *image, int width, int height, int n, int bounces, float eye, float step,
                                 float light_x, float light_y, float light_z, float ambient)
{
	int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;

	if (px >= width || py >= height)
		return;
	struct vec o = {0.0f, eye, 0.0f};
	struct vec d = {(px - 0.5f * (width - 1)) * step, (0.5f * (height - 1) - py) * step, 1.0f};
	float red = 0.0f, green = 0.0f, blue = 0.0f, weight = 1.0f;

	d = scaled(d, 1.0f / sqrtf(dot(d, d)));
#pragma unroll 1
	for (int bounce = 0; bounce <= bounces; bounce++) {
		float distance;
		int what = nearest(n, o, d, &distance);

		if (what == -2) { /* sky: brighter towards the zenith */
			float up = 0.3f + 0.5f * (d.y > 0.0f ? d.y : 0.0f);

			red += weight * up * 0.5f;
			green += weight * up * 0.7f;
			blue += weight * up;
			break;
		}
		struct vec p = along(o, distance, d), normal = {0.0f, 1.0f, 0.0f};
		float4 look = {0.9f, 0.9f, 0.9f, 0.1f};

		if (what >= 0) {
			float4 s = sphere[what];
			struct vec out = {p.x - s.x, p.y - s.y, p.z - s.z};

			normal = scaled(out, 1.0f / s.w);
			look = surface[what];
		} else if (((int)floorf(p.x) + (int)floorf(p.z)) & 1) {
			look.x = look.y = look.z = 0.2f;
		}

		struct vec l = {light_x - p.x, light_y - p.y, light_z - p.z};
		float away = sqrtf(dot(l, l));
		l = scaled(l, 1.0f / away);
		float lit = dot(normal, l), shade = ambient;
		if (lit > 0.0f && !shadowed(n, p, l, away))
			shade += (1.0f - ambient) * lit;

		float share = weight * (1.0f - look.w) * shade;
		red += share * look.x;
		green += share * look.y;
		blue += share * look.z;
		weight *= look.w;
		if (weight < 0.01f)
			break;
		o = p;
		d = along(d, -2.0f * dot(d, normal), normal);
	}
	int at = py * width + px, plane = width * height;
	image[at] = red;
	image[at + plane] = green;
	image[at + 2 * plane] = blue;
}
