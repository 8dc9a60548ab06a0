/* link: the connection to warpdbg, and the frame of each call of the run time.
 *
 * A call that the program makes begins with ENTER and ends with `return leave(error)`. Between them the thread has the
 * library's mutex, which guards the library's tables and the connection. A call that needs no machine does without. */
#ifndef UI_CUDART_LINK_H
#define UI_CUDART_LINK_H
#include "cudart/wire.h"
#include <stdbool.h>

#define EXPORT __attribute__((visibility("default")))
#define ENTER                                                                                                          \
	do {                                                                                                               \
		int failed_ = enter_from(__func__, __builtin_return_address(0));                                               \
		if (failed_)                                                                                                   \
			return failed_;                                                                                            \
	} while (0)

/* A call that is another one with fewer arguments: its own name is told. */
#define VIA(call)                                                                                                      \
	do {                                                                                                               \
		ENTER;                                                                                                         \
		return leave(call);                                                                                            \
	} while (0)

int enter(const char *call); /* 0: the machine is there, and no earlier error stands in the way */
int enter_from(const char *call, const void *from); /* from: where it returns to in the program */
int enter_anyway(const char *call);                 /* an error that stays does not stop this call */
int leave(int error);                               /* makes deliveries, notes the error, returns it */

/* For code of the library that runs in no call: the thread has the mutex; no error is noted. */
bool link_lock(void); /* false: there is no machine */
void link_unlock(void);

/* Asks warpdbg. a: the request's arguments; bytes: what of the shared memory belongs to it. Returns the status, 999
 * when warpdbg is gone. The answer is in link_reply until the next question. */
int link_ask(enum wire_op op, uint64_t bytes, const uint64_t a[WIRE_ARGUMENTS]);
#define ASK(op, bytes, ...) link_ask(op, bytes, (const uint64_t[WIRE_ARGUMENTS]){__VA_ARGS__})

/* Called before a request with which simulated time may go on, unless it carries bytes: pages that both sides see are
 * given to the device (managed.c). NULL: there are none. */
extern int (*link_time_passes)(void);

/* WIRE_STREAM_SYNC, WIRE_EVENT_SYNC and WIRE_FREE: deliveries that the answer depends on are made, and the question is
 * asked again. */
int link_ask_wait(enum wire_op op, uint64_t what);

/* Tells warpdbg's user of a call that is not served, and why. Returns 801. */
int link_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A message for the program's user, on standard error. */
void link_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The call that is under way stands there: for a launch where <<<>>> is. */
void link_from(const void *from);

bool link_stands(void); /* connected and not broken */
bool link_begun(void);  /* a connection has been asked for */

extern struct wire_reply link_reply;
extern unsigned char *link_shared;             /* WIRE_SHARED bytes */
extern struct wire_device link_device;         /* once there is a connection */
extern unsigned link_queued;                   /* host functions and copies to the host that are queued and not done */
extern _Thread_local unsigned link_per_thread; /* stream 0 is the thread's own */

/* errors.c */
int fail(int error); /* notes it as the thread's last error and returns it; 0: nothing */
int error_that_stays(void);
void error_forget(void);
#endif
