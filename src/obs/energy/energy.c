#include "obs/energy/energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sm/tensor.h"

__extension__ typedef unsigned __int128 u128;

const struct energy_part_desc energy_parts[EP_COUNT] = {
#define PART(id, g, p, h) {#id, h, EG_##g, EPL_##p},
#include "obs/energy/parts.def"
#undef PART
};
const char *const energy_group_names[EG_COUNT] = {"core", "shared", "l1", "l2", "network", "dram", "board"};

/* --- the table, for a machine ------------------------------------------------------------------------------------ */

enum { /* rows of conf/energy.def */
#define C_ENERGY(f, k, d, u, node, voltage, h) ROW_##f,
#include "conf/energy.def"
#undef C_ENERGY
	   ROWS
};
static const struct {
	size_t offset; /* in struct conf, a double */
	double node, voltage;
} rows[ROWS] = {
#define C_ENERGY(f, k, d, u, node, voltage, h) {offsetof(struct conf, f), node, voltage},
#include "conf/energy.def"
#undef C_ENERGY
};

/* What a row is on the machine: scaled to its process. */
static double scaled(const struct conf *c, u32 row, bool leaks)
{
	double v = *(const double *)((const u8 *)c + rows[row].offset), volts = c->energy_voltage / rows[row].voltage;
	if (!rows[row].node)
		return v;
	v *= c->energy_node / rows[row].node * volts;
	return leaks ? v : v * volts * c->energy_calibration;
}

/* fJ of `n` times an event's pJ. */
static u64 event_fj(const struct conf *c, u32 row, double n)
{
	return (u64)llround(scaled(c, row, false) * 1e3 * n);
}

/* fJ a core cycle of so many watts. */
static u64 cycle_fj(const struct conf *c, double watts)
{
	return (u64)llround(watts * 1e9 / c->core_clock);
}

/* Per event and per cycle, all in fJ. */
struct prices {
	u64 fetch, slot_decode, slot_schedule, operand, lane_int, lane_f32, lane_f64, lane_sfu, lane_address, clock;
	u64 mma[TC_COUNT]; /* a multiply-add */
	u64 lane_shared, l1d, l1c, l1t, l2, flit, byte, activate;
	u64 leak[EP_COUNT]; /* a cycle, of one */
};

static double sram_watts(const struct conf *c, double bytes)
{
	return scaled(c, ROW_energy_leak_sram, true) * 1e-3 * bytes / 1024;
}

/* With carveouts shared memory is a part of what L1D's keys describe. */
static double l1d_bytes(const struct conf *c)
{
	double all = (double)c->l1d_sets * c->l1d_ways * c->l1d_line;
	return *c->sm_carveouts ? fmax(all - c->sm_shared, 0) : all;
}

static void leakage(const struct conf *c, u64 leak[EP_COUNT])
{
	const double slices = (double)c->partitions * c->l2_slices;
	memset(leak, 0, EP_COUNT * sizeof *leak);
	leak[EP_fetch] = cycle_fj(c, sram_watts(c, (double)c->l1i_sets * c->l1i_ways * c->l1i_line));
	leak[EP_registers] = cycle_fj(c, sram_watts(c, 4.0 * c->sm_regs));
	leak[EP_logic] = cycle_fj(c, scaled(c, ROW_energy_leak_sm, true));
	leak[EP_shared] = cycle_fj(c, sram_watts(c, c->sm_shared));
	leak[EP_l1d] = cycle_fj(c, sram_watts(c, l1d_bytes(c)));
	leak[EP_l1c] = cycle_fj(c, sram_watts(c, (double)c->l1c_sets * c->l1c_ways * c->l1c_line));
	leak[EP_l1t] = cycle_fj(c, sram_watts(c, (double)c->l1t_sets * c->l1t_ways * c->l1t_line));
	leak[EP_l2] = cycle_fj(c, sram_watts(c, slices * c->l2_sets * c->l2_ways * c->l2_line));
	leak[EP_network] = cycle_fj(c, scaled(c, ROW_energy_leak_partition, true) * c->partitions);
	leak[EP_dram] = cycle_fj(c, scaled(c, ROW_energy_dram_idle, true) * 1e-3 * c->partitions);
	leak[EP_board] = cycle_fj(c, scaled(c, ROW_energy_board, true));
}

