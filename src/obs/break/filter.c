#include "obs/break/break.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void event_filter_any(struct event_filter *f)
{
	*f = (struct event_filter){.sm = -1, .warp = -1, .cta = -1, .launch = -1};
}

/* A filter on a place that the event is not told with would match none of them. */
static const struct {
	const char *key;
	u32 bit;
} places[] = {{"sm", EVENT_OF_SM},
              {"kernel", EVENT_OF_KERNEL},
              {"cta", EVENT_OF_CTA},
              {"warp", EVENT_OF_WARP},
              {"thread", EVENT_OF_WARP}};

/* "sm, kernel, cta, slot, warps": all that a filter of this event may name. */
static void filters_text(enum event_type t, struct strbuf *out)
{
	const struct event_desc *d = &event_descs[t];
	const char *sep = "";
	for (u32 i = 0; i < ARRAY_LEN(places); i++)
		if (event_descs[t].places & places[i].bit) {
			strbuf_addf(out, "%s%s", sep, places[i].key);
			sep = ", ";
		}
	for (u32 i = 0; i < EVENT_ARGS; i++)
		if (*d->arg[i]) {
			strbuf_addf(out, "%s%s", sep, d->arg[i]);
			sep = ", ";
		}
}

static bool no_filter(enum event_type t, const char *key, struct err *e)
{
	struct strbuf names = STRBUF_INIT;
	filters_text(t, &names);
	if (names.len)
		err_set(e, "event %s has no '%.60s': a filter may name %s", event_descs[t].name, key, names.buf);
	else
		err_set(e, "event %s has no '%.60s': it takes no filters", event_descs[t].name, key);
	strbuf_release(&names);
	return false;
}

static bool number(const char *key, const char *text, u64 max, u64 *out, struct err *e)
{
	char *end;
	errno = 0;
	u64 v = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)*text) || *end || errno)
		return err_set(e, "%s=%.60s: a number is expected", key, text);
	if (v > max)
		return err_set(e, "%s=%.60s: the largest possible is %llu", key, text, (unsigned long long)max);
	*out = v;
	return true;
}

static bool kernel_value(struct event_filter *f, const char *value, struct err *e)
{
	u64 v;
	if (isdigit((unsigned char)*value)) {
		if (!number("kernel", value, INT32_MAX, &v, e))
			return false;
		f->launch = (s32)v;
		return true;
	}
	if (!*value || strlen(value) >= sizeof(f->kernel))
		return err_set(e, "kernel=%.60s: a launch number or a kernel's name is expected", value);
	snprintf(f->kernel, sizeof(f->kernel), "%s", value);
	return true;
}

/* States that an event can tell of: those that are stalls for warp-stall, the ready ones for warp-ready, any
 * for others. */
static bool state_of_event(enum event_type t, u32 state)
{
	bool ready = warp_state_is_ready(state);
	return t == EV_WARP_READY ? ready : t == EV_WARP_STALL ? state >= WS_MEM : state != WS_NONE;
}

/* The states of that name or letter, as bits: several share one. */
static u64 states_named(enum event_type t, const char *text)
{
	u64 set = 0;
	for (u32 i = 0; i < WS_COUNT; i++) {
		const struct warp_state_desc *x = &warp_state_descs[i];
		bool letter = text[0] == x->ascii && !text[1];
		if (state_of_event(t, i) && (letter || !strcmp(x->name, text) || !strcmp(x->glyph, text)))
			set |= BIT(i);
	}
	return set;
}

void event_states_text(enum event_type t, struct strbuf *out)
{
	const char *last = "", *sep = "";
	for (u32 i = 0; i < WS_COUNT; i++)
		if (state_of_event(t, i) && strcmp(warp_state_descs[i].name, last)) {
			last = warp_state_descs[i].name;
			strbuf_addf(out, "%s%s (%c)", sep, last, warp_state_descs[i].ascii);
			sep = ", ";
		}
}

static bool is_state(enum event_type t, const char *key)
{
	return (t == EV_WARP_STALL || t == EV_WARP_READY || t == EV_SCHED_DEMOTE || t == EV_WARP_STARVED) &&
	       !strcmp(key, "state");
}

static bool word_named(enum event_type t, u32 i, const char *text, u64 *value)
{
	for (u64 v = 0; event_arg_words(t, i) && v < EVENT_WORDS_MAX; v++) {
		const char *name = event_arg_name(t, i, v);
		if (name && !strcmp(name, text)) {
			*value = v;
			return true;
		}
	}
	return false;
}

static bool no_word(enum event_type t, u32 i, const char *text, struct err *e)
{
	struct strbuf names = STRBUF_INIT;
	for (u64 v = 0; v < EVENT_WORDS_MAX; v++)
		if (event_arg_name(t, i, v))
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", event_arg_name(t, i, v));
	err_set(e, "%s=%.40s: one of %s or a number is expected", event_descs[t].arg[i], text, strbuf_str(&names));
	strbuf_release(&names);
	return false;
}

