/* surface: shared by the files that read and execute suld and sust. */
#ifndef FRONT_PTX_EXECUTOR_SURFACE_H
#define FRONT_PTX_EXECUTOR_SURFACE_H
#include "front/ptx/runtime/state.h"

#define TEXTURE_TAG 0x7e00000000ull          /* handles of texture objects: this plus the index; no device pointer */
#define SURFACE_TAG 0x7d00000000ull          /* handles of surface objects: this plus the index of the texture */
enum { SURF_TRAP, SURF_CLAMP, SURF_ZERO };   /* inst.cmp of the address step */
exec_fn exec_surface(const struct inst *in); /* the address step; else NULL */
#endif
