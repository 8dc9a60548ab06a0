/* The module level of a PTX text, and the two entry points. */
#include "front/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "front/ptx/reader/lower.h"

#define TEXT_MAX (256u << 20)

/* .version 9.0: the lexer sees a decimal number. */
static bool parse_version(struct loader *ld)
{
	if (ld->tok.kind != TK_FLOAT && ld->tok.kind != TK_INT)
		return ld_expected(ld, "a version such as 8.3");
	u32 major = 0, minor = 0;
	const char *p = ld->tok.p, *end = p + ld->tok.len;
	for (; p < end && *p >= '0' && *p <= '9' && major < 1000; p++)
		major = major * 10 + (u32)(*p - '0');
	for (p += p < end; p < end && *p >= '0' && *p <= '9' && minor < 1000; p++)
		minor = minor * 10 + (u32)(*p - '0');
	if (p != end || major < 1 || major > 99)
		return ld_expected(ld, "a version such as 8.3");
	ld->m->isa_major = major;
	ld->m->isa_minor = minor;
	ld_next(ld);
	return true;
}

/* .target sm_75, texmode_independent, debug */
static bool parse_target(struct loader *ld)
{
	do {
		struct token t;
		if (!ld_ident(ld, &t, "a target such as sm_75"))
			return false;
		if (t.len > 3 && !memcmp(t.p, "sm_", 3))
			ld->m->target_sm = (u32)strtoul(t.p + 3, NULL, 10);
	} while (ld_accept(ld, ','));
	return true;
}

static bool parse_address_size(struct loader *ld)
{
	struct token at = ld->tok;
	if (!ld_u32(ld, &ld->m->address_size, "64", 1024))
		return false;
	return ld->m->address_size == 64 ||
	       ld_fail(ld, &at, ".address_size %u is not supported, only 64 is", ld->m->address_size);
}

/* .section name { ... }: debug information. */
static bool skip_section(struct loader *ld)
{
	if (ld->tok.kind != TK_MOD && ld->tok.kind != TK_IDENT)
		return ld_expected(ld, "a section name");
	ld_next(ld);
	if (!ld_expect(ld, '{'))
		return false;
	for (u32 depth = 1; depth;) {
		if (ld->tok.kind == TK_EOF || ld->tok.kind == TK_BAD)
			return ld_expected(ld, "'}' of the section");
		depth += tok_is(&ld->tok, '{');
		depth -= tok_is(&ld->tok, '}');
		ld_next(ld);
	}
	return true;
}

/* .alias name, function; */
static bool parse_alias(struct loader *ld)
{
	struct token a, b;
	if (!ld_ident(ld, &a, "a function") || !ld_expect(ld, ',') || !ld_ident(ld, &b, "a function") ||
	    !ld_expect(ld, ';'))
		return false;
	const struct name *na = name_find(ld, &a), *nb = name_find(ld, &b);
	if (!na || na->kind != N_FUNC)
		return ld_fail(ld, &a, "'%s' is not a function declared before", TEXT(&a));
	if (!nb || nb->kind != N_FUNC)
		return ld_fail(ld, &b, "'%s' is not a function declared before", TEXT(&b));
	if (ld->finfo[na->index].defined)
		return ld_fail(ld, &a, "'%s' has a definition and cannot be an alias", TEXT(&a));
	ld->finfo[na->index].alias = (s32)nb->index;
	return true;
}

static void parse_linking(struct loader *ld)
{
	for (ld->linkage = 0;;) {
		if (ld_accept_mod(ld, "extern"))
			ld->linkage |= LINK_EXTERN;
		else if (ld_accept_mod(ld, "visible"))
			ld->linkage |= LINK_VISIBLE;
		else if (ld_accept_mod(ld, "weak"))
			ld->linkage |= LINK_WEAK;
		else if (ld_accept_mod(ld, "common"))
			ld->linkage |= LINK_COMMON;
		else
			return;
	}
}

static bool parse_module_var(struct loader *ld, bool is_extern, bool *known)
{
	static const struct {
		const char *word;
		enum space space;
	} spaces[] = {{"global", SPC_GLOBAL},
	              {"const", SPC_CONST},
	              {"shared", SPC_SHARED},
	              {"local", SPC_LOCAL},
	              {"param", SPC_PARAM}};
	*known = true;
	for (u32 i = 0; i < ARRAY_LEN(spaces); i++)
		if (ld_accept_mod(ld, spaces[i].word))
			return parse_var(ld, spaces[i].space, is_extern);
	if (ld_accept_mod(ld, "reg"))
		return parse_reg(ld);
	*known = false;
	return true;
}

