/* Faults of the simulated program: recording and wording. */
#include <inttypes.h>

#include "base/words.h"
#include "front/ptx/ops.h"
#include "front/ptx/runtime/state.h"

#define STRING_MAX 1024 /* characters of a string in a message */

void fault_record(struct ptx *f, u64 cycle, const struct fault *x)
{
	if (f->faulted[x->sm])
		return;
	f->faults[x->sm] = *x;
	f->fault_cycle[x->sm] = cycle;
	f->faulted[x->sm] = f->faulted[f->nsms] = 1;
}

void exec_fault(struct exec *x, enum fault_code code, u32 lanes, u64 addr, u32 bytes, bool store, enum space space)
{
	x->out->flags |= DYN_FAULT;
	fault_record(x->f, x->cycle,
	             &(struct fault){.code = code,
	                             .sm = x->sm,
	                             .warp = x->warp,
	                             .launch = x->w->launch,
	                             .cta = exec_cta(x)->id,
	                             .pc = x->out->pc,
	                             .lanes = lanes,
	                             .addr = addr,
	                             .bytes = bytes,
	                             .store = store,
	                             .space = space});
}

void ptx_raise_fault(struct front *front, u64 cycle, const struct fault *x)
{
	fault_record(ptx_of(front), cycle, x);
}

void ptx_clear_fault(struct front *front)
{
	struct ptx *f = ptx_of(front);
	for (u32 i = 0; i <= f->nsms; i++)
		f->faulted[i] = 0;
}

/* "global", or "generic global" and the like. */
static const char *space_word(enum space s)
{
	return s == SPC_GENERIC ? "generic" : space_names[s];
}

/* Of an access to memory; false for what is none. */
static bool add_access(const struct ptx *f, const struct fault *x, const struct launch *l, struct strbuf *out)
{
	const char *access = x->store ? "store" : "load";
	const char *space = space_word(x->space);
	switch (x->code) {
	case FAULT_OOB:
		strbuf_addf(out, "%s %s of %u byte%s at 0x%" PRIx64 " is out of bounds", space, access, x->bytes,
		            plural(x->bytes), x->addr);
		break;
	case FAULT_MISALIGNED:
		strbuf_addf(out, "%s %s of %u byte%s at 0x%" PRIx64 " is misaligned", space, access, x->bytes, plural(x->bytes),
		            x->addr);
		break;
	case FAULT_FREED:
		strbuf_addf(out, "%s %s of %u byte%s at 0x%" PRIx64 " uses freed memory", space, access, x->bytes,
		            plural(x->bytes), x->addr);
		break;
	case FAULT_READONLY:
		strbuf_addf(out, "%s store of %u byte%s at 0x%" PRIx64 " writes read-only memory", space, x->bytes,
		            plural(x->bytes), x->addr);
		break;
	case FAULT_SHARED_OOB:
		strbuf_addf(
		    out, "shared %s of %u byte%s at 0x%" PRIx64 " is out of bounds: the CTA has %u byte%s of shared memory",
		    access, x->bytes, plural(x->bytes), x->addr, l ? l->shared_bytes : 0, plural(l ? l->shared_bytes : 0));
		break;
	case FAULT_SHARED_UNINIT:
		strbuf_addf(out, "shared load of %u byte%s at 0x%" PRIx64 " reads bytes that were never written", x->bytes,
		            plural(x->bytes), x->addr);
		break;
	case FAULT_LOCAL_OOB:
		strbuf_addf(out,
		            "local %s of %u byte%s at 0x%" PRIx64 " is out of bounds: the thread has %u byte%s of local memory",
		            access, x->bytes, plural(x->bytes), x->addr, l ? f->launches[x->launch].local_bytes : 0,
		            plural(l ? f->launches[x->launch].local_bytes : 0));
		break;
	case FAULT_PARAM_OOB:
		strbuf_addf(out, "parameter %s of %u byte%s at offset 0x%" PRIx64 " is out of range", access, x->bytes,
		            plural(x->bytes), x->addr);
		if (x->space == SPC_PARAM && l)
			strbuf_addf(out, ": the kernel has %u byte%s of parameters", l->fn->param_bytes,
			            plural(l->fn->param_bytes));
		break;
	default: return false;
	}
	return true;
}

