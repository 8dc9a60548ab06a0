/* deliver: copies to the host, host functions (deliver.h). */
#include "cudart/deliver.h"
#include "cudart/link.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned deliver_pending;

static void data(const uint64_t v[WIRE_VALUES])
{
	unsigned char *to = (unsigned char *)v[1];
	uint64_t pitch = v[2], width = v[3], height = v[4];
	const unsigned char *from = link_shared;
	if (link_queued)
		link_queued--;
	for (uint64_t row = 0; row < height; row++)
		memcpy(to + row * pitch, from + row * width, width);
}

/* What kernels have printed: where the program's own text goes. */
static void text(void)
{
	fwrite(link_shared, 1, link_reply.bytes, stdout);
}

static void call(const uint64_t v[WIRE_VALUES])
{
	uint64_t number = v[1], argument = v[3], tag = v[4];
	int status = (int)v[5];
	void (*function)(void *) = (void (*)(void *))v[2];
	if (tag == CALL_OWN) {
		function((void *)argument);
	} else {
		struct link_pause pause = link_pause();
		if (tag == CALL_CALLBACK) {
			struct stream_callback callback = *(struct stream_callback *)argument;
			free((void *)argument);
			callback.function(callback.stream, status, callback.argument);
		} else if (!status) { /* CUDA does not call it after an error */
			function((void *)argument);
		}
		link_resume(pause);
	}
	if (link_queued)
		link_queued--;
	ASK(WIRE_CALL_DONE, 0, number);
}

bool deliver(void)
{
	bool any = false;
	while (deliver_pending && link_stands()) {
		if (ASK(WIRE_NEXT, 0, 0) == UNKNOWN_ERROR && !link_stands())
			return any;
		uint64_t v[WIRE_VALUES];
		memcpy(v, link_reply.v, sizeof v);
		if (v[0] == WIRE_NOTHING) {
			deliver_pending = 0;
			return any;
		}
		any = true;
		if (v[0] == WIRE_DATA)
			data(v);
		else if (v[0] == WIRE_CALL_NOW)
			call(v);
		else if (v[0] == WIRE_TEXT)
			text();
	}
	return any;
}
