/* answers: what the machine answered a Lua host program, call by call, so that its coroutine can be built anew up to
 * any turn.
 *
 * Going back in time and changing something there leaves the coroutine ahead of the machine: it has seen a future that
 * is no more. It is started again and *fed*: each cuda.* and mem.* call that touches device memory or the machine gets
 * its recorded answer and does nothing, until the wait at which the coroutine stood at that time. A program that does
 * something else than it did the first time is an error. */
#ifndef UI_LUA_ANSWERS_H
#define UI_LUA_ANSWERS_H
#include "lua/lua.h"

enum answer_kind { ANSWER_MALLOC, ANSWER_FREE, ANSWER_WRITE, ANSWER_READ, ANSWER_LAUNCH, ANSWER_TEXTURE, ANSWER_WAIT };
struct answer {
	u8 kind;
	u64 value;  /* address, launch id, handle; ANSWER_WAIT: 1 = the coroutine yielded */
	void *data; /* ANSWER_READ: the bytes */
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
/* From here on calls are real again; what was recorded behind is forgotten. */
void answers_end_feeding(struct answers *l);
void answers_release(struct answers *l);
#endif
