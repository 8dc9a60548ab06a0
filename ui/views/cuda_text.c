#include "views/cuda_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/strbuf.h"

#define LARGEST (16u << 20)
#define SHOWN 1000u /* bytes of a line: more than any screen's row */

struct cuda_file {
	char *name;         /* as .file has it */
	char *ptx;          /* the module that has it: where to look beside */
	struct strbuf text; /* empty: cannot be read */
	u32 *line_at;       /* [nlines + 1], the last one behind the end */
	u32 nlines;
};

/* Leaves *text empty when there is no such regular file, or a large one. Opens nothing else: a pipe's writer would take
 * it for its reader. */
static void read_text(const char *path, struct strbuf *text)
{
	struct stat st;
	if (stat(path, &st) || !S_ISREG(st.st_mode) || st.st_size > (off_t)LARGEST || !strbuf_read_file(text, path, NULL))
		strbuf_clear(text);
}

static char *beside(const char *ptx, const char *name)
{
	const char *dir_end = strrchr(ptx, '/'), *base = strrchr(name, '/');
	struct strbuf path = STRBUF_INIT;
	if (dir_end)
		strbuf_addf(&path, "%.*s/", (int)(dir_end - ptx), ptx);
	strbuf_addf(&path, "%s", base ? base + 1 : name);
	return path.buf; /* the caller frees it */
}

static void find_lines(struct cuda_file *f)
{
	const char *s = f->text.buf;
	const u32 len = (u32)f->text.len;
	for (u32 i = 0; i < len; i++)
		f->nlines += s[i] == '\n' || i + 1 == len;
	f->line_at = xmalloc((f->nlines + 1) * sizeof(u32));
	u32 n = 0;
	f->line_at[n++] = 0;
	for (u32 i = 0; i < len; i++)
		if (s[i] == '\n' || i + 1 == len)
			f->line_at[n++] = i + 1;
}

static const struct cuda_file *file_of(struct cuda_text *t, const char *ptx, const char *name)
{
	for (u32 i = 0; i < t->n; i++)
		if (!strcmp(t->files[i].name, name) && !strcmp(t->files[i].ptx, ptx))
			return &t->files[i];
	t->files = xrealloc(t->files, (t->n + 1) * sizeof *t->files);
	struct cuda_file *f = &t->files[t->n++];
	*f = (struct cuda_file){.name = xstrdup(name), .ptx = xstrdup(ptx), .text = STRBUF_INIT};
	read_text(name, &f->text);
	if (!f->text.len) {
		char *path = beside(ptx, name);
		read_text(path, &f->text);
		free(path);
	}
	find_lines(f);
	return f;
}

/* The numbers of ".loc FILE LINE COLUMN ...". */
static bool parse_loc(const char *s, u32 len, u32 *file, u32 *line)
{
	char copy[64];
	while (len && isblank((u8)*s)) {
		s++;
		len--;
	}
	snprintf(copy, sizeof copy, "%.*s", (int)MIN(len, sizeof copy - 1), s);
	return sscanf(copy, ".loc%*[ \t]%9u%*[ \t]%9u", file, line) == 2;
}

bool cuda_line_of(struct cuda_text *t, const struct module *m, u32 ptx_line, struct cuda_line *o)
{
	u32 len = 0, file;
	const char *s = module_line(m, ptx_line, &len);
	*o = (struct cuda_line){0};
	if (!s || !parse_loc(s, len, &file, &o->number))
		return false;
	const struct module_part *part = module_part_of(m, ptx_line);
	if (file >= part->nfiles || !m->files[file += part->first_file])
		return false;
	const char *base = strrchr(m->files[file], '/');
	o->file = base ? base + 1 : m->files[file];
	const struct cuda_file *f = file_of(t, part->path, m->files[file]);
	if (!o->number || o->number > f->nlines)
		return true;
	const char *from = f->text.buf + f->line_at[o->number - 1], *to = f->text.buf + f->line_at[o->number];
	while (from < to && isspace((u8)*from))
		from++;
	to = from + MIN((size_t)(to - from), SHOWN);
	while (to > from && isspace((u8)to[-1]))
		to--;
	o->text = from;
	o->len = (u32)(to - from);
	return true;
}

const struct cuda_file *cuda_file_of(struct cuda_text *t, const struct module *m, u32 ptx_line, u32 file)
{
	return file_of(t, module_part_of(m, ptx_line)->path, file < m->nfiles && m->files[file] ? m->files[file] : "");
}

u32 cuda_file_lines(const struct cuda_file *f)
{
	return f->nlines;
}

const char *cuda_file_line(const struct cuda_file *f, u32 number, u32 *len)
{
	*len = 0;
	if (!number || number > f->nlines)
		return NULL;
	const char *from = f->text.buf + f->line_at[number - 1], *to = f->text.buf + f->line_at[number];
	to = from + MIN((size_t)(to - from), SHOWN);
	while (to > from && isspace((u8)to[-1]))
		to--;
	*len = (u32)(to - from);
	return from;
}

void cuda_text_release(struct cuda_text *t)
{
	for (u32 i = 0; i < t->n; i++) {
		free(t->files[i].name);
		free(t->files[i].ptx);
		strbuf_release(&t->files[i].text);
		free(t->files[i].line_at);
	}
	free(t->files);
	*t = (struct cuda_text){0};
}
