/* code: fat binaries and PTX texts on their way (code.h). */
#include "cudart/code.h"
#include "cudart/link.h"
#include <stdbool.h>
#include <string.h>

struct sender {
	uint64_t filled;
	int status;
};

static void send_piece(struct sender *s, const void *bytes, uint64_t n)
{
	const unsigned char *from = bytes;
	while (n && !s->status) {
		uint64_t room = WIRE_SHARED - s->filled, now = n < room ? n : room;
		memcpy(link_shared + s->filled, from, now);
		s->filled += now;
		from += now;
		n -= now;
		if (s->filled == WIRE_SHARED && n) {
			s->status = ASK(WIRE_MORE, s->filled, 0);
			s->filled = 0;
		}
	}
}

static void send_fat(struct sender *s, const struct fat_header *fat)
{
	if (!fat || fat->magic != FAT_MAGIC) {
		if (!s->status)
			s->status = 200; /* invalid kernel image */
		return;
	}
	/* What is before is sent, so that a full piece is never the last but one that is empty. */
	if (s->filled == WIRE_SHARED && !s->status) {
		s->status = ASK(WIRE_MORE, s->filled, 0);
		s->filled = 0;
	}
	send_piece(s, fat, fat->header_bytes + fat->bytes);
}

static int end(struct sender *s, enum wire_code kind, bool linked, uint64_t *number)
{
	if (!s->status)
		s->status = ASK(WIRE_MODULE, s->filled, kind, linked);
	if (!s->status)
		*number = link_reply.v[0];
	return s->status;
}

int code_send_wrapper(const struct fat_wrapper *w, uint64_t *number)
{
	struct sender s = {0};
	/* -rdc: the first fat binary is machine code that is linked already, the PTX of its parts is in the others. */
	const bool parts = w->version == 2 && w->more && w->more[0];
	const bool linked = parts && w->data && ((const struct fat_header *)w->data)->magic == FAT_MAGIC;
	if (linked)
		send_fat(&s, w->data);
	if (parts)
		for (const void *const *at = w->more; *at; at++)
			send_fat(&s, *at);
	else
		send_fat(&s, w->data);
	return end(&s, WIRE_FAT_BINARY, linked, number);
}

int code_send(enum wire_code kind, const void *code, uint64_t bytes, uint64_t *number)
{
	struct sender s = {0};
	send_piece(&s, code, bytes);
	return end(&s, kind, false, number);
}
