#include "session/program_runs.h"

#include <stdlib.h>
#include <string.h>

#include "session/catalog.h"

#define DEMO "hotspot"

const char *program_workload(const struct session_program *p)
{
	return p->opt->workload ? p->opt->workload : DEMO;
}

void program_act_for(struct session *s, struct session_program *p)
{
	s->now = p;
	sim_act_for(s->sim, p->index, p->nruns ? p->nruns - 1 : 0);
}

/* --- open and close --- */

static bool ends_with(const char *s, const char *end)
{
	const size_t n = strlen(s), k = strlen(end);
	return n >= k && !strcmp(s + n - k, end);
}

static struct host *open_host(struct session *s, const char *w, struct err *e)
{
	if (ends_with(w, ".ptx"))
		return host_ptx_new(s, w, e);
	char *path = catalog_path(s->data_dir, "scripts/workloads", w, "workload", e);
	struct host *h = path ? host_lua_new(s, path, e) : NULL;
	free(path);
	return h;
}

static void close_run(struct session_program *p)
{
	struct program_run *r = &p->runs[--p->nruns];
	if (r->host)
		r->host->ops->free(r->host);
	free(r->check_message);
	p->host = p->nruns ? p->runs[p->nruns - 1].host : NULL;
}

bool program_open(struct session *s, struct session_program *p, struct err *e)
{
	p->runs = xrealloc(p->runs, (p->nruns + 1) * sizeof *p->runs);
	p->runs[p->nruns++] = (struct program_run){
	    .begins = p->turns, .check = p->check, .check_message = xstrdup(strbuf_str(&p->check_message))};
	program_act_for(s, p);
	p->host = p->runs[p->nruns - 1].host = p->opt->app ? host_app_new(s, e) : open_host(s, program_workload(p), e);
	return p->host;
}

void program_close(struct session_program *p)
{
	while (p->nruns)
		close_run(p);
	free(p->runs);
	p->runs = NULL;
}

/* --- again --- */

static bool has_run(const struct session *s, const struct session_program *p)
{
	return p->nruns > 1 || (p->ended && sim_program_idle(s->sim, p->index));
}

bool program_goes_on(const struct session *s, const struct session_program *p)
{
	bool others = true;
	if (!s->opt->again || !p->ended)
		return false;
	for (u32 i = 0; i < s->nprograms; i++)
		others &= i == p->index || has_run(s, &s->programs[i]);
	return !others;
}

bool program_begin_again(struct session *s, struct session_program *p, struct err *e)
{
	sim_free_owned(s->sim, p->index, p->nruns - 1);
	p->ended = false;
	if (program_open(s, p, e))
		return true;
	close_run(p);
	err_prefix(e, "beginning again (--again): ");
	return false;
}

bool program_reaches(const struct session_program *p, u32 turns)
{
	u32 run = p->nruns - 1;
	while (run && p->runs[run].begins >= turns)
		run--;
	const struct host *h = p->runs[run].host;
	return !h->ops->may_rebuild || h->ops->may_rebuild(h, turns - p->runs[run].begins);
}

u32 program_rewind(struct session *s, struct session_program *p, u32 turns)
{
	while (p->nruns > 1 && p->runs[p->nruns - 1].begins >= turns)
		close_run(p);
	const struct program_run *r = &p->runs[p->nruns - 1];
	p->check = r->check;
	strbuf_clear(&p->check_message);
	strbuf_adds(&p->check_message, r->check_message);
	program_act_for(s, p);
	return turns - r->begins;
}
