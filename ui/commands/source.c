/* list why lua source echo help set quit */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "commands/commands.h"
#include "commands/cta_way.h"
#include "views/appearance.h"
#include "dbg/locate.h"
#include "obs/name/names.h"
#include "obs/why/why.h"

#define LIST_LINES 10

/* Lines of one of the module's files. */
static void show_lines(struct debugger *d, const struct module *m, const struct module_part *part, u32 first, u32 last,
                       struct strbuf *out)
{
	struct warp_info w;
	gpu_warp_info(dbg_gpu(d), d->focus.sm, d->focus.warp, &w);
	bool here = w.state != WS_NONE && module_of_launch(dbg_gpu(d), w.launch) == m && w.pc < m->ncode;
	struct err refused = {0};
	bool cuda = may_use_files(d, "list", &refused); /* a PTX file names whatever it likes */
	for (u32 k = first; k <= MIN(last, part->nlines); k++) {
		const u32 l = part->before + k;
		u32 len = 0;
		const char *text = module_line(m, l, &len);
		strbuf_addf(out, "%s%u\t%.*s", here && m->code[w.pc].line == l ? "> " : "  ", k, (int)len, text ? text : "");
		struct cuda_line cu;
		if (cuda && cuda_line_of(&debugger_appearance(d)->cuda, m, l, &cu) && cu.text)
			strbuf_addf(out, "  // %s:%u: %.*s", cu.file, cu.number, (int)cu.len, cu.text);
		strbuf_addc(out, '\n');
	}
}

static bool list_range(const char *args, u32 nlines, u64 *first, u64 *last)
{
	char a[32];
	const char *comma = strchr(args, ',');
	if (!comma)
		return false;
	snprintf(a, sizeof(a), "%.*s", (int)MIN(comma - args, 31), args);
	return word_number(a, first) && word_number(skip_blanks(comma + 1), last) && *first >= 1 && *first <= *last &&
	       *first <= nlines;
}

static bool list_start(struct debugger *d, const struct module **m, const struct module_part **part, const char *args,
                       u64 *first, struct err *e)
{
	struct warp_info w;
	struct code_place p;
	u64 line;
	*m = focus_module(d);
	if (word_number(args, &line)) {
		*first = line > LIST_LINES / 2 ? line - LIST_LINES / 2 : 1;
		return line <= (*part)->nlines ||
		       err_set(e, "line %s: %s has %u line%s", args, (*part)->path, (*part)->nlines, plural((*part)->nlines));
	}
	if (*args) {
		if (!locate_listed(d, args, &p, e))
			return false;
		*m = p.mod;
		const struct func *f = func_of_pc(p.mod, p.pcs[0]);
		*part = module_part_of(p.mod, p.mod->code[p.pcs[0]].line);
		line = f && f->entry == p.pcs[0] && f->line ? f->line - (*part)->before + LIST_LINES / 2
		                                            : module_pc_line(p.mod, p.pcs[0]);
	} else if (d->shell->list_line && d->shell->list_moves == d->focus_moves) {
		*first = d->shell->list_line;
		return true;
	} else {
		gpu_warp_info(dbg_gpu(d), d->focus.sm, d->focus.warp, &w);
		bool here = w.state != WS_NONE && w.pc < (*m)->ncode && module_of_launch(dbg_gpu(d), w.launch) == *m;
		line = here ? module_pc_line(*m, w.pc) : (*part)->before == 0 && (*m)->ncode ? module_pc_line(*m, 0) : 1;
	}
	*first = line > LIST_LINES / 2 ? line - LIST_LINES / 2 : 1;
	return true;
}

bool cmd_list(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	const struct module *m = focus_module(d);
	const struct module_part *part = m ? focus_part(d, m) : NULL;
	u64 first, last;
	if (!m)
		return err_set(e, "list: no module is loaded yet");
	if (strchr(args, ',')) {
		if (!list_range(args, part->nlines, &first, &last))
			return err_set(e, "list: '%.40s' is no range of lines FIRST,LAST within 1..%u", args, part->nlines);
	} else {
		if (!list_start(d, &m, &part, args, &first, e))
			return false;
		last = first + LIST_LINES - 1;
	}
	if (first > part->nlines)
		return err_set(e, "list: %s ends at line %u", part->path, part->nlines);
	show_lines(d, m, part, (u32)first, (u32)MIN(last, (u64)part->nlines), out);
	d->shell->list_moves = d->focus_moves;
	d->shell->list_line = (u32)MIN(last, (u64)part->nlines) + 1;
	return true;
}