/* .func, .entry, variables: what may carry a linking directive. */
static bool parse_linkable(struct loader *ld, bool is_extern)
{
	bool known;
	if (ld_accept_mod(ld, "entry")) {
		ld->linkage |= LINK_VISIBLE; /* the host finds any kernel */
		return parse_function(ld, true, is_extern);
	}
	if (ld_accept_mod(ld, "func"))
		return parse_function(ld, false, is_extern);
	if (!parse_module_var(ld, is_extern, &known))
		return false;
	return known || ld_expected(ld, ".entry, .func or a variable");
}

/* .tex .u32 name; (PTX 1) */
static bool parse_old_tex(struct loader *ld)
{
	enum ptype t;
	struct token at;
	if (!parse_type(ld, &t) || !ld_ident(ld, &at, "a name"))
		return false;
	struct name *n = name_declare(ld, &at, N_TEXREF);
	if (!n)
		return false;
	n->index = ld->m->ntexrefs;
	struct texref *r = PUSH(ld->m->texrefs, ld->m->ntexrefs);
	r->name = xstrndup(at.p, at.len);
	r->line = at.line;
	return ld_expect(ld, ';');
}

static bool parse_top(struct loader *ld)
{
	if (ld_accept_mod(ld, "version"))
		return parse_version(ld);
	if (ld_accept_mod(ld, "target"))
		return parse_target(ld);
	if (ld_accept_mod(ld, "address_size"))
		return parse_address_size(ld);
	if (ld_accept_mod(ld, "file"))
		return parse_file(ld);
	if (ld_accept_mod(ld, "loc"))
		return parse_loc(ld);
	if (ld_accept_mod(ld, "section"))
		return skip_section(ld);
	if (ld_accept_mod(ld, "pragma"))
		return skip_pragma(ld);
	if (ld_accept_mod(ld, "alias"))
		return parse_alias(ld);
	if (ld_accept_mod(ld, "tex"))
		return parse_old_tex(ld);
	if (ld_accept(ld, ';'))
		return true;
	parse_linking(ld);
	return ld->tok.kind == TK_MOD ? parse_linkable(ld, ld->linkage & LINK_EXTERN)
	                              : ld_expected(ld, "a directive such as .entry");
}

void module_lexer(const struct module *m, u32 part, struct lexer *lx)
{
	const struct module_part *p = &m->parts[part];
	const u32 end = p->before + p->nlines;
	const char *from = m->text + m->line_at[p->before];
	const char *to = end < m->nlines ? m->text + m->line_at[end] : m->text + m->text_len;
	lex_init(lx, from, (size_t)(to - from));
	lx->line = p->before + 1;
}

static bool parse_part(struct loader *ld, u32 part)
{
	struct module *m = ld->m;
	u32 last = 0;
	module_lexer(m, part, &ld->lx);
	m->parts[part].first_file = ld->file_base = m->nfiles;
	ld_next(ld);
	ld_next(ld);
	scope_open(ld);
	if (!tok_is_mod(&ld->tok, "version"))
		return ld_expected(ld, ".version");
	while (ld->tok.kind != TK_EOF)
		if (!parse_top(ld))
			return false;
	scope_close(ld);
	for (u32 pc = 0; pc < m->ncode; pc++) /* .loc may name files that no .file declares */
		last = MAX(last, m->code[pc].src_line ? m->code[pc].src_file + 1u : 0);
	while (part + 1 < m->nparts && m->nfiles < last) {
		char **f = PUSH(m->files, m->nfiles);
		*f = xstrdup("");
	}
	m->parts[part].nfiles = m->nfiles - ld->file_base;
	return true;
}

static bool parse_module(struct loader *ld)
{
	if (!linkage_scan(ld))
		return false;
	for (u32 i = 0; i < ld->m->nparts; i++)
		if (!parse_part(ld, i))
			return false;
	return true;
}

