/* channel: the end of the connection to an application (cudart/wire.h) that warpdbg has.
 *
 * One process at a time is connected: the application, or a child of it. Another one that comes in the meantime is told
 * that the device is in use. */
#ifndef UI_SESSION_APP_CHANNEL_H
#define UI_SESSION_APP_CHANNEL_H
#include <poll.h>

#include "base/base.h"
#include "base/err.h"
#include "cudart/wire.h"

struct channel {
	int listening, fd, memory; /* -1: none */
	u8 *shared;                /* WIRE_SHARED bytes that both have */
	s32 pid;                   /* of the connected process, as it says */
	u32 processes;             /* that have been connected so far */
	char name[64];             /* of the listening socket, for WIRE_VARIABLE */
};
enum channel_news {
	CHANNEL_QUIET,
	CHANNEL_REQUEST,
	CHANNEL_CLOSED, /* the connected process has gone */
};
bool channel_open(struct channel *c, struct err *e);
void channel_close(struct channel *c);
/* Nobody is connected any more. */
void channel_hang_up(struct channel *c);
/* Descriptors to wait for; returns how many. */
u32 channel_wait_for(const struct channel *c, struct pollfd out[2]);
/* Has a thread of the process asked for its turn (WIRE_NUDGE), while an answer is awaited? */
bool channel_nudged(struct channel *c);
/* What has come, without waiting. A packet that is no request ends the connection. */
enum channel_news channel_look(struct channel *c, struct wire_request *r);
/* False: the process has gone. The answer to WIRE_HELLO brings the memory's descriptor. */
bool channel_answer(struct channel *c, const struct wire_reply *a, bool hello);
#endif
