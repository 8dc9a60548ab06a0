/* info: the dispatcher and the topics that are lists of what there is */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "commands/commands.h"
#include "session/policy/lua_policy.h"
#include "obs/name/names.h"

bool cmd_info(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char word[40];
	const char *rest = next_word(args, word, sizeof(word));
	if (rest && !strcmp(word, "cuda")) /* cuda-gdb's "info cuda warps" */
		rest = next_word(rest, word, sizeof(word));
	if (!rest) {
		for (u32 i = 0; i < ninfo_topics; i++)
			strbuf_addf(out, "info %-12s %-22s %s\n", info_topics[i].name, info_topics[i].args, info_topics[i].help);
		return true;
	}
	const struct info_topic *t = info_find(word, e);
	return t && t->fn(d, rest, out, e);
}

bool info_events(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (!arg_none(args, "info events", e))
		return false;
	for (u32 i = 0; i < EV_COUNT; i++) {
		const struct event_desc *x = &event_descs[i];
		strbuf_addf(out, "%-16s %s", x->name, x->help);
		for (u32 a = 0; a < EVENT_ARGS; a++)
			if (*x->arg[a])
				strbuf_addf(out, "%s%s", a ? ", " : " [", x->arg[a]);
		strbuf_adds(out, *x->arg[0] ? "]\n" : "\n");
	}
	u64 lost = gpu_events_dropped(dbg_gpu(d));
	if (lost)
		strbuf_addf(out, "%llu event%s lost: an SM keeps %u of one cycle.\n", (unsigned long long)lost,
		            by_number(lost, " was", "s were"), EVENT_BUF_MAX - 1);
	return true;
}

static const char *indented_line(const char *text, struct strbuf *out)
{
	size_t n = strcspn(text, "\n");
	strbuf_addf(out, "        %.*s\n", (int)n, text);
	return text + n + (text[n] == '\n');
}

static void breakpoint_row(struct debugger *d, const struct breakpoint *b, struct strbuf *out)
{
	strbuf_addf(out, "%-4u %-5s %-4s %s%s", b->id, b->temporary ? "del" : "keep", b->enabled ? "on" : "off",
	            b->kind == BK_WATCH ? "watch " : "", b->what);
	if (b->kind == BK_CODE && b->mod && b->npcs) {
		strbuf_adds(out, " at ");
		line_place(b->mod, b->pcs[0], out);
	} else if (b->kind == BK_CODE) {
		strbuf_adds(out, " (pending)");
	} else if (b->kind == BK_WATCH) {
		strbuf_adds(out, " (now ");
		watch_value(watch_find(d, b->id), out);
		strbuf_addc(out, ')');
	}
	break_details(b, out);
	strbuf_addc(out, '\n');
	if (b->hits)
		strbuf_addf(out, "        %llu hit%s\n", (unsigned long long)b->hits, plural(b->hits));
	if (b->ignore)
		strbuf_addf(out, "        passes over the next %llu hit%s\n", (unsigned long long)b->ignore, plural(b->ignore));
	for (const char *p = b->commands; p && *p;)
		p = indented_line(p, out);
}

bool info_breakpoints(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	bool any = false;
	if (!arg_none(args, "info breakpoints", e))
		return false;
	for (u32 i = 0; i < d->breaks.n; i++)
		if (!d->breaks.list[i]->internal) {
			breakpoint_row(d, d->breaks.list[i], out);
			any = true;
		}
	if (!any)
		strbuf_adds(out, "No breakpoints or watchpoints.\n");
	return true;
}

/* One kind's policies, the one in use marked, with the hardware that it adds to an SM of this machine. */
static void policy_rows(const struct conf *c, enum policy_kind k, struct strbuf *out)
{
	const char *now = policy_named(c, k), *kind = policy_kinds[k].name;
	const struct policy *p;
	for (u32 i = 0; (p = sim_policy(k, i)); i++) {
		bool used = !strcmp(now, p->name);
		strbuf_addf(out, "%s %-10s %-12s %s%s%s%s\n", used ? "*" : " ", kind, p->name, p->help, *p->source ? " (" : "",
		            p->source, *p->source ? ")" : "");
		struct strbuf text = STRBUF_INIT;
		if (used)
			sim_policy_storage(c, p, &text);
		for (const char *line = strbuf_str(&text); *line;)
			line = indented_line(line, out);
		strbuf_release(&text);
	}
	if (policy_is_lua(now))
		strbuf_addf(out, "* %-10s %-12s written in Lua\n", kind, now);
}

