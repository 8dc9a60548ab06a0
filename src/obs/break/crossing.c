#include "obs/break/crossing.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/scope.h"

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

/* "every N" and "over W": a number of cycles at s, into *cycles, 0 so far. NULL with *e. */
static const char *read_cycles(const char *s, const char *what, u64 *cycles, struct err *e)
{
	char *end;
	s = skip(s);
	unsigned long long n = strtoull(s, &end, 10);
	if (!isdigit((unsigned char)*s) || (*end && *end != ' ' && *end != '\t') || n < 1 || n > 1000000000) {
		err_set(e, "stat: %s '%.40s': cycles from 1 to 1000000000 are expected", what, s);
		return NULL;
	}
	if (*cycles) {
		err_set(e, "stat: %s is given twice", what);
		return NULL;
	}
	*cycles = n;
	return skip(end);
}

static bool is_word(const char *s, const char *word)
{
	size_t n = strlen(word);
	return !strncmp(s, word, n) && (!s[n] || s[n] == ' ' || s[n] == '\t');
}

/* What may follow the value; 0 = not said. over_run: "over run". */
static bool read_options(const char *s, u64 *every, u64 *over, bool *over_run, struct err *e)
{
	while (s && *s) {
		if (is_word(s, "every")) {
			s = read_cycles(s + 5, "every", every, e);
		} else if (is_word(s, "over") && is_word(skip(s + 4), "run")) {
			*over_run = true;
			s = skip(skip(s + 4) + 3);
		} else if (is_word(s, "over")) {
			s = read_cycles(s + 4, "over", over, e);
		} else {
			return err_set(e,
			               "stat: '%.40s' is left over (`every N` and `over N` or `over run` may follow the value, a "
			               "condition begins with if)",
			               s);
		}
	}
	return s &&
	       (!*over || !*over_run || err_set(e, "stat: `over run` and `over %llu`: which?", (unsigned long long)*over));
}

/* A launch's figures are about its own run time; a warp's come and go with the warp. */
static bool has_window(const struct probe_path *p)
{
	return p->kind != PROBE_WARP && p->kind != PROBE_CYCLE && p->group != CG_kernel;
}

static bool set_window(struct crossing *c, u64 every, u64 over, bool over_run, struct err *e)
{
	bool is_rate = c->path.kind == PROBE_RATE, wanted = is_rate && has_window(&c->path) && !over_run;
	if (over && !has_window(&c->path))
		return err_set(e, "stat: %.60s has no value over a window", c->probe);
	if (!over && wanted) /* whole steps, of the size asked for */
		over = every ? ceil_div(CROSSING_WINDOW, every) * every : CROSSING_WINDOW;
	c->every = every ? every : over ? over : CROSSING_EVERY;
	if (over % c->every)
		return err_set(e, "stat: over %llu: that is no multiple of every %llu", (unsigned long long)over,
		               (unsigned long long)c->every);
	if (over / c->every > WINDOW_STEPS_MAX)
		return err_set(e, "stat: over %llu every %llu: at most %u looks in a window", (unsigned long long)over,
		               (unsigned long long)c->every, WINDOW_STEPS_MAX);
	c->window = (struct window){.span = over, .step = c->every, .is_rate = is_rate};
	return true;
}

bool crossing_parse(const struct gpu *g, const char *text, struct crossing *out, struct err *e)
{
	struct crossing c = {0};
	u64 every = 0, over = 0;
	bool over_run = false;
	text = skip(text);
	size_t n = strcspn(text, " \t<>=!");
	const char *rest = read_op(skip(text + n), &c.op);
	if (!n)
		return err_set(e, "stat: PROBE OP VALUE is expected, as in gpu.sm[3].l1d.hit_rate < 0.1");
	c.probe = xstrndup(text, n);
	bool ok = probe_parse(g, c.probe, &c.path, e);
	if (ok && !rest)
		ok = err_set(e, "stat: one of < <= > >= == != is expected after %.60s", c.probe);
	ok = ok && (rest = read_value(rest, &c, e)) && read_options(rest, &every, &over, &over_run, e) &&
	     set_window(&c, every, over, over_run, e);
	if (ok)
		*out = c;
	else
		free(c.probe);
	return ok;
}

bool crossing_rebind(struct crossing *c, const struct gpu *g, struct err *e)
{
	struct probe_path p;
	if (c->path.group == CG_kernel)
		return true; /* launches are not the machine's: it will come again */
	if (!probe_parse(g, c->probe, &p, e))
		return false;
	c->path = p;
	return true;
}

void crossing_release(struct crossing *c)
{
	free(c->probe);
	window_release(&c->window);
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
	if ((c->path.kind == PROBE_COUNTER || c->path.kind == PROBE_RATE) && c->path.group == CG_kernel &&
	    c->path.instance != PROBE_ALL && c->path.instance >= gpu_num_kernels(g))
		return (double)NAN; /* in the past the launch is not there yet */
	struct gpu_scope *scope = gpu_scope_off(g);
	struct probe_value v = probe_read(g, &c->path);
	gpu_scope_on(g, scope);
	return v.real ? v.d : (double)v.u;
}

static void see(struct crossing *c, double v)
{
	c->before = c->last;
	c->last = v;
	c->holds = compare(c, v);
	c->known = true;
}

/* The mark of the present cycle, when it is one that has a mark. */
static void note_mark(struct crossing *c, struct gpu *g)
{
	struct totals t = {0};
	if (gpu_cycle(g) % c->every)
		return;
	struct gpu_scope *scope = gpu_scope_off(g);
	if (c->window.is_rate)
		probe_rate_parts(g, c->path.index, c->path.instance, &t.num, &t.den);
	else
		t.num = (double)probe_read(g, &c->path).u;
	gpu_scope_on(g, scope);
	window_note(&c->window, gpu_cycle(g), t);
}

bool crossing_look(struct crossing *c, struct gpu *g)
{
	bool held = c->known && c->holds, known = c->known;
	double v;
	if (!c->window.span) {
		v = read_probe(c, g);
	} else {
		note_mark(c, g);
		if (gpu_cycle(g) % c->every)
			return false;
		if (!window_value(&c->window, gpu_cycle(g), &v)) {
			c->known = false;
			return false;
		}
	}
	see(c, v);
	return c->holds && known && !held;
}

void crossing_moved(struct crossing *c, struct gpu *g)
{
	double v;
	c->known = false;
	if (!c->window.span) {
		see(c, read_probe(c, g));
		return;
	}
	note_mark(c, g);
	if (window_value(&c->window, gpu_cycle(g) / c->every * c->every, &v))
		see(c, v);
}

double crossing_value(struct crossing *c, struct gpu *g)
{
	double v;
	note_mark(c, g);
	return window_value(&c->window, gpu_cycle(g) / c->every * c->every, &v) ? v : (double)NAN;
}

bool crossing_ready(const struct crossing *c, u64 cycle)
{
	return !c->window.span || window_ready(&c->window, cycle);
}

u64 crossing_lead(const struct crossing *c)
{
	return c->window.span + c->every;
}

void crossing_text(const struct crossing *c, struct strbuf *out)
{
	strbuf_addf(out, "%s %s %g", c->probe, op_texts[c->op], c->value);
	if (c->window.span)
		strbuf_addf(out, " over %llu", (unsigned long long)c->window.span);
	else if (c->path.kind == PROBE_RATE && has_window(&c->path))
		strbuf_adds(out, " over run");
	if (c->window.span != c->every)
		strbuf_addf(out, " every %llu", (unsigned long long)c->every);
}
