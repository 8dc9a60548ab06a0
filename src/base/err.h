/* err: a message for the user, filled where the mistake is found and returned upwards.
 *
 * A function that can fail on input takes a struct err * last and returns false or NULL after err_set(). The first
 * message wins: later err_set() calls on a set err are ignored, so a caller may go on to clean up. */
#ifndef BASE_ERR_H
#define BASE_ERR_H
#include "base/base.h"

struct err {
	bool set;
	bool interrupted; /* nothing is wrong: the work was asked to stop, and can be begun again */
	char
	    msg[1200]; /* complete sentence(s) without a trailing newline; names file, line and token where there are any */
};

/* Fills *e (NULL is allowed: the message is dropped) and returns false, so that one can write `return err_set(...)`. */
bool err_set(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same with another error, as it is. */
bool err_pass(struct err *e, const struct err *from);
/* Puts "text" in front of a message already set: "configs/x.lua:3: " + msg. */
void err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void err_clear(struct err *e);
/* For functions that walk state and say what does not hold: returns false with the message in their `e`. */
#define HOLDS(cond, ...)                                                                                               \
	do {                                                                                                               \
		if (unlikely(!(cond)))                                                                                         \
			return err_set(e, __VA_ARGS__);                                                                            \
	} while (0)
#endif
