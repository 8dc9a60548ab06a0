#include "dbg/lanes_export.h"

#include "base/outfile.h"
#include "dbg/lanes.h"
#include "dbg/scope.h"
#include "obs/record/konata.h"

/* Piece by piece: a recording holds only so many cycles. */
static bool write_cycles(struct debugger *d, struct outfile *f, u32 sm, u64 from, u64 to, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	struct konata *k = konata_new(dbg_gpu(d), sm, from, &text);
	bool ok = true;
	while (ok && from < to) {
		const u64 next = MIN(from + lanes_capacity(dbg_gpu(d), (s32)sm), to);
		const struct lanes *l = lanes_fetch(d, (s32)sm, from, next, 1, e);
		ok = l != NULL;
		if (ok)
			konata_add(k, l, next, &text);
		ok = ok && outfile_put(f, strbuf_str(&text), text.len, e);
		strbuf_clear(&text);
		from = next;
	}
	konata_free(k, &text);
	ok = ok && outfile_put(f, strbuf_str(&text), text.len, e);
	strbuf_release(&text);
	return ok;
}

bool lanes_export(struct debugger *d, const char *file, u32 sm, u64 from, u64 to, struct err *e)
{
	struct sim_history_info h;
	sim_history_info(d->s->sim, &h);
	if (d->run.in_run)
		return err_set(e, "export konata: the machine is running");
	if (!h.on)
		return err_set(e, "export konata: %s", h.off);
	to = MIN(to, to == NEVER ? MAX(h.frontier, sim_cycle(d->s->sim)) : to);
	if (from >= to)
		return err_set(e, "export konata: cycles %llu to %llu are none", (unsigned long long)from,
		               (unsigned long long)to);
	struct outfile *f = outfile_open(file, "export", e);
	bool ok = f && write_cycles(d, f, sm, from, to, e);
	if (ok)
		ok = outfile_commit(f, e);
	else
		outfile_drop(f);
	return ok || err_set(e, "%s: cannot write", file);
}

bool lanes_export_all(struct debugger *d, const char *file, s32 sm, struct err *e)
{
	struct sim_history_info h;
	u64 from, to;
	sim_history_info(d->s->sim, &h);
	if (!scope_range(d, &from, &to)) {
		from = h.on ? h.begin : 0;
		to = NEVER;
	}
	return lanes_export(d, file, sm < 0 ? d->focus.sm : (u32)sm, from, to, e);
}
