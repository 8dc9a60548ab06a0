#include "obs/why/why.h"

#include "ir/wide.h"
#include "obs/name/names.h"

#define SPIN_LOOP_MAX 64 /* instructions; a longer loop does work and is no spin */
#define TAINT_MAX 32

static bool writes(const struct inst *in, opnd at)
{
	for (u32 i = 0; i < inst_ndst(in); i++)
		if (inst_dst(in, i) == at && at != OPND_NONE)
			return true;
	return false;
}

static bool reads_memory(const struct inst *in)
{
	if (in->op == OP_MBARRIER)
		return in->mode == MBAR_TEST_WAIT || in->mode == MBAR_TRY_WAIT;
	if (in->op != OP_LD && in->op != OP_ATOM)
		return false;
	return in->space == SPC_GLOBAL || in->space == SPC_SHARED || in->space == SPC_GENERIC;
}

static bool address_unchanging(const struct module *m, u32 from, u32 to, const struct inst *load)
{
	for (u32 pc = from; pc <= to && load->s[0] != OPND_NONE; pc++)
		if (writes(&m->code[pc], load->s[0]))
			return false;
	return true;
}

struct taint {
	opnd at[TAINT_MAX];
	u32 n;
};

static bool tainted(const struct taint *t, opnd at)
{
	for (u32 i = 0; i < t->n; i++)
		if (t->at[i] == at)
			return true;
	return false;
}

static void add_taint(struct taint *t, const struct inst *in)
{
	for (u32 i = 0; i < inst_ndst(in); i++)
		if (inst_dst(in, i) != OPND_NONE && t->n < TAINT_MAX && !tainted(t, inst_dst(in, i)))
			t->at[t->n++] = inst_dst(in, i);
}

static bool reads_tainted(const struct taint *t, const struct inst *in)
{
	for (u32 i = 0; i < inst_nsrc(in); i++)
		if (inst_src(in, i) != OPND_NONE && tainted(t, inst_src(in, i)))
			return true;
	return false;
}

/* Does a branch of the loop depend on what the load brings? Follows values through the loop's instructions until
 * nothing is added. */
static bool decides(const struct module *m, u32 from, u32 to, u32 load)
{
	struct taint t = {.n = 0};
	add_taint(&t, &m->code[load]);
	for (u32 before = 0; before != t.n;) {
		before = t.n;
		for (u32 pc = from; pc <= to; pc++)
			if (reads_tainted(&t, &m->code[pc]))
				add_taint(&t, &m->code[pc]);
	}
	for (u32 pc = from; pc <= to; pc++)
		if (m->code[pc].op == OP_BRA && m->code[pc].guard != OPND_NONE && tainted(&t, m->code[pc].guard))
			return true;
	return false;
}

static bool stores(const struct module *m, u32 from, u32 to)
{
	for (u32 pc = from; pc <= to; pc++)
		if (inst_is_store(&m->code[pc]))
			return true;
	return false;
}

/* A loop that stores does work, unless what it turns on is a lock: taking it (compare-and-swap, exchange) with the
 * critical section inside the loop is the usual way round divergence. */
static bool waits_only(const struct inst *load, bool loop_stores)
{
	if (load->op == OP_ATOM)
		return load->atom == ATOM_CAS || load->atom == ATOM_EXCH || (!loop_stores && load->atom == ATOM_OR);
	return !loop_stores;
}

static bool spin_loop(const struct module *m, u32 from, u32 to, u32 *load)
{
	bool st = stores(m, from, to);
	for (u32 pc = from; pc <= to; pc++) {
		const struct inst *in = &m->code[pc];
		if (reads_memory(in) && waits_only(in, st) && address_unchanging(m, from, to, in) && decides(m, from, to, pc)) {
			*load = pc;
			return true;
		}
	}
	return false;
}

static u64 address(const struct gpu *g, u32 sm, u32 warp, const struct inst *in)
{
	u32 mask = front_active_mask(gpu_front(g), sm, warp);
	if (!mask || in->s[0] == OPND_NONE)
		return (u64)in->imm;
	enum ptype t = in->base_bytes == 4 ? T_U32 : T_U64;
	return front_read_reg(gpu_front(g), sm, warp, bit_first(mask), in->s[0], t) + (u64)in->imm;
}

bool spin_find(const struct gpu *g, u32 sm, u32 warp, struct spin *out)
{
	struct warp_info w;
	gpu_warp_info(g, sm, warp, &w);
	const struct module *m = module_of_launch(g, w.launch);
	const struct func *f = m && w.pc != PC_DONE ? func_of_pc(m, w.pc) : NULL;
	for (u32 b = w.pc; f && b < f->end && b < w.pc + SPIN_LOOP_MAX; b++) {
		const struct inst *in = &m->code[b];
		if (in->op != OP_BRA || in->target < (s32)f->entry || (u32)in->target > w.pc ||
		    b - (u32)in->target >= SPIN_LOOP_MAX)
			continue;
		*out = (struct spin){.from = (u32)in->target, .to = b};
		if (spin_loop(m, out->from, b, &out->load)) {
			out->space = (enum space)m->code[out->load].space;
			out->addr = address(g, sm, warp, &m->code[out->load]);
			return true;
		}
	}
	return false;
}

bool spin_anywhere(const struct gpu *g)
{
	struct spin found;
	struct warp_info w;
	for (u32 sm = 0; sm < gpu_conf(g)->num_sms; sm++)
		for (u32 warp = 0; warp < gpu_warps_per_sm(g); warp++) {
			gpu_warp_info(g, sm, warp, &w);
			if (w.launch >= 0 && w.pc != PC_DONE && spin_find(g, sm, warp, &found))
				return true;
		}
	return false;
}
