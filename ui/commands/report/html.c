#include "commands/report/html.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "obs/stats/stats.h"

/* --- text --------------------------------------------------------------------------------------------------------- */

/* The length of the UTF-8 character at s, 0 when there is none: too long for what it says, a surrogate, cut off. */
static size_t utf8_length(const unsigned char *s, size_t n)
{
	static const u32 least[] = {0, 0, 0x80, 0x800, 0x10000};
	const size_t len = *s < 0x80 ? 1 : *s >> 5 == 6 ? 2 : *s >> 4 == 14 ? 3 : *s >> 3 == 30 ? 4 : 0;
	u32 ch = len < 2 ? *s : *s & (0xffu >> (len + 1));
	if (!len || len > n)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		ch = ch << 6 | (s[i] & 63);
	}
	return (len == 1 || ch >= least[len]) && ch < 0x110000 && ch >> 11 != 27 ? len : 0;
}

void html_textn(struct strbuf *out, const char *s, size_t n)
{
	while (n) {
		const size_t len = utf8_length((const unsigned char *)s, n);
		const unsigned char c = (unsigned char)*s;
		if (!len)
			strbuf_adds(out, "\xef\xbf\xbd");
		else if (len == 1 && strchr("&<>\"'", c) && c)
			strbuf_addf(out, "&#%d;", c);
		else if (c < ' ' || c == 127)
			strbuf_addc(out, ' ');
		else
			strbuf_add(out, s, len);
		s += MAX(len, (size_t)1);
		n -= MAX(len, (size_t)1);
	}
}

void html_text(struct strbuf *out, const char *s)
{
	html_textn(out, s, strlen(s));
}

void html_textf(struct strbuf *out, const char *fmt, ...)
{
	char *text;
	va_list ap;
	va_start(ap, fmt);
	const int n = vasprintf(&text, fmt, ap);
	va_end(ap);
	BUG_ON(n < 0);
	html_text(out, text);
	free(text);
}

void html_section(struct strbuf *out, const char *id, const char *title)
{
	strbuf_addf(out, "<section id=\"%s\">\n<h2>", id);
	html_text(out, title);
	strbuf_adds(out, "</h2>\n");
}

void html_section_end(struct strbuf *out)
{
	strbuf_adds(out, "</section>\n");
}

void html_fold(struct strbuf *out, const char *title, bool open)
{
	strbuf_addf(out, "<details%s><summary>", open ? " open=\"open\"" : "");
	html_text(out, title);
	strbuf_adds(out, "</summary>\n");
}

void html_fold_end(struct strbuf *out)
{
	strbuf_adds(out, "</details>\n");
}

/* --- figures of a document ---------------------------------------------------------------------------------------- */

const json_t *doc_at(const json_t *doc, const char *path)
{
	char key[128];
	while (doc && *path) {
		const size_t n = strcspn(path, ".");
		if (n >= sizeof key)
			return NULL;
		snprintf(key, sizeof key, "%.*s", (int)n, path);
		doc = json_is_array(doc) ? json_array_get(doc, strtoul(key, NULL, 10)) : json_object_get(doc, key);
		path += n + (path[n] == '.');
	}
	return doc;
}

u64 doc_whole(const json_t *doc, const char *path)
{
	return (u64)json_integer_value(doc_at(doc, path));
}

double doc_real(const json_t *doc, const char *path)
{
	const json_t *v = doc_at(doc, path);
	return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

const char *doc_text(const json_t *doc, const char *path)
{
	const char *s = json_string_value(doc_at(doc, path));
	return s ? s : "";
}

const char *real_text(double v, bool share, char out[FIGURE_MAX])
{
	char digits[GROUPED_MAX];
	const double size = fabs(v);
	if (!isfinite(v))
		snprintf(out, FIGURE_MAX, "-");
	else if (share)
		snprintf(out, FIGURE_MAX, "%.1f %%", 100 * v);
	else if (size >= 1000 && size < 1e18)
		snprintf(out, FIGURE_MAX, "%s%s", v < 0 ? "-" : "", grouped((u64)llround(size), digits));
	else
		snprintf(out, FIGURE_MAX, size >= 100 ? "%.1f" : size >= 10 ? "%.2f" : "%.3f", v);
	return out;
}

const char *figure_text(const json_t *v, const char *unit, char out[FIGURE_MAX])
{
	char digits[GROUPED_MAX];
	if (!json_is_integer(v))
		return real_text(json_is_real(v) ? json_real_value(v) : (double)NAN, !*unit, out);
	const json_int_t n = json_integer_value(v);
	snprintf(out, FIGURE_MAX, "%s%s", n < 0 ? "-" : "", grouped((u64)(n < 0 ? -n : n), digits));
	return out;
}

void figure_data(struct strbuf *out, const char *path, const json_t *v)
{
	char *text = v ? json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12)) : NULL;
	strbuf_adds(out, " data-f=\"");
	html_text(out, path);
	strbuf_adds(out, "\" data-v=\"");
	html_text(out, text ? text : "null");
	strbuf_adds(out, "\"");
	free(text);
}

void figure_cell(struct strbuf *out, const json_t *doc, const char *path, const char *unit)
{
	char text[FIGURE_MAX];
	const json_t *v = doc_at(doc, path);
	strbuf_adds(out, "<td class=\"n\"");
	figure_data(out, path, v);
	strbuf_addf(out, ">%s</td>", figure_text(v, unit, text));
}

/* --- what figures mean -------------------------------------------------------------------------------------------- */

/* Of the run as a whole: they are no counters and rates of a group. */
static const struct {
	const char *path;
	struct figure_help is;
} run_figures[] = {
    {"cycles", {"cycles", "core cycles that were simulated"}},
    {"sim_time_us", {"us", "simulated time: core cycles divided by the core clock"}},
    {"ipc", {"warp insts/cycle", "warp instructions executed per core cycle, all SMs together"}},
    {"warp_insts", {"instructions", "warp instructions executed, all SMs together"}},
    {"thread_insts", {"instructions", "thread instructions executed: the active lanes of all warp instructions"}},
    {"energy.power_w",
     {"W", "mean power: the energy of all parts, dynamic and leakage, divided by the simulated time"}},
};

struct figure_help figure_help(const char *path)
{
	const char *dot = strchr(path, '.');
	for (u32 i = 0; i < ARRAY_LEN(run_figures); i++)
		if (!strcmp(run_figures[i].path, path))
			return run_figures[i].is;
	for (u32 i = 0; dot && i < rate_ndescs; i++) {
		const char *group = counter_group_names[rate_descs[i].group];
		if (!strncmp(group, path, (size_t)(dot - path)) && !group[dot - path] && !strcmp(rate_descs[i].name, dot + 1))
			return (struct figure_help){rate_descs[i].unit, rate_descs[i].help};
	}
	for (u32 i = 0; dot && i < counter_ndescs; i++) {
		const char *group = counter_group_names[counter_descs[i].group];
		if (!strncmp(group, path, (size_t)(dot - path)) && !group[dot - path] &&
		    !strcmp(counter_descs[i].name, dot + 1))
			return (struct figure_help){counter_descs[i].unit, counter_descs[i].help};
	}
	return (struct figure_help){"", ""};
}
