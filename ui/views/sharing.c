#include "views/sharing.h"

#include <math.h>

#include "scr/draw.h"
#include "session/programs.h"

#define NAME_W 20

int sharing_rows(const struct view_ctx *v)
{
	const struct session *s = v->d->s;
	return s->nprograms > 1 ? (int)s->nprograms + 1 + (s->opt->alone != 0) : 0;
}

/* One that only looks at the others launches nothing. */
static bool runs(const struct program_stats *p)
{
	return p->kernels > 0;
}

static enum role role_of(const struct view_ctx *v, u32 program)
{
	const int now = v->d->focus.kernel;
	struct kernel_info k;
	if (now < 0 || (u32)now >= gpu_num_kernels(v->g))
		return R_TEXT;
	gpu_kernel_info(v->g, (u32)now, &k);
	return k.program == program ? R_ACCENT : R_TEXT;
}

static void figure(struct pane p, int y, int end, const char *format, double v)
{
	if (isfinite(v))
		pane_right(p, y, end, STYLE(R_TEXT), format, v);
	else
		pane_right(p, y, end, STYLE(R_FAINT), "-");
}

static const struct {
	const char *name;
	int width;
} columns[] = {{"IPC", 8}, {"effective", 11}, {"slower", 9}, {"SMs in time", 13}};

static void row(const struct view_ctx *v, struct pane p, int y, int x, u32 i, const struct program_stats *s)
{
	const u64 asked = s->deadlines_met + s->deadlines_missed;
	draw_clipped(p, y, x, NAME_W, STYLE(role_of(v, i)), s->of.name);
	x += NAME_W + columns[0].width;
	figure(p, y, x, "%.2f", 1 / program_cpi(s));
	figure(p, y, x += columns[1].width, "%.2f", s->insts_dropped ? program_effective_ipc(s) : NAN);
	figure(p, y, x += columns[2].width, "%.2fx", program_slowdown(s));
	x += columns[3].width;
	if (asked)
		pane_right(p, y, x, STYLE(s->deadlines_missed ? R_WARN : R_TEXT), "%llu of %llu",
		           (unsigned long long)s->deadlines_met, (unsigned long long)asked);
	else
		pane_right(p, y, x, STYLE(R_FAINT), "-");
	pane_text(p, y, x + 2, STYLE(R_DIM), !runs(s) ? "no kernel" : s->done ? "done" : "");
}

void sharing_table(const struct view_ctx *v, struct pane p, int x)
{
	struct program_stats s[OPTIONS_PROGRAMS];
	const u32 n = v->d->s->nprograms;
	double antt, stp;
	int y = 0, at = x + NAME_W;
	programs_stats(v->d->s, s);
	pane_text(p, y, x, STYLE(R_DIM), "program");
	for (u32 i = 0; i < ARRAY_LEN(columns); i++)
		pane_right(p, y, at += columns[i].width, STYLE(R_DIM), "%s", columns[i].name);
	if (!v->d->s->opt->alone)
		pane_text(p, y, at + 2, STYLE(R_FAINT), "slower: with --alone");
	for (u32 i = 0; i < n; i++)
		row(v, p, ++y, x, i, &s[i]);
	programs_sharing(s, n, &antt, &stp);
	if (isfinite(antt) && isfinite(stp))
		pane_printf(p, ++y, x, STYLE(R_TEXT), "ANTT %.3f   STP %.3f", antt, stp);
}

void sharing_line(const struct view_ctx *v, struct pane p, int x)
{
	struct program_stats s[OPTIONS_PROGRAMS];
	const u32 n = v->d->s->nprograms;
	double antt, stp;
	programs_stats(v->d->s, s);
	programs_sharing(s, n, &antt, &stp);
	if (isfinite(antt) && isfinite(stp))
		x = pane_printf(p, 0, x, STYLE(R_TEXT), "ANTT %.2f  STP %.2f", antt, stp) + 2;
	for (u32 i = 0; i < n; i++) {
		const double slower = program_slowdown(&s[i]);
		if (!runs(&s[i]))
			continue;
		x = pane_text(p, 0, x, STYLE(role_of(v, i)), s[i].of.name);
		if (isfinite(slower))
			x = pane_printf(p, 0, x, STYLE(R_TEXT), " %.2fx", slower);
		else if (s[i].warp_insts)
			x = pane_printf(p, 0, x, STYLE(R_TEXT), " IPC %.2f", 1 / program_cpi(&s[i]));
		if (s[i].deadlines_missed)
			x = pane_printf(p, 0, x, STYLE(R_WARN), " late %llu of %llu", (unsigned long long)s[i].deadlines_missed,
			                (unsigned long long)(s[i].deadlines_met + s[i].deadlines_missed));
		x += 2;
	}
}
