#include "scr/palette.h"

/* 8 and 16 colours: 0 black 1 red 2 green 3 yellow 4 blue 5 magenta 6 cyan 7 white, + 8 = bright */
const struct look palette[R_COUNT] = {
    [R_TEXT] = {-1, -1, -1, -1, false, false},      [R_DIM] = {246, 243, 7, -1, false, false},
    [R_FAINT] = {240, 250, 8, -1, false, true},     [R_ACCENT] = {221, 26, 11, 3, true, false},
    [R_TITLE] = {-1, -1, -1, -1, true, false},      [R_GOOD] = {43, 29, 10, 2, false, false},
    [R_WARN] = {215, 130, 3, 3, false, false},      [R_BAD] = {203, 160, 9, 1, true, false},
    [R_ISSUED] = {43, 29, 10, 2, true, false},      [R_READY] = {117, 25, 14, 6, false, false},
    [R_SHORT] = {68, 61, 12, 4, false, false},      [R_MEM] = {179, 130, 3, 3, false, false},
    [R_REFUSED] = {203, 160, 9, 1, false, false},   [R_BARRIER] = {176, 133, 13, 5, false, false},
    [R_FETCH] = {187, 100, 11, 7, false, false},    [R_SER0] = {74, 25, 14, 6, false, false},
    [R_SER1] = {179, 130, 3, 3, false, false},      [R_SER2] = {72, 29, 10, 2, false, false},
    [R_SER3] = {176, 133, 13, 5, false, false},     [R_SER4] = {167, 160, 9, 1, false, false},
    [R_SER5] = {186, 100, 11, 7, false, false},     [R_FILL0] = {29, 72, 2, 2, false, false},
    [R_FILL1] = {67, 110, 6, 6, false, false},      [R_FILL2] = {137, 180, 3, 3, false, false},
    [R_FILL3] = {96, 182, 5, 5, false, false},      [R_FILL4] = {66, 152, 4, 4, false, false},
    [R_OPCODE] = {117, 25, 14, 6, false, false},    [R_REGISTER] = {-1, -1, -1, -1, false, false},
    [R_LABEL] = {186, 100, 11, 3, false, false},    [R_COMMENT] = {243, 246, 7, -1, false, true},
    [R_DIRECTIVE] = {140, 97, 13, 5, false, false},
};
