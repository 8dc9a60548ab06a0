/* info topics about warps, lanes, registers, the SIMT stack and lines of code */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "commands/commands.h"
#include "dbg/locate.h"
#include "obs/name/names.h"

static bool has_splits(struct debugger *d)
{
	return gpu_conf(dbg_gpu(d))->isa_threads == ISA_THREADS_SPLITS;
}

/* How many splits a warp has; the lanes of those that do not run. */
static u32 splits_of(struct debugger *d, u32 sm, u32 warp, u32 *others)
{
	struct simt_entry st[64];
	const u32 depth = front_stack(gpu_front(dbg_gpu(d)), sm, warp, st, ARRAY_LEN(st));
	u32 n = 0;
	for (u32 i = 0; i < MIN(depth, (u32)ARRAY_LEN(st)); i++) {
		n += st[i].lanes != 0;
		*others |= i ? st[i].lanes : 0;
	}
	return n;
}

static void warp_row(struct debugger *d, u32 sm, u32 i, const struct warp_info *w, struct strbuf *out)
{
	struct gpu *g = dbg_gpu(d);
	const struct module *m = module_of_launch(g, w->launch);
	struct strbuf line = STRBUF_INIT;
	char cause[16] = "";
	bool here = m && w->pc < m->ncode;
	if (here)
		line_text(m, w->pc, &line);
	u32 by = here && warp_state_waits(w->state) ? gpu_producer(g, sm, i) : w->pc;
	if (by != w->pc && by < m->ncode)
		snprintf(cause, sizeof cause, "%u", module_pc_line(m, by));
	strbuf_addf(out, "%c%2u  %-7llu %-5u %-7s %c %08x %6llu %4lld %5d %5s  %-34.34s %s\n",
	            sm == d->focus.sm && i == d->focus.warp ? '*' : ' ', i, (unsigned long long)w->cta, here ? w->pc : 0,
	            warp_state_descs[w->state].name,
	            w->issued_last ? '>'
	            : w->refused   ? 's'
	                           : ' ',
	            w->active, (unsigned long long)(gpu_cycle(g) - MIN(w->since, gpu_cycle(g))), (long long)w->priority,
	            here ? (int)module_pc_line(m, w->pc) : 0, cause, strbuf_str(&line), w->waits);
	u32 others = 0;
	const u32 n = has_splits(d) ? splits_of(d, sm, i, &others) : 0;
	if (n > 1) /* the row is of the one that runs */
		strbuf_addf(out, "    %08x are at other places: %u splits (`info splits`)\n", others, n);
	strbuf_release(&line);
}

bool info_warps(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	u32 sm, shown = 0;
	if (!arg_sm(d, args, &sm, e))
		return false;
	for (u32 i = 0; i < gpu_warps_per_sm(dbg_gpu(d)); i++) {
		struct warp_info w;
		gpu_warp_info(dbg_gpu(d), sm, i, &w);
		if (w.state == WS_NONE)
			continue;
		if (!shown++)
			strbuf_adds(
			    out, " w   CTA     pc    state     mask      since prio  line cause  next instruction                "
			         "   waits for\n");
		warp_row(d, sm, i, &w, out);
	}
	if (!shown)
		strbuf_addf(out, "SM %u has no resident warp.\n", sm);
	return true;
}

static bool focused(struct debugger *d, struct warp_info *w, const struct module **m, struct err *e)
{
	debugger_refresh_focus(d);
	gpu_warp_info(dbg_gpu(d), d->focus.sm, d->focus.warp, w);
	*m = w->state == WS_NONE ? NULL : module_of_launch(dbg_gpu(d), w->launch);
	return *m || err_set(e, "SM %u warp %u is empty: `info warps` shows the resident ones", d->focus.sm, d->focus.warp);
}

/* What the lanes of an entry do that are at its pc. */
static void lanes_do(struct debugger *d, const struct simt_entry *e, struct strbuf *out)
{
	strbuf_adds(out, lanes_do_names[e->does]);
	if (e->until > gpu_cycle(dbg_gpu(d)))
		strbuf_addf(out, ", sleep until cycle %llu", (unsigned long long)e->until);
}

/* Where a lane is that does not run, and what it does there. */
static void lane_place(struct debugger *d, const struct module *m, u32 lane, struct strbuf *out)
{
	struct simt_entry st[64];
	const u32 depth = front_stack(gpu_front(dbg_gpu(d)), d->focus.sm, d->focus.warp, st, ARRAY_LEN(st));
	for (u32 i = 0; i < MIN(depth, (u32)ARRAY_LEN(st)); i++)
		if (st[i].lanes >> lane & 1) {
			strbuf_addf(out, "  line %u: ", st[i].pc < m->ncode ? module_pc_line(m, st[i].pc) : 0);
			lanes_do(d, &st[i], out);
			return;
		}
	strbuf_adds(out, "  exited");
}

