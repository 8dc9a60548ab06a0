#include "conf/carveout.h"

#include <ctype.h>
#include <stdlib.h>

/* Takes the next size off the text; false at its end, or at what is no size. */
static bool next_size(const char **at, u32 *bytes)
{
	char *end;
	if (!isdigit((unsigned char)**at))
		return false;
	unsigned long kib = strtoul(*at, &end, 10);
	*bytes = kib < 4096 ? (u32)kib << 10 : UINT32_MAX;
	*at = *end == ',' && isdigit((unsigned char)end[1]) ? end + 1 : end;
	return true;
}

u32 carveout_for(const struct conf *c, u64 shared)
{
	u32 bytes = 0;
	for (const char *at = c->sm_carveouts; next_size(&at, &bytes);)
		if (bytes >= shared)
			break;
	return bytes;
}

u32 carveout_ways(const struct conf *c, u32 bytes)
{
	u32 way = c->l1d_sets * c->l1d_line;
	return (u32)((bytes + (u64)way - 1) / way);
}

static bool wrong(struct conf_conflict *of, const char *other)
{
	if (of)
		*of = (struct conf_conflict){{"sm.carveouts", other}};
	return false;
}

bool carveouts_check(const struct conf *c, struct conf_conflict *of, struct err *e)
{
	u32 bytes = 0, n = 0;
	const char *at = c->sm_carveouts;
	if (!*at)
		return true;
	for (u32 last = 0; next_size(&at, &bytes); last = bytes, n++) {
		if (n && bytes <= last)
			return wrong(of, NULL) || err_set(e, "sm.carveouts: '%s' does not rise", c->sm_carveouts);
		if (carveout_ways(c, bytes) >= c->l1d_ways)
			return wrong(of, "l1d.ways") ||
			       err_set(e, "sm.carveouts: %u KiB leave nothing of L1D's %llu KiB", bytes >> 10,
			               (unsigned long long)c->l1d_sets * c->l1d_ways * c->l1d_line >> 10);
	}
	if (*at || !n)
		return wrong(of, NULL) ||
		       err_set(e, "sm.carveouts: '%s' is not a list of sizes in KiB, as 0,8,16", c->sm_carveouts);
	return bytes >= c->sm_shared || wrong(of, "sm.shared") ||
	       err_set(e, "sm.carveouts: %u KiB, the largest, is less than sm.shared %u B", bytes >> 10, c->sm_shared);
}
