#include "obs/name/coordinates.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* A decimal or hexadecimal number; where it ends, NULL = there is none. */
static const char *read_number(const char *s, u64 *out)
{
	char *end;
	if (!isdigit((unsigned char)*s))
		return NULL;
	errno = 0;
	*out = strtoull(s, &end, 0);
	return errno || *out > INT64_MAX ? NULL : end;
}

bool coordinates_read(const char *text, struct coordinates *c)
{
	struct coordinates r = {0};
	const bool open = *text == '(';
	*c = r;
	for (text += open; r.parts < ARRAY_LEN(r.at);) {
		text = read_number(text, &r.at[r.parts++]);
		if (!text || *text != ',')
			break;
		text++;
	}
	if (!text || (open && *text++ != ')') || *text)
		return false;
	*c = r;
	return true;
}

bool coordinates_inside(const struct coordinates *c, struct dim3 d)
{
	if (c->parts == 1)
		return c->at[0] < (u64)d.x * d.y * d.z;
	return c->at[0] < d.x && c->at[1] < d.y && c->at[2] < d.z;
}

u64 coordinates_linear(const struct coordinates *c, struct dim3 d)
{
	return c->parts == 1 ? c->at[0] : c->at[0] + d.x * (c->at[1] + d.y * c->at[2]);
}

void coordinates_text(const struct coordinates *c, struct strbuf *out)
{
	for (u32 i = 0; i < c->parts; i++)
		strbuf_addf(out, "%s%llu", i ? "," : "", (unsigned long long)c->at[i]);
}
