/* Which member of a container is for a chip. */
#include <stdlib.h>

#include "session/app/fatbin.h"

/* Would the CUDA driver compile that PTX for a chip? */
static bool suits(const struct fatbin_member *m, u32 sm)
{
	if (m->flags & FATBIN_CHIP)
		return m->sm == sm;
	return m->sm <= sm && (!(m->flags & FATBIN_FAMILY) || m->sm / 10 == sm / 10);
}

static bool special(const struct fatbin_member *m)
{
	return m->flags & (FATBIN_CHIP | FATBIN_FAMILY);
}

/* Is a nearer to `sm` than b? Chips up to `sm` come before those above it. */
static bool nearer(const struct fatbin_member *a, const struct fatbin_member *b, u32 sm)
{
	if (!b)
		return true;
	if ((a->sm <= sm) != (b->sm <= sm))
		return a->sm <= sm;
	if (a->sm != b->sm)
		return (a->sm > b->sm) == (a->sm <= sm);
	return !special(a) && special(b);
}

static const struct fatbin_member *nearest(const struct fatbin *f, u32 container, u32 kind, u32 sm, bool suiting)
{
	const struct fatbin_member *best = NULL;
	for (u32 i = 0; i < f->n; i++) {
		const struct fatbin_member *m = &f->m[i];
		if (m->container == container && m->kind == kind && (!suiting || suits(m, sm)) && nearer(m, best, sm))
			best = m;
	}
	return best;
}

static int by_sm(const void *a, const void *b)
{
	const u32 x = *(const u32 *)a, y = *(const u32 *)b;
	return (x > y) - (x < y);
}

/* "sm_75, sm_80": the chips of the container's members of a kind, each once; "" for none. */
static void add_chips(const struct fatbin *f, u32 container, u32 kind, struct strbuf *out)
{
	u32 *sm = xcalloc(MAX(f->n, 1u), sizeof *sm), n = 0;
	for (u32 i = 0; i < f->n; i++)
		if (f->m[i].container == container && f->m[i].kind == kind)
			sm[n++] = f->m[i].sm;
	qsort(sm, n, sizeof *sm, by_sm);
	for (u32 i = 0; i < n; i++)
		if (!i || sm[i] != sm[i - 1])
			strbuf_addf(out, "%ssm_%u", i ? ", " : "", sm[i]);
	free(sm);
}

static void no_ptx(const struct fatbin *f, u32 container, u32 sm, struct err *e)
{
	struct strbuf code = STRBUF_INIT, lto = STRBUF_INIT;
	const struct fatbin_member *m = nearest(f, container, FATBIN_CUBIN, sm, false);
	add_chips(f, container, FATBIN_CUBIN, &code);
	add_chips(f, container, FATBIN_LTO, &lto);
	if (!m)
		m = nearest(f, container, FATBIN_LTO, sm, false);
	if (!m)
		err_set(e, "fat binary of %s: container %u has neither PTX nor machine code", f->label, container);
	else
		err_set(
		    e,
		    "fat binary of %s: container %u has %s for %s and no PTX; the simulator runs PTX. Compile the program with "
		    "-gencode arch=compute_%u,code=compute_%u",
		    f->label, container, code.len ? "machine code" : "LTO IR", code.len ? code.buf : strbuf_str(&lto), m->sm,
		    m->sm);
	strbuf_release(&code);
	strbuf_release(&lto);
}

const struct fatbin_member *fatbin_choose_ptx(const struct fatbin *f, u32 container, u32 sm, struct strbuf *note,
                                              struct err *e)
{
	const struct fatbin_member *m = nearest(f, container, FATBIN_PTX, sm, true);
	if (m)
		return m;
	m = nearest(f, container, FATBIN_PTX, sm, false);
	if (!m)
		no_ptx(f, container, sm, e);
	else if (note) {
		struct strbuf chips = STRBUF_INIT;
		add_chips(f, container, FATBIN_PTX, &chips);
		strbuf_addf(note,
		            "%s%s has no PTX for sm_%u (PTX is for %s); that for sm_%u%s runs, which such a chip would refuse",
		            note->len ? "; " : "", f->label, sm, chips.buf, m->sm,
		            m->flags & FATBIN_CHIP     ? "a"
		            : m->flags & FATBIN_FAMILY ? "f"
		                                       : "");
		strbuf_release(&chips);
	}
	return m;
}

const struct fatbin_member *fatbin_choose_cubin(const struct fatbin *f, u32 container, u32 sm, struct strbuf *note)
{
	const struct fatbin_member *m = nearest(f, container, FATBIN_CUBIN, sm, false);
	if (m && m->sm != sm && note)
		strbuf_addf(note, "%s%s has no machine code for sm_%u; registers are those of its code for sm_%u",
		            note->len ? "; " : "", f->label, sm, m->sm);
	return m;
}
