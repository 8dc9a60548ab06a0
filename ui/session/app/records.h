/* records: what an application has asked and what the machine has answered, so that it can be brought to any turn.
 *
 * If somebody goes back in time and changes something there, the application has seen a future that no longer exists.
 * It is started again and fed: its requests are compared with those on record, and whatever its host would ask of the
 * machine is answered from here, until the turn at which it stood. See ui/session/host/answers.h for Lua's. */
#ifndef UI_SESSION_APP_RECORDS_H
#define UI_SESSION_APP_RECORDS_H
#include "base/base.h"
#include "base/err.h"
#include "session/state.h"

enum record_kind {
	RECORD_REQUEST, /* value: its fingerprint; data: the call's name */
	RECORD_VALUE,   /* what the machine answered: a value */
	RECORD_BYTES,   /* the same: bytes of its memory */
	RECORD_TURN     /* a turn of the host ends; value: bytes of output until then */
};
struct record {
	u8 kind;
	u64 value;
	void *data;
	u64 n;
};
struct records {
	struct record *r;
	u32 n, cap, at;
	u32 turns;    /* that are on record */
	bool feeding; /* answers come from here */
	/* Nothing more is put on record, as there was no room: it ends with its last whole turn. */
	bool cut;
	struct record_budget *budget;
};
/* data is copied. Nothing while feeding, or once it is cut. */
void record_add(struct records *l, enum record_kind k, u64 value, const void *data, u64 n);
/* Is all there that the application has to be told to come to where it stood after so many turns? */
bool records_reach(const struct records *l, u32 turns);
/* While feeding: the next one, which must be of this kind; NULL with *e: the application does something else now. */
const struct record *record_next(struct records *l, enum record_kind k, struct err *e);
/* Feeding begins with the first one; and it ends: what is behind is forgotten. */
void records_feed(struct records *l);
void records_end_feeding(struct records *l);
void records_release(struct records *l);
#endif