/* Does its code ask for a grid's workspace? */
static bool syncs_grid(const struct module *m)
{
	for (u32 pc = 0; pc < m->ncode; pc++)
		if (m->code[pc].sreg == SR_ENVREG + 1)
			return true;
	return false;
}
/* A string of the program, for a message; what cannot be read, or printed, as "?". */
static void add_string(const struct ptx *f, u64 addr, struct strbuf *out)
{
	const struct alloc *a = devmem_find(f->mem, addr);
	if (!a || a->freed) {
		strbuf_addc(out, '?');
		return;
	}
	for (u64 i = 0; i < STRING_MAX && addr + i < a->addr + a->size; i++) {
		const char c = *(const char *)devmem_ptr(f->mem, addr + i);
		if (!c)
			return;
		strbuf_addc(out, c >= ' ' && c < 0x7f ? c : '?');
	}
}
/* In the words of CUDA's own message. */
static void add_assert(const struct ptx *f, const struct fault *x, const struct launch *l, struct strbuf *out)
{
	const u32(*tid)[LANES] = f->tid[x->sm * f->nwarps + x->warp];
	const u32 i = x->lanes ? first_lane(x->lanes) : 0;
	add_string(f, x->file, out);
	strbuf_addf(out, ":%u: ", x->bytes);
	add_string(f, x->function, out);
	if (l)
		strbuf_addf(out, ": block: [%u,%u,%u], thread: [%u,%u,%u]", (u32)(x->cta % l->grid.x),
		            (u32)(x->cta / l->grid.x % l->grid.y), (u32)(x->cta / l->grid.x / l->grid.y), tid[0][i], tid[1][i],
		            tid[2][i]);
	strbuf_adds(out, " Assertion `");
	add_string(f, x->addr, out);
	strbuf_adds(out, "` failed.");
}

static void add_bad_free(const struct fault *x, struct strbuf *out)
{
	strbuf_addf(out, "free of 0x%" PRIx64 ", which %s", x->addr,
	            x->bytes == HEAP_INSIDE  ? "is not the start of a block that malloc gave"
	            : x->bytes == HEAP_FREED ? "is free already (double free)"
	                                     : "malloc did not give");
}

/* The causes are those of sm/restartable.h. */
static void add_flush(const struct fault *x, struct strbuf *out)
{
	static const char *const did[] = {"overwritten what it had read", "done an atomic", "printed"};
	strbuf_addf(
	    out,
	    "a CTA was about to be flushed that cannot begin again: it has %s here. The compiler's check did not see "
	    "it (do two pointers of the launch name the same memory?)",
	    x->bytes < ARRAY_LEN(did) ? did[x->bytes] : "done what cannot be done twice");
	if (x->addr)
		strbuf_addf(out, ", address 0x%" PRIx64, x->addr);
}

/* A call for which frames or local memory are too small: addr = its depth, bytes = what would be needed. */
static void add_overflow(const struct ptx *f, const struct fault *x, const struct launch *l, struct strbuf *out)
{
	const struct inst *in = l && x->pc < l->mod->ncode ? &l->mod->code[x->pc] : NULL;
	strbuf_addf(out, "call stack overflow at depth %" PRIu64 ": calling %s, ", x->addr,
	            in && in->op == OP_CALL && in->func >= 0 ? func_label(&l->mod->funcs[in->func]) : "a function");
	if (x->space != SPC_LOCAL) {
		strbuf_addf(out, "the frames of the warp take %u bytes and exceed front.frame_kb = %u KiB", x->bytes,
		            f->window_bytes >> 10);
		return;
	}
	const u32 have = l ? f->launches[x->launch].local_bytes : 0;
	strbuf_addf(out, "a thread needs %u bytes of local memory and has %u: ", x->bytes, have);
	if (x->bytes > f->local_max)
		strbuf_addf(out, "front.local_kb = %u KiB", f->local_max >> 10);
	else
		strbuf_addf(out, "%u threads share half of mem.heap_mb = %" PRIu64 " MiB", f->nsms * f->nwarps * LANES,
		            f->mem->bytes >> 20);
}