static bool why_a_kernel(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	u64 launch = d->focus.kernel >= 0 ? (u64)d->focus.kernel : 0;
	if (!gpu_num_kernels(g))
		return err_set(e, "why kernel: nothing has been launched yet");
	if (!arg_number(args, "why kernel", gpu_num_kernels(g) - 1, &launch, e))
		return false;
	why_kernel_waits(g, (u32)launch, out);
	return true;
}

bool cmd_why(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char word[32];
	struct gpu *g = dbg_gpu(d);
	u64 warp = d->focus.warp;
	const char *rest = next_word(args, word, sizeof(word));
	debugger_refresh_focus(d);
	if ((!rest && d->focus.kernel < 0) || (rest && !strcmp(word, "machine"))) {
		why_machine(g, out);
		return true;
	}
	if (rest && !strcmp(word, "kernel"))
		return why_a_kernel(d, rest, out, e);
	if (rest && !strcmp(word, "cta"))
		return why_a_cta(d, rest, out, e);
	bool mine = false;
	const bool ok = rest && why_a_choice(d, word, rest, out, &mine, e);
	if (mine)
		return ok;
	if (rest && (strcmp(word, "warp") || !*rest))
		return err_set(e,
		               "why: 'pick', 'dispatch', 'partition', 'preempt', 'warp N', 'cta N', 'kernel N', 'machine' or "
		               "nothing is expected");
	if (rest && !arg_number(rest, "why warp", gpu_warps_per_sm(g) - 1, &warp, e))
		return false;
	why_warp(g, d->focus.sm, (u32)warp, out);
	return true;
}

bool cmd_lua(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	bool incomplete = false;
	if (!*args)
		return err_set(e, "lua: code is expected");
	bool ok = lua_dbg_exec(d, args, "=lua", &incomplete, e);
	take_output(d, out);
	if (!incomplete)
		return ok;
	err_clear(e);
	if (lua_dbg_check_expr(d, args, NULL)) /* a value, as at Lua's own prompt; not the beginning of more */
		return cmd_print(d, args, out, e);
	d->shell->collect.kind = COLLECT_LUA;
	strbuf_clear(&d->shell->collect.text);
	strbuf_addf(&d->shell->collect.text, "%s\n", args);
	return true;
}

bool cmd_source(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	char unquoted[2000];
	if (*args == '\'' || *args == '"') {
		const char *rest = next_file(args, unquoted, sizeof(unquoted), e);
		if (!rest || *rest)
			return err_set(e, "source: '%.40s' is left over behind the file", rest ? rest : "");
		args = unquoted;
	}
	size_t n = strlen(args);
	if (!n)
		return err_set(e, "source: a file is expected");
	bool ok = may_use_files(d, "source", e) && strbuf_read_file(&text, args, e);
	if (ok && n > 4 && !strcmp(args + n - 4, ".lua")) {
		char name[300];
		snprintf(name, sizeof(name), "@%.290s", args);
		ok = lua_dbg_exec(d, strbuf_str(&text), name, NULL, e);
		take_output(d, out);
	} else if (ok && memchr(strbuf_str(&text), 0, text.len)) {
		ok = err_set(e, "source: %s is no text file", args);
	} else if (ok) {
		ok = debugger_queue_file(d, strbuf_str(&text), args, e);
	}
	strbuf_release(&text);
	return ok;
}

bool cmd_echo(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	for (const char *p = args; *p; p++) {
		if (p[0] == '\\' && p[1]) {
			p++;
			strbuf_addc(out, *p == 'n' ? '\n' : *p == 't' ? '\t' : *p);
		} else {
			strbuf_addc(out, *p);
		}
	}
	return true;
}

bool cmd_quit(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (!arg_none(args, "quit", e))
		return false;
	goal_clear(d);
	d->run.state = DBG_QUIT;
	return true;
}
