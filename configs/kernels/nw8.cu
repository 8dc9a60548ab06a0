/* Needleman-Wunsch with tiles of 8 x 8, a CTA of 8 threads each. */
#define B 8
#include "nw.cu"
