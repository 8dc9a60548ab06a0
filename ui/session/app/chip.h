/* chip: for which chip the code in an application is, and which machine comes nearest. */
#ifndef UI_SESSION_APP_CHIP_H
#define UI_SESSION_APP_CHIP_H
#include "base/base.h"

/* The compute capability (75: 7.5) of the newest PTX in an executable file; 0: there is none to be found (a script, an
 * application whose code is in its libraries). */
u32 chip_of_file(const char *path);
/* The machine that suits it. */
const char *chip_machine(u32 capability);
#endif
