-- Virtual threads: CTAs beyond what the scheduler can serve, their swaps, and rivals.
--
-- Machine: gtx480v3, the simulator of those years, with the paper's 64 MSHRs an SM. Benchmarks: those of its table II that are
-- among the workloads, under its abbreviations. Ours of 2D, CT, FD, FT and TF are missing: polybench's 2-D convolution and
-- FDTD, CUDA's texture convolution and fence reduction, SHOC's FFT. A program's types are those of its kernel with the most
-- cycles.
--
-- Inputs: the paper runs a billion instructions with the largest there are. Programs of CUDA's samples have theirs in their
-- source: 50,000 elements in VA, 512 x 512 points in DC. CP has the ISPASS-2009 benchmarks' 256 CTAs; GA
-- Rodinia's 208 rows, ND its 4096 letters. SN sorts arrays of 64, 128 and 256 pairs, with which the sample begins and uses up
-- its billion instructions, over a quarter of its million pairs. CS has half the width and height and HI a quarter of its 64 MB, as the
-- sums are the same long before.
--
-- The paper's bars are pictures: the means in its text stand beside ours.
local lab = require("lib.lab")
local occupancy = require("lib.occupancy")

local GPU = "gtx480v3"

-- Registers a thread of the program in Park 2016, table 4.2. There it prices two options a thread, and is of type C as here.
local BLACKSCHOLES = { regs = 49 }

-- Label, workload, published type; held: parameters of its small size, too; quick: in --quick.
local benchmarks = {
	{ "BP", "backprop", "S", quick = { inputs = 8192 }, params = { inputs = 65536 } },
	{ "BF", "bfs", "S" },
	{ "CP", "cp", "S", params = { points = 512, atoms = 100 } },
	{ "CS", "convsep", "S", quick = { width = 512, height = 256 }, params = { width = 1536, height = 1536 } },
	{ "DC", "dct8x8", "S", params = { n = 512 } },
	{ "DW", "dwthaar", "S" },
	{ "GA", "gaussian", "S", params = { n = 208 } },
	{ "HI", "histogram64", "S", quick = { n = 2000000 }, params = { n = 16 << 20 } },
	{ "ND", "nw", "S", params = { n = 4096 } },
	{ "PF", "pathfinder", "S", params = { columns = 100000, rows = 101, steps = 20 } },
	{ "RD", "reduction", "S" },
	{ "SN", "sortnet", "S", params = { log_n = 18, short = 3 }, held = { short = 3 } },
	{ "VA", "vecadd", "S", quick = { n = 50000 }, params = { n = 50000 } },
	{ "BS", "blackscholes", "C", quick = { n = 128000, ctas = 1000, iterations = 1, regs = 49 }, params = BLACKSCHOLES, held = BLACKSCHOLES },
	{ "BT", "btree", "C" },
	{ "HW", "heartwall", "C" },
	{ "HS", "hotspot", "C" },
	{ "LM", "lavamd", "C" },
	{ "MM", "matmul", "C", params = { n = 400 } },
	{ "MUM", "mummer", "C" },
	{ "RAY", "ray", "C" },
	{ "LE", "leukocyte", "C" },
}

local NONE = {}
local function virtual(name, more)
	return lab.variant({ set = { ["cta-virtual"] = name } }, more or {})
end
local VT, MASCAR, MAX = virtual("vt"), virtual("mascar"), virtual("max")
-- With Mascar's warp scheduler, which the policies mascar and max leave to --warp-sched.
local WHOLE_MASCAR, WHOLE_MAX = virtual("mascar", { warp_sched = "mascar" }), virtual("max", { warp_sched = "mascar" })
local WHOLE_VT = virtual("vt", { warp_sched = "mascar" })

local function with(key, value)
	return virtual("vt", { set = { [key] = value } })
end

local function run_of(b, x, more)
	local run = { workload = b[2], gpu = GPU, size = x.size, warp_sched = "lrr", set = { ["l1d.mshrs"] = 64 } }
	run.params = x.quick and b.quick or not x.quick and b.params or nil
	return lab.variant(run, more)
end

