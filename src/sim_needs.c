#include <stdio.h>

#include "ir/wide.h"
#include "sim_internal.h"

static bool refuse(const struct module *m, const struct func *fn, struct err *e, const char *why)
{
	const struct inst *in = &m->code[fn->need_pc];
	u32 len, n = 0;
	const char *text = module_line(m, in->line, &len);
	for (; len && (*text == ' ' || *text == '\t'); len--)
		text++;
	while (n < len && text[n] != ' ' && text[n] != '\t' && text[n] != ';')
		n++;
	return err_set(e, "kernel %s cannot be launched: %s:%u: '%.*s' %s", func_label(fn),
	               module_part_of(m, in->line)->path, module_line_in_file(m, in->line), (int)n, text, why);
}

bool sim_has_what_it_needs(const struct conf *c, const struct module *m, const struct func *fn, struct err *e)
{
	char why[120];
	if (!fn->need_sm)
		return true;
	const struct inst *in = &m->code[fn->need_pc];
	if (!c->sm_tensor_units && in->wide) {
		snprintf(why, sizeof why, "is of sm_%u and needs tensor cores, this machine has none (sm.tensor_units = 0)",
		         fn->need_sm);
		return refuse(m, fn, e, why);
	}
	if (c->cuda_capability < fn->need_sm) {
		snprintf(why, sizeof why, "needs sm_%u, this machine is sm_%u (cuda.capability)", fn->need_sm,
		         c->cuda_capability);
		return refuse(m, fn, e, why);
	}
	return !c->commit_delay || in->op == OP_MOVMATRIX ||
	       refuse(m, fn, e, "is not supported with commit.delay: loads of matrices are not queued");
}
