/* info energy: what the machine, an SM or a kernel has cost. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "commands/commands.h"
#include "obs/energy/energy.h"

/* "", an SM's number, or `kernel N`: the scope by name, and its energy. */
static bool energy_scope(struct debugger *d, const char *args, char name[32], struct energy *e, struct err *err)
{
	struct gpu *g = dbg_gpu(d);
	const bool kernel = !strncmp(args, "kernel", 6) && (args[6] == ' ' || !args[6]);
	const u32 n = kernel ? gpu_num_kernels(g) : gpu_conf(g)->num_sms;
	u64 v = UINT64_MAX;
	if (kernel && !n)
		return err_set(err, "info energy kernel: nothing has been launched yet");
	args += kernel ? 6 : 0;
	args += strspn(args, " ");
	if (kernel && !*args)
		return err_set(err, "info energy kernel: the number of a launch is expected (0..%u)", n - 1);
	if (!arg_number(args, kernel ? "kernel" : "SM", n - 1, &v, err))
		return false;
	if (kernel) {
		struct energy *all = xcalloc(n + 1, sizeof *all);
		energy_of_kernels(g, all, &all[n]);
		*e = all[v];
		free(all);
	} else if (v == UINT64_MAX) {
		energy_of_machine(g, e);
	} else {
		energy_of_sm(g, (u32)v, e);
	}
	snprintf(name, 32, v == UINT64_MAX ? "the machine" : kernel ? "kernel %llu" : "SM %llu", (unsigned long long)v);
	return true;
}

static void energy_line(struct gpu *g, const char *group, const char *name, struct energy_amount a, u64 total,
                        struct strbuf *out)
{
	const u64 sum = a.dynamic + a.leakage;
	strbuf_addf(out, "%-8s %-10s %10.3f %10.3f %10.3f %8.2f %6.1f\n", group, name, (double)a.dynamic / 1e9,
	            (double)a.leakage / 1e9, (double)a.gated / 1e9, energy_watts(gpu_conf(g), sum, gpu_counted_cycles(g)),
	            total ? 100.0 * (double)sum / (double)total : 0);
}

bool info_energy(struct debugger *d, const char *args, struct strbuf *out, struct err *err)
{
	struct gpu *g = dbg_gpu(d);
	struct energy e;
	char name[32];
	if (!energy_scope(d, args, name, &e, err))
		return false;
	if (!gpu_counted_cycles(g)) {
		strbuf_adds(out, "no cycle is counted: nothing has been used\n");
		return true;
	}
	const u64 total = energy_total(&e);
	strbuf_adds(out, "                     dynamic    leakage      gated    power  share\n"
	                 "                          uJ         uJ         uJ        W      %\n");
	for (u32 i = 0; i < EP_COUNT; i++)
		if (e.part[i].dynamic + e.part[i].leakage + e.part[i].gated)
			energy_line(g, energy_group_names[energy_parts[i].group], energy_parts[i].name, e.part[i], total, out);
	energy_line(g, "sum", "", energy_sum(&e), total, out);
	strbuf_addf(out, "of %s in %llu cycle%s at %g MHz: %llu fJ\n", name, (unsigned long long)gpu_counted_cycles(g),
	            plural(gpu_counted_cycles(g)), gpu_conf(g)->core_clock, (unsigned long long)total);
	return true;
}
