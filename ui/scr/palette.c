#include "scr/palette.h"

#include <stdlib.h>
#include <string.h>

const char *const palette_names[] = {"dark", "light", "auto"};

/* 8 and 16 colours: 0 black 1 red 2 green 3 yellow 4 blue 5 magenta 6 cyan 7 white, + 8 = bright. On a light background
 * neither white nor the bright ones but blue can be read, nor can xterm's yellow, cyan and green: there they are for
 * areas, and cyan for what 8 colours leave no other. Each look: 256, 16 and 8 colours on dark, the same on light. */
#define NONE COLOUR_DEFAULT
/* Areas with a letter in them, or letters. Neighbours stay apart. */
#define LIGHT16(c) ((c) == 6 ? 12 : (c) == 3 ? 8 : (c) == 2 || (c) == 7 ? 0 : (c))
#define LIGHT8(c) ((c) == 6 ? 1 : (c) == 3 ? 4 : (c) == 2 || (c) == 7 ? 0 : (c))
#define SCALE(first, step, d256, l256, c8)                                                                             \
	[(first) + (step)] = {{d256, (c8) + 8, c8}, {l256, LIGHT16(c8), LIGHT8(c8)}, false, false}
const struct look palette[R_COUNT] = {
    [R_TEXT] = {{NONE, NONE, NONE}, {NONE, NONE, NONE}, false, false},
    [R_DIM] = {{246, 7, NONE}, {243, 8, NONE}, false, false},
    [R_FAINT] = {{240, 8, NONE}, {247, 8, NONE}, false, true},
    [R_ACCENT] = {{221, 11, 3}, {26, 4, 4}, true, false},
    [R_TITLE] = {{NONE, NONE, NONE}, {NONE, NONE, NONE}, true, false},
    [R_GOOD] = {{113, 10, 2}, {64, 4, 4}, false, false},
    [R_WARN] = {{215, 3, 3}, {136, 5, 5}, false, false},
    [R_BAD] = {{203, 9, 1}, {160, 1, 1}, true, false},
    [R_ISSUED] = {{43, 10, 2}, {29, 2, 2}, true, false},
    [R_READY] = {{117, 14, 6}, {31, 12, 6}, false, false},
    [R_SHORT] = {{68, 12, 4}, {19, 4, 4}, false, false},
    [R_MEM] = {{179, 3, 3}, {130, 0, 0}, false, false},
    [R_REFUSED] = {{209, 9, 1}, {166, 1, 1}, false, false},
    [R_FENCE] = {{180, 11, 3}, {94, 0, 0}, false, false},
    [R_SLEEP] = {{139, 5, 5}, {96, 5, 5}, false, false},
    [R_BARRIER] = {{176, 13, 5}, {133, 5, 5}, false, false},
    [R_FETCH] = {{187, 11, 7}, {100, 8, 0}, false, false},
    [R_SER0] = {{30, 14, 6}, {52, 12, 6}, false, false},
    [R_SER1] = {{98, 3, 3}, {17, 0, 0}, false, false},
    [R_SER2] = {{28, 10, 2}, {101, 4, 4}, false, false},
    [R_SER3] = {{225, 13, 5}, {68, 5, 5}, false, false},
    [R_SER4] = {{131, 9, 1}, {168, 1, 1}, false, false},
    [R_SER5] = {{101, 11, 7}, {23, 8, 0}, false, false},
    [R_FILL0] = {{29, 2, 2}, {72, 2, 2}, false, false},
    [R_FILL1] = {{67, 6, 6}, {110, 12, 6}, false, false},
    [R_FILL2] = {{137, 3, 3}, {180, 3, 3}, false, false},
    [R_FILL3] = {{96, 5, 5}, {182, 5, 5}, false, false},
    [R_FILL4] = {{66, 12, 4}, {73, 4, 4}, false, false},
    [R_FREE] = {{108, 10, 7}, {65, 8, 0}, false, false},
    [R_COLD] = {{110, 6, 6}, {24, 4, 4}, false, false},
    [R_SECTOR] = {{152, 7, 7}, {30, 8, 0}, false, false},
    [R_CAPACITY] = {{173, 3, 3}, {131, 1, 1}, false, false},
    [R_INVALID] = {{99, 5, 5}, {55, 5, 5}, false, false},
    [R_CONFLICT] = {{161, 9, 1}, {125, 0, 0}, false, false},
    [R_OPCODE] = {{117, 14, 6}, {25, 4, 4}, false, false},
    [R_REGISTER] = {{NONE, NONE, NONE}, {NONE, NONE, NONE}, false, false},
    [R_LABEL] = {{186, 11, 3}, {100, 5, 5}, false, false},
    [R_COMMENT] = {{243, 7, NONE}, {244, 8, NONE}, false, true},
    [R_DIRECTIVE] = {{140, 13, 5}, {97, 12, 1}, false, false},
    /* Violet over blue and green to yellow, and plum over red to sand, neighbours apart for colour-blind eyes too
     * (tests/views/test_palette.c). */
    SCALE(R_SCALE0, 0, 97, 54, 5),
    SCALE(R_SCALE0, 1, 25, 55, 4),
    SCALE(R_SCALE0, 2, 24, 24, 6),
    SCALE(R_SCALE0, 3, 31, 25, 4),
    SCALE(R_SCALE0, 4, 37, 97, 6),
    SCALE(R_SCALE0, 5, 36, 29, 2),
    SCALE(R_SCALE0, 6, 35, 30, 6),
    SCALE(R_SCALE0, 7, 114, 106, 2),
    SCALE(R_SCALE0, 8, 107, 100, 3),
    SCALE(R_SCALE0, 9, 149, 172, 2),
    SCALE(R_SCALE0, 10, 228, 142, 3),
    SCALE(R_SCALE0, 11, 221, 136, 7),
    SCALE(R_SCALE1, 0, 96, 53, 5),
    SCALE(R_SCALE1, 1, 132, 89, 1),
    SCALE(R_SCALE1, 2, 168, 124, 5),
    SCALE(R_SCALE1, 3, 167, 125, 1),
    SCALE(R_SCALE1, 4, 173, 130, 3),
    SCALE(R_SCALE1, 5, 210, 131, 1),
    SCALE(R_SCALE1, 6, 215, 166, 3),
    SCALE(R_SCALE1, 7, 216, 137, 5),
    SCALE(R_SCALE1, 8, 222, 172, 3),
    SCALE(R_SCALE1, 9, 223, 173, 7),
    SCALE(R_SCALE1, 10, 224, 179, 5),
    SCALE(R_SCALE1, 11, 230, 144, 7),
};

int palette_colour(enum role r, int colours, bool light)
{
	const s16 *of = light ? palette[r].light : palette[r].dark;
	return colours >= 256 ? of[0] : colours >= 16 ? of[1] : of[2];
}

bool palette_bold(enum role r, int colours, bool light)
{
	bool blue_on_black = !light && colours >= 8 && colours < 16 && palette[r].dark[2] == 4;
	return palette[r].bold || blue_on_black;
}

int palette_find(const char *name)
{
	for (u32 i = 0; i < ARRAY_LEN(palette_names); i++)
		if (!strcmp(palette_names[i], name))
			return (int)i;
	return -1;
}

bool palette_is_light(enum palette_kind k)
{
	const char *own = getenv("WARPDBG_BACKGROUND"), *fgbg = getenv("COLORFGBG");
	if (k != PALETTE_AUTO)
		return k == PALETTE_LIGHT;
	if (own && *own)
		return !strcmp(own, "light");
	const char *bg = fgbg ? strrchr(fgbg, ';') : NULL;
	return bg && (!strcmp(bg, ";15") || !strcmp(bg, ";7"));
}
