/* The PTX front end's place behind front_ops: every one of its entries, and how it reads modules. */
#include "front/ptx/ops.h"
#include "front/ptx/ptx.h"

static struct module *load_files(const struct conf *c, const char *const *paths, u32 n, struct err *e)
{
	struct schedule_params p;
	schedule_params_of(&p, c);
	return ptx_link_files_for(paths, n, &p, e);
}

static struct module *load_texts(const struct conf *c, const struct source_text *texts, u32 n, struct err *e)
{
	struct schedule_params p;
	schedule_params_of(&p, c);
	return ptx_link_for(texts, n, &p, e);
}

const struct front_ops front_ptx = {.name = "ptx",
                                    .help = "executes PTX, instruction by instruction as they issue",
                                    .load_files = load_files,
                                    .load_texts = load_texts,
#define OP(name) .name = ptx_##name,
                                    PTX_OPS(OP)
#undef OP
};
