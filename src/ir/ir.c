#include "ir/cxx_name.h"
#include "ir/ir.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

const struct opcode_desc opcode_descs[OP_COUNT] = {
#define O(id, name, rule, help) {name, help},
#include "ir/opcodes.def"
#undef O
};
const char *const space_names[SPC_COUNT] = {"none",  "generic", "global", "shared", "local",
                                            "const", "param",   "param",  "tex"};
const char *const regs_from_names[REGS_FROM_COUNT] = {"estimate", "cubin", "--regs", "host"};

const char *const iclass_names[IC_COUNT] = {
    "int_add", "int_max", "int_mul", "int_mad", "int_div", "int_logic", "shfl",      "f32_add", "f32_logic",
    "f32_max", "f32_mul", "f32_mad", "f32_div", "sfu",     "f64_add",   "f64_logic", "f64_max", "f64_mul",
    "f64_mad", "f64_div", "tensor",  "ctrl",    "global",  "atomic",    "shared",    "const",   "tex"};
const u8 ptype_sizes[T_COUNT] = {
    [T_B8] = 1,    [T_B16] = 2,   [T_B32] = 4,   [T_B64] = 8,  [T_U8] = 1,     [T_U16] = 2,
    [T_U32] = 4,   [T_U64] = 8,   [T_S8] = 1,    [T_S16] = 2,  [T_S32] = 4,    [T_S64] = 8,
    [T_F16] = 2,   [T_F16X2] = 4, [T_F32] = 4,   [T_F64] = 8,  [T_BF16] = 2,   [T_BF16X2] = 4,
    [T_B128] = 16, [T_U16X2] = 4, [T_S16X2] = 4, [T_TF32] = 4, [T_E4M3X2] = 2, [T_E5M2X2] = 2,
};
static const struct {
	const char *name;
	bool is_float, is_signed;
} types[T_COUNT] = {
    [T_NONE] = {"", 0, 0},         [T_PRED] = {"pred", 0, 0},     [T_B8] = {"b8", 0, 0},
    [T_B16] = {"b16", 0, 0},       [T_B32] = {"b32", 0, 0},       [T_B64] = {"b64", 0, 0},
    [T_U8] = {"u8", 0, 0},         [T_U16] = {"u16", 0, 0},       [T_U32] = {"u32", 0, 0},
    [T_U64] = {"u64", 0, 0},       [T_S8] = {"s8", 0, 1},         [T_S16] = {"s16", 0, 1},
    [T_S32] = {"s32", 0, 1},       [T_S64] = {"s64", 0, 1},       [T_F16] = {"f16", 1, 1},
    [T_F16X2] = {"f16x2", 1, 1},   [T_F32] = {"f32", 1, 1},       [T_F64] = {"f64", 1, 1},
    [T_BF16] = {"bf16", 1, 1},     [T_BF16X2] = {"bf16x2", 1, 1}, [T_B128] = {"b128", 0, 0},
    [T_U16X2] = {"u16x2", 0, 0},   [T_S16X2] = {"s16x2", 0, 1},   [T_TF32] = {"tf32", 1, 1},
    [T_E4M3X2] = {"e4m3x2", 1, 1}, [T_E5M2X2] = {"e5m2x2", 1, 1},
};
const char *ptype_name(enum ptype t)
{
	return types[t].name;
}
bool ptype_is_float(enum ptype t)
{
	return types[t].is_float;
}
bool ptype_is_signed(enum ptype t)
{
	return types[t].is_signed;
}

/* One length-prefixed identifier of a mangled name, "9transpose..."; returns what follows, NULL when there is none. */
static const char *mangled_part(const char *s, const char **ident, size_t *len)
{
	char *end;
	if (*s < '1' || *s > '9')
		return NULL;
	unsigned long n = strtoul(s, &end, 10);
	if (n > strlen(end))
		return NULL;
	*ident = end;
	*len = n;
	return end + n;
}

bool func_source_name(const char *name, const char **ident, size_t *len)
{
	if (name[0] != '_' || name[1] != 'Z')
		return false;
	const char *s = name + 2;
	bool nested = *s == 'N', found = false;
	s += nested;
	s += *s == 'L'; /* static */
	while (s && (!found || nested)) {
		const char *next = mangled_part(s, ident, len);
		found |= next != NULL;
		s = next;
	}
	return found;
}

bool func_named(const struct func *f, const char *name)
{
	const char *ident;
	size_t len;
	return !strcmp(f->name, name) ||
	       (func_source_name(f->name, &ident, &len) && strlen(name) == len && !memcmp(ident, name, len)) ||
	       (f->source && cxx_named(f->source, name));
}

const char *func_label(const struct func *f)
{
	return f->label ? f->label : f->name;
}

static int by_label(const void *a, const void *b)
{
	return strcmp(func_label(*(struct func *const *)a), func_label(*(struct func *const *)b));
}

