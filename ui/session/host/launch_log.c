#include "session/host/launch_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"

struct launch_log {
	struct outfile *to;
	FILE *f; /* of its own descriptor */
	const char *path;
	struct sim *sim;
	const struct module **modules;
	u32 nmodules;
	const char *left_out;
};

struct launch_log *launch_log_open(const struct options *o, const char *workload, struct sim *sim, u32 seed,
                                   struct err *e)
{
	struct err why = {0};
	struct outfile *to = outfile_open(o->record_launches, "--record-launches", &why);
	int fd = to ? dup(outfile_fd(to)) : -1;
	FILE *f = fd >= 0 ? fdopen(fd, "wb") : NULL;
	if (!f) {
		err_set(e, "--record-launches: %s", to ? strerror(errno) : why.msg);
		outfile_drop(to);
		return NULL;
	}
	struct launch_log *l = xcalloc(1, sizeof *l);
	*l = (struct launch_log){.to = to, .f = f, .path = o->record_launches, .sim = sim};
	fprintf(f, "warpdbg-launches 1\nworkload %s\nsize %s\nseed %u\n", workload, o->size ? o->size : "default", seed);
	for (u32 i = 0; i < o->nparams; i++)
		fprintf(f, "param %s\n", o->params[i]);
	return l;
}

static void add_bytes(struct launch_log *l, const void *data, u64 n)
{
	fwrite(data, 1, n, l->f);
	fputc('\n', l->f);
}

void launch_log_leave_out(struct launch_log *l, const char *why)
{
	if (l && !l->left_out)
		l->left_out = why;
}

void launch_log_module(struct launch_log *l, const struct module *m)
{
	if (!l)
		return;
	for (u32 i = 0; i < l->nmodules; i++)
		if (l->modules[i] == m)
			return;
	l->modules = xrealloc(l->modules, (l->nmodules + 1) * sizeof *l->modules);
	l->modules[l->nmodules] = m;
	if (m->nparts > 1)
		launch_log_leave_out(l, "several PTX files linked together");
	fprintf(l->f, "module %u %zu\n", l->nmodules, strlen(m->text));
	add_bytes(l, m->text, strlen(m->text));
	for (u32 i = 0; i < m->nsymbols; i++) {
		const struct symbol *s = &m->symbols[i];
		if ((s->space == SPC_GLOBAL || s->space == SPC_CONST) && s->size)
			fprintf(l->f, "symbol %u %s %llx %llu\n", l->nmodules, s->name, (unsigned long long)s->addr,
			        (unsigned long long)s->size);
	}
	l->nmodules++;
}

void launch_log_alloc(struct launch_log *l, u64 addr, u64 bytes)
{
	if (l)
		fprintf(l->f, "alloc %llx %llu\n", (unsigned long long)addr, (unsigned long long)bytes);
}

void launch_log_free(struct launch_log *l, u64 addr)
{
	if (l)
		fprintf(l->f, "free %llx\n", (unsigned long long)addr);
}

/* Is this value an address within something that the program has allocated? */
static bool is_pointer(const struct launch_log *l, u64 value)
{
	const struct devmem *d = sim_devmem(l->sim);
	const struct alloc *a = value >= DEVMEM_BASE && value < d->top ? devmem_find(d, value) : NULL;
	return a && !a->freed && !a->readonly && !a->scratch;
}

static bool holds_pointers(const struct launch_log *l, u64 addr, const u8 *data, u64 n)
{
	u64 value;
	for (u64 at = -addr & 7; at + 8 <= n; at += 8) {
		memcpy(&value, data + at, sizeof value);
		if (is_pointer(l, value))
			return true;
	}
	return false;
}

void launch_log_write(struct launch_log *l, u64 addr, const void *data, u64 bytes)
{
	if (!l)
		return;
	if (holds_pointers(l, addr, data, bytes))
		launch_log_leave_out(l, "pointers in memory");
	fprintf(l->f, "write %llx %llu\n", (unsigned long long)addr, (unsigned long long)bytes);
	add_bytes(l, data, bytes);
}

