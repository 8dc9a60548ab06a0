/* Completion of Lua paths: probes, documented functions and fields, globals. */
#include <stdio.h>
#include <string.h>

#include "dbg/debugger.h"
#include "script/gpu.h"
#include "obs/name/probe_path.h"

static void offer_docs(const struct lua_doc *doc, const char *text, void (*fn)(void *, const char *), void *ctx)
{
	for (; doc->name; doc++)
		if (!strncmp(doc->name, text, strlen(text)) && !strchr(doc->name, '['))
			fn(ctx, doc->name);
}

static void offer_globals(lua_State *L, const char *text, void (*fn)(void *, const char *), void *ctx)
{
	lua_pushglobaltable(L);
	lua_pushnil(L);
	while (lua_next(L, -2)) {
		if (lua_type(L, -2) == LUA_TSTRING && !strncmp(lua_tostring(L, -2), text, strlen(text)))
			fn(ctx, lua_tostring(L, -2));
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
}

/* "gpu.sm[3].warp[5].st": the fields of the kind of object in front of the last dot. */
static void offer_fields(const char *text, void (*fn)(void *, const char *), void *ctx)
{
	const char *dot = strrchr(text, '.');
	char path[256];
	enum handle_kind kind = H_COUNT;
	if (!dot || strncmp(text, "gpu.", 4))
		return;
	size_t stem = (size_t)(dot - text) + 1;
	if (stem == 4)
		kind = H_GPU;
	else if (strstr(text, "].warp[") && dot[-1] == ']')
		kind = H_WARP;
	else if (strstr(text, "].cta[") && dot[-1] == ']')
		kind = H_CTA;
	else if (!strncmp(text, "gpu.sm[", 7) && dot[-1] == ']')
		kind = H_SM;
	else if (!strncmp(text, "gpu.kernel[", 11) && dot[-1] == ']')
		kind = H_KERNEL;
	for (const struct gpu_field *f = gpu_fields; f->name && kind != H_COUNT; f++)
		if (f->kind == kind && !strncmp(f->name, dot + 1, strlen(dot + 1))) {
			snprintf(path, sizeof(path), "%.*s%s", (int)MIN(stem, (size_t)160), text, f->name);
			fn(ctx, path);
		}
}

void lua_dbg_complete(struct debugger *d, const char *text, void (*fn)(void *ctx, const char *path), void *ctx)
{
	probe_complete(sim_gpu(d->s->sim), text, fn, ctx);
	offer_fields(text, fn, ctx);
	offer_docs(lua_dbg_docs, text, fn, ctx);
	offer_docs(lua_mem_docs, text, fn, ctx);
	offer_docs(lua_cuda_docs, text, fn, ctx);
	if (!strpbrk(text, ".[:"))
		offer_globals(d->s->L, text, fn, ctx);
}