/* A warp state or stall reason by name. */
static bool named(enum event_type t, const char *key, const char *text, u64 *value, u64 *set)
{
	*set = is_state(t, key) ? states_named(t, text) : 0;
	if (*set)
		return true;
	int reason = t == EV_STALL && !strcmp(key, "reason") ? probe_find_stall(text, strlen(text)) : -1;
	if (reason >= 0)
		*value = (u64)reason;
	return reason >= 0;
}

static bool no_state(enum event_type t, const char *text, struct err *e)
{
	struct strbuf names = STRBUF_INIT;
	event_states_text(t, &names);
	err_set(e, "state=%.40s: one of %s or a number is expected", text, strbuf_str(&names));
	strbuf_release(&names);
	return false;
}

static bool arg_value(struct event_filter *f, enum event_type t, const char *key, const char *value, struct err *e)
{
	const struct event_desc *d = &event_descs[t];
	for (u32 i = 0; i < EVENT_ARGS; i++)
		if (*d->arg[i] && !strcmp(d->arg[i], key)) {
			f->arg[i].has = true;
			if (named(t, key, value, &f->arg[i].value, &f->arg[i].set) || word_named(t, i, value, &f->arg[i].value))
				return true;
			if (is_state(t, key) && !isdigit((unsigned char)*value))
				return no_state(t, value, e);
			if (event_arg_words(t, i) && !isdigit((unsigned char)*value))
				return no_word(t, i, value, e);
			return number(key, value, UINT64_MAX, &f->arg[i].value, e);
		}
	return no_filter(t, key, e);
}

static bool place_value(const char *key, const char *value, struct coordinates *c, struct err *e)
{
	return coordinates_read(value, c) || err_set(e, "%s=%.60s: a number or X,Y,Z is expected", key, value);
}

bool event_filter_add(struct event_filter *f, enum event_type t, const char *key, const char *value, struct err *e)
{
	u64 v;
	for (u32 i = 0; i < ARRAY_LEN(places); i++)
		if (!strcmp(places[i].key, key) && !(event_descs[t].places & places[i].bit))
			return no_filter(t, key, e);
	if (!strcmp(key, "kernel"))
		return kernel_value(f, value, e);
	if (!strcmp(key, "sm")) {
		if (!number(key, value, INT32_MAX, &v, e))
			return false;
		f->sm = (s32)v;
	} else if (!strcmp(key, "warp")) {
		if (!number(key, value, INT32_MAX, &v, e))
			return false;
		f->warp = (s32)v;
	} else if (!strcmp(key, "cta")) {
		if (!place_value(key, value, &f->cta_at, e))
			return false;
		f->cta = f->cta_at.parts == 1 ? (s64)f->cta_at.at[0] : -1;
	} else if (!strcmp(key, "thread")) {
		return place_value(key, value, &f->thread, e);
	} else {
		return arg_value(f, t, key, value, e);
	}
	return true;
}

static void place_filter_text(const char *key, const struct coordinates *c, struct strbuf *out)
{
	if (c->parts)
		strbuf_adds(out, key);
	coordinates_text(c, out);
}

void event_filter_text(const struct event_filter *f, enum event_type t, struct strbuf *out)
{
	if (f->sm >= 0)
		strbuf_addf(out, " sm=%d", f->sm);
	if (f->launch >= 0)
		strbuf_addf(out, " kernel=%d", f->launch);
	if (*f->kernel)
		strbuf_addf(out, " kernel=%s", f->kernel);
	place_filter_text(" cta=", &f->cta_at, out);
	place_filter_text(" thread=", &f->thread, out);
	if (f->warp >= 0)
		strbuf_addf(out, " warp=%d", f->warp);
	for (u32 i = 0; i < EVENT_ARGS; i++)
		if (f->arg[i].has && f->arg[i].set)
			strbuf_addf(out, " %s=%s", event_descs[t].arg[i], warp_state_descs[bit_first(f->arg[i].set)].name);
		else if (f->arg[i].has && event_arg_words(t, i) && event_arg_name(t, i, f->arg[i].value))
			strbuf_addf(out, " %s=%s", event_descs[t].arg[i], event_arg_name(t, i, f->arg[i].value));
		else if (f->arg[i].has)
			strbuf_addf(out, " %s=%llu", event_descs[t].arg[i], (unsigned long long)f->arg[i].value);
}

static bool kernel_named(struct gpu *g, s32 launch, const char *name)
{
	if (launch < 0 || (u32)launch >= gpu_num_kernels(g))
		return false;
	return func_named(gpu_launched(g, (u32)launch)->fn, name);
}

bool event_filter_in_grid(const struct event_filter *f, struct dim3 grid)
{
	return !f->cta_at.parts || coordinates_inside(&f->cta_at, grid);
}

