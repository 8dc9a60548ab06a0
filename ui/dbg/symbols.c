/* Variables of shared memory by name: as PTX has it, or as the CUDA source has it inside its kernel. */
#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "dbg/focus.h"
#include "dbg/value.h"

/* clang and nvcc call `prev` of a kernel `_ZZ...E4prev`. */
static bool is_named(const struct symbol *y, const char *name, size_t len)
{
	char inner[220];
	size_t n = strlen(y->name);
	int k = snprintf(inner, sizeof(inner), "E%zu%.*s", len, (int)len, name);
	if (n == len && !memcmp(y->name, name, len))
		return true;
	return !strncmp(y->name, "_ZZ", 3) && n > (size_t)k && !strcmp(y->name + n - (size_t)k, inner);
}

/* The kernel's own before those of the module and of functions that it may call; never another kernel's. */
static const struct symbol *find(const struct launch *l, const char *name, size_t len)
{
	const struct symbol *found = NULL;
	const s32 func = (s32)(l->fn - l->mod->funcs);
	for (u32 i = 0; i < l->mod->nsymbols; i++) {
		const struct symbol *y = &l->mod->symbols[i];
		bool others = y->func >= 0 && y->func != func && l->mod->funcs[y->func].is_kernel;
		if (y->space == SPC_SHARED && !others && is_named(y, name, len) && (!found || y->func == func))
			found = y;
	}
	return found;
}

/* NAME or NAME+N, of the focused warp's kernel. */
bool shared_name(struct debugger *d, const char *expr, u64 *out)
{
	const size_t len = strcspn(expr, "+ \t");
	const char *more = skip_blanks(expr + len);
	struct kernel_info k;
	struct warp_info w;
	u64 add = 0;
	debugger_refresh_focus(d);
	gpu_warp_info(dbg_gpu(d), d->focus.sm, d->focus.warp, &w);
	if (!len || w.launch < 0 || (*more && (*more != '+' || !word_number(skip_blanks(more + 1), &add))))
		return false;
	gpu_kernel_info(dbg_gpu(d), (u32)w.launch, &k);
	const struct launch *l = k.launch;
	const struct symbol *y = find(l, expr, len);
	if (y)
		*out = (y->size ? y->addr : l->fn->dynamic_shared_off) + add;
	return y;
}

bool shared_expression(struct debugger *d, const char *expr, u64 *out, struct err *e)
{
	return shared_name(d, expr, out) || address_expression(d, expr, out, e);
}
