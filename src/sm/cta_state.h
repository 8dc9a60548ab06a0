/* The states of a CTA, from cta_state.def. gpu_cta_info() and gpu_ctas_away() report them. */
#ifndef SM_CTA_STATE_H
#define SM_CTA_STATE_H
enum cta_state {
#define C(id, name, undo, meaning) CS_##id,
#include "sm/cta_state.def"
#undef C
	CS_COUNT
};
struct cta_state_desc {
	const char *name, *undo, *meaning;
};
extern const struct cta_state_desc cta_state_descs[CS_COUNT];
#endif
