/* cuda_text: the text of the CUDA lines that a PTX module's .loc directives name, if their files can be read: where the
 * compiler found them, or beside the PTX file.
 *
 * A file is read once, when a line of it is first asked for. A file that does not exist, is no regular file or has more
 * than 16 MiB has no text. Copies are kept until `run`, so a view does not change while its source is edited. */
#ifndef UI_VIEWS_CUDA_TEXT_H
#define UI_VIEWS_CUDA_TEXT_H
#include "ir/ir.h"

struct cuda_file;
struct cuda_text { /* {0} is an empty one */
	struct cuda_file *files;
	u32 n;
};
struct cuda_line {
	const char *file; /* without directories; belongs to the module */
	u32 number;
	const char *text; /* without indentation and end of line, of a long one the beginning; NULL: the file, or its line,
	                     is not there */
	u32 len;
};
/* What the .loc directive in a line of PTX names. False: that line has none. */
bool cuda_line_of(struct cuda_text *t, const struct module *m, u32 ptx_line, struct cuda_line *o);
/* The file of a number of the module's .file directives, named by code in a line of the PTX. Of one that cannot be read
 * there are no lines. */
const struct cuda_file *cuda_file_of(struct cuda_text *t, const struct module *m, u32 ptx_line, u32 file);
u32 cuda_file_lines(const struct cuda_file *f);
/* A line from 1 on, with its indentation, without its end; NULL: the file has none of that number. */
const char *cuda_file_line(const struct cuda_file *f, u32 number, u32 *len);
void cuda_text_release(struct cuda_text *t);
#endif
