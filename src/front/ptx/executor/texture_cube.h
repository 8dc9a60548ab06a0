/* Cube maps: which face a direction meets, and where (CUDA C++ Programming Guide, cubemap textures). */
#ifndef FRONT_PTX_EXECUTOR_TEXTURE_CUBE_H
#define FRONT_PTX_EXECUTOR_TEXTURE_CUBE_H
#include "base/base.h"

/* The face 0..5 (+x, -x, +y, -y, +z, -z) of the direction v, and the place in it from 0 to 1. Where two coordinates are
 * the largest, the guide leaves the face open: here z comes before y, and y before x, as in Direct3D. */
u32 cube_face(const float v[3], float at[2]);
#endif
