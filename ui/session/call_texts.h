/* call_texts: where in their host programs launches were made, as people read it ("cudaLaunchKernel from main+0x1f2 in
 * app", "cuda.launch from saxpy.lua:12"). Texts are kept, one for each place, as long as the session: launches point at
 * theirs (struct launch_spec, call). */
#ifndef UI_SESSION_CALL_TEXTS_H
#define UI_SESSION_CALL_TEXTS_H
#include "base/strbuf.h"

struct call_texts;
struct call_texts *call_texts_new(void);
void call_texts_free(struct call_texts *t); /* NULL is fine */
/* Is there room for one more? A place beyond it has no text. */
bool call_texts_room(const struct call_texts *t);
/* The text of a place. key: a hash of all that the text depends on. NULL: there is none yet. */
const char *call_texts_find(const struct call_texts *t, u64 key);
/* Keeps one that call_texts_find() has not found, and returns it; NULL where there is no room. text is taken over. */
const char *call_texts_keep(struct call_texts *t, u64 key, char *text);
/* Appends at most n bytes of a name for such a text. It is the host program's, and may tell a screen nothing: bytes
 * that are not printable ASCII become '?'. */
void call_texts_name(struct strbuf *out, const char *name, size_t n);
#endif