static struct prices prices_of(const struct conf *c)
{
	/* what one lookup, fill or write-back moves, in units of 32 B */
	const double l1 = c->coalesce == COALESCE_SECTOR32 ? 1 : c->l1d_line / 32.0, l1t = c->l1t_line / 32.0;
	const double l2 = c->coalesce == COALESCE_SECTOR32 || c->l2_sector_reads ? 1 : c->l2_line / 32.0;
	struct prices p = {
	    .fetch = event_fj(c, ROW_energy_fetch, 1),
	    .slot_decode = event_fj(c, ROW_energy_decode, 1),
	    .slot_schedule = event_fj(c, ROW_energy_schedule, 1),
	    .operand = event_fj(c, ROW_energy_register, 1),
	    .lane_int = event_fj(c, ROW_energy_int, 1),
	    .lane_f32 = event_fj(c, ROW_energy_f32, 1),
	    .lane_f64 = event_fj(c, ROW_energy_f64, 1),
	    .lane_sfu = event_fj(c, ROW_energy_sfu, 1),
	    .lane_address = event_fj(c, ROW_energy_address, 1),
	    .clock = event_fj(c, ROW_energy_clock, 1),
	    .lane_shared = event_fj(c, ROW_energy_shared, 1),
	    .l1d = event_fj(c, ROW_energy_l1, l1),
	    .l1c = event_fj(c, ROW_energy_l1c, 1),
	    .l1t = event_fj(c, ROW_energy_l1, l1t),
	    .l2 = event_fj(c, ROW_energy_l2, l2),
	    .flit = event_fj(c, ROW_energy_network, c->noc_flit),
	    .byte = event_fj(c, ROW_energy_dram_bit, 8),
	    .activate = event_fj(c, ROW_energy_dram_activate, c->dram_row / 1024.0),
	};
	_Static_assert(ROW_energy_mma_b1 - ROW_energy_mma_f16 == TC_COUNT - 1, "rows in the order of enum tensor_class");
	for (u32 t = 0; t < TC_COUNT; t++)
		p.mma[t] = event_fj(c, ROW_energy_mma_f16 + t, 1);
	leakage(c, p.leak);
	return p;
}

/* --- from counters ------------------------------------------------------------------------------------------------ */

/* The counters that energy depends on, of an SM, of what is outside, or of all. */
struct counted {
	const struct sm_counters *sm;
	const struct tensor_counters *tensor;
	const struct cache_counters *l1d, *l1c, *l1t, *l2;
	const struct noc_counters *noc;
	const struct dram_counters *dram;
};

static u64 lookups(const struct cache_counters *c)
{
	return ref_counted(c, REF_READ, REF_ALL) + ref_counted(c, REF_WRITE, REF_ALL) + ref_counted(c, REF_ATOMIC, REF_ALL);
}

static u64 address_lanes(const u64 *lanes)
{
	return lanes[IK_GLOBAL] + lanes[IK_SHARED] + lanes[IK_LOCAL] + lanes[IK_TEX];
}

