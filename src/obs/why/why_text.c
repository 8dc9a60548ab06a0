#include "obs/why/why_text.h"

void why_indent(struct strbuf *out, u32 depth)
{
	for (u32 i = 0; i < depth; i++)
		strbuf_adds(out, "  ");
}

const char *why_kernel(const struct gpu *g, s32 launch, struct kernel_info *k)
{
	if (launch < 0 || (u32)launch >= gpu_num_kernels(g))
		return "?";
	gpu_kernel_info(g, (u32)launch, k);
	return k->label;
}

void why_place(const struct gpu *g, u32 sm, u32 warp, const struct warp_info *w, struct strbuf *out)
{
	struct kernel_info k;
	strbuf_addf(out, "SM %u warp %u", sm, warp);
	if (w->launch >= 0)
		strbuf_addf(out, " (warp %u of CTA %llu of %s#%d)", w->warp_in_cta, (unsigned long long)w->cta,
		            why_kernel(g, w->launch, &k), w->launch);
}
