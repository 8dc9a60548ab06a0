#include "views/requests.h"

#include <stdio.h>
#include <string.h>

#include "gpu/query_preempt.h"
#include "scr/draw.h"

bool requests_newest(const struct view_ctx *v, struct request_info *r)
{
	struct kernel_info k;
	if (!gpu_request(v->g, gpu_requests(v->g), r))
		return false;
	gpu_kernel_info(v->g, r->launch, &k);
	return (r->left && !r->done_at) || k.state != KS_DONE;
}

bool requests_any(const struct view_ctx *v)
{
	struct request_info r;
	return requests_newest(v, &r);
}

static double in_us(const struct view_ctx *v, u64 cycles)
{
	return (double)cycles / gpu_conf(v->g)->core_clock;
}

/* --- the request -------------------------------------------------------------------------------------------------- */

void requests_line(const struct view_ctx *v, struct pane p)
{
	struct request_info r;
	if (!requests_newest(v, &r))
		return;
	char text[200], at[NUM_MAX], insts[NUM_MAX];
	const u64 took = (r.done_at ? r.done_at : gpu_cycle(v->g)) - r.at;
	int n = snprintf(text, sizeof text, "request %u at %s: K%u gives ", r.id, grouped(r.at, at), r.launch);
	if (r.keep)
		n += snprintf(text + n, sizeof text - (size_t)n, "%u CTA%s on ", r.ctas, plural(r.ctas));
	n += snprintf(text + n, sizeof text - (size_t)n, "%u SM%s by %s: ", r.sms, plural(r.sms), r.by);
	if (r.held)
		n += snprintf(text + n, sizeof text - (size_t)n, "forbidden (strict), ");
	else if (r.left)
		n += snprintf(text + n, sizeof text - (size_t)n, "%u free, ", r.sms - r.left);
	else if (took > r.limit)
		n += snprintf(text + n, sizeof text - (size_t)n, "late, ");
	n += snprintf(text + n, sizeof text - (size_t)n, "%.1f of %.1f us", in_us(v, took), in_us(v, r.limit));
	if (!r.left)
		snprintf(text + n, sizeof text - (size_t)n, ", %s lost", grouped(r.lost, insts));
	draw_words(p, 0, 1, p.w - 1, STYLE(took > r.limit || r.held ? R_WARN : R_TEXT), text);
}

/* --- an SM's part ------------------------------------------------------------------------------------------------- */

static bool sm_of_newest(const struct view_ctx *v, u32 sm, struct request_sm *out)
{
	struct request_sm q[REQUEST_SMS_MAX];
	const u32 n = gpu_request_sms(v->g, gpu_requests(v->g), q, REQUEST_SMS_MAX);
	for (u32 i = 0; i < n; i++)
		if (q[i].sm == sm) {
			*out = q[i];
			return true;
		}
	return false;
}

/* Columns: technique, microseconds estimated and measured, instructions lost, likewise; where each ends. */
enum { TECHNIQUE = 7, US_EST = 14, US = 20, LOST_EST = 29, LOST = 38 };

void requests_head(struct pane p)
{
	static const struct {
		int end;
		const char *name;
	} column[] = {{TECHNIQUE, "by"}, {US_EST, "est us"}, {US, "took"}, {LOST_EST, "est lost"}, {LOST, "lost"}};
	for (u32 i = 0; i < ARRAY_LEN(column) && column[i].end <= p.w; i++)
		pane_right(p, 0, column[i].end, STYLE(R_DIM), "%s", column[i].name);
}

void requests_row(const struct view_ctx *v, struct pane p, u32 sm)
{
	struct request_sm q;
	struct request_info r;
	if (!requests_newest(v, &r) || !sm_of_newest(v, sm, &q))
		return;
	const u64 took = (q.done_at ? q.done_at : gpu_cycle(v->g)) - q.at;
	const struct style s = STYLE(took > r.limit ? R_WARN : R_TEXT);
	char text[NUM_MAX];
	const bool known = q.cost.latency < COST_MAX, loss_known = q.cost.overhead < COST_MAX;
	pane_right(p, 0, TECHNIQUE, STYLE(R_TEXT), "%s", technique_names[q.technique]);
	pane_right(p, 0, US_EST, STYLE(R_DIM), known ? "%.1f" : "-", in_us(v, q.cost.latency));
	pane_right(p, 0, US, s, "%.1f%s", in_us(v, took), q.done_at ? "" : "+");
	if (p.w < LOST)
		return;
	pane_right(p, 0, LOST_EST, STYLE(R_DIM), "%s", loss_known ? grouped(q.cost.overhead, text) : "-");
	if (q.done_at)
		pane_right(p, 0, LOST, STYLE(R_TEXT), "%s", grouped(q.lost, text));
}

/* --- on the time axis --------------------------------------------------------------------------------------------- */

static int column_of(const struct time_axis *a, u64 cycle)
{
	if (cycle <= a->from || a->to == a->from)
		return 0;
	return (int)((double)(MIN(cycle, a->to) - a->from) / (double)(a->to - a->from) * a->w + 0.5);
}

static void mark(const struct view_ctx *v, struct pane p, const struct request_sm *q, const struct time_axis *a)
{
	const u64 end = q->done_at ? q->done_at : gpu_cycle(v->g);
	if (end < a->from || q->at >= a->to)
		return;
	const char *name = technique_names[q->technique];
	const int from = MIN(column_of(a, q->at), a->w - 1), to = MIN(MAX(column_of(a, end), from + 1), a->w);
	for (int x = from; x < to; x++)
		pane_glyph(p, 0, x, STYLE(R_SER0 + q->launch % R_NSERIES),
		           x - from < (int)strlen(name) ? (u32)name[x - from]
		           : p.c->ascii                 ? '%'
		                                        : 0x2592);
}

void requests_mark(const struct view_ctx *v, struct pane p, u32 sm, struct time_axis a)
{
	struct request_sm q[REQUEST_SMS_MAX];
	const u32 n = gpu_request_sms(v->g, 0, q, REQUEST_SMS_MAX);
	for (u32 i = 0; i < n; i++)
		if (q[i].sm == sm)
			mark(v, p, &q[i], &a);
}