bool info_policies(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	const struct conf *c = gpu_conf(dbg_gpu(d));
	if (!arg_none(args, "info policies", e))
		return false;
	for (u32 k = 0; k < POLICY_KINDS; k++)
		policy_rows(c, k, out);
	for (u32 i = 0; i < c->sm_schedulers; i++) {
		struct strbuf t = STRBUF_INIT;
		gpu_sched_text(dbg_gpu(d), d->focus.sm, i, UINT32_MAX, &t);
		if (t.len)
			strbuf_addf(out, "SM %u scheduler %u: %s\n", d->focus.sm, i, strbuf_str(&t));
		strbuf_release(&t);
	}
	return true;
}

static void alloc_row(const struct alloc *a, struct strbuf *out)
{
	strbuf_addf(out, "%-4u 0x%09llx %12llu B  %s%s%s\n", a->id, (unsigned long long)a->addr,
	            (unsigned long long)a->size, *a->name ? a->name : "-",
	            a->freed      ? " (freed)"
	            : a->internal ? " (internal)"
	                          : "",
	            a->readonly ? " (read-only)" : "");
}

/* Of the heap of malloc() in kernels: what is in use, and the block that an address is in. */
static void heap_row(const struct front *f, struct strbuf *out)
{
	struct heap_info h;
	if (front_heap(f, &h))
		strbuf_addf(out,
		            "     malloc: %llu block%s, %llu B in use; %llu given, %llu freed, %llu failed; at most %llu B\n",
		            (unsigned long long)h.blocks, plural(h.blocks), (unsigned long long)h.used,
		            (unsigned long long)(h.mallocs - h.failed), (unsigned long long)h.frees,
		            (unsigned long long)h.failed, (unsigned long long)h.most);
}
static void heap_block_row(const struct front *f, u64 addr, struct strbuf *out)
{
	u64 start, bytes;
	if (front_heap_block(f, addr, &start, &bytes))
		strbuf_addf(out, "     malloc gave 0x%09llx %12llu B, the address is %llu B into it\n",
		            (unsigned long long)start, (unsigned long long)bytes, (unsigned long long)(addr - start));
	else
		strbuf_adds(out, "     no block of malloc holds the address\n");
}

bool info_allocation(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	const struct devmem *m = sim_devmem(d->s->sim);
	u64 addr, dist;
	if (!*args) {
		for (u32 i = 0; i < m->nallocs; i++)
			alloc_row(&m->allocs[i], out);
		heap_row(gpu_front(dbg_gpu(d)), out);
		if (!m->nallocs)
			strbuf_adds(out, "No allocations.\n");
		return true;
	}
	if (!address_expression(d, args, &addr, e))
		return false;
	const struct alloc *a = devmem_nearest(m, addr, &dist);
	if (!a)
		return err_set(e, "there are no allocations");
	if (dist)
		strbuf_addf(out, "0x%llx is in no allocation; the nearest is %llu B away:\n", (unsigned long long)addr,
		            (unsigned long long)dist);
	alloc_row(a, out);
	if (a->heap && !dist)
		heap_block_row(gpu_front(dbg_gpu(d)), addr, out);
	return true;
}

bool info_display(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (!arg_none(args, "info display", e))
		return false;
	for (u32 i = 0; i < d->ndisplays; i++)
		strbuf_addf(out, "%-4u %-4s %s\n", d->displays[i].id, d->displays[i].enabled ? "on" : "off",
		            d->displays[i].expr);
	if (!d->ndisplays)
		strbuf_adds(out, "No displays.\n");
	return true;
}