local function scheduling(x)
	local t = {}
	for _, b in ipairs(benchmarks) do
		if b[3] == "S" and (b.quick or not x.quick) then
			t[#t + 1] = b
		end
	end
	return t
end

local function runs_of(...)
	local mores = { ... }
	return function(x)
		local runs = {}
		for _, b in ipairs(scheduling(x)) do
			for _, more in ipairs(mores) do
				runs[#runs + 1] = run_of(b, x, more)
			end
		end
		return runs
	end
end

-- --- what limits CTAs: figures 2 and 3 ---------------------------------------------------------------------------------

-- Occupancy depends on the kernel and the machine, not on the input: the smallest do.
local function static_run(b, gpu)
	return { workload = b[2], gpu = gpu, size = "small", warp_sched = "lrr", params = b.held }
end

local function static_runs(x)
	local runs = {}
	for _, b in ipairs(benchmarks) do
		for _, gpu in ipairs({ GPU, "kepler" }) do
			runs[#runs + 1] = static_run(b, gpu)
		end
	end
	return runs
end

local function share(name)
	return { name = name, unit = "%", digits = 1, compare = "none" }
end

local function figure2(result, x)
	local rows, agree, n = {}, 0, 0
	local sums = { S = { 0, 0, 0 }, C = { 0, 0, 0 } }
	for _, b in ipairs(benchmarks) do
		local row = { b[1], b[3] }
		for i, gpu in ipairs({ GPU, "kepler" }) do
			local r = result(static_run(b, gpu))
			local o = r and occupancy(r)
			for _, name in ipairs({ "type", "ctas", "threads", "regs", "shared" }) do
				row[#row + 1] = o and o[name] or false
			end
			if o and i == 1 then
				n, agree = n + 1, agree + (o.type == b[3] and 1 or 0)
				local s = sums[o.type]
				s[1], s[2], s[3] = s[1] + 1, s[2] + o.regs, s[3] + o.shared
			end
		end
		rows[#rows + 1] = row
	end
	for _, t in ipairs({ { "S", 50.2, 15.4 }, { "C", 91.9, 22.8 } }) do
		local s = sums[t[1]]
		rows[#rows + 1] = {
			"mean " .. t[1], "", "", false, false, { s[1] > 0 and s[2] / s[1] or false, published = t[2] },
			{ s[1] > 0 and s[3] / s[1] or false, published = t[3] }, "", false, false, false, false,
		}
	end
	local columns = { "benchmark", "published type" }
	for _, gpu in ipairs({ "Fermi", "Kepler" }) do
		columns[#columns + 1] = gpu .. " type"
		for _, what in ipairs({ "CTAs", "threads" }) do
			columns[#columns + 1] = share(gpu .. " " .. what)
		end
		for _, what in ipairs({ "registers", "shared" }) do
			columns[#columns + 1] = gpu == "Fermi" and { name = gpu .. " " .. what, unit = "%", digits = 1 } or share(gpu .. " " .. what)
		end
	end
	return {
		columns = columns,
		rows = rows,
		notes = {
			("Shares of what an SM has. S: the scheduler's limits (CTAs, threads) bind, C: capacity; on Fermi %d of %d are of the published type."):format(agree, n),
			"Means over our own types. Registers are those of our compiler's count, not of the paper's.",
		},
	}
end

local function figure3(result, x)
	local rows, sums = {}, { { 0, 0 }, { 0, 0 } }
	for _, b in ipairs(benchmarks) do
		local row, any = { b[1] }, false
		for i, gpu in ipairs({ GPU, "kepler" }) do
			local r = result(static_run(b, gpu))
			local o = r and occupancy(r)
			local more = o and o.type == "S" and o.more
			row[#row + 1] = more or false
			any = any or more
			if more then
				sums[i][1], sums[i][2] = sums[i][1] + 1, sums[i][2] + more
			end
		end
		if any then
			rows[#rows + 1] = row
		end
	end
	local mean = { "mean" }
	for i, published in ipairs({ 38.2, 97.7 }) do
		mean[#mean + 1] = { sums[i][1] > 0 and sums[i][2] / sums[i][1] or false, published = published }
	end
	rows[#rows + 1] = mean
	return {
		columns = { "benchmark", { name = "Fermi", unit = "%", digits = 1 }, { name = "Kepler", unit = "%", digits = 1 } },
		rows = rows,
		notes = { "Threads that an SM could have beyond its scheduling limit until registers or shared memory are full; type S only." },
		plot = { kind = "bars", columns = { "Fermi", "Kepler" } },
	}
end

-- --- cycles: figure 4 ----------------------------------------------------------------------------------------------------

local classes = { "issue", "pipeline", "long latency", "short latency", "i-buffer" }

local function figure4(result, x)
	local rows, sums = {}, { { 0, 0, 0, 0, 0, n = 0 }, { 0, 0, 0, 0, 0, n = 0 } }
	for _, b in ipairs(scheduling(x)) do
		for i, more in ipairs({ NONE, VT }) do
			local r = result(run_of(b, x, more))
			local s = r and r.stalls.vt
			local row = { b[1] .. (i == 1 and " baseline" or " vt") }
			for k, class in ipairs(classes) do
				row[#row + 1] = s and 100 * s[class] / s.slots or false
				sums[i][k] = sums[i][k] + (row[#row] or 0)
			end
			sums[i].n = sums[i].n + (s and 1 or 0)
			rows[#rows + 1] = row
		end
	end
	local published = { { 40.9, 24.8, 13.6, 10.7, 10.0 }, {} }
	for i, name in ipairs({ "mean baseline", "mean vt" }) do
		local row = { name }
		for k = 1, #classes do
			row[#row + 1] = { sums[i].n > 0 and sums[i][k] / sums[i].n or false, published = published[i][k] }
		end
		rows[#rows + 1] = row
	end
	local columns = { "benchmark" }
	for _, class in ipairs(classes) do
		columns[#columns + 1] = { name = class, unit = "%", digits = 1 }
	end
	return {
		columns = columns,
		rows = rows,
		notes = { "Shares of the schedulers' slots. Published in prose for vt: 18.1 % fewer stalls, pipeline and long latency above all." },
	}
end

-- --- speed: figures 8 to 11 ----------------------------------------------------------------------------------------------

-- Gains in % over a base, per benchmark and as a geometric mean. variants: { name, base, more, published mean }
-- more, if there is one: a last column, { name, function(result, b, x) -> a word }.
local function gains(variants, notes, more)
	return function(result, x)
		local rows, ratios, columns, bars, mean = {}, {}, { "benchmark" }, {}, { "mean" }
		for i, v in ipairs(variants) do
			ratios[i] = {}
			columns[#columns + 1] = { name = v[1], unit = "%", digits = 1 }
			bars[#bars + 1] = v[1]
		end
		for _, b in ipairs(scheduling(x)) do
			local row = { b[1] }
			for i, v in ipairs(variants) do
				local base, r = result(run_of(b, x, v[2])), result(run_of(b, x, v[3]))
				local q = lab.over(base and base.cycles, r and r.cycles)
				row[#row + 1] = q and (q - 1) * 100
				if q then
					table.insert(ratios[i], q)
				end
			end
			row[#row + 1] = more and more[2](result, b, x)
			rows[#rows + 1] = row
		end
		for i, v in ipairs(variants) do
			local m = lab.geomean(ratios[i])
			mean[#mean + 1] = { m and (m - 1) * 100 or false, published = v[4] }
		end
		rows[#rows + 1] = mean
		if more then
			columns[#columns + 1], mean[#mean + 1] = more[1], ""
		end
		return { columns = columns, rows = rows, notes = notes, plot = { kind = "bars", columns = bars } }
	end
end

-- The paper's MAX has no scheduling limit. An SM here ends at 64 warps and 32 CTAs: what max holds of a benchmark's main
-- kernel, if one of these is what stops it; else registers, shared memory or the grid do, as in the paper.
local function limit_of_max(result, b, x)
	local r = result(run_of(b, x, WHOLE_MAX))
	if not r then
		return "?"
	end
	local k = lab.main_kernel(r)
	local by, n = k.occupancy.limiter, k.occupancy.ctas_per_sm
	if by ~= "threads" and by ~= "CTAs" or k.ctas <= n * r.config["num_sms"] then
		return "–"
	end
	return by == "CTAs" and ("%d CTAs"):format(n) or ("%d warps"):format(k.occupancy.warps_per_sm)
end

local function of_scheduler(name, more)
	return lab.variant({ warp_sched = name }, more)
end
local GTO, GTO_VT = of_scheduler("gto", NONE), of_scheduler("gto", VT)
local TLV, TLV_VT = of_scheduler("tlv", NONE), of_scheduler("tlv", VT)
local FREE, HALF, DOUBLE = with("vt.bandwidth", 0), with("vt.bandwidth", 256), with("vt.bandwidth", 1024)
local DEEP, DEEPER = with("vt.depth", 8), with("vt.depth", 16)
local SLOW = with("vt.delay", 1024)
-- Ours: a CTA whose warps have all exited gives its slots up while its stores are open.
local ENDING = with("vt.ending", true)
-- Ours, what hiding the way to memory can give: the same bandwidths, and no way to L2, to DRAM and back. What is left of a miss
-- is the DRAM's own timing, on which its bandwidth rests.
local NEAR = { set = { ["noc.latency"] = 1, ["l2.latency"] = 1, ["dram.latency"] = 0 } }

-- --- why vt and max gain less than published --------------------------------------------------------------------------

-- Benchmark and what is changed: on every machine of the row, the baseline included.
local causes = {
	{ "VA", "DRAM twice as fast", { ["dram_clock"] = 1848 } },
	{ "RD", "DRAM twice as fast", { ["dram_clock"] = 1848 } },
	{ "GA", "L1D of 64 KB", { ["l1d.sets"] = 128 } },
	{ "CS", "every fetch hits L1I", { ["l1i.perfect"] = true } },
	{ "DW", "65536 registers", { ["sm.regs"] = 65536 } },
	{ "PF", "65536 registers", { ["sm.regs"] = 65536 } },
	{ "SN", "65536 registers", { ["sm.regs"] = 65536 } },
	{ "CP", "65536 registers", { ["sm.regs"] = 65536 } },
	{ "RD", "65536 registers", { ["sm.regs"] = 65536 } },
	{ "DC", "an exited CTA gives its slots up", { ["vt.ending"] = true } },
	{ "GA", "an exited CTA gives its slots up", { ["vt.ending"] = true } },
	{ "VA", "an exited CTA gives its slots up", { ["vt.ending"] = true } },
}

local function cause_runs(x)
	local runs = {}
	for _, b in ipairs(scheduling(x)) do
		for _, c in ipairs(causes) do
			if c[1] == b[1] then
				for _, more in ipairs({ NONE, VT, MAX }) do
					runs[#runs + 1] = run_of(b, x, more)
					runs[#runs + 1] = run_of(b, x, lab.variant({ set = c[3] }, more))
				end
			end
		end
	end
	return runs
end

local function figure8causes(result, x)
	local rows = {}
	for _, b in ipairs(scheduling(x)) do
		for _, c in ipairs(causes) do
			if c[1] == b[1] then
				local row = { b[1], c[2] }
				for _, more in ipairs({ VT, MAX }) do
					for _, change in ipairs({ {}, { set = c[3] } }) do
						local base, r = result(run_of(b, x, lab.variant(change, NONE))), result(run_of(b, x, lab.variant(change, more)))
						local q = lab.over(base and base.cycles, r and r.cycles)
						row[#row + 1] = q and (q - 1) * 100 or false
					end
				end
				rows[#rows + 1] = row
			end
		end
	end
	local columns = { "benchmark", "changed" }
	for _, name in ipairs({ "vt", "vt, changed", "max", "max, changed" }) do
		columns[#columns + 1] = { name = name, unit = "%", digits = 1, compare = "none" }
	end
	return { columns = columns, rows = rows, notes = { "Gains over lrr without virtual threads, each with the change of its row." } }
end

-- Table I's 1400 MHz and 16 lanes, where GPGPU-Sim's file for the chip has 700 MHz and 32; nothing else moves.
local HOT = {
	["core_clock"] = 1400, ["dram.latency"] = 200, ["ii.int_add"] = 2, ["ii.int_mad"] = 2, ["ii.int_max"] = 4, ["ii.int_mul"] = 4,
	["ii.f32_add"] = 2, ["ii.f32_mul"] = 2, ["ii.f32_mad"] = 2, ["ii.f32_max"] = 4, ["ii.sfu"] = 16,
}
-- Of all benchmarks: twice the registers, so that no kernel is of type C; a longer way to DRAM, which more warps would hide.
local EVERYWHERE = {
	{ "65536 registers", { ["sm.regs"] = 65536 } }, { "DRAM 200 cycles farther", { ["dram.latency"] = 300 } },
	{ "both", { ["sm.regs"] = 65536, ["dram.latency"] = 300 } },
	{ "1400 MHz, 16 lanes", HOT },
}

local function everywhere_runs(x)
	local runs = {}
	for _, b in ipairs(scheduling(x)) do
		for _, more in ipairs({ NONE, VT }) do
			runs[#runs + 1] = run_of(b, x, more)
			for _, c in ipairs(EVERYWHERE) do
				runs[#runs + 1] = run_of(b, x, lab.variant({ set = c[2] }, more))
			end
		end
	end
	return runs
end

local function figure8everywhere(result, x)
	local columns, rows = { "benchmark", { name = "as it is", unit = "%", digits = 1, compare = "none" } }, {}
	for i, c in ipairs(EVERYWHERE) do
		columns[i + 2] = { name = c[1], unit = "%", digits = 1, compare = "none" }
	end
	for k, b in ipairs(scheduling(x)) do
		rows[k] = { b[1] }
		for i, c in ipairs({ { "", {} }, table.unpack(EVERYWHERE) }) do
			local base, r = result(run_of(b, x, lab.variant({ set = c[2] }, NONE))), result(run_of(b, x, lab.variant({ set = c[2] }, VT)))
			local q = lab.over(base and base.cycles, r and r.cycles)
			rows[k][i + 1] = q and (q - 1) * 100 or false
		end
	end
	local mean = { "mean" }
	for i = 2, #columns do
		mean[i] = lab.mean(lab.numbers(rows, i)) or false
	end
	rows[#rows + 1] = mean
	return { columns = columns, rows = rows, notes = { "Gain of vt over lrr without it, each on the machine of its column." } }
end

-- --- why mascar gains nothing: what the queue does where the LSU is blocked ------------------------------------------------

-- Several entries a warp, out of order, all caches.
local NEWCAR = virtual("mascar", { set = { ["lsu.replay"] = "newcar" } })

local function figure8mascar(result, x)
	local rows = {}
	for _, b in ipairs(scheduling(x)) do
		local base = result(run_of(b, x, NONE))
		local row = {
			b[1], base and 100 * base.sm.lsu_blocked / base.sm.active_cycles or false, base and 100 * base.l1d.hit_rate or false,
		}
		for _, more in ipairs({ MASCAR, NEWCAR }) do
			local r = result(run_of(b, x, more))
			row[#row + 1] = r and 100 * r.sm.replay_full / r.sm.active_cycles or false
		end
		for _, more in ipairs({ MASCAR, NEWCAR, WHOLE_MASCAR, WHOLE_VT, GTO }) do
			local r = result(run_of(b, x, more))
			local q = lab.over(base and base.cycles, r and r.cycles)
			row[#row + 1] = q and (q - 1) * 100 or false
		end
		rows[#rows + 1] = row
	end
	local columns = { "benchmark" }
	for _, name in ipairs({ "LSU blocked", "L1D hits", "held, car", "held, newcar", "car", "newcar", "with its scheduler", "vt with it", "gto" }) do
		columns[#columns + 1] = { name = name, unit = "%", digits = 1, compare = "none" }
	end
	return {
		columns = columns,
		rows = rows,
		notes = {
			"LSU blocked, L1D hits: the baseline's. held: cycles in which the queue is no way out, as it is full or has an entry",
			"of the same warp. The last five: gains over lrr of the queue (one entry a warp; several), of queue and warp scheduler,",
			"of vt with that scheduler, and of gto without any queue.",
		},
	}
end

-- --- resources and memory: figures 12 and 13 -----------------------------------------------------------------------------

local function used(r, counter, total)
	return r and 100 * r.sm[counter] / (r.sm.active_cycles * r.config[total]) or false
end

local function two_columns(measures, notes)
	return function(result, x)
		local rows, sums, n, columns, mean = {}, {}, 0, { "benchmark" }, { "mean" }
		for _, b in ipairs(scheduling(x)) do
			local none, vt = result(run_of(b, x, NONE)), result(run_of(b, x, VT))
			local row = { b[1] }
			for _, m in ipairs(measures) do
				row[#row + 1] = none and m[2](none) or false
				row[#row + 1] = vt and m[2](vt) or false
			end
			for i = 2, #row do
				sums[i] = (sums[i] or 0) + (row[i] or 0)
			end
			n = n + (none and vt and 1 or 0)
			rows[#rows + 1] = row
		end
		for i, m in ipairs(measures) do
			for k, name in ipairs({ m[1], m[1] .. " vt" }) do
				columns[#columns + 1] = { name = name, unit = "%", digits = 1 }
				mean[#mean + 1] = { n > 0 and sums[2 * i + k - 1] / n or false, published = m[3][k] }
			end
		end
		rows[#rows + 1] = mean
		return { columns = columns, rows = rows, notes = notes }
	end
end

local figure12 = two_columns({
	{ "registers", function(r) return used(r, "reg_cycles", "sm.regs") end, { 50.2, 93.8 } },
	{ "shared", function(r) return used(r, "shared_held", "sm.shared") end, { 15.4, 38.5 } },
}, { "Mean share in use while an SM has CTAs. Shared memory without the room for contexts." })

local figure13 = two_columns({
	{ "MSHRs", function(r) return 100 * r.l1d.mshrs_used / r.config["l1d.mshrs"] end, { 17.5, 27.1 } },
	{ "DRAM", function(r) return 100 * r.dram.bandwidth_share end, { 21.7, 27.4 } },
	{ "L1D misses", function(r) return 100 * (1 - r.l1d.hits / r.l1d.accesses) end, {} },
}, { "Mean shares over the run. Published in prose: L1D's miss rate grows by less than 1.7 points." })

return {
	help = "virtual threads: CTAs beyond the scheduling limit, swapped when they stall",
	source = "M. K. Yoon, K. Kim, S. Lee, W. W. Ro, M. Annavaram: Virtual Thread: Maximizing Thread-Level Parallelism beyond GPU Scheduling Limit, ISCA 2016",
	figures = {
		{ name = "2", title = "shares of an SM's resources that CTAs take; types S and C", runs = static_runs, table = figure2 },
		{ name = "3", title = "threads until capacity is full", runs = static_runs, table = figure3 },
		{ name = "4", title = "cycles of the schedulers", runs = runs_of(NONE, VT), table = figure4 },
		{
			name = "8", title = "gain of mascar, vt and max", runs = runs_of(NONE, MASCAR, WHOLE_MASCAR, VT, ENDING, MAX, WHOLE_MAX, NEAR),
			table = gains({
				{ "mascar", NONE, WHOLE_MASCAR, 9.3 }, { "its queue alone", NONE, MASCAR }, { "vt", NONE, VT, 23.9 },
				{ "vt.ending", NONE, ENDING }, { "max", NONE, WHOLE_MAX, 26.9 }, { "with the queue alone", NONE, MAX },
				{ "no latency", NONE, NEAR },
			}, {
				"Over lrr without virtual threads. mascar and max with Mascar's warp scheduler, and without. vt.ending is ours: vt,",
				"where a CTA whose warps have all exited gives its slots up until its last stores are acknowledged. max stops at: the",
				"most warps or CTAs that an SM can have here, where the paper's MAX has more (–: registers, shared memory or the grid).",
				"no latency, ours: the baseline with the same bandwidths and no way to L2 and DRAM: what hiding that way can give.",
			}, { "max stops at", limit_of_max }),
		},
		{ name = "8causes", title = "what keeps vt and max from the published gains (ours)", runs = cause_runs, table = figure8causes },
		{
			name = "8everywhere", title = "gain of vt with more registers and a longer way to memory (ours)", runs = everywhere_runs,
			table = figure8everywhere,
		},
		{
			name = "8mascar", title = "what mascar's queue does where the LSU is blocked (ours)",
			runs = runs_of(NONE, MASCAR, NEWCAR, WHOLE_MASCAR, WHOLE_VT, GTO), table = figure8mascar,
		},
		{
			name = "9", title = "gain of vt by warp scheduler", runs = runs_of(NONE, VT, GTO, GTO_VT, TLV, TLV_VT),
			table = gains({ { "lrr", NONE, VT, 23.9 }, { "gto", GTO, GTO_VT, 22.2 }, { "tlv", TLV, TLV_VT, 23.9 } }, { "Over the same scheduler without virtual threads." }),
		},
		{
			name = "10", title = "what a swap's time costs", runs = runs_of(VT, FREE, HALF, DOUBLE, SLOW),
			table = gains(
				{ { "none", VT, FREE, 0.4 }, { "256 bits", VT, HALF, 0 }, { "1024 bits", VT, DOUBLE }, { "1024 cycles more", VT, SLOW } },
				{ "Over vt with 512 bits a cycle. The last column is ours: how much slower a swap must be to be felt." }
			),
		},
		{
			name = "11", title = "larger contexts", runs = runs_of(VT, DEEP, DEEPER),
			table = gains({ { "twice", VT, DEEP, -0.2 }, { "four times", VT, DEEPER, -1.1 } }, { "Over vt with 4 entries of the SIMT stack." }),
		},
		{ name = "12", title = "registers and shared memory in use", runs = runs_of(NONE, VT), table = figure12 },
		{ name = "13", title = "MSHRs, DRAM and L1D", runs = runs_of(NONE, VT), table = figure13 },
	},
}
