-- ELF: earliest load first, with NewCAR and instruction prefetch. Chapter III of the thesis.
--
-- Machine: gtx480v3.lua, the simulator that the thesis used, with the sizes of its table 3.1. Benchmarks:
-- those of table 3.2 that are among the workloads, at sizes that a run of seconds allows; --quick takes the smallest ones
-- and a third of the benchmarks.
local lab = require("lib.lab")
local published = require("lib.published")

local GPU = "gtx480v3"
-- Table 3.1 has 1400 MHz beside a SIMT width of 32: taken at its word, an SM is twice as fast against DRAM as with 16 lanes
-- or 700 MHz. The thesis' own stalls say the same (figure 3.2: 45 % lost to memory there, 41 here at 1400 MHz and 30 at 700).
local CLOCK = 1400
-- Where table 3.1 and that simulator's own sizes differ: 8 MSHRs per L1I, 768 KB of 16-way L2.
local TABLE_3_1 = { core_clock = CLOCK, ["l1i.mshrs"] = 8, ["l2.sets"] = 32, ["l2.ways"] = 16 }
local LARGE_L1D = { ["l1d.sets"] = 64, ["l1d.ways"] = 6 } -- 48 KB; 16 KB is 32 x 4

-- Label in the thesis, workload; quick = also with --quick; points = has kernels of more than 16 program points;
-- fetch = swept over in figure 3.8b; params = sizes without --quick where the default grid fills the
-- SMs just once: its tail, not the scheduler, would decide.
local benchmarks = {
	{ "BFS", "bfs", quick = true },
	{ "BP", "backprop", fetch = true, quick = true },
	{ "BS", "blackscholes", params = { regs = 49 } }, -- table 4.2, of a program that prices two options a thread
	{ "BT", "btree", fetch = true, points = true, quick = true },
	{ "CP", "cp" },
	{ "FDTD", "fdtd3d", fetch = true, points = true, quick = true, params = { nx = 224, ny = 224, nz = 18, steps = 1 } },
	{ "HIST", "histogram" },
	{ "HS", "hotspot", fetch = true, quick = true },
	{ "HW", "heartwall", fetch = true, points = true },
	{ "KM", "kmeans", quick = true, params = { n = 72000, iterations = 1 } },
	{ "LBM", "lbm", fetch = true, points = true, quick = true },
	{ "LC", "leukocyte" },
	{ "LMD", "lavamd" },
	{ "LPS", "lps", params = { nx = 256, ny = 256, nz = 80, iterations = 1 } },
	{ "LUD", "lud", fetch = true, points = true, quick = true },
	{ "MRIQ", "mriq" },
	{ "MUM", "mummer" },
	{ "NW", "nw", fetch = true, points = true },
	{ "PF", "particlefilter" },
	{ "RS", "radixsort" },
	{ "SGEMM", "sgemm", points = true },
	{ "SRAD", "srad2" },
	{ "ST", "stencil" },
	{ "Spmv", "spmv", quick = true },
	{ "TPACF", "tpacf" },
}
local HISTOGRAM = "HIST is the CUDA SDK's histogram, not Parboil's."

