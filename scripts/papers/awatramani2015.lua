-- Phase aware warp scheduling: speedups, idle time, load and phase graphs of rr, gto and paws, in one and two levels.
--
-- Sizes: kernels fill the 16 SMs, as the paper demands of its own; they are smaller than its, which ran for days.
-- --quick takes smaller ones still, which all but Heart's fill the SMs about once.
local lab = require("lib.lab")
local published = require("lib.published")

local GPU = "m2090" -- the paper's table I
local SINGLE, TWO = { "rr", "gto", "paws" }, { "tl-rr", "tl-gto", "tl-paws" }

-- The paper's kernels, in its order. type: the group it puts them into, single level; two: two levels where that differs.
-- quick, params: sizes (B+T: registers a thread by the estimate, with which five and six CTAs fit an SM, as in table II) with and without --quick where the workload's small and default ones are not used.
local kernels = {
	{ "BP-K1", "backprop", "layer_forward", type = "A", two = "B", quick = { inputs = 8192 } },
	{ "BP-K2", "backprop", "adjust_weights", type = "A", quick = { inputs = 8192 } },
	{ "B+T-K1", "btree", "find_range_k", type = "A", quick = { keys = 40000, queries = 400, ranges = 250, regs = 0 }, params = { regs = 0 } },
	{ "B+T-K2", "btree", "find_k", type = "A", quick = { keys = 40000, queries = 400, ranges = 250, regs = 0 }, params = { regs = 0 } },
	{
		"KM", "kmeans", "kmeans_assign",
		type = "A", two = "B", quick = { n = 22000, iterations = 1 }, params = { n = 36000, iterations = 1 },
	},
	{ "LUD", "lud", "lud_internal", type = "A", two = "B", quick = { n = 240 } },
	{ "SRAD", "srad2", "srad_1", type = "A", quick = { width = 256, height = 128 } },
	{
		"DWT", "dwthaar", "haar_decompose",
		type = "A", quick = { log_n = 17, levels = 10 }, params = { log_n = 20, levels = 10 },
	},
	{
		"DXTC", "dxtc", "dxtc_compress",
		type = "A", quick = { width = 64, height = 32 }, params = { width = 96, height = 64 },
	},
	{ "HIST", "histogram", "histogram_shared", type = "A", quick = { n = 1000000, ctas = 120 } },
	{ "MCO", "montecarlo", "price_options", type = "A", quick = { options = 160, paths = 2048 } },
	-- a template of 25 x 25 pixels in a window of 41 x 41, towards the published program's 51 and 81: with small ones the
	-- steps between barriers that only some warps have work in outweigh the convolution
	{ "Heart", "heartwall", "heartwall", type = "B", params = { t = 12, s = 20, frames = 2, side = 224 } },
	{
		"CFD", "cfd", "compute_flux",
		type = "B", quick = { columns = 144, rows = 64, iterations = 1 }, params = { columns = 240, rows = 128, iterations = 1 },
	},
	{ "FWT", "fwt", "fwt_batch1", type = "B", quick = { log_n = 17 }, params = { log_n = 21 } },
}

-- Phases as table II counts them: only the read of a long-latency result begins one. Sections IV-B and VI-B let every
-- basic block begin one as well, but the kernels whose figures the paper shows have been counted otherwise: KM's two nested
-- loops and FWT's four make two phases in table II, and B+Tree's warps branch "back to phases 1 and 3" in figure 6.
local BY_DATA = { set = { ["phases.blocks"] = false } }
local BY_BLOCKS = {} -- as phases.blocks is, when nothing is said
local PHASE_AWARE = { paws = true, ["tl-paws"] = true }

local function run_of(k, scheduler, x, more)
	local run = { workload = k[2], gpu = GPU, size = x.size, warp_sched = scheduler }
	if more == BY_BLOCKS then
		more = nil
	elseif PHASE_AWARE[scheduler] then
		run = lab.variant(run, BY_DATA)
	end
	run.params = x.quick and k.quick or not x.quick and k.params or nil
	return more and lab.variant(run, more) or run
end