bool info_lanes(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct warp_info w;
	const struct module *m;
	struct kernel_info k;
	if (!arg_none(args, "info lanes", e) || !focused(d, &w, &m, e))
		return false;
	gpu_kernel_info(dbg_gpu(d), (u32)w.launch, &k);
	struct dim3 b = k.launch->block;
	for (u32 l = 0; l < WARP_SIZE; l++) {
		u64 t = (u64)w.warp_in_cta * WARP_SIZE + l;
		if (t >= (u64)b.x * b.y * b.z)
			break;
		strbuf_addf(out, "%c%2u %-8s thread (%u,%u,%u)", l == d->focus.lane ? '*' : ' ', l,
		            w.active >> l & 1 ? "active" : "inactive", (u32)(t % b.x), (u32)(t / b.x % b.y),
		            (u32)(t / b.x / b.y));
		if (has_splits(d) && !(w.active >> l & 1))
			lane_place(d, m, l, out);
		strbuf_addc(out, '\n');
	}
	return true;
}

/* --- registers --- */

static void register_row(struct debugger *d, const struct regname *r, bool live, bool all_lanes, struct strbuf *out)
{
	const struct front *f = gpu_front(dbg_gpu(d));
	strbuf_addf(out, "%-8s %-5s ", r->name, ptype_name(r->type));
	u32 first = all_lanes ? 0 : d->focus.lane, last = all_lanes ? WARP_SIZE - 1 : first;
	for (u32 l = first; l <= last; l++) {
		u64 bits = front_read_reg(f, d->focus.sm, d->focus.warp, l, r->at, r->type);
		if (all_lanes)
			strbuf_adds(out, l && l % 8 == 0 ? "\n               " : l ? " " : "");
		value_text(r->type, bits, out);
	}
	strbuf_adds(out, live ? "\n" : "  (dead here: the slot may hold another register)\n");
}

static bool one_register(struct debugger *d, const struct module *m, u32 pc, const char *name, struct strbuf *out,
                         struct err *e)
{
	const struct regname *r = reg_find(m, pc, name);
	if (!r)
		return err_set(e, "the kernel has no register '%.40s'", name);
	register_row(d, r, reg_live(r, pc), true, out);
	return true;
}

bool info_registers(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct warp_info w;
	const struct module *m;
	char word[64];
	if (!focused(d, &w, &m, e))
		return false;
	const struct func *f = w.pc == PC_DONE ? NULL : func_of_pc(m, w.pc);
	if (!f)
		return err_set(e, "SM %u warp %u has exited: it has no registers", d->focus.sm, d->focus.warp);
	bool all = !strcmp(args, "all");
	if (*args && !all) {
		while ((args = next_word(args, word, sizeof(word))))
			if (!one_register(d, m, w.pc, word, out, e))
				return false;
		return true;
	}
	strbuf_addf(out, "lane %u of SM %u warp %u\n", d->focus.lane, d->focus.sm, d->focus.warp);
	for (u32 i = 0; i < m->nregnames; i++) {
		const struct regname *r = &m->regnames[i];
		if (r->func == (u32)(f - m->funcs) && (all || reg_live(r, w.pc)))
			register_row(d, r, reg_live(r, w.pc), false, out);
	}
	return true;
}

bool info_splits(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct simt_entry st[64];
	struct warp_info w;
	const struct module *m;
	if (!arg_none(args, "info splits", e) || !focused(d, &w, &m, e))
		return false;
	if (!has_splits(d)) {
		strbuf_adds(out,
		            "Warps have a reconvergence stack (`info stack`). With isa.threads=splits they have splits.\n");
		return true;
	}
	const u32 depth = front_stack(gpu_front(dbg_gpu(d)), d->focus.sm, d->focus.warp, st, ARRAY_LEN(st));
	strbuf_addf(out, "SM %u warp %u\n", d->focus.sm, d->focus.warp);
	for (u32 i = 0; i < MIN(depth, (u32)ARRAY_LEN(st)); i++) {
		if (!st[i].lanes)
			continue;
		const bool code = st[i].pc < m->ncode;
		strbuf_addf(out, "lanes %08x  pc %-5u line %-5u ", st[i].lanes, st[i].pc,
		            code ? module_pc_line(m, st[i].pc) : 0);
		lanes_do(d, &st[i], out);
		if (code && !st[i].is_call) {
			strbuf_adds(out, ": ");
			line_text(m, st[i].pc, out);
		}
		strbuf_addc(out, '\n');
	}
	return true;
}