/* A part's last line may lack its newline, which is added where another part follows. */
static bool join_texts(struct module *m, const struct source_text *texts, u32 n, struct err *e)
{
	size_t len = 0, lines = 1;
	for (u32 i = 0; i < n; i++)
		len += texts[i].len + 1;
	if (len > TEXT_MAX)
		return err_set(e, "%s: %zu bytes of PTX, the most is %u", m->path, len, TEXT_MAX);
	m->parts = xcalloc(n, sizeof(*m->parts));
	m->text = xmalloc(len);
	for (u32 i = 0; i < n; i++) {
		memcpy(m->text + m->text_len, texts[i].text, texts[i].len);
		m->text_len += texts[i].len;
		m->parts[m->nparts++] = (struct module_part){.path = xstrdup(texts[i].name)};
		if (i + 1 < n)
			m->text[m->text_len++] = '\n';
	}
	m->text[m->text_len] = 0;
	for (size_t i = 0; i < m->text_len; i++)
		lines += m->text[i] == '\n';
	m->line_at = xmalloc(lines * sizeof(u32));
	return true;
}

static void find_lines(struct module *m, const struct source_text *texts)
{
	const char *p = m->text;
	for (u32 i = 0; i < m->nparts; i++) {
		const char *end = p + texts[i].len;
		m->parts[i].before = m->nlines;
		m->line_at[m->nlines++] = (u32)(p - m->text);
		while ((p = memchr(p, '\n', (size_t)(end - p))))
			m->line_at[m->nlines++] = (u32)(++p - m->text);
		m->parts[i].nlines = m->nlines - m->parts[i].before;
		p = end + 1;
	}
}

static void loader_release(struct loader *ld)
{
	while (ld->nscopes) {
		names_release(&ld->scopes[ld->nscopes - 1].map);
		names_release(&ld->scopes[--ld->nscopes].ranges);
	}
	for (u32 i = 0; i < ld->nsigs; i++) {
		free(ld->sigs[i].in);
		free(ld->sigs[i].out);
	}
	names_release(&ld->opcodes);
	names_release(&ld->shared_names);
	names_release(&ld->defined);
	free(ld->definitions);
	void *arrays[] = {ld->names,     ld->scopes, ld->finfo,  ld->syminfo,   ld->inst_at,
	                  ld->sigs,      ld->edges,  ld->uses,   ld->abs_fixes, ld->csts,
	                  ld->cst_heads, ld->vclass, ld->vnames, ld->refs,      ld->reg_out};
	for (u32 i = 0; i < ARRAY_LEN(arrays); i++)
		free(arrays[i]);
}

struct module *ptx_link_for(const struct source_text *texts, u32 n, const struct schedule_params *schedule,
                            struct err *e)
{
	struct module *m = xcalloc(1, sizeof(*m));
	m->path = xstrdup(texts[0].name);
	m->address_size = 64; /* also without the directive: 32-bit addresses do not exist here */
	if (!join_texts(m, texts, n, e)) {
		module_free(m);
		return NULL;
	}
	find_lines(m, texts);
	struct loader ld = {.m = m, .e = e, .fn = -1, .carry = OPND_NONE, .schedule = schedule};
	opform_init(&ld);
	bool ok = parse_module(&ld) && link_module(&ld) && !ld.failed;
	if (ok)
		module_label_funcs(m);
	loader_release(&ld);
	if (ok)
		return m;
	module_free(m);
	return NULL;
}

struct module *ptx_load_for(const char *path, const char *text, size_t len, const struct schedule_params *schedule,
                            struct err *e)
{
	return ptx_link_for(&(struct source_text){path, text, len}, 1, schedule, e);
}

struct module *ptx_link_files_for(const char *const *paths, u32 n, const struct schedule_params *schedule,
                                  struct err *e)
{
	struct strbuf *sb = xcalloc(n, sizeof(*sb));
	struct source_text *texts = xcalloc(n, sizeof(*texts));
	bool ok = true;
	for (u32 i = 0; i < n && ok; i++) {
		ok = strbuf_read_file(&sb[i], paths[i], e);
		texts[i] = (struct source_text){paths[i], strbuf_str(&sb[i]), sb[i].len};
	}
	struct module *m = ok ? ptx_link_for(texts, n, schedule, e) : NULL;
	for (u32 i = 0; i < n; i++)
		strbuf_release(&sb[i]);
	free(sb);
	free(texts);
	return m;
}

struct module *ptx_load_file_for(const char *path, const struct schedule_params *schedule, struct err *e)
{
	return ptx_link_files_for(&path, 1, schedule, e);
}

struct module *ptx_load(const char *path, const char *text, size_t len, struct err *e)
{
	return ptx_load_for(path, text, len, NULL, e);
}

struct module *ptx_load_file(const char *path, struct err *e)
{
	return ptx_load_file_for(path, NULL, e);
}
