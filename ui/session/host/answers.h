/* answers: the machine's answers to a Lua host program, call by call, so that its coroutine can be built again up to
 * any turn.
 *
 * If somebody goes back in time and changes something there, the coroutine is ahead of the machine: it has seen a
 * future that no longer exists. It is started again and *fed*: each cuda.*, mem.* and gpu.* access to device memory or
 * the machine gets its recorded answer and does nothing, until the wait at which the coroutine stood at that time. It
 * is an error if a program does something else than it did the first time. */
#ifndef UI_SESSION_HOST_ANSWERS_H
#define UI_SESSION_HOST_ANSWERS_H
#include "lua/lua.h"

enum answer_kind {
	ANSWER_MALLOC,
	ANSWER_FREE,
	ANSWER_WRITE,
	ANSWER_READ,
	ANSWER_LAUNCH,
	ANSWER_TEXTURE,
	ANSWER_WAIT,
	ANSWER_LOOK
};
struct answer {
	u8 kind;
	u64 value;  /* address, launch id, handle; ANSWER_WAIT: 1 = the coroutine yielded; ANSWER_LOOK: 1 = an error */
	void *data; /* ANSWER_READ: the bytes; ANSWER_LOOK: the value, packed */
	u64 n;
};
struct answers {
	struct answer *a;
	u32 n, cap, at;
	u32 waits_left; /* feeding until that many more yields; 0 = not feeding */
	bool feeding;
};
/* Of the host program that is being stepped; NULL: whoever calls is none. */
struct answers *answers_of_caller(lua_State *L);
/* While feeding: the next answer, which must be of this kind (else a Lua error). Otherwise NULL: the call is real. */
const struct answer *answer_fed(lua_State *L, struct answers *l, enum answer_kind k);
/* Records the answer of a real call; data is copied. */
void answer_add(struct answers *l, enum answer_kind k, u64 value, const void *data, u64 n);
/* For a C function that looks at the machine and returns one value: `read` does so, with the same arguments and the
 * first `upvalues` (0 or 1) of the caller. A host program's looks are recorded and fed, errors too; other callers get
 * what is there now. */
int answer_look(lua_State *L, lua_CFunction read, int upvalues);
/* From here on calls are real again; what was recorded behind is forgotten. */
void answers_end_feeding(struct answers *l);
void answers_release(struct answers *l);
#endif
