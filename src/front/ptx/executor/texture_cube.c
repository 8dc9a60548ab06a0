#include "front/ptx/executor/texture_cube.h"

#include <math.h>

u32 cube_face(const float v[3], float at[2])
{
	static const struct {
		u8 s, t;                /* the coordinates that go to the right and down */
		signed char sign[2][2]; /* by the sign of the largest one */
	} faces[3] = {{2, 1, {{-1, -1}, {1, -1}}}, {0, 2, {{1, 1}, {1, -1}}}, {0, 1, {{1, -1}, {-1, -1}}}};
	const float x = fabsf(v[0]), y = fabsf(v[1]), z = fabsf(v[2]);
	const u32 axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
	const u32 negative = v[axis] < 0;
	const float m = fabsf(v[axis]);
	at[0] = ((float)faces[axis].sign[negative][0] * v[faces[axis].s] / m + 1) / 2;
	at[1] = ((float)faces[axis].sign[negative][1] * v[faces[axis].t] / m + 1) / 2;
	return 2 * axis + negative;
}
