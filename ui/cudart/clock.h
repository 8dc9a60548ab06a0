/* clock: host clocks of the program that go by simulated time (warpdbg's --app-clock simulated).
 *
 * A library of its own, libwarpdbg-clock.so, is preloaded then. It answers clock_gettime() and its like with
 *
 *   what the program has used by itself, measured, + simulated time
 *
 * so that the time between two readings around a kernel is the machine's, with the program's own work beside it. While
 * a call waits for warpdbg the measured part stands still; the time of the machine comes with each answer. Clocks of
 * processor time count the machine's time, too: CUDA's run time waits by spinning.
 *
 * Where history is kept each reading is asked of warpdbg, and the measured part of the answer is on record: a program
 * that is started again for a change in the past is told the same times. Else readings cost no question.
 *
 * The library that has the connection (link.c) finds the struct below by its name, where it is; it tells of its waits
 * and gives the function that asks. */
#ifndef UI_CUDART_CLOCK_H
#define UI_CUDART_CLOCK_H
#include <stdint.h>

/* What the environment says: "KEPT LATER BEHIND". KEPT: 1 = history is kept, readings are asked for. LATER: ns by which
 * this process starts later than the first one of the program. BEHIND: ns of the time of day before the monotonic
 * clock's beginning. */
#define CLOCK_VARIABLE "WARPDBG_APP_CLOCK"

enum clock_kind { CLOCK_WALL, CLOCK_PROCESS, CLOCK_THREAD };
struct warpdbg_clock {
	/* Around each question, by the one thread that asks; `simulated` is the machine's time in ns. */
	void (*wait_begins)(void);
	void (*wait_ends)(uint64_t simulated);
	/* The reading for a measured time; 0: nobody can be asked now. NULL before there is a connection. */
	uint64_t (*ask)(enum clock_kind kind, uint64_t measured);
};
/* Weak: without the library its address is NULL. */
extern struct warpdbg_clock warpdbg_clock __attribute__((weak, visibility("default")));
#endif
