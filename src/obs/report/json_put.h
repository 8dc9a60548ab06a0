/* json_put: the few pieces that the JSON reports are made of. */
#ifndef OBS_REPORT_JSON_PUT_H
#define OBS_REPORT_JSON_PUT_H
#include <jansson.h>
#include <math.h>
#include "base/base.h"

static inline void put(json_t *o, const char *key, json_t *value)
{
	json_object_set_new(o, key, value);
}
static inline json_t *number(u64 v)
{
	return json_integer((json_int_t)v);
}
/* What JSON has no number for - a rate whose denominator is 0 - is null. */
static inline json_t *real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}
/* Text that is not UTF-8 (a file's name, a comment in a PTX file may be anything) is null. */
static inline json_t *text(const char *v)
{
	json_t *s = json_string(v ? v : "");
	return s ? s : json_null();
}
struct gpu;
/* report_findings.c: what checks have found (sm/checks.h); null where nobody looks. */
json_t *report_findings(const struct gpu *g);
#endif