local function chosen(x)
	local t = {}
	for _, b in ipairs(benchmarks) do
		if not x.quick or b.quick then
			t[#t + 1] = b
		end
	end
	return t
end

-- The same experiment with the smallest inputs.
local function at_small(x)
	return { quick = x.quick, small = true, size = "small" }
end

-- What is compared: warp scheduler and settings.
-- The stalls of figure 3.2 by the order in which the thesis names them; that changes no cycle.
local GTO = { warp_sched = "gto", set = { ["stalls.order"] = "memory" } }
local NEWCAR = { warp_sched = "gto", set = { ["lsu.replay"] = "newcar" } }
local PREFETCH = { warp_sched = "gto", set = { ["sm.fetch_prefetch"] = true } }
local ELF = { warp_sched = "elf" }
local ELFPP = { warp_sched = "elf++", set = { ["lsu.replay"] = "newcar", ["sm.fetch_prefetch"] = true } }
local TLV = { warp_sched = "tl-rr" } -- section 3.4: the two-level scheduler that comes with GPGPU-Sim 3.2.2
local CCWS = { warp_sched = "ccws" }
local DYNCTA = { warp_sched = "gto", cta_sched = "dyncta" } -- gto, as the thesis's other baselines

local function run_of(b, machine, x, set)
	local run = lab.variant({ workload = b[2], gpu = GPU, size = x.size, set = TABLE_3_1 }, machine)
	run.params = not x.quick and not x.small and b.params or nil
	return set and lab.variant(run, { set = set }) or run
end

-- All benchmarks on all machines (each with all sets of further settings, if any).
local function runs_of(machines, sets)
	return function(x)
		local runs = {}
		for _, b in ipairs(chosen(x)) do
			for _, m in ipairs(machines) do
				for _, set in ipairs(sets or { {} }) do
					runs[#runs + 1] = run_of(b, m, x, set)
				end
			end
		end
		return runs
	end
end

-- Gain in IPC over gto in %, which is the gain in time: the instructions are the same.
local function gain(result, b, machine, x, set, base_set)
	local base, r = result(run_of(b, GTO, x, base_set or set)), result(run_of(b, machine, x, set))
	return base and r and lab.gain(base.cycles, r.cycles) or false
end

-- Geometric mean of gains, in %.
local function mean_gain(gains)
	local t = {}
	for _, g in ipairs(gains) do
		t[#t + 1] = 1 + g / 100
	end
	local m = lab.geomean(t)
	return m and (m - 1) * 100 or false
end

-- --- figure 3.2 ------------------------------------------------------------------------------------------------------

local STALLS = { "memory conflict", "memory dependency", "fetch", "other" }
local STALLS_PUBLISHED = { 27.2, 17.5, 6.0, 8.4 }

local function figure32(result, x)
	local rows = {}
	for _, b in ipairs(chosen(x)) do
		local r, row = result(run_of(b, GTO, x)), { b[1] }
		for i, name in ipairs(STALLS) do
			row[i + 1] = false
			if r then
				local empty = r.stalls.base["no warp"]
				local lost = r.stalls.elf[name] - (name == "other" and empty or 0)
				row[i + 1] = 100 * lost / (r.stalls.elf.slots - empty)
			end
		end
		rows[#rows + 1] = row
	end
	local mean = { "mean" }
	for i in ipairs(STALLS) do
		mean[i + 1] = { lab.mean(lab.numbers(rows, i + 1)) or false, published = STALLS_PUBLISHED[i] }
	end
	rows[#rows + 1] = mean
	local columns = { "benchmark" }
	for i, name in ipairs(STALLS) do
		columns[i + 1] = { name = name, unit = "%", digits = 1, compare = "difference" }
	end
	return {
		columns = columns,
		rows = rows,
		notes = { "Shares of the issue slots of schedulers that have warps, by the first of the four that fits (stalls.order=memory).",
			HISTOGRAM },
		plot = { kind = "bars", columns = STALLS },
	}
end

-- --- figures 3.6, 3.9, 3.10: gains over gto ------------------------------------------------------------------------------

-- machines: { name, machine or false for a gap, published mean }
local function gains_table(machines, set, notes)
	return function(result, x)
		local rows, columns, names = {}, { "benchmark" }, {}
		for _, b in ipairs(chosen(x)) do
			local row = { b[1] }
			for i, m in ipairs(machines) do
				row[i + 1] = m[2] and gain(result, b, m[2], x, set) or false
			end
			rows[#rows + 1] = row
		end
		local mean = { "geomean" }
		for i, m in ipairs(machines) do
			mean[i + 1] = { mean_gain(lab.numbers(rows, i + 1)), published = m[3] }
			columns[i + 1] = { name = m[1], unit = "%", digits = 1, compare = "difference" }
			names[i] = m[1]
		end
		rows[#rows + 1] = mean
		return { columns = columns, rows = rows, notes = notes, plot = { kind = "bars", columns = names } }
	end
end

local TECHNIQUES = { { "newcar", NEWCAR, 2.5 }, { "prefetch", PREFETCH, 4.9 }, { "elf", ELF, 4.1 }, { "elf++", ELFPP, 11.9 } }
local RIVALS = { { "2-LV", TLV, -3.2 }, { "ccws", CCWS, 0.1 }, { "dyncta", DYNCTA, -2.3 }, { "elf++", ELFPP, 11.9 } }
local RIVALS_48 = { { "2-LV", TLV, -3.6 }, { "ccws", CCWS, -1.4 }, { "dyncta", DYNCTA, -2.6 }, { "elf++", ELFPP, 9.5 } }

-- --- figure 3.7 ------------------------------------------------------------------------------------------------------

local function figure37(result, x)
	local rows = {}
	for _, b in ipairs(chosen(x)) do
		local r = result(run_of(b, ELF, x))
		local q = r and lab.over(r.sm.elf_recalcs, r.sm.elf_issues)
		rows[#rows + 1] = { b[1], q and 100 * (1 - q) or false }
	end
	rows[#rows + 1] = { "mean", { lab.mean(lab.numbers(rows, 2)) or false, published = 91.4 } }
	return {
		columns = { "benchmark", { name = "avoided", unit = "%", digits = 1, compare = "difference" } },
		rows = rows,
		notes = { "Priority recalculations avoided, of one per issued instruction." },
		plot = { kind = "bars", columns = { "avoided" } },
	}
end

-- --- figure 3.8 ------------------------------------------------------------------------------------------------------

local POINTS = { { "16", 16, 11.9 }, { "32", 32, 11.9 }, { "48", 48, 11.9 }, { "infinite", 4096, 12.1 } }
local MSHRS = {
	{ "0", 0, 6.7 }, { "4", 4, 10.8 }, { "8", 8, 11.2 }, { "12", 12, 11.4 }, { "16", 16, 11.9 }, { "20", 20, 11.9 },
	{ "24", 24, 11.9 },
}

-- With --quick the first, the default and the last value.
local function values(list, x, default)
	local t = {}
	for i, v in ipairs(list) do
		if not x.quick or i == 1 or i == #list or v[2] == default then
			t[#t + 1] = v
		end
	end
	return t
end

-- What a benchmark is run with for a value of the key: nothing where the value can make no difference to it.
local function swept(b, key, value, default)
	local idle = value == default or key == "elf.max_points" and not b.points
	return idle and {} or { [key] = value }
end

-- The threshold is swept over benchmarks of some seconds a run; among them are those that the thesis names for what they
-- lose to fetches and that fetch here, FDTD and LUD.
local function sweeps(b, key)
	return key ~= "sm.prefetch_mshrs" or b.fetch
end

local function sweep_runs(key, list, default)
	return function(x)
		local runs = {}
		for _, b in ipairs(chosen(x)) do
			if sweeps(b, key) then
				runs[#runs + 1] = run_of(b, GTO, x)
			end
			for _, v in ipairs(values(list, x, default)) do
				runs[#runs + 1] = sweeps(b, key) and run_of(b, ELFPP, x, swept(b, key, v[2], default)) or nil
			end
		end
		return runs
	end
end

local function sweep_table(key, name, list, default)
	return function(result, x)
		local rows = {}
		for _, v in ipairs(values(list, x, default)) do
			local gains = {}
			for _, b in ipairs(chosen(x)) do
				gains[#gains + 1] = sweeps(b, key) and gain(result, b, ELFPP, x, swept(b, key, v[2], default), {}) or nil
			end
			rows[#rows + 1] = { v[1], { mean_gain(gains), published = v[3] }, #gains }
		end
		return {
			columns = {
				name, { name = "elf++", unit = "%", digits = 1, compare = "difference" }, { name = "benchmarks", digits = 0 },
			},
			rows = rows,
			notes = { "Geometric mean of the gains over gto." },
			plot = { kind = "bars", columns = { "elf++" } },
		}
	end
end

-- --- tables ------------------------------------------------------------------------------------------------------------

local function table32(result, x)
	local rows = {}
	for _, b in ipairs(chosen(x)) do
		local r = result(run_of(b, GTO, x))
		for _, code in ipairs(r and r.code or {}) do
			local p = published[b[2]] and published[b[2]][code.name] and published[b[2]][code.name].points
			rows[#rows + 1] = {
				b[1], code.name, p and p[2] or "", { code.program_points, published = p and p[3] }, code.merged_points,
				code.instructions,
			}
		end
		if not r then
			rows[#rows + 1] = { b[1], "-", "", false, false, false }
		end
	end
	return {
		columns = {
			"label", "kernel", "published as", { name = "points", digits = 0, compare = "difference" },
			{ name = "merged", digits = 0 }, { name = "instructions", digits = 0 },
		},
		rows = rows,
		notes = { "Program points before merging, of our own sources of the same algorithms; loops are unrolled differently.", HISTOGRAM },
	}
end

local function bits_of(n)
	return math.ceil(math.log(n, 2))
end

local function table33(result, x)
	local r = result(run_of(chosen(x)[1], ELFPP, x))
	local c = r and r.config
	local score = c and bits_of(c["elf.max_score"])
	local rows = {}
	local function row(name, bits, published_bits, entries, published_entries)
		local kb = c and bits * entries / 8 / 1024
		rows[#rows + 1] = {
			name, { bits or false, published = published_bits }, { entries or false, published = published_entries },
			{ kb or false, published = published_bits * published_entries / 8 / 1024 },
		}
	end
	row("priority calculator", c and 1 + 1 + 32 + score, 42, c and c["elf.max_points"], 32)
	row("warp priority table", score, 8, c and c["sm.threads"] // 32, 48)
	row("newcar", 301, 301, c and c["lsu.replay_entries"], 32)
	return {
		columns = { "structure", { name = "bits", digits = 0 }, { name = "entries", digits = 0 }, { name = "kB", digits = 2 } },
		rows = rows,
		notes = {
			"Storage per SM of what is modelled: valid, branch, 32-bit PC and score per program point; a NewCAR entry is taken",
			"as 301 bits, from the publication (that of CAR).",
		},
	}
end

return {
	help = "earliest load first: elf, NewCAR and instruction prefetch against gto, 2-LV and ccws",
	source = "J. J. K. Park: Enabling efficient resource utilization on multitasking throughput processors, PhD thesis, University of Michigan 2016, chapter III",
	figures = {
		{ name = "3.2", title = "distribution of stalls under gto", runs = runs_of({ GTO }), table = figure32 },
		{
			name = "3.6",
			title = "gain of NewCAR, instruction prefetch, elf and elf++ over gto",
			runs = runs_of({ GTO, NEWCAR, PREFETCH, ELF, ELFPP }),
			table = gains_table(TECHNIQUES, {}, { HISTOGRAM }),
		},
		{
			name = "3.6small",
			title = "the same with the smallest inputs",
			runs = function(x)
				return runs_of({ GTO, NEWCAR, PREFETCH, ELF, ELFPP })(at_small(x))
			end,
			table = function(result, x)
				return gains_table(TECHNIQUES, {}, { HISTOGRAM })(result, at_small(x))
			end,
		},
		{ name = "3.7", title = "priority recalculations avoided by elf", runs = runs_of({ ELF }), table = figure37 },
		{
			name = "3.8a",
			title = "elf++ by number of program points",
			runs = sweep_runs("elf.max_points", POINTS, 32),
			table = sweep_table("elf.max_points", "points", POINTS, 32),
		},
		{
			name = "3.8b",
			title = "elf++ by threshold of the instruction prefetch",
			runs = sweep_runs("sm.prefetch_mshrs", MSHRS, 16),
			table = sweep_table("sm.prefetch_mshrs", "mshrs", MSHRS, 16),
		},
		{
			name = "3.9",
			title = "gain of rivals and elf++ over gto",
			runs = runs_of({ GTO, TLV, CCWS, DYNCTA, ELFPP }),
			table = gains_table(RIVALS, {}, { HISTOGRAM }),
		},
		{
			name = "3.10",
			title = "the same with 48 KB of L1D",
			runs = runs_of({ GTO, TLV, CCWS, DYNCTA, ELFPP }, { LARGE_L1D }),
			table = gains_table(RIVALS_48, LARGE_L1D, { "Shared memory stays at 48 KB.", HISTOGRAM }),
		},
		{ name = "table3.2", title = "program points per kernel", runs = runs_of({ GTO }), table = table32 },
		{ name = "table3.3", title = "hardware overhead per SM", runs = runs_of({ ELFPP }), table = table33 },
	},
}