/* Of functions that are called the same, each gets the label that `other` has for it (NULL: none); f is sorted. */
static void tell_apart(struct func **f, u32 n, char *(*other)(const struct func *f))
{
	for (u32 i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !strcmp(func_label(f[end]), func_label(f[i]));)
			end++;
		for (u32 k = i; end - i > 1 && k < end; k++) {
			free(f[k]->label);
			f[k]->label = other(f[k]);
		}
	}
	qsort(f, n, sizeof(*f), by_label);
}
#define LABEL_MAX 80 /* a longer one is no better to read than the mangled name */
static char *with_arguments(const struct func *f)
{
	const char *last = f->source ? cxx_last_part(f->source) : NULL;
	return last && strlen(last) <= LABEL_MAX ? xstrdup(last) : NULL;
}
static char *as_ptx_has_it(const struct func *f)
{
	return NULL;
}

void module_label_funcs(struct module *m)
{
	struct func **f = xcalloc(MAX(m->nfuncs, 1u), sizeof(*f));
	for (u32 i = 0; i < m->nfuncs; i++) {
		const char *ident;
		size_t len;
		f[i] = &m->funcs[i];
		f[i]->source = cxx_name(f[i]->name);
		if (func_source_name(f[i]->name, &ident, &len))
			f[i]->label = xstrndup(ident, len);
	}
	qsort(f, m->nfuncs, sizeof(*f), by_label);
	tell_apart(f, m->nfuncs, with_arguments);
	tell_apart(f, m->nfuncs, as_ptx_has_it);
	free(f);
}

const struct func *module_func(const struct module *m, const char *name, bool kernels_only)
{
	const struct func *found = NULL;
	u32 n = 0;
	for (u32 i = 0; i < m->nfuncs; i++) {
		const struct func *f = &m->funcs[i];
		if (!f->is_kernel && kernels_only)
			continue;
		if (!strcmp(f->name, name))
			return f;
		if (func_named(f, name)) {
			found = f;
			n++;
		}
	}
	return n == 1 ? found : NULL;
}

const struct module_part *module_part_of(const struct module *m, u32 line)
{
	u32 i = m->nparts - 1;
	while (i && m->parts[i].before >= line)
		i--;
	return &m->parts[i];
}

u32 module_line_in_file(const struct module *m, u32 line)
{
	return line - module_part_of(m, line)->before;
}

u32 module_pc_line(const struct module *m, u32 pc)
{
	return module_line_in_file(m, m->code[pc].line);
}

const char *module_line(const struct module *m, u32 line, u32 *len)
{
	if (line < 1 || line > m->nlines) {
		*len = 0;
		return "";
	}
	const char *p = m->text + m->line_at[line - 1];
	*len = (u32)strcspn(p, "\r\n");
	return p;
}

char *func_unsupported(const struct module *m, const struct func *f)
{
	if (!f->unsupported)
		return NULL;
	const struct unsupported *u = &m->unsupported[f->unsupported - 1];
	const struct func *in = &m->funcs[u->func];
	struct strbuf text = STRBUF_INIT;
	strbuf_addf(&text, "%s:%u:%u: %s", module_part_of(m, u->line)->path, module_line_in_file(m, u->line), u->col,
	            u->what);
	if (in != f)
		strbuf_addf(&text, " (in function %s, which it calls)", func_label(in));
	return text.buf;
}

static void free_symbols(struct module *m)
{
	for (u32 i = 0; i < m->nsymbols; i++) {
		free(m->symbols[i].name);
		free(m->symbols[i].init);
		free(m->symbols[i].relocs);
	}
	free(m->symbols);
}

static void free_funcs(struct module *m)
{
	for (u32 i = 0; i < m->nfuncs; i++) {
		for (u32 p = 0; p < m->funcs[i].nparams; p++)
			free(m->funcs[i].params[p].name);
		free(m->funcs[i].params);
		free(m->funcs[i].name);
		free(m->funcs[i].label);
		free(m->funcs[i].source);
	}
	free(m->funcs);
}

void module_free(struct module *m)
{
	if (!m)
		return;
	free_symbols(m);
	free_funcs(m);
	for (u32 i = 0; i < m->ncalls; i++) {
		free(m->calls[i].args);
		free(m->calls[i].rets);
	}
	for (u32 i = 0; i < m->ntables; i++)
		free(m->tables[i].pc);
	for (u32 i = 0; i < m->ntexrefs; i++)
		free(m->texrefs[i].name);
	for (u32 i = 0; i < m->nfiles; i++)
		free(m->files[i]);
	for (u32 i = 0; i < m->nwides; i++)
		free(m->wides[i]);
	free(m->wides);
	for (u32 i = 0; i < m->nregnames; i++)
		free(m->regnames[i].name);
	for (u32 i = 0; i < m->nunsupported; i++)
		free(m->unsupported[i].what);
	free(m->unsupported);
	free(m->regnames);
	free(m->calls);
	free(m->tables);
	free(m->texrefs);
	free(m->files);
	free(m->fixes);
	free(m->code);
	free(m->pool);
	free(m->line_at);
	free(m->text);
	for (u32 i = 0; i < m->nparts; i++)
		free(m->parts[i].path);
	free(m->parts);
	free(m->path);
	free(m);
}
