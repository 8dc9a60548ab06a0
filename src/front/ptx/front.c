/* The PTX front end's place behind front_ops: every one of its entries, and how it reads modules. */
#include "front/ptx/ops.h"
#include "front/ptx/ptx.h"

static struct module *load_files(const struct conf *c, const char *const *paths, u32 n, struct err *e)
{
	struct schedule_params p;
	schedule_params_of(&p, c);
	return ptx_link_files_for(paths, n, &p, e);
}

static struct module *load_text(const struct conf *c, const char *name, const char *text, size_t len, struct err *e)
{
	struct schedule_params p;
	schedule_params_of(&p, c);
	return ptx_load_for(name, text, len, &p, e);
}

const struct front_ops front_ptx = {.name = "ptx",
                                    .help = "executes PTX, instruction by instruction as they issue",
                                    .load_files = load_files,
                                    .load_text = load_text,
#define OP(name) .name = ptx_##name,
                                    PTX_OPS(OP)
#undef OP
};