bool info_stack(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct simt_entry st[64];
	struct warp_info w;
	const struct module *m;
	if (!arg_none(args, "info stack", e) || !focused(d, &w, &m, e))
		return false;
	u32 depth = front_stack(gpu_front(dbg_gpu(d)), d->focus.sm, d->focus.warp, st, ARRAY_LEN(st));
	for (u32 i = 0; i < MIN(depth, (u32)ARRAY_LEN(st)); i++) {
		bool code = st[i].pc < m->ncode;
		strbuf_addf(out, "#%-2u mask %08x  pc %-5u line %-5u ", i, st[i].mask, st[i].pc,
		            code ? module_pc_line(m, st[i].pc) : 0);
		if (st[i].reconv < m->ncode)
			strbuf_addf(out, "reconverges at pc %u, line %u", st[i].reconv, module_pc_line(m, st[i].reconv));
		else
			strbuf_adds(out, "reconverges at the exit");
		const struct func *f = code ? func_of_pc(m, st[i].pc) : NULL;
		strbuf_addf(out, "  in %s%s", f ? func_label(f) : "?", st[i].is_call ? " (call frame)" : "");
		if (has_splits(d) && st[i].lanes && i) {
			strbuf_addf(out, "; lanes %08x ", st[i].lanes);
			lanes_do(d, &st[i], out);
		}
		strbuf_addc(out, '\n');
	}
	if (depth > ARRAY_LEN(st))
		strbuf_addf(out, "... and %u more\n", depth - (u32)ARRAY_LEN(st));
	return true;
}

/* --- a line --- */

/* How many warps wait now for what this line does: their own next instruction is another one. */
static void waits_caused(struct debugger *d, const struct module *m, u32 line, struct strbuf *out)
{
	struct gpu *g = dbg_gpu(d);
	u32 by[WARP_SLOTS], of_state[WS_COUNT] = {0}, n = 0;
	for (u32 sm = 0; sm < gpu_conf(g)->num_sms; sm++) {
		gpu_producers(g, sm, by);
		for (u32 i = 0; i < gpu_warps_per_sm(g); i++) {
			struct warp_info w;
			if (by[i] >= m->ncode || m->code[by[i]].line != line)
				continue;
			gpu_warp_info(g, sm, i, &w);
			if (!warp_state_waits(w.state) || by[i] == w.pc || module_of_launch(g, w.launch) != m)
				continue;
			of_state[w.state]++;
			n++;
		}
	}
	if (!n)
		return;
	strbuf_addf(out, "  %u warp%s for what it does:", n, by_number(n, " waits", "s wait"));
	const char *sep = " ";
	for (u32 s = 0; s < WS_COUNT; s++)
		if (of_state[s]) {
			strbuf_addf(out, "%s%s %u", sep, warp_state_descs[s].name, of_state[s]);
			sep = ", ";
		}
	strbuf_addc(out, '\n');
}

static void warps_at(struct debugger *d, const struct module *m, u32 line, struct strbuf *out)
{
	struct gpu *g = dbg_gpu(d);
	u32 n = 0;
	for (u32 sm = 0; sm < gpu_conf(g)->num_sms; sm++)
		for (u32 i = 0; i < gpu_warps_per_sm(g); i++) {
			struct warp_info w;
			gpu_warp_info(g, sm, i, &w);
			if (w.state == WS_NONE || w.pc >= m->ncode || module_of_launch(g, w.launch) != m ||
			    m->code[w.pc].line != line)
				continue;
			if (n++ < 16)
				strbuf_addf(out, "  SM %u warp %u: %s\n", sm, i, warp_state_descs[w.state].name);
		}
	if (n > 16)
		strbuf_addf(out, "  ... %u warps in all\n", n);
	else if (!n)
		strbuf_adds(out, "  no warp is there\n");
}

static void code_row(const struct module *m, u32 pc, struct strbuf *out)
{
	const struct inst *in = &m->code[pc];
	strbuf_addf(out, "  pc %u: %s, class %s", pc, opcode_descs[in->op].name, iclass_names[in->cls]);
	if (in->src_line && in->src_file < m->nfiles)
		strbuf_addf(out, ", from %s:%u", m->files[in->src_file] ? m->files[in->src_file] : "?", in->src_line);
	strbuf_addc(out, '\n');
}

bool info_line(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct code_place p;
	char here[32];
	if (*args == '*' || !strncmp(args, "0x", 2))
		return info_cache_line(d, args + (*args == '*'), out, e);
	if (!*args) {
		struct warp_info w;
		const struct module *m;
		if (!focused(d, &w, &m, e))
			return false;
		if (w.pc == PC_DONE)
			return err_set(e, "the focused warp has exited");
		snprintf(here, sizeof(here), "pc %u", w.pc);
		args = here;
	}
	if (!locate_code(d, args, &p, e))
		return false;
	u32 line = p.mod->code[p.pcs[0]].line;
	line_place(p.mod, p.pcs[0], out);
	strbuf_adds(out, "  ");
	line_text(p.mod, p.pcs[0], out);
	strbuf_addc(out, '\n');
	for (u32 i = 0; i < p.n; i++)
		for (u32 pc = p.pcs[i]; pc < p.mod->ncode && p.mod->code[pc].line == line; pc++)
			code_row(p.mod, pc, out);
	warps_at(d, p.mod, line, out);
	waits_caused(d, p.mod, line, out);
	return true;
}

bool cmd_backtrace(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	return arg_none(args, "backtrace", e) && info_stack(d, args, out, e);
}