static void add_alloca(const struct fault *x, struct strbuf *out)
{
	strbuf_addf(out,
	            "alloca of %" PRIu64
	            " byte%s: the function's stack has %u left (1024 a call, which is what CUDA gives a "
	            "thread)",
	            x->addr, plural(x->addr), x->bytes);
}

static void add_mbarrier(const struct fault *x, struct strbuf *out)
{
	strbuf_addf(out, "mbarrier at 0x%" PRIx64 " of shared memory: ", x->addr);
	switch ((enum mbar_cause)x->bytes) {
	case MBAR_NOT_THERE: strbuf_adds(out, "no mbarrier.init has been executed there, or mbarrier.inval since"); break;
	case MBAR_BAD_COUNT: strbuf_addf(out, "a count of %" PRIu64 "; counts are 1 to 1048575", x->file); break;
	case MBAR_TOO_MANY:
		strbuf_addf(out, "more arrivals than its phase expects: %" PRIu64 " pending", x->function);
		break;
	case MBAR_BAD_TX:
		strbuf_addf(out, "%" PRIu64 " bytes take its tx-count out of range (-1048575 to 1048575)", x->file);
		break;
	case MBAR_COMPLETES: strbuf_adds(out, "an arrival with .noComplete ends the phase"); break;
	case MBAR_OLD_PHASE:
		strbuf_addf(out,
		            "a wait for phase %" PRIu64 ", but it is in phase %" PRIu64
		            " (modulo 8): one can wait for the current phase and for the one before",
		            x->file, x->function);
		break;
	case MBAR_BAD_PARITY: strbuf_addf(out, "a wait for parity %" PRIu64 "; parities are 0 and 1", x->file); break;
	default: break;
	}
}

/* The paths of a warp whose lanes wait for one another, apart from the one at the fault. */
static void add_stuck(const struct ptx *f, const struct fault *x, const struct launch *l, struct strbuf *out)
{
	const struct warp *w = &f->warps[x->sm * f->nwarps + x->warp];
	const struct module *m = l ? l->mod : NULL;
	strbuf_addf(out, "lanes 0x%08x wait for lanes 0x%08x of their warp, which cannot come: a deadlock in the warp",
	            x->lanes, (u32)x->addr);
	u32 above = w->mask;
	for (u32 d = w->depth; d-- > 0 && m;) {
		const struct simt *e = simt_entry_at(f, x->sm, x->warp, d);
		const u32 here = e->mask & ~above;
		above |= e->mask;
		if (!here || (e->mask & ~here) || e->reconv == RECONV_CALL || e->pc >= m->ncode)
			continue;
		const struct inst *in = &m->code[e->pc];
		u32 len = 0;
		const char *text = module_line(m, in->line, &len);
		while (len && (*text == ' ' || *text == '\t')) {
			text++;
			len--;
		}
		strbuf_addf(out, "\n  lanes 0x%08x wait at %s:%u: %.*s", here, module_part_of(m, in->line)->path,
		            module_line_in_file(m, in->line), (int)len, text);
	}
}

