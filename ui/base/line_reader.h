/* line_reader: the lines of a descriptor, one by one as they come; a signal ends the wait for one (base/leaving.h). */
#ifndef UI_BASE_LINE_READER_H
#define UI_BASE_LINE_READER_H
#include "base/strbuf.h"

struct line_reader {
	int fd;
	bool ended;         /* there is no more */
	struct strbuf text; /* what has been read... */
	size_t taken;       /* ...of which so much has been given */
};
/* The next line, without its newline, until the next call; the last one may have none. NULL: there is none any more
 * (`ended`), or a signal came while there was none yet. */
const char *line_read(struct line_reader *r);
void line_reader_release(struct line_reader *r);
#endif
