/* focus (cuda), info focus */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "obs/name/coordinates.h"

struct wanted {
	s64 sm, warp, lane, kernel, cta, thread; /* -1 = not named */
	char kernel_name[96];
	struct coordinates cta_at, thread_at; /* cuda-gdb's "block 1,2,0 thread (3,0,0)" */
};

static const char *const words[] = {"kernel", "sm", "cta", "block", "thread", "warp", "lane"};

static s64 *slot_of(struct wanted *w, const char *word)
{
	s64 *slots[] = {&w->kernel, &w->sm, &w->cta, &w->cta, &w->thread, &w->warp, &w->lane};
	s32 found = -1;
	for (u32 i = 0; i < ARRAY_LEN(words); i++)
		if (!strncmp(words[i], word, strlen(word)) && (found < 0 || !strcmp(words[i], word)))
			found = (s32)i;
	return found < 0 ? NULL : slots[found];
}

static bool read_value(struct wanted *w, s64 *slot, const char *key, const char *value, struct err *e)
{
	u64 v;
	struct coordinates *c = slot == &w->cta ? &w->cta_at : slot == &w->thread ? &w->thread_at : NULL;
	if (word_number(value, &v) && v < INT64_MAX)
		*slot = (s64)v;
	else if (slot == &w->kernel)
		snprintf(w->kernel_name, sizeof(w->kernel_name), "%s", value);
	else if (!c)
		return err_set(e, "focus: %s %s: a number is expected", key, value);
	else if (!coordinates_read(value, c))
		return err_set(e, "focus: %s %s: a number or X,Y,Z is expected", key, value);
	return true;
}

static bool read_wanted(const char *args, struct wanted *w, struct err *e)
{
	char key[32], value[96];
	*w = (struct wanted){.sm = -1, .warp = -1, .lane = -1, .kernel = -1, .cta = -1, .thread = -1};
	while ((args = next_word(args, key, sizeof(key)))) {
		s64 *slot = slot_of(w, key);
		if (!slot)
			return err_set(e, "focus: '%s' is not one of kernel, sm, cta, thread, warp, lane", key);
		args = next_word(args, value, sizeof(value));
		if (!args)
			return err_set(e, "focus: %s needs a number", key);
		if (!read_value(w, slot, key, value, e))
			return false;
	}
	return true;
}

/* A place in a grid or block of size d as a linear number; false with *e when it is outside. */
static bool linear(const char *what, const struct coordinates *c, struct dim3 d, s64 *out, struct err *e)
{
	if (c->parts && !coordinates_inside(c, d))
		return err_set(e, "focus: %s (%llu,%llu,%llu) does not exist: there are %u x %u x %u", what,
		               (unsigned long long)c->at[0], (unsigned long long)c->at[1], (unsigned long long)c->at[2], d.x,
		               d.y, d.z);
	if (c->parts)
		*out = (s64)coordinates_linear(c, d);
	return true;
}

/* Coordinates become the CTA's id, a thread its warp and lane; of the kernel named, else of the focused one. */
static bool resolve(struct debugger *d, struct wanted *w, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	struct kernel_info k;
	s64 launch = w->kernel >= 0 ? w->kernel : d->focus.kernel;
	if (!w->cta_at.parts && !w->thread_at.parts && w->thread < 0)
		return true;
	for (u32 i = 0; *w->kernel_name && i < gpu_num_kernels(g); i++)
		if (func_named(gpu_launched(g, i)->fn, w->kernel_name))
			launch = i;
	if (launch < 0 || launch >= gpu_num_kernels(g))
		return err_set(e, "focus: say of which kernel: the focused warp slot is empty");
	gpu_kernel_info(g, (u32)launch, &k);
	struct dim3 block = k.launch->block;
	if (!linear("cta", &w->cta_at, k.launch->grid, &w->cta, e) ||
	    !linear("thread", &w->thread_at, block, &w->thread, e))
		return false;
	if (w->thread < 0)
		return true;
	if (w->warp >= 0 || w->lane >= 0)
		return err_set(e, "focus: a thread has its warp and lane: name it or them");
	if ((u64)w->thread >= (u64)block.x * block.y * block.z)
		return err_set(e, "focus: thread %lld does not exist (0..%llu)", (long long)w->thread,
		               (unsigned long long)((u64)block.x * block.y * block.z - 1));
	w->cta = w->cta >= 0 ? w->cta : (s64)d->focus.cta;
	w->kernel = launch;
	w->warp = w->thread / WARP_SIZE;
	w->lane = w->thread % WARP_SIZE;
	return true;
}

