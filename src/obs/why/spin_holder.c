/* Who holds the lock that a warp spins on. A lock's value does not tell; but the front end remembers who changed a word
 * last by an atomic of the kind that takes locks (front_lock()). */
#include <string.h>

#include "obs/name/names.h"
#include "obs/why/why.h"
#include "obs/why/why_text.h"

#define HOLDERS_MAX 16

struct holders {
	u32 n;
	struct {
		u32 sm, warp;
	} at[HOLDERS_MAX];
};

static bool met(const struct holders *h, u32 sm, u32 warp)
{
	for (u32 i = 0; i < h->n; i++)
		if (h->at[i].sm == sm && h->at[i].warp == warp)
			return true;
	return false;
}

static bool read_word(const struct gpu *g, const struct spin *sp, u32 sm, u32 slot, u32 bytes, u64 *value)
{
	struct err e;
	*value = 0;
	if (sp->space != SPC_SHARED)
		return devmem_read(gpu_devmem(g), sp->addr, value, bytes, &e);
	u32 size;
	/* It hands out a pointer to write through; nothing is written here. */
	const u8 *p = front_shared((struct front *)gpu_front(g), sm, slot, &size);
	if (sp->addr + bytes > size)
		return false;
	memcpy(value, p + sp->addr, bytes);
	return true;
}

/* Is the warp that changed the word still there? Its slot may be another one's now. */
static bool resident(const struct gpu *g, const struct lock_change *c, struct warp_info *w)
{
	gpu_warp_info(g, c->sm, c->warp, w);
	return w->launch == (s32)c->launch && w->cta == c->cta && w->warp_in_cta == c->warp_in_cta && w->pc != PC_DONE;
}

static void tell_change(const struct gpu *g, const struct lock_change *c, u64 value, struct strbuf *out, u32 depth)
{
	const struct module *m = module_of_launch(g, (s32)c->launch);
	struct kernel_info k;
	why_indent(out, depth);
	strbuf_addf(out, "the word holds %llu", (unsigned long long)value);
	if (value == c->value)
		strbuf_adds(out, ", as the last atomic that takes locks left it: ");
	else
		strbuf_addf(out, ", left by a store or another atomic; the last one that takes locks left %llu: ",
		            (unsigned long long)c->value);
	strbuf_addf(out, "lane %d of SM %u warp %u (warp %u of CTA %llu of %s#%u), cycle %llu", c->lane - 1, c->sm, c->warp,
	            c->warp_in_cta, (unsigned long long)c->cta, why_kernel(g, (s32)c->launch, &k), c->launch,
	            (unsigned long long)c->cycle);
	if (m) {
		strbuf_adds(out, ": ");
		line_place(m, c->pc, out);
		strbuf_adds(out, "  ");
		line_text(m, c->pc, out);
	}
	strbuf_addc(out, '\n');
}

/* The holder, if the one who set the word still holds it: true when it spins itself, on another word. */
static bool tell_holder(const struct gpu *g, const struct lock_change *c, struct strbuf *out, u32 depth)
{
	struct warp_info w;
	struct spin sp;
	why_indent(out, depth);
	if (!resident(g, c, &w)) {
		strbuf_adds(out, "that warp has exited: if it had to give the lock back, nobody does\n");
		return false;
	}
	if (!spin_find(g, c->sm, c->warp, &sp)) {
		strbuf_addf(out, "that warp: %s%s%s (`why warp %u` after `focus sm %u` tells more)\n",
		            warp_state_descs[w.state].name, *w.waits ? ", waits for " : "", w.waits, c->warp, c->sm);
		return false;
	}
	const struct module *m = module_of_launch(g, w.launch);
	strbuf_addf(out, "that warp spins itself: lines %u-%u read %s address 0x%llx\n", module_pc_line(m, sp.from),
	            module_pc_line(m, sp.to), space_names[sp.space], (unsigned long long)sp.addr);
	return true;
}

/* What the spinning warp's word tells; the next one to ask, NULL: nobody. */
static const struct lock_change *tell_word(const struct gpu *g, u32 sm, u32 warp, const struct spin *sp,
                                           struct strbuf *out, u32 depth)
{
	struct warp_info w;
	u64 value;
	gpu_warp_info(g, sm, warp, &w);
	const struct inst *load = &module_of_launch(g, w.launch)->code[sp->load];
	const struct lock_change *c = front_lock(gpu_front(g), sp->space, sm, w.cta_slot, sp->addr);
	if (!c || !read_word(g, sp, sm, w.cta_slot, ptype_bytes(load->type), &value))
		return NULL;
	tell_change(g, c, value, out, depth);
	return value == c->value ? c : NULL;
}

void spin_tell_holder(struct gpu *g, u32 sm, u32 warp, struct strbuf *out, u32 depth)
{
	struct holders seen = {.n = 0};
	struct spin sp;
	struct warp_info w;
	for (; seen.n < HOLDERS_MAX && spin_find(g, sm, warp, &sp); depth++) {
		const struct lock_change *c = tell_word(g, sm, warp, &sp, out, depth);
		const bool there = c && resident(g, c, &w);
		if (!c || (there && c->sm == sm && c->warp == warp))
			return; /* not known; or other lanes of this warp: the SIMT stack tells */
		seen.at[seen.n].sm = sm;
		seen.at[seen.n++].warp = warp;
		if (there && met(&seen, c->sm, c->warp)) {
			why_indent(out, depth + 1);
			strbuf_adds(out, "we have been there: a cycle of locks, if each of these warps still holds what it took\n");
			return;
		}
		if (!tell_holder(g, c, out, depth + 1))
			return;
		sm = c->sm;
		warp = c->warp;
	}
}
