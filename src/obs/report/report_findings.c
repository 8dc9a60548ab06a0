/* What checks have found, in JSON. */
#include "obs/name/findings.h"
#include "obs/name/names.h"
#include "obs/report/json_put.h"
#include "obs/report/report.h"

static json_t *side(const struct gpu *g, const struct check_side *s)
{
	const struct module *m = gpu_launched(g, s->launch)->mod;
	struct strbuf place = STRBUF_INIT, cuda = STRBUF_INIT, code = STRBUF_INIT;
	json_t *o = json_object();
	line_place(m, s->pc, &place);
	line_text(m, s->pc, &code);
	finding_cuda_line(m, s->pc, &cuda);
	put(o, "access", text(finding_access_text(s)));
	put(o, "cycle", number(s->cycle));
	put(o, "launch", number(s->launch));
	put(o, "kernel", text(gpu_launched(g, s->launch)->fn->name));
	put(o, "cta", number(s->cta));
	put(o, "thread", number(s->thread));
	put(o, "pc", number(s->pc));
	put(o, "place", text(strbuf_str(&place)));
	put(o, "cuda", cuda.len ? text(strbuf_str(&cuda)) : json_null());
	put(o, "text", text(strbuf_str(&code)));
	strbuf_release(&place);
	strbuf_release(&cuda);
	strbuf_release(&code);
	return o;
}

static json_t *finding(const struct gpu *g, const struct check_finding *f)
{
	struct strbuf where = STRBUF_INIT;
	json_t *o = json_object();
	finding_where(g, f, &where);
	put(o, "kind", text(check_kind_names[f->kind]));
	put(o, "space", text(space_names[f->space]));
	put(o, "benign", json_boolean(f->same));
	put(o, "fence", json_boolean(f->fence));
	put(o, "address", number(f->addr));
	put(o, "bytes", number(f->bytes));
	put(o, "where", where.len ? text(where.buf) : json_null());
	put(o, "times", number(f->times));
	put(o, "first", f->kind == CHECK_UNINIT ? json_null() : side(g, &f->first));
	put(o, "second", side(g, &f->second));
	strbuf_release(&where);
	return o;
}

json_t *report_findings(const struct gpu *g)
{
	u32 n;
	u64 lost;
	const struct check_finding *f = checks_findings(gpu_checks(g), &n, &lost);
	json_t *all = gpu_checks(g) ? json_array() : json_null();
	for (u32 i = 0; i < n; i++)
		json_array_append_new(all, finding(g, &f[i]));
	return all;
}