static bool kernel_fits(struct gpu *g, s32 launch, const struct wanted *w)
{
	struct kernel_info k;
	if (w->kernel >= 0)
		return launch == w->kernel;
	if (!*w->kernel_name)
		return true;
	gpu_kernel_info(g, (u32)launch, &k);
	return func_named(k.launch->fn, w->kernel_name);
}

static bool warp_fits(struct gpu *g, const struct warp_info *i, u32 warp, const struct wanted *w)
{
	if (i->state == WS_NONE || i->launch < 0 || !kernel_fits(g, i->launch, w))
		return false;
	if (w->cta >= 0 && ((s64)i->cta != w->cta || (w->warp >= 0 && i->warp_in_cta != w->warp)))
		return false;
	return w->cta >= 0 || w->warp < 0 || warp == (u64)w->warp;
}

/* A resident warp that fits, the current SM first. */
static bool search(struct debugger *d, const struct wanted *w, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	u32 sms = gpu_conf(g)->num_sms, warps = gpu_warps_per_sm(g);
	for (u32 n = 0; n < sms; n++) {
		u32 sm = (d->focus.sm + n) % sms;
		if (w->sm >= 0 && sm != (u64)w->sm)
			continue;
		for (u32 i = 0; i < warps; i++) {
			struct warp_info info;
			gpu_warp_info(g, sm, i, &info);
			if (warp_fits(g, &info, i, w))
				return debugger_focus(d, sm, i, e);
		}
	}
	return err_set(e, "focus: no resident warp fits (`info ctas`, `info warps` and `info kernels` show what is there)");
}

static bool in_range(s64 v, u64 limit, const char *what, struct err *e)
{
	return v < (s64)limit ||
	       err_set(e, "%s %lld does not exist (0..%llu)", what, (long long)v, (unsigned long long)(limit - 1));
}

bool cmd_focus(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct wanted w;
	struct gpu *g = dbg_gpu(d);
	if (!read_wanted(args, &w, e))
		return false;
	debugger_refresh_focus(d);
	if (!resolve(d, &w, e))
		return false;
	if (!in_range(w.sm, gpu_conf(g)->num_sms, "SM", e) || !in_range(w.lane, WARP_SIZE, "lane", e) ||
	    (w.cta < 0 && !in_range(w.warp, gpu_warps_per_sm(g), "warp slot", e)) ||
	    (w.kernel >= 0 && !gpu_num_kernels(g) &&
	     !err_set(e, "kernel %lld: nothing is launched yet", (long long)w.kernel)) ||
	    (w.kernel >= 0 && !in_range(w.kernel, gpu_num_kernels(g), "kernel launch", e)))
		return false;
	bool by_place = w.cta < 0 && w.kernel < 0 && !*w.kernel_name;
	u32 sm = w.sm >= 0 ? (u32)w.sm : d->focus.sm;
	u32 warp = w.warp >= 0 ? (u32)w.warp : d->focus.warp;
	if (!(by_place ? debugger_focus(d, sm, warp, e) : search(d, &w, e)))
		return false;
	if (w.lane >= 0)
		d->focus.lane = (u32)w.lane;
	debugger_show_place(d, out);
	return true;
}

bool info_focus(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	debugger_refresh_focus(d);
	debugger_show_place(d, out);
	return arg_none(args, "info focus", e);
}