static void sm_dynamic(const struct prices *p, const struct counted *k, struct energy *o)
{
	const struct sm_counters *s = k->sm;
	const u64 *lanes = ((const struct lane_counters *)(const void *)&s->lanes_int)->lanes;
	o->part[EP_fetch].dynamic = s->fetches * p->fetch;
	o->part[EP_decode].dynamic = s->issue_slots * p->slot_decode;
	o->part[EP_schedule].dynamic = s->issue_slots * p->slot_schedule;
	o->part[EP_registers].dynamic = (s->reg_reads + s->reg_writes) * p->operand;
	o->part[EP_int].dynamic = lanes[IK_INT] * p->lane_int;
	o->part[EP_f32].dynamic = lanes[IK_F32] * p->lane_f32;
	o->part[EP_f64].dynamic = lanes[IK_F64] * p->lane_f64;
	o->part[EP_sfu].dynamic = lanes[IK_SFU] * p->lane_sfu;
	o->part[EP_tensor].dynamic = 0;
	for (u32 t = 0; t < TC_COUNT; t++)
		o->part[EP_tensor].dynamic += tensor_macs(k->tensor)[t] * p->mma[t];
	o->part[EP_address].dynamic = address_lanes(lanes) * p->lane_address;
	o->part[EP_clock].dynamic = s->active_cycles * p->clock;
	o->part[EP_shared].dynamic = lanes[IK_SHARED] * p->lane_shared;
	o->part[EP_l1d].dynamic = (lookups(k->l1d) + k->l1d->fills) * p->l1d;
	o->part[EP_l1c].dynamic = k->l1c->accesses * p->l1c;
	o->part[EP_l1t].dynamic = (k->l1t->accesses + k->l1t->fills) * p->l1t;
}

/* By class: requests, replies, and messages between endpoints (src/mem/noc/message.h). */
#define ALL_FLITS(k) ((k)->read_flits + (k)->write_flits + (k)->writeback_flits + (k)->control_flits + (k)->data_flits)

static void uncore_dynamic(const struct prices *p, const struct counted *k, struct energy *o)
{
	o->part[EP_l2].dynamic = (lookups(k->l2) + k->l2->fills + k->l2->writebacks) * p->l2;
	o->part[EP_network].dynamic = ALL_FLITS(k->noc) * p->flit;
	o->part[EP_dram].dynamic = k->dram->bytes * p->byte + k->dram->activates * p->activate;
}

/* What parts of a place have leaked in so many cycles. */
static void leak(const struct prices *p, enum energy_place place, u64 cycles, struct energy *o)
{
	for (u32 i = 0; i < EP_COUNT; i++)
		if (energy_parts[i].place == place)
			o->part[i].leakage = p->leak[i] * cycles;
}

/* `all` a cycle, of which as much is gated as `held` of `size` x cycles leaves. */
static void gate(struct energy_amount *a, u64 all, bool gated, u64 held, u64 size, u64 cycles)
{
	const u128 idle = (u128)size * cycles - held;
	a->gated = gated && size ? (u64)((u128)all * idle / size) : 0;
	a->leakage = all * cycles - a->gated;
}

static void sm_energy(struct gpu *g, const struct prices *p, u32 sm, struct energy *o)
{
	const struct conf *c = gpu_conf(g);
	const struct counted k = {.sm = (const struct sm_counters *)gpu_counters_again(g, CG_sm, sm),
	                          .l1d = (const struct cache_counters *)gpu_counters_again(g, CG_l1d, sm),
	                          .l1c = (const struct cache_counters *)gpu_counters_again(g, CG_l1c, sm),
	                          .l1t = (const struct cache_counters *)gpu_counters_again(g, CG_l1t, sm),
	                          .tensor = (const struct tensor_counters *)gpu_counters_again(g, CG_tensor, sm)};
	memset(o, 0, sizeof *o);
	sm_dynamic(p, &k, o);
	leak(p, EPL_SM, k.sm->cycles, o);
	gate(&o->part[EP_registers], p->leak[EP_registers], c->energy_gate_regs, k.sm->reg_cycles, c->sm_regs,
	     k.sm->cycles);
	gate(&o->part[EP_shared], p->leak[EP_shared], c->energy_gate_shared, k.sm->shared_held, c->sm_shared, k.sm->cycles);
}

void energy_of_sm(struct gpu *g, u32 sm, struct energy *o)
{
	const struct prices p = prices_of(gpu_conf(g));
	gpu_counters(g, CG_sm, sm);
	sm_energy(g, &p, sm, o);
}

