/* deliver: what warpdbg has for the program when simulated time has come so far: copies to its memory, functions to
 * call. */
#ifndef UI_CUDART_DELIVER_H
#define UI_CUDART_DELIVER_H
#include "cudart/abi.h"
#include <stdbool.h>

extern unsigned deliver_pending; /* that the last answer told of */
bool deliver(void);              /* makes all that are ready; true when there were any */

/* A queued host function; the tag of WIRE_CALL_HOST says what the argument is. */
enum host_call {
	CALL_FUNCTION, /* void (*)(void *), and its argument */
	CALL_CALLBACK, /* struct stream_callback */
	CALL_OWN       /* void (*)(void *) of this library, which is called with the mutex */
};
struct stream_callback {
	void (*function)(void *stream, int status, void *argument);
	void *stream, *argument;
};

/* link.c: the thread gives the mutex away for a while. */
struct link_pause {
	unsigned depth, per_thread;
	const char *calling;
};
struct link_pause link_pause(void);
void link_resume(struct link_pause pause);
#endif
