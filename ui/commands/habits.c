/* What to say to those who know gdb and cuda-gdb, and type a command that is not here. */
#include <string.h>

#include "commands/commands.h"

static const struct habit {
	bool topic;
	const char *words, *hint;
} habits[] = {
#define HABIT(topic, words, hint) {topic, words, hint},
#include "commands/habits.def"
#undef HABIT
};

/* Is `word` one of them, whole or its first three letters or more? */
static bool among(const char *words, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = words; *p; p += strspn(p, " ")) {
		size_t len = strcspn(p, " ");
		if (!strncmp(p, word, n) && (n == len || (n >= 3 && n < len)))
			return true;
		p += len;
	}
	return false;
}

const char *habit_hint(bool topic, const char *word)
{
	for (u32 i = 0; i < ARRAY_LEN(habits); i++)
		if (habits[i].topic == topic && among(habits[i].words, word))
			return habits[i].hint;
	return NULL;
}