/* The counters of a group's instances, added up. They are up to date. */
static void add_up(struct gpu *g, enum counter_group group, u64 *sum)
{
	const u32 n = gpu_counter_instances(g, group), size = counter_group_size(group);
	memset(sum, 0, size * sizeof *sum);
	for (u32 i = 0; i < n; i++) {
		const u64 *k = gpu_counters_again(g, group, i);
		for (u32 j = 0; j < size; j++)
			sum[j] += k[j];
	}
}

static void uncore_energy(struct gpu *g, const struct prices *p, struct energy *o)
{
	struct cache_counters l2;
	struct dram_counters dram;
	add_up(g, CG_l2, (u64 *)&l2);
	add_up(g, CG_dram, (u64 *)&dram);
	const struct counted k = {
	    .l2 = &l2, .noc = (const struct noc_counters *)gpu_counters_again(g, CG_noc, 0), .dram = &dram};
	memset(o, 0, sizeof *o);
	uncore_dynamic(p, &k, o);
	leak(p, EPL_UNCORE, gpu_counted_cycles(g), o);
}

void energy_of_uncore(struct gpu *g, struct energy *o)
{
	const struct prices p = prices_of(gpu_conf(g));
	gpu_counters(g, CG_sm, 0);
	uncore_energy(g, &p, o);
}

void energy_of_machine(struct gpu *g, struct energy *out)
{
	const struct prices p = prices_of(gpu_conf(g));
	gpu_counters(g, CG_sm, 0);
	uncore_energy(g, &p, out);
	for (u32 i = 0; i < gpu_conf(g)->num_sms; i++) {
		struct energy sm;
		sm_energy(g, &p, i, &sm);
		energy_add(out, &sm);
	}
}

static void to_groups(const struct energy *e, u64 out[EG_COUNT])
{
	memset(out, 0, EG_COUNT * sizeof *out);
	for (u32 i = 0; i < EP_COUNT; i++)
		out[energy_parts[i].group] += e->part[i].dynamic + e->part[i].leakage;
}

void energy_of_groups(struct gpu *g, u64 (*out)[EG_COUNT], u32 scopes)
{
	const struct prices p = prices_of(gpu_conf(g));
	struct energy e;
	gpu_counters(g, CG_sm, 0);
	uncore_energy(g, &p, &e);
	to_groups(&e, out[0]);
	for (u32 i = 0; i < gpu_conf(g)->num_sms; i++) {
		u64 sm[EG_COUNT];
		sm_energy(g, &p, i, &e);
		to_groups(&e, sm);
		for (u32 k = 0; k < EG_COUNT; k++)
			out[0][k] += sm[k];
		if (i + 1 < scopes)
			memcpy(out[i + 1], sm, sizeof sm);
	}
}

/* --- kernels ------------------------------------------------------------------------------------------------------ */

/* By what dynamic energy is split among kernels: what one has done, or all together. */
struct work {
	u64 insts, operands, transactions, warp_cycles, flits, messages;
	const u64 *lanes;
};

static struct work work_of_kernel(const struct kernel_counters *k)
{
	return (struct work){.insts = k->warp_insts,
	                     .operands = k->reg_reads + k->reg_writes,
	                     .transactions = k->transactions,
	                     .warp_cycles = k->warp_cycles,
	                     .flits = ALL_FLITS(k),
	                     .messages = k->read_sent + k->write_sent + k->writeback_sent,
	                     .lanes = ((const struct lane_counters *)(const void *)&k->lanes_int)->lanes};
}

/* Of all SMs, where that is counted: the difference to the kernels' sum is of CTAs that are saved. */
static struct work work_of_sms(const struct sm_counters *s)
{
	return (struct work){.insts = s->issued,
	                     .operands = s->reg_reads + s->reg_writes,
	                     .transactions = s->transactions,
	                     .warp_cycles = s->occupancy,
	                     .lanes = ((const struct lane_counters *)(const void *)&s->lanes_int)->lanes};
}

