/* Where a breakpoint's location is in the code: KERNEL, KERNEL:LINE, FILE:LINE, LINE, pc N. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/locate.h"
#include "base/args.h"
#include "obs/name/names.h"

const struct func *find_func(struct debugger *d, const char *name, struct module **m)
{
	for (u32 i = 0; i < sim_num_modules(d->s->sim); i++) {
		struct module *mod = sim_module(d->s->sim, i);
		const struct func *f = module_func(mod, name, false);
		if (f && f->entry < f->end) {
			*m = mod;
			return f;
		}
	}
	return NULL;
}

struct module *focus_module(struct debugger *d)
{
	const struct module *m = module_of_launch(dbg_gpu(d), d->focus.kernel);
	u32 n = sim_num_modules(d->s->sim), kernels = gpu_num_kernels(dbg_gpu(d));
	if (!m && kernels)
		m = module_of_launch(dbg_gpu(d), (s32)kernels - 1);
	for (u32 i = 0; i < n; i++)
		if (sim_module(d->s->sim, i) == m)
			return sim_module(d->s->sim, i);
	return n ? sim_module(d->s->sim, n - 1) : NULL;
}

const struct module_part *focus_part(struct debugger *d, const struct module *m)
{
	struct warp_info w;
	const u32 kernels = gpu_num_kernels(dbg_gpu(d));
	gpu_warp_info(dbg_gpu(d), d->focus.sm, d->focus.warp, &w);
	if (w.state != WS_NONE && w.pc < m->ncode && module_of_launch(dbg_gpu(d), w.launch) == m)
		return module_part_of(m, m->code[w.pc].line);
	if (kernels && gpu_launched(dbg_gpu(d), kernels - 1)->mod == m)
		return module_part_of(m, gpu_launched(dbg_gpu(d), kernels - 1)->fn->line);
	return &m->parts[0];
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool same_file(const char *path, const char *typed)
{
	return path && (!strcmp(path, typed) || !strcmp(base_name(path), typed));
}

/* A line of one of the module's files. */
static bool at_line(struct code_place *p, struct module *m, const struct module_part *part, const struct func *fn,
                    u64 line, struct err *e)
{
	u32 l = part->before + (u32)line;
	p->n = line > part->nlines ? 0 : break_line_pcs(m, fn, &l, p->pcs, PLACE_PCS);
	p->mod = m;
	if (!p->n || module_part_of(m, l) != part)
		return err_set(e, "no code at or behind line %llu of %s%s%s", (unsigned long long)line, base_name(part->path),
		               fn ? ", function " : "", fn ? func_label(fn) : "");
	return true;
}

static bool in_source(struct code_place *p, struct module *m, u32 file, u64 line, struct err *e)
{
	p->mod = m;
	p->n = line > UINT32_MAX ? 0 : break_loc_pcs(m, file, (u32)line, p->pcs, PLACE_PCS);
	return p->n || err_set(e, "no code for line %llu of %s (the .loc directives name none)", (unsigned long long)line,
	                       base_name(m->files[file]));
}

static bool file_line(struct debugger *d, struct code_place *p, const char *name, u64 line, struct err *e)
{
	struct module *m;
	const struct func *fn = find_func(d, name, &m);
	if (fn)
		return at_line(p, m, module_part_of(m, fn->line), fn, line, e);
	for (u32 i = 0; i < sim_num_modules(d->s->sim); i++) {
		m = sim_module(d->s->sim, i);
		for (u32 k = 0; k < m->nparts; k++)
			if (same_file(m->parts[k].path, name))
				return at_line(p, m, &m->parts[k], NULL, line, e);
		for (u32 f = 0; f < m->nfiles; f++)
			if (same_file(m->files[f], name))
				return in_source(p, m, f, line, e);
	}
	p->unknown = true;
	return err_set(e, "'%.60s' is no kernel, PTX file or source file of the loaded modules", name);
}

static bool at_pc(struct debugger *d, struct code_place *p, const char *word, struct err *e)
{
	u64 pc;
	p->mod = focus_module(d);
	if (!p->mod)
		return err_set(e, "pc %.40s: no module is loaded yet", word);
	if (!word_number(word, &pc) || pc >= p->mod->ncode)
		return err_set(e, "pc %.40s: %s has instructions 0..%u", word, base_name(p->mod->path), p->mod->ncode - 1);
	p->pcs[0] = (u32)pc;
	p->n = 1;
	return true;
}

/* `list` and the like: events have no code. */
bool locate_listed(struct debugger *d, const char *text, struct code_place *p, struct err *e)
{
	if (locate_code(d, text, p, e))
		return true;
	if (!p->unknown)
		return false;
	err_clear(e);
	return err_set(e, "list: '%.60s' is no line, FIRST,LAST, kernel or FILE:LINE (`info kernels` lists those launched)",
	               text);
}

/* Several functions may be called so in the source, a template's instances: then *e names them. */
static bool several(struct debugger *d, const char *name, struct err *e)
{
	struct strbuf all = STRBUF_INIT;
	u32 found = 0;
	for (u32 i = 0; i < sim_num_modules(d->s->sim); i++) {
		const struct module *m = sim_module(d->s->sim, i);
		for (u32 k = 0; k < m->nfuncs; k++)
			if (func_named(&m->funcs[k], name) && found++ < 8)
				strbuf_addf(&all, "%s%s", found > 1 ? ", " : "", func_label(&m->funcs[k]));
	}
	if (found > 1)
		err_set(e, "several functions are called '%.60s' in the source: %s%s", name, strbuf_str(&all),
		        found > 8 ? ", ..." : "");
	strbuf_release(&all);
	return found > 1;
}

static void unknown_name(struct debugger *d, const char *name, struct err *e)
{
	if (several(d, name, e))
		return;
	const char *names[256];
	u32 n = 0;
	for (u32 i = 0; i < EV_COUNT; i++)
		names[n++] = event_descs[i].name;
	for (u32 i = 0; i < sim_num_modules(d->s->sim); i++) {
		const struct module *m = sim_module(d->s->sim, i);
		for (u32 k = 0; k < m->nfuncs && n < ARRAY_LEN(names); k++)
			names[n++] = func_label(&m->funcs[k]);
	}
	const char *near = conf_nearest(name, names, n);
	err_set(e, "'%.60s' is no event, kernel, line or FILE:LINE%s%s%s", name, near ? " (did you mean '" : "",
	        near ? near : "", near ? "'?)" : "; `info events` and `info kernels` list them");
}

bool locate_code(struct debugger *d, const char *text, struct code_place *p, struct err *e)
{
	char name[160];
	u64 line;
	*p = (struct code_place){0};
	if (!strncmp(text, "pc ", 3))
		return at_pc(d, p, text + 3, e);
	if (word_number(text, &line)) {
		struct module *m = focus_module(d);
		return m ? at_line(p, m, focus_part(d, m), NULL, line, e)
		         : err_set(e, "line %s: no module is loaded yet", text);
	}
	const char *colon = strrchr(text, ':');
	if (colon && word_number(colon + 1, &line)) {
		snprintf(name, sizeof(name), "%.*s", (int)MIN(colon - text, (ptrdiff_t)sizeof(name) - 1), text);
		return file_line(d, p, name, line, e);
	}
	struct module *m;
	const struct func *fn = find_func(d, text, &m);
	if (!fn) {
		p->unknown = true;
		unknown_name(d, text, e);
		return false;
	}
	p->mod = m;
	p->pcs[0] = fn->entry;
	p->n = 1;
	return true;
}