void launch_log_fill(struct launch_log *l, u64 addr, u64 bytes, u8 value)
{
	if (l)
		fprintf(l->f, "fill %llx %llu %u\n", (unsigned long long)addr, (unsigned long long)bytes, value);
}

static u32 module_id(struct launch_log *l, const struct module *m)
{
	u32 i = 0;
	launch_log_module(l, m);
	while (l->modules[i] != m)
		i++;
	return i;
}

/* Offsets in the parameter buffer of words that hold an address. */
static void add_pointers(struct launch_log *l, const struct func *fn, const u8 *params)
{
	struct strbuf offsets = STRBUF_INIT;
	u32 n = 0;
	for (u32 i = 0; i < fn->nparams; i++)
		for (u32 at = fn->params[i].offset; at + 8 <= fn->params[i].offset + fn->params[i].size; at += 8) {
			u64 value;
			memcpy(&value, params + at, sizeof value);
			if (!ptype_is_float(fn->params[i].type) && is_pointer(l, value)) {
				strbuf_addf(&offsets, " %u", at);
				n++;
			}
		}
	fprintf(l->f, " %u%s\n", n, strbuf_str(&offsets));
	strbuf_release(&offsets);
}

void launch_log_launch(struct launch_log *l, const struct launch_spec *s)
{
	if (!l)
		return;
	u32 id = module_id(l, s->mod);
	if (s->mod->ntexrefs)
		launch_log_leave_out(l, "textures");
	fprintf(l->f, "launch %u %s %u %u %u %u %u %u %u %zu", id, s->fn->name, s->grid.x, MAX(s->grid.y, 1u),
	        MAX(s->grid.z, 1u), s->block.x, MAX(s->block.y, 1u), MAX(s->block.z, 1u), s->dynamic_shared,
	        s->param_bytes);
	add_pointers(l, s->fn, s->params);
	add_bytes(l, s->params, s->param_bytes);
}

static void add_result(struct launch_log *l, u64 addr, u64 bytes)
{
	struct err e = {0};
	u8 *data = xmalloc(MAX(bytes, (u64)1));
	if (devmem_read(sim_devmem(l->sim), addr, data, bytes, &e)) {
		if (holds_pointers(l, addr, data, bytes))
			launch_log_leave_out(l, "pointers in memory");
		fprintf(l->f, "result %llx %llu\n", (unsigned long long)addr, (unsigned long long)bytes);
		add_bytes(l, data, bytes);
	}
	free(data);
}

static void add_results(struct launch_log *l)
{
	const struct devmem *d = sim_devmem(l->sim);
	for (u32 i = 0; i < d->nallocs; i++)
		if (!d->allocs[i].freed && !d->allocs[i].internal)
			add_result(l, d->allocs[i].addr, d->allocs[i].size);
	for (u32 i = 0; i < l->nmodules; i++)
		for (u32 k = 0; k < l->modules[i]->nsymbols; k++) {
			const struct symbol *s = &l->modules[i]->symbols[k];
			if (s->space == SPC_GLOBAL && s->size)
				add_result(l, s->addr, s->size);
		}
}

bool launch_log_close(struct launch_log *l, bool finished, bool keep, struct err *e)
{
	struct err why = {0};
	if (!l)
		return true;
	if (finished)
		add_results(l);
	else
		launch_log_leave_out(l, "the run did not finish");
	if (l->left_out)
		fprintf(l->f, "left-out %s\n", l->left_out);
	fputs("end\n", l->f);
	bool ok = !ferror(l->f);
	errno = 0;
	ok = !fclose(l->f) && ok;
	if (!ok && keep)
		err_set(&why, "%s: cannot write%s%s", l->path, errno ? ": " : "", errno ? strerror(errno) : "");
	if (ok && keep)
		ok = outfile_commit(l->to, &why);
	else
		outfile_drop(l->to);
	free(l->modules);
	free(l);
	return ok || !keep || err_set(e, "--record-launches: %s", why.msg);
}
