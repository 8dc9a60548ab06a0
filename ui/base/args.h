/* args: a line of text taken apart into words, numbers and names of files. */
#ifndef UI_BASE_ARGS_H
#define UI_BASE_ARGS_H
#include "base/err.h"

const char *skip_blanks(const char *s);
/* Copies the next blank-separated word to word (cut to size - 1), returns what follows with blanks skipped; NULL when
 * none. A template's arguments, "k<float, 4>", are one word with its name. */
const char *next_word(const char *s, char *word, size_t size);
/* The same for the name of a file: in '...' or "..." it may hold blanks, within "..." a backslash takes the letter
 * behind it as it is. NULL with *e also when the quote is not closed or the name too long; without *e when there is
 * none. */
const char *next_file(const char *s, char *file, size_t size, struct err *e);
/* The whole of args must be one number within 0..max (decimal, 0x); empty: *out stays. */
bool arg_number(const char *args, const char *what, u64 max, u64 *out, struct err *e);
bool word_number(const char *word, u64 *out);                        /* true when word is a number */
bool arg_none(const char *args, const char *command, struct err *e); /* error when there is something left */
#endif