/* The CTA by its coordinates, and the thread: both need the launch. */
static bool places_match(const struct event_filter *f, struct gpu *g, const struct event *ev)
{
	if (f->cta_at.parts < 2 && !f->thread.parts)
		return true;
	if (ev->kernel < 0 || (u32)ev->kernel >= gpu_num_kernels(g))
		return false;
	const struct launch *l = gpu_launched(g, (u32)ev->kernel);
	if (f->cta_at.parts > 1 &&
	    (!coordinates_inside(&f->cta_at, l->grid) || coordinates_linear(&f->cta_at, l->grid) != (u64)(s64)ev->cta))
		return false;
	if (!f->thread.parts)
		return true;
	if (!coordinates_inside(&f->thread, l->block))
		return false;
	const u64 t = coordinates_linear(&f->thread, l->block);
	const bool lane = ev->type != EV_ISSUE || ev->arg[1] >> t % WARP_SIZE & 1;
	return gpu_warp_in_cta(g, (u32)ev->sm, (u32)ev->warp) == t / WARP_SIZE && lane;
}

bool event_filter_match(const struct event_filter *f, struct gpu *g, const struct event *ev)
{
	if ((f->sm >= 0 && f->sm != ev->sm) || (f->warp >= 0 && f->warp != ev->warp) ||
	    (f->cta >= 0 && f->cta != ev->cta) || (f->launch >= 0 && f->launch != ev->kernel))
		return false;
	for (u32 i = 0; i < EVENT_ARGS; i++)
		if (f->arg[i].has &&
		    (f->arg[i].set ? ev->arg[i] > 63 || !(f->arg[i].set >> ev->arg[i] & 1) : f->arg[i].value != ev->arg[i]))
			return false;
	return (!*f->kernel || kernel_named(g, ev->kernel, f->kernel)) && places_match(f, g, ev);
}

/* --- an event as a sentence --- */

static void warps_text(u64 mask, struct strbuf *out)
{
	const char *sep = bit_count(mask) == 1 ? "warp " : "warps ";
	for (u32 i = 0; i < 64; i++) {
		if (!(mask >> i & 1))
			continue;
		u32 last = i;
		while (last < 63 && (mask >> (last + 1) & 1))
			last++;
		strbuf_addf(out, last > i ? "%s%u-%u" : "%s%u", sep, i, last);
		sep = ",";
		i = last;
	}
	if (!mask)
		strbuf_adds(out, "no warp");
}

static void place_text(struct gpu *g, const struct event *ev, struct strbuf *out)
{
	const char *sep = "";
	if (ev->sm >= 0) {
		strbuf_addf(out, "SM %d", ev->sm);
		sep = ", ";
	}
	if (ev->warp >= 0) {
		strbuf_addf(out, "%swarp %d", sep, ev->warp);
		sep = ", ";
	}
	if (ev->cta >= 0) {
		strbuf_addf(out, "%sCTA %d", sep, ev->cta);
		sep = " of ";
	}
	if (ev->kernel >= 0 && (u32)ev->kernel < gpu_num_kernels(g)) {
		struct kernel_info k;
		gpu_kernel_info(g, (u32)ev->kernel, &k);
		strbuf_addf(out, gpu_num_kernels(g) > 1 ? "%s%s#%d" : "%s%s", sep, k.label, ev->kernel);
	}
}

static void arg_text(const struct event *ev, u32 i, struct strbuf *out)
{
	const char *name = event_descs[ev->type].arg[i];
	u64 v = ev->arg[i];
	const char *word = event_arg_name((enum event_type)ev->type, i, v);
	if (!strcmp(name, "warps"))
		warps_text(v, out);
	else if (word && event_arg_words((enum event_type)ev->type, i))
		strbuf_addf(out, "%s %s", name, word);
	else if (word)
		strbuf_adds(out, word);
	else if (ev->type >= EV_PREEMPT_PLAN && ev->type <= EV_PREEMPT_CTA && v == UINT64_MAX)
		strbuf_addf(out, "%s unknown", name);
	else if (ev->type == EV_PREEMPT_REQUEST && v == UINT64_MAX)
		strbuf_addf(out, "%s nobody in particular", name);
	else if (!strcmp(name, "addr") || !strcmp(name, "mask") || !strcmp(name, "words") || !strcmp(name, "by") ||
	         !strcmp(name, "lanes") || !strcmp(name, "others") || !strcmp(name, "taken") ||
	         !strcmp(name, "fallthrough") ||
	         (!strcmp(name, "ready") && ev->type != EV_VT_READY)) /* there it is a number of CTAs */
		strbuf_addf(out, "%s 0x%llx", name, (unsigned long long)v);
	else
		strbuf_addf(out, "%s %llu", name, (unsigned long long)v);
}

void event_text(struct gpu *g, const struct event *ev, struct strbuf *out)
{
	strbuf_addf(out, "%s: ", event_descs[ev->type].name);
	size_t at = out->len;
	place_text(g, ev, out);
	const char *sep = out->len > at ? " (" : "(";
	bool any = false;
	for (u32 i = 0; i < EVENT_ARGS; i++)
		if (*event_descs[ev->type].arg[i]) {
			strbuf_adds(out, sep);
			arg_text(ev, i, out);
			sep = ", ";
			any = true;
		}
	if (any)
		strbuf_addc(out, ')');
	else if (out->len == at) /* an event of no place and no arguments: its name is all there is to say */
		out->buf[out->len = at - 2] = 0;
}
