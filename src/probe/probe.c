#include "probe/probe.h"

#include <string.h>

const char *const msg_class_names[MSG_CLASSES] = {"read", "write", "write-back", "control", "data"};
const char *const counter_group_names[CG_COUNT] = {"sm",     "l1i", "l1d", "l1c",  "l1t",
                                                   "tensor", "l2",  "noc", "dram", "kernel"};

/* Positions: an enum per group would need the paste trick again; counting the rows once at the first call is simpler,
 * but the table must be const, so the index is the row's place in its struct. */
#define STRUCT_sm struct sm_counters
#define STRUCT_l1i struct l1i_counters
#define STRUCT_l1d struct cache_counters
#define STRUCT_l1c struct cache_counters
#define STRUCT_l1t struct cache_counters
#define STRUCT_tensor struct tensor_counters
#define STRUCT_l2 struct cache_counters
#define STRUCT_noc struct noc_counters
#define STRUCT_dram struct dram_counters
#define STRUCT_kernel struct kernel_counters

const struct counter_desc counter_descs[] = {
#define C(g, f, u, h) {CG_##g, #f, u, h, (u32)(offsetof(STRUCT_##g, f) / sizeof(u64))},
#include "probe/counters.def"
#undef C
};
const u32 counter_ndescs = ARRAY_LEN(counter_descs);

u32 counter_group_size(enum counter_group g)
{
	u32 n = 0;
	for (u32 i = 0; i < counter_ndescs; i++)
		n += counter_descs[i].group == g;
	return n;
}

const struct counter_desc *counter_group_first(enum counter_group g)
{
	for (u32 i = 0; i < counter_ndescs; i++)
		if (counter_descs[i].group == g)
			return &counter_descs[i];
	return NULL;
}

const struct stall_desc stall_descs[ST_COUNT] = {
#define S(id, name, lee, elf, paws, vt, nsight, def) {{name, lee, elf, paws, vt, nsight}, def},
#include "probe/stalls.def"
#undef S
};
#define TAXONOMIES(T) T("base") T("lee2014") T("elf") T("paws") T("vt") T("nsight")
#define T(name) name,
const char *const taxonomy_names[TAX_COUNT] = {TAXONOMIES(T)};
#undef T
#define T(name) ", " name

const char *taxonomy_list(void)
{
	static const char list[] = TAXONOMIES(T);
	return list + 2;
}
#undef T

u32 stall_map(enum taxonomy t, const u64 base[ST_COUNT], struct stall_class out[TAX_MAX_CLASSES])
{
	u32 n = 0;
	for (u32 i = 0; i < ST_COUNT; i++) {
		const char *name = stall_descs[i].name[t];
		u32 at = 0;
		while (at < n && strcmp(out[at].name, name))
			at++;
		if (at == n)
			out[n++] = (struct stall_class){name, 0};
		out[at].slots += base[i];
	}
	return n;
}

const struct event_desc event_descs[EV_COUNT] = {
#define E6(id, name, places, a0, a1, a2, a3, a4, a5, def) {name, {a0, a1, a2, a3, a4, a5}, def, EVENT_OF_##places},
#include "probe/events.def"
};

int event_find(const char *name)
{
	for (int i = 0; i < EV_COUNT; i++)
		if (!strcmp(event_descs[i].name, name))
			return i;
	return -1;
}

struct event *event_add(struct event_buf *b, enum event_type t, u64 cycle)
{
	struct event *e = &b->e[b->n];
	if (b->n < EVENT_BUF_MAX - 1)
		b->n++;
	else
		b->dropped++;
	*e = (struct event){.cycle = cycle, .type = t, .sm = -1, .kernel = -1, .cta = -1, .warp = -1};
	return e;
}
