/* break stat, and friendlier spellings of event breakpoints: becomes STATE, cta N */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"

struct breakpoint *break_stat(struct debugger *d, const char *text, struct err *e)
{
	struct crossing c;
	if (!crossing_parse(dbg_gpu(d), text, &c, e))
		return NULL;
	struct breakpoint *b = break_new_stat(&d->breaks, &c);
	crossing_look(&b->stat, dbg_gpu(d)); /* what holds now is no crossing */
	return b;
}

static bool is_ready(const char *state)
{
	const struct warp_state_desc *x = &warp_state_descs[WS_READY_SP];
	return !strcmp(state, x->name) || (state[0] == x->ascii && !state[1]);
}

bool break_spelling(const char *args, struct strbuf *out)
{
	char word[32], value[64];
	const char *rest = next_word(args, word, sizeof(word));
	const char *after = rest ? next_word(rest, value, sizeof(value)) : NULL;
	u64 n;
	if (!after)
		return false;
	if (!strcmp(word, "becomes") && is_ready(value))
		strbuf_addf(out, "warp-ready %s", after);
	else if (!strcmp(word, "becomes"))
		strbuf_addf(out, "warp-stall state=%s %s", value, after);
	else if (!strcmp(word, "cta") && word_number(value, &n))
		strbuf_addf(out, "cta-dispatch cta=%s %s", value, after);
	else
		return false;
	return true;
}