static void add_what(const struct ptx *f, const struct fault *x, const struct launch *l, struct strbuf *out)
{
	if (add_access(f, x, l, out))
		return;
	switch (x->code) {
	case FAULT_DIVERGENT_BARRIER:
		strbuf_addf(out, "barrier %" PRIu64 " reached by a part of the warp's threads only (divergent barrier)",
		            x->addr);
		if (x->bytes && l)
			strbuf_addf(out, ": others wait at line %u", l->mod->code[x->bytes - 1].line);
		else if (l && l->mod->code[x->pc].guard != OPND_NONE)
			strbuf_adds(out, ": its guard is false for others, which .aligned does not allow (barrier.sync does)");
		break;
	case FAULT_BAD_BARRIER:
		strbuf_addf(out,
		            "barrier %" PRIu64
		            " with %u threads: numbers are 0..%u, thread counts multiples of 32 up to the CTA's",
		            x->addr, x->bytes, BARRIERS - 1);
		break;
	case FAULT_STACK_OVERFLOW: add_overflow(f, x, l, out); break;
	case FAULT_CALL_DEPTH:
		strbuf_addf(out, "SIMT stack overflow: more than %u entries (calls nested too deeply: depth %" PRIu64 ")",
		            SIMT_DEPTH, x->addr);
		break;
	case FAULT_BAD_CALL:
		strbuf_addf(out, "indirect call or branch to 0x%" PRIx64 ", which is no function or table entry", x->addr);
		break;
	case FAULT_TRAP:
		if (x->addr) {
			add_assert(f, x, l, out);
			break;
		}
		strbuf_adds(out, "trap executed");
		if (l && !l->cooperative && syncs_grid(l->mod))
			strbuf_adds(out, " (a grid can synchronise only when it was launched cooperatively)");
		break;
	case FAULT_BRKPT: strbuf_adds(out, "brkpt executed"); break;
	case FAULT_UNSUPPORTED:
		if (l)
			strbuf_adds(out, l->mod->unsupported[l->mod->code[x->pc].imm].what);
		break;
	case FAULT_BAD_SURFACE:
		strbuf_addf(out, "surface access through an invalid handle (0x%" PRIx64 ")", x->addr);
		break;
	case FAULT_SURFACE_OOB:
		strbuf_addf(out, "surface access of %u byte%s outside of the surface: byte %d, row or layer %d", x->bytes,
		            plural(x->bytes), (s32)x->addr, (s32)(x->addr >> 32));
		break;
	case FAULT_BAD_TEXTURE:
		strbuf_addf(out, "texture fetch through an unbound reference or invalid handle (0x%" PRIx64 ")", x->addr);
		break;
	case FAULT_BAD_MASK:
		strbuf_addf(out, "member mask 0x%08x %s", (u32)x->addr,
		            x->bytes == 0   ? "leaves out the lane that gives it"
		            : x->bytes == 1 ? "names a lane that gives another mask"
		                            : "names a lane that does not come to the instruction");
		break;
	case FAULT_ALLOCA: add_alloca(x, out); break;
	case FAULT_LANES_STUCK: add_stuck(f, x, l, out); break;
	case FAULT_BAD_FREE: add_bad_free(x, out); break;
	case FAULT_FLUSH: add_flush(x, out); break;
	case FAULT_DIVERGENT_MATRIX:
		strbuf_addf(out, "matrix instruction executed by lanes 0x%08x only: .aligned means that all 32 of a warp do",
		            x->lanes);
		break;
	case FAULT_MBARRIER: add_mbarrier(x, out); break;
	case FAULT_COPY_RACE:
		strbuf_addf(out,
		            "shared %s of %u byte%s at 0x%" PRIx64 ": a cp.async of warp %" PRIu64
		            " of the CTA writes there, and that warp has not waited for it (cp.async.wait_group). A chip would "
		            "go on: check.copies=false does so",
		            x->store ? "store" : "load", x->bytes, plural(x->bytes), x->addr, x->file);
		break;
	default: strbuf_adds(out, "no fault"); break;
	}
}

static void add_place(const struct fault *x, const struct launch *l, struct strbuf *out)
{
	const struct module *m = l->mod;
	const struct inst *in = x->pc < m->ncode ? &m->code[x->pc] : NULL;
	u32 len = 0;
	strbuf_addf(out, "\n  in kernel %s", func_label(l->fn));
	if (!in)
		return;
	const char *text = module_line(m, in->line, &len);
	while (len && (*text == ' ' || *text == '\t')) {
		text++;
		len--;
	}
	strbuf_addf(out, " at %s:%u: %.*s", module_part_of(m, in->line)->path, module_line_in_file(m, in->line), (int)len,
	            text);
	if (in->src_line)
		strbuf_addf(out, "\n  CUDA source %s:%u",
		            in->src_file < m->nfiles && m->files[in->src_file] ? m->files[in->src_file] : "?", in->src_line);
}