local function runs_of(schedulers, x, more)
	local runs = {}
	for _, k in ipairs(kernels) do
		for _, s in ipairs(schedulers) do
			runs[#runs + 1] = run_of(k, s, x, more)
		end
	end
	return runs
end

local function cycles(result, k, scheduler, x)
	local r = result(run_of(k, scheduler, x))
	return r and lab.kernel_cycles(r, k[3])
end

-- --- table II --------------------------------------------------------------------------------------------------------

local function table2(result, x)
	local rows = {}
	for _, k in ipairs(kernels) do
		local r, plain = result(run_of(k, "paws", x)), result(run_of(k, "gto", x))
		local launch, code = r and lab.launch(r, k[3]), r and lab.code(r, k[3])
		local blocks = plain and lab.code(plain, k[3])
		local p = published[k[2]][k[3]].phases
		local function beside(value, i)
			return { value or false, published = p[i] }
		end
		rows[#rows + 1] = {
			k[1],
			k[2] .. "." .. k[3],
			beside(launch and launch.ctas, 2),
			beside(launch and launch.block[1] * launch.block[2] * launch.block[3], 3),
			beside(launch and launch.occupancy.ctas_per_sm, 4),
			beside(code and code.phases, 5),
			beside(blocks and blocks.phases, 5),
			beside(code and code.longest_phase, 6),
			beside(code and code.shortest_phase, 7),
		}
	end
	local function column(name)
		return { name = name, digits = 0, compare = "none" }
	end
	return {
		columns = {
			"kernel", "ours", column("blocks"), column("threads"), column("blocks/core"), column("phases"),
			column("by blocks"), column("longest"), column("shortest"),
		},
		rows = rows,
		notes = { "Phase lengths in cycles of the machine's latencies; the paper counts them on PTXPlus.",
			"by blocks: phases where each basic block begins one, too (phases.blocks=true), as the text of the paper has it." },
	}
end

-- --- figure 9 --------------------------------------------------------------------------------------------------------

local function group(k, level)
	return level == 2 and k.two or k.type
end

local function figure9(schedulers, level)
	return function(result, x)
		local rows = {}
		for _, k in ipairs(kernels) do
			local rr, gto, paws =
				cycles(result, k, schedulers[1], x), cycles(result, k, schedulers[2], x), cycles(result, k, schedulers[3], x)
			local g, own = lab.over(rr, gto), false
			if g then
				own = g > 1.01 and "A" or g < 0.99 and "B" or "equal"
			end
			rows[#rows + 1] = { k[1], group(k, level), own, g, lab.over(rr, paws) }
		end
		return {
			columns = {
				"kernel", "type", "own type", { name = schedulers[2], digits = 3 }, { name = schedulers[3], digits = 3 },
			},
			rows = rows,
			notes = { "Speedup over " .. schedulers[1] .. ". type: published; own type: A = gto faster by over 1 %, B = rr." },
			plot = { kind = "bars", columns = { schedulers[2], schedulers[3] }, base = 1 },
		}
	end
end

-- Mean speedups in % of kernels of a type: how much a is faster than b.
local function mean_gain(result, x, schedulers, a, b, chosen)
	local ratios = {}
	for _, k in ipairs(kernels) do
		if chosen(k) then
			ratios[#ratios + 1] = lab.over(cycles(result, k, schedulers[b], x), cycles(result, k, schedulers[a], x)) or nil
		end
	end
	local m = lab.geomean(ratios)
	return m and (m - 1) * 100 or false, #ratios
end

-- Comparison, level, type, which policy over which (numbers within the lists), published gain in %.
local means = {
	{ "gto over rr", 1, "A", 2, 1, 10 },
	{ "paws over rr", 1, "A", 3, 1, 9 },
	{ "rr over gto", 1, "B", 1, 2, 9.2 },
	{ "paws over gto", 1, "B", 3, 2, 9 },
	{ "tl-gto over tl-rr", 2, "A", 2, 1, 4 },
	{ "tl-paws over tl-rr", 2, "A", 3, 1, 3 },
	{ "tl-rr over tl-gto", 2, "B", 1, 2, 7 },
	{ "tl-paws over tl-gto", 2, "B", 3, 2, 4 },
}

local function figure9_means(result, x)
	local rows = {}
	for _, m in ipairs(means) do
		local schedulers = m[2] == 1 and SINGLE or TWO
		local function own(k)
			local rr, gto = cycles(result, k, schedulers[1], x), cycles(result, k, schedulers[2], x)
			local g = lab.over(rr, gto)
			return g and (m[3] == "A" and g > 1.01 or m[3] == "B" and g < 0.99)
		end
		local gain, n = mean_gain(result, x, schedulers, m[4], m[5], own)
		local theirs = mean_gain(result, x, schedulers, m[4], m[5], function(k)
			return group(k, m[2]) == m[3]
		end)
		rows[#rows + 1] = { m[1], m[3], { gain, published = m[6] }, n, theirs }
	end
	return {
		columns = {
			"comparison", "type", { name = "gain", unit = "%", digits = 1, compare = "difference" },
			{ name = "kernels", digits = 0 }, { name = "paper's types", unit = "%", digits = 1 },
		},
		rows = rows,
		notes = {
			"gain: geometric mean over the kernels that are of the type here (A = gto faster by over 1 %, B = rr);",
			"paper's types: the same over the kernels that are of the type in the paper.",
		},
		plot = { kind = "bars", columns = { "gain" } },
	}
end

-- What the phase-aware policies make of the phases of the paper's text.
local function by_blocks_runs(x)
	local runs = {}
	for _, k in ipairs(kernels) do
		for _, level in ipairs({ SINGLE, TWO }) do
			runs[#runs + 1] = run_of(k, level[1], x)
			runs[#runs + 1] = run_of(k, level[3], x)
			runs[#runs + 1] = run_of(k, level[3], x, BY_BLOCKS)
		end
	end
	return runs
end

local function by_blocks(result, x)
	local rows, ratios = {}, { {}, {}, {}, {} }
	for _, k in ipairs(kernels) do
		local row = { k[1] }
		for _, level in ipairs({ SINGLE, TWO }) do
			local rr, plain = cycles(result, k, level[1], x), cycles(result, k, level[3], x)
			local r = result(run_of(k, level[3], x, BY_BLOCKS))
			row[#row + 1] = lab.over(rr, plain)
			row[#row + 1] = lab.over(rr, r and lab.kernel_cycles(r, k[3]))
		end
		for i = 1, 4 do
			table.insert(ratios[i], row[i + 1] or nil)
		end
		rows[#rows + 1] = row
	end
	local mean = { "geomean" }
	for i = 1, 4 do
		mean[i + 1] = lab.geomean(ratios[i]) or false
	end
	rows[#rows + 1] = mean
	local function column(name)
		return { name = name, digits = 3 }
	end
	return {
		columns = {
			"kernel", column("paws"), column("paws, blocks"), column("tl-paws"), column("tl-paws, blocks"),
		},
		rows = rows,
		notes = { "Speedup over rr and over tl-rr. blocks: each basic block begins a phase, too (phases.blocks=true)." },
		plot = { kind = "bars", columns = { "paws", "paws, blocks", "tl-paws", "tl-paws, blocks" }, base = 1 },
	}
end

-- --- phase graphs: figures 6, 7, 13 ------------------------------------------------------------------------------------

local PHASES = { files = { phases = "svg" }, set = BY_DATA.set }

local function graph_runs(names, schedulers)
	return function(x)
		local runs = {}
		for _, k in ipairs(kernels) do
			if names[k[1]] then
				for _, s in ipairs(schedulers) do
					runs[#runs + 1] = run_of(k, s, x, PHASES)
				end
			end
		end
		return runs
	end
end

local function graph_table(figure, names, schedulers, notes)
	return function(result, x)
		local rows = {}
		for _, k in ipairs(kernels) do
			if names[k[1]] then
				for _, s in ipairs(schedulers) do
					local r = result(run_of(k, s, x, PHASES))
					local graph = r and result.keep(r.files.phases, ("%s-%s-%s"):format(figure, k[1], s))
					rows[#rows + 1] = { k[1] .. " " .. s, r and lab.kernel_cycles(r, k[3]) or false, graph or false }
				end
			end
		end
		return { columns = { "kernel", { name = "cycles", digits = 0 }, "phase graph" }, rows = rows, notes = notes }
	end
end

-- --- load and idle time: figures 10, 11, 12 -----------------------------------------------------------------------------

local TRACK = { files = { phases = "csv" }, set = { ["phases.period"] = 32, ["phases.blocks"] = false } }
local loaded = { ["BP-K1"] = true, ["B+T-K2"] = true, Heart = true, CFD = true }

local function load_runs(x)
	local runs = {}
	for _, k in ipairs(kernels) do
		for _, s in ipairs(loaded[k[1]] and { "rr", "gto", "paws", "tl-rr", "tl-gto", "tl-paws" } or {}) do
			runs[#runs + 1] = run_of(k, s, x, TRACK)
		end
	end
	return runs
end

-- Sums over the samples of a run's phase file that end in a launch of the kernel: one a period and SM, fewer and longer
-- ones in a long run. By what was in flight, all of their cycles; the load is seen at looks, one a period.
local function load_of(result, k, s, x)
	local r = result(run_of(k, s, x, TRACK))
	if not r then
		return nil
	end
	local states = { "alu_only", "mem_only", "both", "idle" }
	local columns = { "cycle", "cycles", "sm", "alu", "mem", table.unpack(states) }
	local sum = { n = 0, alu = 0, mem = 0, idle = 0, alu_only = 0, mem_only = 0, both = 0, sm_cycles = 0, sample = 0 }
	local rows, at, launches = result.csv(r.files.phases, columns), 1, {}
	for _, l in ipairs(r.kernels) do
		if l.name == k[3] then
			launches[#launches + 1] = l
		end
	end
	for _, row in ipairs(rows) do
		while launches[at] and row.cycle > launches[at].ended_at do
			at = at + 1
		end
		local l = launches[at]
		if l and row.sm ~= "all" and row.cycle > l.started_at then
			for _, state in ipairs(states) do
				sum[state] = sum[state] + row[state]
				sum.sm_cycles = sum.sm_cycles + row[state]
			end
			sum.n, sum.alu, sum.mem = sum.n + 1, sum.alu + row.alu, sum.mem + row.mem
			sum.sample = sum.sample + row.cycles
		end
	end
	return sum.n > 0 and sum or nil
end

-- fields: of load_of(), each over its field `of`.
local function load_table(columns, fields, of, scale, notes)
	return function(result, x)
		local rows = {}
		for _, k in ipairs(kernels) do
			for _, s in ipairs(loaded[k[1]] and { "rr", "gto", "paws", "tl-rr", "tl-gto", "tl-paws" } or {}) do
				local sum, row = load_of(result, k, s, x), { k[1] .. " " .. s }
				for i, field in ipairs(fields) do
					row[i + 1] = sum and sum[field] / sum[of] * scale or false
				end
				row[#row + 1] = sum and sum.sample / sum.n or false
				rows[#rows + 1] = row
			end
		end
		local drawn = {}
		columns[#fields + 2] = { name = "sample", unit = "cycles", digits = 0 }
		for i = 2, #fields + 1 do
			drawn[i - 1] = columns[i].name
		end
		return { columns = columns, rows = rows, notes = notes, plot = { kind = "bars", columns = drawn } }
	end
end

local function share(name)
	return { name = name, unit = "%", digits = 1 }
end

-- Slots of the schedulers while the kernel ran in which none issued: of a cycle in sm.issue_period, since the others are
-- nobody's. (The paper's figures fit these alone: type A is 10 % faster with 21.56 % less idle time, which makes 42 % of
-- rr's slots idle; of all cycles at least half would be.) The kernel's share of the run's issue slots goes by instructions.
local function idle(r, k)
	local c, insts = r.config, lab.kernel_sum(r, k[3], "warp_insts")
	local slots = lab.kernel_cycles(r, k[3]) * c["num_sms"] * c["sm.schedulers"] / c["sm.issue_period"]
	return slots - r.sm.issue_slots * insts / r.warp_insts
end

local idles = {
	{ "A", SINGLE, 2, -21.56 },
	{ "A", SINGLE, 3, -21.03 },
	{ "B", SINGLE, 2, 13.66 },
	{ "B", SINGLE, 3, 6.8 },
	{ "A", TWO, 2, 0 },
	{ "A", TWO, 3, false },
	{ "B", TWO, 2, 8.73 },
	{ "B", TWO, 3, 3.9 },
}

local function figure12(result, x)
	local rows = {}
	for _, w in ipairs(idles) do
		local more = {}
		for _, k in ipairs(kernels) do
			local base = result(run_of(k, w[2][1], x))
			local r = result(run_of(k, w[2][w[3]], x))
			if base and r and group(k, w[2] == TWO and 2 or 1) == w[1] then
				more[#more + 1] = lab.over(idle(r, k), idle(base, k)) or nil
			end
		end
		local m = lab.mean(more)
		rows[#rows + 1] =
			{ w[2][w[3]], w[1], { m and (m - 1) * 100 or false, published = w[4] or nil }, #more }
	end
	return {
		columns = {
			"policy", "type", { name = "idle slots over rr", unit = "%", digits = 1, compare = "difference" },
			{ name = "kernels", digits = 0 },
		},
		rows = rows,
		notes = {
			"Types of the paper; one slot in sm.issue_period cycles. tl-gto, type A: published as 'comparable'.",
		},
		plot = { kind = "bars", columns = { "idle slots over rr" } },
	}
end

local function both(x)
	local runs = runs_of(SINGLE, x)
	for _, r in ipairs(runs_of(TWO, x)) do
		runs[#runs + 1] = r
	end
	return runs
end

return {
	help = "phase aware warp scheduling: rr, gto and paws in one and two levels",
	source = "M. Awatramani, X. Zhu, J. Zambreno, D. Rover: Phase aware warp scheduling: mitigating effects of phase behavior in GPGPU applications, PACT 2015",
	figures = {
		{
			name = "table2",
			title = "workloads: blocks, blocks per core, phases",
			runs = function(x)
				return runs_of({ "paws", "gto" }, x)
			end,
			table = table2,
		},
		{
			name = "6",
			title = "B+Tree phase graphs, rr and gto",
			runs = graph_runs({ ["B+T-K1"] = true }, { "rr", "gto" }),
			table = graph_table("6", { ["B+T-K1"] = true }, { "rr", "gto" }, {
				"Published: under rr all warps meet in the short phases and ALU load falls to nothing; under gto they spread.",
			}),
		},
		{
			name = "7",
			title = "CFD phase graphs, two-level rr and gto",
			runs = graph_runs({ CFD = true }, { "tl-rr", "tl-gto" }),
			table = graph_table("7", { CFD = true }, { "tl-rr", "tl-gto" }, {
				"Published: gto keeps the first group of warps running through long phases, with nothing asked of memory.",
			}),
		},
		{
			name = "9a",
			title = "speedup over rr, single level",
			runs = function(x)
				return runs_of(SINGLE, x)
			end,
			table = figure9(SINGLE, 1),
		},
		{
			name = "9b",
			title = "speedup over tl-rr, two levels",
			runs = function(x)
				return runs_of(TWO, x)
			end,
			table = figure9(TWO, 2),
		},
		{
			name = "9blocks",
			title = "phase-aware schedulers, phases with and without those that basic blocks begin",
			runs = by_blocks_runs,
			table = by_blocks,
		},
		{ name = "9", title = "mean speedups by type of kernel (figure 9)", runs = both, table = figure9_means },
		{
			name = "10",
			title = "breakdown of execution time: ALU, memory, both, idle",
			runs = load_runs,
			table = load_table(
				{ "kernel", share("alu only"), share("mem only"), share("both"), share("idle") },
				{ "alu_only", "mem_only", "both", "idle" },
				"sm_cycles",
				100,
				{ "Shares of the SMs' cycles while the kernel ran; a launch's first and last cycles to the sample.",
				  "Published in prose: BP-K1 much ALU alone, Heart around 20 % ALU, B+T-K2 and CFD memory-intensive." }
			),
		},
		{
			name = "11",
			title = "average ALU and memory load: instructions in flight",
			runs = load_runs,
			table = load_table(
				{ "kernel", { name = "alu", digits = 2 }, { name = "mem", digits = 2 } },
				{ "alu", "mem" },
				"n",
				1,
				{ "Published in prose: gto and paws hold more ALU load than rr in BP-K1, more memory load in B+T-K2, gto less in CFD." }
			),
		},
		{ name = "12", title = "scheduler idle time over rr, mean by type of kernel", runs = both, table = figure12 },
		{
			name = "13",
			title = "LUD: intra-block tail effect, two-level gto and rr",
			runs = graph_runs({ LUD = true }, { "tl-gto", "tl-rr" }),
			table = graph_table("13", { LUD = true }, { "tl-gto", "tl-rr" }, {
				"Published: tails of about 2000 cycles for rr, 5000 for gto, in which new blocks wait for a block's last warps.",
			}),
		},
	},
}
