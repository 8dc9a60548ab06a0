#include "session/neighbours.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/conf.h"

const char *const neighbour_tools[TOOL_COUNT] = {"GPGPU-Sim", "Nsight Compute", "nvprof"};

const struct neighbour neighbours[] = {
#define NEIGHBOUR(tool, name, here, expression, text) {TOOL_##tool, name, here, expression, text},
#include "session/neighbours.def"
#undef NEIGHBOUR
};
const u32 nneighbours = ARRAY_LEN(neighbours);

/* --- a name without its trimmings --------------------------------------------------------------------------------- */

static bool cut_end(char *s, const char *end)
{
	const size_t n = strlen(s), k = strlen(end);
	if (n <= k || strcmp(s + n - k, end) != 0)
		return false;
	s[n - k] = 0;
	return true;
}

/* Nsight Compute's stalls: "smsp__average_warps_issue_stalled_wait_per_issue_active", "stall_wait". */
static void cut_stall(char *s)
{
	static const char *const ends[] = {"_per_issue_active", "_per_warp_active", "_not_issued"};
	const char *at = strstr(s, "issue_stalled_");
	if (!at)
		return;
	memmove(s, at + strlen("issue_stalled_"), strlen(at + strlen("issue_stalled_")) + 1);
	for (u32 i = 0; i < ARRAY_LEN(ends); i++)
		cut_end(s, ends[i]);
}

static bool is_lane_count(const char *s)
{
	char end;
	u32 n;
	return sscanf(s, "W%u%c", &n, &end) == 1 && n >= 1 && n <= 32;
}

void neighbour_base(const char *word, char out[NEIGHBOUR_NAME])
{
	snprintf(out, NEIGHBOUR_NAME, "%s", word);
	while (*out && (strchr("=:", out[strlen(out) - 1]) || isspace((unsigned char)out[strlen(out) - 1])))
		out[strlen(out) - 1] = 0;
	if (strstr(out, "__"))
		out[strcspn(out, ".")] = 0;
	cut_stall(out);
	if (is_lane_count(out))
		snprintf(out, NEIGHBOUR_NAME, "W1..W32");
}

/* --- looking one up ----------------------------------------------------------------------------------------------- */

static const struct neighbour *named(const char *name)
{
	for (u32 i = 0; i < nneighbours; i++)
		if (!strcmp(neighbours[i].name, name))
			return &neighbours[i];
	return NULL;
}

/* The longest name that a name of Nsight Compute goes on from: "smsp__inst_executed_op_global_ld". */
static const struct neighbour *beginning_of(const char *name)
{
	const struct neighbour *best = NULL;
	for (u32 i = 0; i < nneighbours; i++) {
		const size_t n = strlen(neighbours[i].name);
		if (strstr(neighbours[i].name, "__") && !strncmp(name, neighbours[i].name, n) && name[n] == '_' &&
		    (!best || n > strlen(best->name)))
			best = &neighbours[i];
	}
	return best;
}

const struct neighbour *neighbour_find(const char *word, bool *part)
{
	char base[NEIGHBOUR_NAME];
	*part = false;
	neighbour_base(word, base);
	const struct neighbour *n = named(base);
	if (!n && !strncmp(base, "stall_", 6))
		n = named(base + 6);
	if (!n && (n = beginning_of(base)))
		*part = true;
	return n;
}

const struct neighbour *neighbour_near(const char *word)
{
	char base[NEIGHBOUR_NAME];
	const char **names = xcalloc(nneighbours, sizeof *names);
	neighbour_base(word, base);
	for (u32 i = 0; i < nneighbours; i++)
		names[i] = neighbours[i].name;
	const char *near = conf_nearest(base, names, nneighbours);
	free(names);
	return near ? named(near) : NULL;
}

/* --- names without a row ------------------------------------------------------------------------------------------ */

/* Units of Nsight Compute, and where their like is found here. */
static const struct {
	const char *unit, *here;
} units[] = {
    {"sm__", "sm"},      {"smsp__", "sm"},     {"l1tex__", "l1d"},     {"lts__", "l2"},         {"lrc__", "l2"},
    {"dram__", "dram"},  {"fbpa__", "dram"},   {"idc__", "l1c"},       {"gcc__", "l1i"},        {"tpc__", "sm"},
    {"gpc__", "sm"},     {"gpu__", "cycle"},   {"launch__", "kernel"}, {"device__", "machine"}, {"pcsamp_", "sm"},
    {"derived__", "sm"}, {"profiler__", "sm"}, {"nvlrx__", ""},        {"nvltx__", ""},         {"pcie__", ""},
};

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool ends(const char *s, const char *with)
{
	const size_t n = strlen(s), k = strlen(with);
	return n > k && !strcmp(s + n - k, with);
}

void neighbour_hint(const char *word, struct strbuf *out)
{
	static const char *const nvprof[] = {"_efficiency",  "_throughput", "_utilization", "_transactions",
	                                     "_per_request", "_hit_rate",   "_overhead"};
	for (u32 i = 0; i < ARRAY_LEN(units); i++)
		if (begins(word, units[i].unit)) {
			strbuf_addf(out, "it is named like a metric of Nsight Compute; ");
			if (*units[i].here)
				strbuf_addf(out, "figures of that unit here have names with %s", units[i].here);
			else
				strbuf_adds(out, "that unit is not modelled");
			strbuf_adds(out, " (`list stats`); `list neighbours` has the metrics whose like is known");
			return;
		}
	if (begins(word, "gpgpu_") || begins(word, "gpu_") || begins(word, "icnt_") || strstr(word, "_total_cache_") ||
	    strstr(word, "_stats_breakdown")) {
		strbuf_addf(out,
		            "it is named like a statistic%s of GPGPU-Sim; `list neighbours` has those whose like is known, "
		            "`list config` the machine's keys",
		            begins(word, "gpgpu_") ? " or an option" : "");
		return;
	}
	for (u32 i = 0; i < ARRAY_LEN(nvprof); i++)
		if (ends(word, nvprof[i]) || begins(word, "stall_")) {
			strbuf_adds(out, "it is named like a metric of nvprof; `list neighbours` has those whose like is known");
			return;
		}
}
