#include "session/script_head.h"

#include <string.h>

#include "base/err.h"

void script_head(const char *path, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;
	struct err none = {0};
	if (strbuf_read_file(&text, path, &none)) {
		const char *from = strstr(strbuf_str(&text), ": "), *end = strstr(strbuf_str(&text), "]]");
		while (end && from && end > from + 2 && (end[-1] == ' ' || end[-1] == '\n'))
			end--;
		if (from && end && from < end && !strncmp(strbuf_str(&text), "--[[", 4))
			strbuf_add(out, from + 2, (size_t)(end - from - 2));
	}
	strbuf_release(&text);
}
