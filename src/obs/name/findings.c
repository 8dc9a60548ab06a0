#include "obs/name/findings.h"

#include <stdio.h>

#include "base/words.h"
#include "obs/name/names.h"

u32 findings_count(const struct gpu *g, u32 *benign)
{
	u32 n;
	u64 lost;
	const struct check_finding *f = checks_findings(gpu_checks(g), &n, &lost);
	*benign = 0;
	for (u32 i = 0; i < n; i++)
		*benign += f[i].same;
	return n - *benign;
}

const char *finding_kind_text(const struct check_finding *f)
{
	static const char *const text[CHECK_KINDS] = {[CHECK_RAW] = "read after write",
	                                              [CHECK_WAR] = "write after read",
	                                              [CHECK_WAW] = "write after write",
	                                              [CHECK_LANES] = "two lanes write with one instruction",
	                                              [CHECK_UNINIT] = "read of what nobody has written"};
	return text[f->kind];
}

static void add_offset(const char *name, u64 off, struct strbuf *out)
{
	strbuf_adds(out, name);
	if (off)
		strbuf_addf(out, " + %llu byte%s", (unsigned long long)off, plural(off));
}

/* A variable of shared memory that the function at pc may name. */
static void shared_variable(const struct module *m, u32 pc, u64 at, struct strbuf *out)
{
	const struct func *f = func_of_pc(m, pc);
	for (u32 i = 0; i < m->nsymbols; i++) {
		const struct symbol *s = &m->symbols[i];
		const bool mine = s->func < 0 || (f && &m->funcs[s->func] == f);
		if (s->space == SPC_SHARED && mine && at >= s->addr && (!s->size || at - s->addr < s->size)) {
			add_offset(s->name, at - s->addr, out);
			return;
		}
	}
}

void finding_where(const struct gpu *g, const struct check_finding *f, struct strbuf *out)
{
	const struct module *m = module_of_launch(g, (s32)f->second.launch);
	const struct alloc *a = f->space == SPC_SHARED ? NULL : devmem_find(gpu_devmem(g), f->addr);
	char name[80];
	if (f->space == SPC_SHARED && m)
		shared_variable(m, f->second.pc, f->addr, out);
	if (!a)
		return;
	snprintf(name, sizeof name, "allocation %u%s%s", a->id, *a->name ? " " : "", a->name);
	add_offset(name, f->addr - a->addr, out);
}

static void add_dim(u64 linear, struct dim3 d, struct strbuf *out)
{
	const u64 x = MAX(d.x, 1u), y = MAX(d.y, 1u);
	strbuf_addf(out, "(%llu,%llu,%llu)", (unsigned long long)(linear % x), (unsigned long long)(linear / x % y),
	            (unsigned long long)(linear / x / y));
}

const char *finding_access_text(const struct check_side *s)
{
	return s->atomic ? "atomic" : s->store ? "store" : "load";
}

void finding_cuda_line(const struct module *m, u32 pc, struct strbuf *out)
{
	const struct inst *in = pc < m->ncode ? &m->code[pc] : NULL;
	if (in && in->src_line)
		strbuf_addf(out, "%s:%u", in->src_file < m->nfiles && m->files[in->src_file] ? m->files[in->src_file] : "?",
		            in->src_line);
}

static void add_side(const struct gpu *g, const char *which, const struct check_side *s, struct strbuf *out)
{
	const struct launch *l = gpu_launched(g, s->launch);
	const struct module *m = l->mod;
	struct strbuf cuda = STRBUF_INIT;
	strbuf_addf(out, "\n  %-6s cycle %llu: %s by thread ", which, (unsigned long long)s->cycle, finding_access_text(s));
	add_dim(s->thread, l->block, out);
	strbuf_adds(out, " of CTA ");
	add_dim(s->cta, l->grid, out);
	strbuf_addf(out, ", %s (launch %u)\n         ", func_label(l->fn), s->launch);
	line_place(m, s->pc, out);
	strbuf_adds(out, ": ");
	line_text(m, s->pc, out);
	finding_cuda_line(m, s->pc, &cuda);
	if (cuda.len)
		strbuf_addf(out, "\n         CUDA source %s", cuda.buf);
	strbuf_release(&cuda);
}

void finding_text(const struct gpu *g, const struct check_finding *f, u32 number, struct strbuf *out)
{
	struct strbuf where = STRBUF_INIT;
	const bool uninit = f->kind == CHECK_UNINIT;
	finding_where(g, f, &where);
	strbuf_addf(out, "%u: %s%s, %s memory, %u byte%s at 0x%llx", number, uninit ? "" : "race: ", finding_kind_text(f),
	            space_names[f->space], f->bytes, plural(f->bytes), (unsigned long long)f->addr);
	if (where.len)
		strbuf_addf(out, " (%s)", where.buf);
	if (f->same)
		strbuf_adds(out, ", benign: the same value");
	strbuf_addf(out, "; %llu time%s", (unsigned long long)f->times, plural(f->times));
	if (!uninit)
		add_side(g, "first", &f->first, out);
	add_side(g, uninit ? "load" : "second", &f->second, out);
	if (f->fence)
		strbuf_adds(out, "\n  The first thread's CTA has then executed an atomic or a strong store, and the second one "
		                 "has looked; but no fence (membar.gl, __threadfence()) lies between.");
	strbuf_addc(out, '\n');
	strbuf_release(&where);
}

void findings_text(const struct gpu *g, struct strbuf *out)
{
	u32 n;
	u64 lost;
	const struct check_finding *f = checks_findings(gpu_checks(g), &n, &lost);
	for (u32 benign = 0; benign < 2; benign++)
		for (u32 i = 0; i < n; i++)
			if (f[i].same == benign)
				finding_text(g, &f[i], i + 1, out);
	if (lost)
		strbuf_addf(out, "%llu more, of pairs of lines for which there is no room (%u are kept).\n",
		            (unsigned long long)lost, CHECK_FINDINGS);
	if (checks_unwatched(gpu_checks(g)))
		strbuf_addf(out, "%llu accesses to global memory were not looked at: check.mb is too small.\n",
		            (unsigned long long)checks_unwatched(gpu_checks(g)));
}
