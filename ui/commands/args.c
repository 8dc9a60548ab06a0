/* Reading the arguments of commands. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "obs/name/names.h"

const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t\r\n");
}

const char *next_word(const char *s, char *word, size_t size)
{
	s = skip_blanks(s);
	if (!*s)
		return NULL;
	size_t n = strcspn(s, " \t\r\n");
	snprintf(word, size, "%.*s", (int)MIN(n, size - 1), s);
	return skip_blanks(s + n);
}

const char *next_file(const char *s, char *file, size_t size, struct err *e)
{
	s = skip_blanks(s);
	char quote = *s == '\'' || *s == '"' ? *s : 0;
	const char *from = s, *end = quote ? (char[]){quote, 0} : " \t\r\n";
	size_t n = 0;
	for (s += quote != 0; *s && !strchr(end, *s); s++) {
		if (quote == '"' && *s == '\\' && s[1])
			s++;
		if (n + 1 == size)
			return err_set(e, "a file's name of more than %zu letters: %.40s...", size - 1, from), NULL;
		file[n++] = *s;
	}
	file[n] = 0;
	if (quote && !*s)
		return err_set(e, "the quote is not closed: %.200s", from), NULL;
	return n ? skip_blanks(s + (quote != 0)) : NULL;
}

/* Decimal or 0x; never octal, which nobody types on purpose. */
bool word_number(const char *word, u64 *out)
{
	bool hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
	char *end;
	if (!isdigit((unsigned char)*word))
		return false;
	errno = 0;
	u64 v = strtoull(word, &end, hex ? 16 : 10);
	if (*end || errno)
		return false;
	*out = v;
	return true;
}

bool arg_number(const char *args, const char *what, u64 max, u64 *out, struct err *e)
{
	char word[64];
	const char *rest = next_word(args, word, sizeof(word));
	u64 v;
	if (!rest)
		return true;
	if (!word_number(word, &v))
		return err_set(e, "%s: '%s' is not a number", what, word);
	if (v > max)
		return err_set(e, "%s: %s is larger than %llu", what, word, (unsigned long long)max);
	if (*rest)
		return err_set(e, "%s: '%.40s' is left over after the number", what, rest);
	*out = v;
	return true;
}

bool arg_none(const char *args, const char *command, struct err *e)
{
	args = skip_blanks(args);
	return !*args || err_set(e, "%s takes no argument ('%.40s')", command, args);
}

bool arg_sm(struct debugger *d, const char *args, u32 *sm, struct err *e)
{
	u64 v = d->focus.sm;
	if (!arg_number(args, "SM", gpu_conf(dbg_gpu(d))->num_sms - 1, &v, e))
		return false;
	*sm = (u32)v;
	return true;
}

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
