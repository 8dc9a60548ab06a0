#include "obs/crossing.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const op_texts[] = {
    [CROSS_LT] = "<", [CROSS_LE] = "<=", [CROSS_GT] = ">", [CROSS_GE] = ">=", [CROSS_EQ] = "==", [CROSS_NE] = "!="};

static const char *skip(const char *s)
{
	return s + strspn(s, " \t");
}

/* The two-letter ones first: "<" begins "<=". */
static const char *read_op(const char *s, enum crossing_op *op)
{
	static const enum crossing_op order[] = {CROSS_LE, CROSS_GE, CROSS_EQ, CROSS_NE, CROSS_LT, CROSS_GT};
	for (u32 i = 0; i < ARRAY_LEN(order); i++) {
		size_t n = strlen(op_texts[order[i]]);
		if (!strncmp(s, op_texts[order[i]], n)) {
			*op = order[i];
			return s + n;
		}
	}
	return NULL;
}

static const char *read_value(const char *s, struct crossing *c, struct err *e)
{
	char *end;
	s = skip(s);
	c->value = strtod(s, &end);
	bool starts = isdigit((unsigned char)*s) || *s == '.' || *s == '-' || *s == '+';
	if (end == s || !starts || !isfinite(c->value)) {
		err_set(e, "stat: '%.40s' is not a number to compare with", s);
		return NULL;
	}
	if (*end == '%') {
		c->value /= 100;
		end++;
	}
	if (*end && *end != ' ' && *end != '\t') {
		err_set(e, "stat: '%.40s' is left over behind the value", end);
		return NULL;
	}
	return skip(end);
}

static bool read_every(const char *s, struct crossing *c, struct err *e)
{
	char *end;
	if (!*s)
		return true;
	if (strncmp(s, "every", 5) || (s[5] != ' ' && s[5] != '\t'))
		return err_set(e, "stat: '%.40s' is left over (`every N` may follow the value, a condition begins with if)", s);
	s = skip(s + 5);
	unsigned long long n = strtoull(s, &end, 10);
	if (!isdigit((unsigned char)*s) || *skip(end) || n < 1 || n > 1000000000)
		return err_set(e, "stat: every '%.40s': cycles from 1 to 1000000000 are expected", s);
	c->every = n;
	return true;
}

bool crossing_parse(const struct gpu *g, const char *text, struct crossing *out, struct err *e)
{
	struct crossing c = {.every = CROSSING_EVERY};
	text = skip(text);
	size_t n = strcspn(text, " \t<>=!");
	const char *rest = read_op(skip(text + n), &c.op);
	if (!n)
		return err_set(e, "stat: PROBE OP VALUE is expected, as in gpu.sm[3].l1d.hit_rate < 0.1");
	c.probe = xstrndup(text, n);
	bool ok = probe_parse(g, c.probe, &c.path, e);
	if (ok && !rest)
		ok = err_set(e, "stat: one of < <= > >= == != is expected after %.60s", c.probe);
	ok = ok && (rest = read_value(rest, &c, e)) && read_every(rest, &c, e);
	if (ok)
		*out = c;
	else
		free(c.probe);
	return ok;
}

void crossing_release(struct crossing *c)
{
	free(c->probe);
	*c = (struct crossing){0};
}

static bool compare(const struct crossing *c, double v)
{
	switch (c->op) {
	case CROSS_LT: return v < c->value;
	case CROSS_LE: return v <= c->value;
	case CROSS_GT: return v > c->value;
	case CROSS_GE: return v >= c->value;
	case CROSS_EQ: return v == c->value;
	case CROSS_NE: return v < c->value || v > c->value; /* not for NAN: there is no value yet */
	}
	return false;
}

static double read_probe(const struct crossing *c, struct gpu *g)
{
	if (c->path.kind == PROBE_COUNTER && c->path.group == CG_kernel && c->path.instance != PROBE_ALL &&
	    c->path.instance >= gpu_num_kernels(g))
		return (double)NAN; /* in the past the launch is not there yet */
	struct probe_value v = probe_read(g, &c->path);
	return v.real ? v.d : (double)v.u;
}

bool crossing_look(struct crossing *c, struct gpu *g)
{
	double v = read_probe(c, g);
	bool holds = compare(c, v), crossed = holds && c->known && !c->holds;
	c->before = c->last;
	c->last = v;
	c->holds = holds;
	c->known = true;
	return crossed;
}

void crossing_forget(struct crossing *c)
{
	c->known = false;
}

void crossing_text(const struct crossing *c, struct strbuf *out)
{
	strbuf_addf(out, "%s %s %g every %llu", c->probe, op_texts[c->op], c->value, (unsigned long long)c->every);
}
