/* coordinates: a CTA of a grid or a thread of a CTA, as people write them: its number, or X,Y,Z. */
#ifndef OBS_NAME_COORDINATES_H
#define OBS_NAME_COORDINATES_H
#include "base/strbuf.h"
#include "ir/ir.h"

struct coordinates {
	u32 parts; /* 0 = none given; 1: at[0] is a linear number; 2, 3: x, y and z, which is 0 if left out */
	u64 at[3];
};
/* "17", "1,2", "(20,15,0)". False: it is none; *c is then without parts. */
bool coordinates_read(const char *text, struct coordinates *c);
/* Is there such a place in a grid or block of size d? */
bool coordinates_inside(const struct coordinates *c, struct dim3 d);
/* The linear number of a place in a grid or block of size d. It must be inside. */
u64 coordinates_linear(const struct coordinates *c, struct dim3 d);
/* "17", "1,2", "20,15,0" */
void coordinates_text(const struct coordinates *c, struct strbuf *out);
#endif
