/* info findings: what checks have found (sm/checks.h). */
#include "base/words.h"
#include "commands/commands.h"
#include "obs/name/findings.h"

bool info_findings(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	u32 n, benign;
	u64 lost, number = 0;
	const struct check_finding *f = checks_findings(gpu_checks(g), &n, &lost);
	if (*args && !arg_number(args, "finding", gpu_checks(g) ? n : UINT32_MAX, &number, e))
		return false;
	if (!gpu_checks(g)) {
		strbuf_adds(out,
		            "Nobody looks for races: `run --check races,init` starts again with it (what was accessed before "
		            "would not be known).\n");
		return true;
	}
	if (*args && !number)
		return err_set(e, "info findings: findings are counted from 1");
	if (number) {
		finding_text(g, &f[number - 1], (u32)number, out);
		return true;
	}
	const u32 errors = findings_count(g, &benign);
	strbuf_addf(out, "%u finding%s", errors, plural(errors));
	if (benign)
		strbuf_addf(out, ", and %u benign pair%s of lines that write the same value", benign, plural(benign));
	strbuf_adds(out, n ? ":\n" : ".\n");
	findings_text(g, out);
	return true;
}