static void add_threads(const struct ptx *f, const struct fault *x, const struct launch *l, struct strbuf *out)
{
	const u32(*tid)[LANES] = f->tid[x->sm * f->nwarps + x->warp];
	const u32 first = x->lanes ? first_lane(x->lanes) : 0, n = (u32)__builtin_popcount(x->lanes);
	strbuf_addf(out, "\n  CTA (%u,%u,%u) on SM %u, warp %u (of the CTA: %u), %u lane%s 0x%08x, first thread (%u,%u,%u)",
	            (u32)(x->cta % l->grid.x), (u32)(x->cta / l->grid.x % l->grid.y), (u32)(x->cta / l->grid.x / l->grid.y),
	            x->sm, x->warp, f->warps[x->sm * f->nwarps + x->warp].index, n, n == 1 ? "" : "s", x->lanes,
	            tid[0][first], tid[1][first], tid[2][first]);
}

static bool names_device_address(enum fault_code c)
{
	return c == FAULT_OOB || c == FAULT_FREED || c == FAULT_READONLY || c == FAULT_MISALIGNED || c == FAULT_BAD_FREE ||
	       c == FAULT_FLUSH;
}

static void add_block(const struct ptx *f, u64 addr, struct strbuf *out)
{
	u64 start, bytes;
	switch (heap_find(&f->heap, f->mem, addr, &start, &bytes)) {
	case HEAP_INSIDE:
	case HEAP_START:
		strbuf_addf(out, "\n  malloc gave 0x%" PRIx64 ", %" PRIu64 " byte%s; the address is %" PRIu64 " byte%s into it",
		            start, bytes, plural(bytes), addr - start, plural(addr - start));
		break;
	case HEAP_FREED: strbuf_adds(out, "\n  malloc gave these bytes, they are free now"); break;
	default: strbuf_adds(out, "\n  malloc has not given these bytes so far"); break;
	}
}

static void add_nearest(const struct ptx *f, const struct fault *x, const struct launch *l, struct strbuf *out)
{
	u64 dist = 0, lo, hi;
	const struct alloc *a = devmem_nearest(f->mem, x->addr, &dist);
	if (x->space == SPC_SHARED || x->space == SPC_LOCAL || x->space == SPC_FPARAM)
		return;
	if (!a) {
		strbuf_adds(out, "\n  nothing is allocated");
		return;
	}
	strbuf_addf(out, "\n  %s allocation %u%s%s%s: 0x%" PRIx64 ", %" PRIu64 " byte%s", dist ? "nearest" : "in", a->id,
	            *a->name ? " " : "", a->name, a->freed ? " (freed)" : "", a->addr, a->size, plural(a->size));
	if (dist)
		strbuf_addf(out, "; the address is %" PRIu64 " byte%s %s it", dist, plural(dist),
		            x->addr < a->addr ? "before" : "behind the last byte of");
	else
		strbuf_addf(out, "; the address is %" PRIu64 " byte%s into it", x->addr - a->addr, plural(x->addr - a->addr));
	if (!dist && l && a->owner != l->mod->owner && !devmem_shared(a))
		strbuf_addf(out, "\n  that is host program %u's, the kernel is program %u's", OWNER_PROGRAM(a->owner),
		            OWNER_PROGRAM(l->mod->owner));
	if (!dist && a->heap)
		add_block(f, x->addr, out);
	if ((x->code == FAULT_OOB || x->code == FAULT_FREED) && !f->mem->several &&
	    devmem_mapped(f->mem, x->addr, &lo, &hi))
		strbuf_adds(out, "\n  a chip would not notice: check.bounds=false goes on as the chip would");
}

void ptx_fault_text(const struct front *front, const struct fault *x, const struct launch *l, struct strbuf *out)
{
	const struct ptx *f = ptx_const(front);
	add_what(f, x, l, out);
	if (x->code == FAULT_NONE || !l)
		return;
	add_place(x, l, out);
	add_threads(f, x, l, out);
	if (names_device_address(x->code))
		add_nearest(f, x, l, out);
}
