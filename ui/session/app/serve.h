/* serve: one function a request (cudart/wire.h): h->request is what is asked, *a the answer; what they return is its
 * status. Where the answer comes later they set h->awaits. For the files serve*.c alone. */
#ifndef UI_SESSION_APP_SERVE_H
#define UI_SESSION_APP_SERVE_H
#include "session/app/app.h"

/* serve_code.c */
s32 serve_hello(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_module(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_module_free(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_function(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_symbol(struct session *s, struct app_host *h, struct wire_reply *a);
/* serve_memory.c */
s32 serve_allocate(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_to_device(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_from_device(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_on_device(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_fill(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_texture(struct session *s, struct app_host *h, struct wire_reply *a, bool surface);
/* serve_streams.c */
s32 serve_launch(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_occupancy(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_new_stream(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_free_stream(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_sync_stream(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_query_stream(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_wait_event(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_new_event(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_free_event(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_record_event(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_sync_event(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_query_event(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_elapsed(struct session *s, struct app_host *h, struct wire_reply *a);
s32 serve_call_host(struct session *s, struct app_host *h, struct wire_reply *a);

/* What they share. A message for the user, and the status. */
s32 serve_failed(struct session *s, const struct app_host *h, s32 status, const char *text);
/* Bytes of the answer. */
void serve_bytes(struct app_host *h, struct wire_reply *a, const void *data, u64 n);
/* The request's bytes as a text; to be freed. */
char *serve_text(const struct app_host *h);
/* Work for a stream, with the request's first `bytes` bytes. */
struct work *serve_give(struct app_host *h, u64 stream, enum work_kind k, bool wait, u64 bytes);
bool serve_stream_done(struct session *s, struct app_host *h, u64 id); /* or WIRE_ALL_STREAMS */
/* Where the machine's allocation begins that the application knows by this address; it is about to be freed. */
u64 serve_start_of(struct app_host *h, u64 addr);
#endif
