#include "base/wrap.h"

#include <string.h>

void text_wrap(const char *text, u32 indent, u32 width, struct strbuf *out)
{
	u32 col = indent;
	while (*(text += strspn(text, " \t\n"))) {
		size_t n = strcspn(text, " \n");
		if (col > indent && col + 1 + n > width) {
			strbuf_addf(out, "\n%*s", (int)indent, "");
			col = indent;
		} else if (col > indent) {
			strbuf_addc(out, ' ');
			col++;
		}
		strbuf_add(out, text, n);
		col += (u32)n;
		text += n;
	}
	strbuf_addc(out, '\n');
}