static u64 weight(const struct work *w, enum energy_part part)
{
	switch (part) {
	case EP_fetch:
	case EP_decode:
	case EP_schedule: return w->insts;
	case EP_registers: return w->operands;
	case EP_int: return w->lanes[IK_INT];
	case EP_f32: return w->lanes[IK_F32];
	case EP_f64: return w->lanes[IK_F64];
	case EP_sfu: return w->lanes[IK_SFU];
	case EP_tensor: return w->lanes[IK_TENSOR];
	case EP_address: return address_lanes(w->lanes);
	case EP_shared: return w->lanes[IK_SHARED];
	case EP_l1d: return w->transactions;
	case EP_l1c: return w->lanes[IK_CONST];
	case EP_l1t: return w->lanes[IK_TEX];
	case EP_network: return w->flits;
	case EP_l2:
	case EP_dram: return w->messages;
	case EP_clock:
	case EP_logic:
	case EP_board:
	case EP_COUNT: break;
	}
	return w->warp_cycles;
}

/* Splitting `amount` by weights whose sum is `all`: each gets what the running sum, in whole fJ, grows by. */
struct split {
	u64 amount, all, sum, given;
};
static u64 split_next(struct split *s, u64 w)
{
	s->sum += w;
	const u64 upto = s->all ? (u64)((u128)s->amount * MIN(s->sum, s->all) / s->all) : 0, mine = upto - s->given;
	s->given = upto;
	return mine;
}

static u64 part_of(u64 amount, u64 n, u64 of)
{
	return of ? (u64)((u128)amount * n / of) : 0;
}

void energy_of_kernels(struct gpu *g, struct energy *out, struct energy *rest)
{
	const u32 n = gpu_num_kernels(g);
	struct energy machine;
	struct sm_counters sm;
	struct split dynamic[EP_COUNT], leakage[EP_COUNT], gated[EP_COUNT];
	energy_of_machine(g, &machine);
	add_up(g, CG_sm, (u64 *)&sm);
	struct work all = work_of_sms(&sm);
	for (u32 i = 0; i < n; i++) { /* these are not counted by SM */
		const struct work w = work_of_kernel((const struct kernel_counters *)gpu_counters_again(g, CG_kernel, i));
		all.flits += w.flits;
		all.messages += w.messages;
	}
	for (u32 p = 0; p < EP_COUNT; p++) {
		const struct energy_amount *a = &machine.part[p];
		dynamic[p] = (struct split){.amount = a->dynamic, .all = weight(&all, p)};
		leakage[p] = (struct split){part_of(a->leakage, sm.active_cycles, sm.cycles), sm.occupancy, 0, 0};
		gated[p] = (struct split){part_of(a->gated, sm.active_cycles, sm.cycles), sm.occupancy, 0, 0};
	}
	for (u32 i = 0; i < n; i++) {
		const struct work w = work_of_kernel((const struct kernel_counters *)gpu_counters_again(g, CG_kernel, i));
		for (u32 p = 0; p < EP_COUNT; p++)
			out[i].part[p] =
			    (struct energy_amount){split_next(&dynamic[p], weight(&w, p)), split_next(&leakage[p], w.warp_cycles),
			                           split_next(&gated[p], w.warp_cycles)};
	}
	for (u32 p = 0; p < EP_COUNT; p++) {
		const struct energy_amount *a = &machine.part[p];
		rest->part[p] = (struct energy_amount){a->dynamic - dynamic[p].given, a->leakage - leakage[p].given,
		                                       a->gated - gated[p].given};
	}
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

void energy_add(struct energy *into, const struct energy *e)
{
	for (u32 i = 0; i < EP_COUNT; i++) {
		into->part[i].dynamic += e->part[i].dynamic;
		into->part[i].leakage += e->part[i].leakage;
		into->part[i].gated += e->part[i].gated;
	}
}

struct energy_amount energy_sum(const struct energy *e)
{
	struct energy_amount sum = {0, 0, 0};
	for (u32 i = 0; i < EP_COUNT; i++) {
		sum.dynamic += e->part[i].dynamic;
		sum.leakage += e->part[i].leakage;
		sum.gated += e->part[i].gated;
	}
	return sum;
}

u64 energy_total(const struct energy *e)
{
	const struct energy_amount sum = energy_sum(e);
	return sum.dynamic + sum.leakage;
}

u64 energy_of_group(const struct energy *e, enum energy_group group)
{
	u64 sum = 0;
	for (u32 i = 0; i < EP_COUNT; i++)
		if (energy_parts[i].group == group)
			sum += e->part[i].dynamic + e->part[i].leakage;
	return sum;
}

double energy_watts(const struct conf *c, u64 fj, u64 cycles)
{
	return cycles ? (double)fj / (double)cycles * c->core_clock * 1e-9 : NAN;
}

/* --- the laws ----------------------------------------------------------------------------------------------------- */

static bool same(const char *what, const struct energy *a, const struct energy *b, struct err *e)
{
	for (u32 i = 0; i < EP_COUNT; i++) {
		const struct energy_amount *x = &a->part[i], *y = &b->part[i];
		if (x->dynamic != y->dynamic || x->leakage != y->leakage || x->gated != y->gated)
			return err_set(e, "energy, %s: %s is %llu + %llu fJ (%llu gated) of %llu + %llu (%llu)", what,
			               energy_parts[i].name, (unsigned long long)y->dynamic, (unsigned long long)y->leakage,
			               (unsigned long long)y->gated, (unsigned long long)x->dynamic, (unsigned long long)x->leakage,
			               (unsigned long long)x->gated);
	}
	return true;
}

/* Of the machine, from the sums of its counters: events cost the same wherever they happen, and everything leaks all
 * the time but for what is gated. */
static void from_sums(struct gpu *g, const struct energy *machine, struct energy *o)
{
	const struct prices p = prices_of(gpu_conf(g));
	struct sm_counters sm;
	struct tensor_counters tensor;
	struct cache_counters l1d, l1c, l1t, l2;
	struct noc_counters noc;
	struct dram_counters dram;
	add_up(g, CG_sm, (u64 *)&sm);
	add_up(g, CG_l1d, (u64 *)&l1d);
	add_up(g, CG_l1c, (u64 *)&l1c);
	add_up(g, CG_l1t, (u64 *)&l1t);
	add_up(g, CG_tensor, (u64 *)&tensor);
	add_up(g, CG_l2, (u64 *)&l2);
	add_up(g, CG_noc, (u64 *)&noc);
	add_up(g, CG_dram, (u64 *)&dram);
	const struct counted k = {&sm, &tensor, &l1d, &l1c, &l1t, &l2, &noc, &dram};
	memset(o, 0, sizeof *o);
	sm_dynamic(&p, &k, o);
	uncore_dynamic(&p, &k, o);
	for (u32 i = 0; i < EP_COUNT; i++) {
		const u64 of = energy_parts[i].place == EPL_SM ? gpu_conf(g)->num_sms : 1;
		o->part[i].gated = machine->part[i].gated;
		o->part[i].leakage = p.leak[i] * gpu_counted_cycles(g) * of - machine->part[i].gated;
	}
}

bool energy_check(struct gpu *g, struct err *e)
{
	const u32 n = gpu_num_kernels(g);
	struct energy machine, sum, *kernels = xcalloc(n + 1, sizeof *kernels);
	energy_of_machine(g, &machine);
	from_sums(g, &machine, &sum);
	bool ok = same("SMs and uncore against the summed counters", &sum, &machine, e);
	energy_of_kernels(g, kernels, &kernels[n]);
	memset(&sum, 0, sizeof sum);
	for (u32 i = 0; i <= n; i++)
		energy_add(&sum, &kernels[i]);
	free(kernels);
	return ok && same("kernels and the rest against the machine", &machine, &sum, e);
}
