-- CTA schedulers that leave data where the next kernel finds it: chunk, reset, flip, steal.
--
-- Machines: apu3 for the microbenchmarks, apu15 for the applications, both with coherence denovo; figure 8 with gpu.
-- Applications: those of the paper's table 3 that are among the workloads, with its sizes where ours are the same program;
-- its irregular ones run on two graphs each, ours on two random ones with as many nodes and entries, the first with uneven
-- rows (cond_mat's 16,726 nodes), the second with even ones (olesnik0's 88,263). The table's KB per kernel tell the entries:
-- 47,594 and 402,600, and twice as many in CL, which has each edge from both ends. `sssp` is its Dijkstra; on the
-- second graph all edges are as long, which keeps its rounds to some hundreds. Whole programs are timed.
--
-- Ours, because the paper does not say: the microbenchmarks' CTAs have 32 threads, and Work-Stealing has a location for
-- each of its operations and as many bytes as GPU-large. (With 64 threads eight of its CTAs, of up to 16 KB, share an L1D of
-- 32 KB, and steal takes 83 % of rr's time for 75.) In ST l1d.hash=xor stands for the padding of its arrays.
--
-- The paper's bars are pictures: the means and single values in its text stand beside ours.
local lab = require("lib.lab")

local schedulers = { "rr", "chunk", "reset", "flip", "steal" }

local micro = {
	{ "GPU-small", "ikra_small", params = { ctas = 96, threads = 32 } },
	{ "GPU-medium", "ikra_medium", params = { ctas = 192, threads = 32 }, quick = false },
	{ "GPU-large", "ikra_large", params = { ctas = 552, threads = 32 }, quick = false },
	{ "Work-Stealing", "ikra_steal", params = { ctas = 138, threads = 32, apart = 1 }, quick = false },
}
local regular = {
	{ "HS", "hotspot", params = { n = 256, steps = 1, iterations = 20 }, quick = { n = 256, steps = 1, iterations = 4 } },
	{ "KM", "kmeans", params = { n = 25000, features = 35, threads = 64 } },
	{ "LUD", "lud", params = { n = 768 } },
	{ "NW", "nw", params = { n = 512, tile = 8 } },
	{ "PF", "pathfinder", params = { columns = 100000, rows = 11, steps = 1 } },
	{ "SD1", "srad1", params = { rows = 256, columns = 256, iterations = 10 } },
	{ "SD2", "srad2", params = { width = 512, height = 512, iterations = 10 } },
	{
		"ST", "stencil", params = { nx = 128, ny = 128, nz = 8, iterations = 10 },
		quick = { nx = 128, ny = 128, nz = 8, iterations = 3 }, set = { ["l1d.hash"] = "xor" },
	},
}
local FIRST, SECOND = { n = 16726, degree = 3, even = 0 }, { n = 88263, degree = 5, even = 1 }
local DJ2, DJ2_APART = { n = 88263, degree = 5, even = 1, longest = 1 }, { n = 88263, degree = 5, even = 2, longest = 1 }
local FIRST_TWICE, SECOND_TWICE = { n = 16726, degree = 6, even = 0 }, { n = 88263, degree = 9, even = 1 }
local irregular = {
	{ "DJ1", "sssp", params = FIRST }, { "DJ2", "sssp", params = DJ2 },
	{ "CL1", "color", params = FIRST_TWICE, quick = FIRST_TWICE }, { "CL2", "color", params = SECOND_TWICE },
	{ "MI1", "mis", params = FIRST }, { "MI2", "mis", params = SECOND },
	{ "PR1", "pagerank", params = FIRST }, { "PR2", "pagerank", params = SECOND },
}

local function chosen(list, x)
	local t = {}
	for _, b in ipairs(list) do
		if b.quick ~= false and (b.quick or list == micro) or not x.quick then
			t[#t + 1] = b
		end
	end
	return t
end

local GPU = { coherence = "gpu" }
local function run_of(list, b, sched, x, more)
	local run = {
		workload = b[2], gpu = list == micro and "apu3" or "apu15", warp_sched = "gto", cta_sched = sched,
		params = x.quick and b.quick or b.params or nil, size = list == micro and "default" or nil, set = b.set,
	}
	return lab.variant(run, more or {})
end

local function runs_of(list, more)
	return function(x)
		local runs = {}
		for _, b in ipairs(chosen(list, x)) do
			for _, s in ipairs(schedulers) do
				runs[#runs + 1] = run_of(list, b, s, x, more)
			end
		end
		return runs
	end
end

local function crossings(r)
	local n, sum = r.noc, 0
	for _, class in ipairs({ "read", "write", "writeback", "control", "data" }) do
		sum = sum + n[class .. "_crossings"]
	end
	return sum
end

local measures = {
	time = function(r) return r.cycles end,
	energy = function(r) return r.energy.dynamic end,
	traffic = crossings,
}

-- In % of what rr takes; published: { benchmark = { scheduler = value } } in the same unit, `mean` for the list's mean.
local function beside_rr(list, measure, published, notes, more)
	return function(result, x)
		local rows, all = {}, { {}, {}, {}, {} }
		for _, b in ipairs(chosen(list, x)) do
			local base = result(run_of(list, b, "rr", x, more))
			local row = { b[1] }
			for k = 2, #schedulers do
				local r = result(run_of(list, b, schedulers[k], x, more))
				local q = lab.over(r and measures[measure](r), base and measures[measure](base))
				local p = published[b[1]] and published[b[1]][schedulers[k]]
				row[k] = q and { 100 * q, published = p } or false
				if q then
					table.insert(all[k - 1], q)
				end
			end
			rows[#rows + 1] = row
		end
		local mean = { "mean" }
		for k = 2, #schedulers do
			local m = lab.mean(all[k - 1])
			mean[k] = { m and 100 * m or false, published = published.mean and published.mean[schedulers[k]] }
		end
		rows[#rows + 1] = mean
		local columns, bars = { "benchmark" }, {}
		for k = 2, #schedulers do
			columns[k] = { name = schedulers[k], unit = "%", digits = 1 }
			bars[k - 1] = schedulers[k]
		end
		return { columns = columns, rows = rows, notes = notes, plot = { kind = "bars", columns = bars } }
	end
end

-- Where accesses were served: in L1D (joined fetches included), a remote one (a part of it is enough), L2, memory.
local function places(r)
	local d, l2 = r.l1d, r.l2
	local l1, remote, memory = d.hits + d.merges, d.remote_requests, l2.misses - l2.write_misses
	return { 100 * l1 / d.accesses, 100 * remote / d.accesses, 100 * memory / d.accesses }
end

local function breakdown(list, published, notes, more)
	return function(result, x)
		local rows = {}
		for _, b in ipairs(chosen(list, x)) do
			for _, s in ipairs(schedulers) do
				local r = result(run_of(list, b, s, x, more))
				local p = r and places(r)
				local name = b[1] .. " " .. s
				rows[#rows + 1] = {
					name, p and { p[1], published = published[name] } or false, p and p[2] or false,
					p and math.max(0, 100 - p[1] - p[2] - p[3]) or false, p and p[3] or false,
				}
			end
		end
		local columns = { "benchmark" }
		for i, name in ipairs({ "L1D", "remote L1D", "L2", "memory" }) do
			columns[i + 1] = { name = name, unit = "%", digits = 1, compare = i > 1 and "none" or nil }
		end
		return { columns = columns, rows = rows, notes = notes }
	end
end

-- L1D of 16 to 512 KB and an L2 of 32 times as much; 128 KB is apu15's.
local sizes = { 16, 32, 64, 128, 256, 512 }
local scaled = {}
for _, b in ipairs(regular) do
	if b[1] == "LUD" or b[1] == "SD1" or b[1] == "SD2" then
		scaled[#scaled + 1] = b
	end
end
scaled[#scaled + 1] = irregular[2]

local function of_size(kb)
	return kb ~= 128 and { set = { ["l1d.sets"] = 2 * kb, ["l2.sets"] = 2 * kb } } or nil
end

local function scaled_runs(x)
	local runs = {}
	for _, b in ipairs(x.quick and {} or scaled) do
		for _, kb in ipairs(sizes) do
			for _, s in ipairs(schedulers) do
				runs[#runs + 1] = run_of(scaled, b, s, x, of_size(kb))
			end
		end
	end
	return runs
end

local function scaled_table(result, x)
	local rows = {}
	for _, b in ipairs(x.quick and {} or scaled) do
		local base = result(run_of(scaled, b, "rr", x))
		for _, kb in ipairs(sizes) do
			local row = { b[1] .. " " .. kb .. " KB" }
			local rr = result(run_of(scaled, b, "rr", x, of_size(kb)))
			for k, s in ipairs(schedulers) do
				local r = result(run_of(scaled, b, s, x, of_size(kb)))
				local q = lab.over(r and r.cycles, base and base.cycles)
				row[k + 1] = q and 100 * q or false
				if s == "flip" then
					local q = lab.over(r and r.cycles, rr and rr.cycles)
					row[#schedulers + 2] = q and { 100 * q, published = b[1] == "SD1" and kb == 16 and 89 or nil } or false
				end
			end
			rows[#rows + 1] = row
		end
	end
	local columns = { "benchmark, L1D" }
	for k, s in ipairs(schedulers) do
		columns[k + 1] = { name = s, unit = "%", digits = 1, compare = "none" }
	end
	columns[#schedulers + 2] = { name = "flip of rr", unit = "%", digits = 1 }
	return {
		columns = columns, rows = rows, plot = { kind = "bars", columns = schedulers },
		notes = { "In % of what the benchmark takes with rr and 128 KB; the last columns: flip in % of rr with the same L1D. Published is the text's 11 % of SD1 with 16 KB." },
	}
end

-- DJ2 with its graph's nodes numbered apart, which has the same work in each of its rounds: that of a round is then
-- spread over all CTAs, and over all chunks.
local numbered = { { "DJ2", "sssp", params = DJ2 }, { "DJ2 apart", "sssp", params = DJ2_APART } }

local function balance_runs(x)
	local runs = runs_of(numbered)(x)
	for _, r in ipairs(runs_of(numbered, GPU)(x)) do
		runs[#runs + 1] = r
	end
	return runs
end

local function balance_table(result, x)
	local rows = {}
	for _, more in ipairs({ {}, GPU }) do
		for _, b in ipairs(x.quick and {} or numbered) do
			local base = result(run_of(numbered, b, "rr", x, more))
			local row = { b[1] .. ", " .. (more == GPU and "gpu" or "denovo") }
			for k = 2, #schedulers do
				local r = result(run_of(numbered, b, schedulers[k], x, more))
				local q = lab.over(r and r.cycles, base and base.cycles)
				row[k] = q and 100 * q or false
			end
			row[#schedulers + 1] = base and base.cycles or false
			rows[#rows + 1] = row
		end
	end
	local columns = { "graph, coherence" }
	for k = 2, #schedulers do
		columns[k] = { name = schedulers[k], unit = "%", digits = 1, compare = "none" }
	end
	columns[#schedulers + 1] = { name = "cycles with rr", digits = 0, compare = "none" }
	return { columns = columns, rows = rows, notes = { "In % of rr's. Ours; there is nothing published." } }
end

-- Table 1: who wrote what kernels read.
local function dependencies_of(b, x)
	return { workload = b[2], analyze = "dependencies", params = x.quick and b.quick or b.params }
end

local function dependence_runs(x)
	local runs = {}
	for _, b in ipairs(chosen(regular, x)) do
		runs[#runs + 1] = dependencies_of(b, x)
	end
	return runs
end

local function dependence_table(result, x)
	local published = {
		HS = { 95, 5, 0 }, KM = { 0, 0, 100 }, NW = { 53, 0, 47 }, PF = { 100, 0, 0 }, SD1 = { 56, 6, 38 }, SD2 = { 91, 1, 8 },
		ST = { 92, 8, 0 },
	}
	local rows = {}
	for _, b in ipairs(chosen(regular, x)) do
		local r, p = result(dependencies_of(b, x)), published[b[1]] or {}
		local all = r and r.all.self_share and r.all
		local row = { b[1] }
		for i, share in ipairs({ "self_share", "ghost_share", "other_share" }) do
			row[i + 1] = all and { 100 * all[share], published = p[i] } or false
		end
		row[5] = all and 100 * all.other_same_cta / all.words or false
		rows[#rows + 1] = row
	end
	return {
		columns = {
			"application", { name = "self", unit = "%", digits = 1, compare = "difference" },
			{ name = "ghost zone", unit = "%", digits = 1, compare = "difference" },
			{ name = "other", unit = "%", digits = 1, compare = "difference" },
			{ name = "of it own, older", unit = "%", digits = 1, compare = "none" },
		},
		rows = rows,
		notes = {
			"Words of 4 B that a thread reads, each once a launch, of those that kernels before or the host since the first have written.",
			"Published shares were computed from the programs' text; LUD has none. In SD1 87 % are its own if older launches count.",
		},
	}
end

-- Table 3: sizes of CTAs and grids.
local function size_table(result, x)
	local published = {
		HS = { 256, 361, 361 }, KM = { 64, 391, 391 }, LUD = { 16, 1, 2209 }, NW = { 8, 1, 63 }, PF = { 256, 394, 394 },
		SD1 = { 512, 128, 128 }, SD2 = { 256, 1024, 1024 }, ST = { 128, 64, 64 }, DJ1 = { 256, 66, 66 }, CL1 = { 256, 66, 66 },
		MI1 = { 256, 66, 66 }, PR1 = { 256, 66, 66 },
	}
	local rows = {}
	for _, list in ipairs({ regular, irregular }) do
		for _, b in ipairs(chosen(list, x)) do
			local r, p = result(run_of(list, b, "rr", x)), published[b[1]] or {}
			local threads, least, most
			for _, k in ipairs(r and r.kernels or {}) do
				local size = k.block[1] * k.block[2] * k.block[3]
				threads = math.min(threads or size, size)
				least, most = math.min(least or k.ctas, k.ctas), math.max(most or k.ctas, k.ctas)
			end
			rows[#rows + 1] = {
				b[1], threads and { threads, published = p[1] } or false, least and { least, published = p[2] } or false,
				most and { most, published = p[3] } or false, r and #r.kernels or false,
			}
		end
	end
	return {
		columns = {
			"application", { name = "threads a CTA", digits = 0, compare = "none" }, { name = "CTAs from", digits = 0, compare = "none" },
			{ name = "to", digits = 0, compare = "none" }, { name = "launches", digits = 0, compare = "none" },
		},
		rows = rows,
		notes = { "The smallest CTA of a program's kernels, and its launches' least and most CTAs." },
	}
end

local function size_runs(x)
	local runs = {}
	for _, list in ipairs({ regular, irregular }) do
		for _, b in ipairs(chosen(list, x)) do
			runs[#runs + 1] = run_of(list, b, "rr", x)
		end
	end
	return runs
end

local of_rr = "In % of rr's. Published values are those of the text."
local small = { ["GPU-small"] = { reset = 32, flip = 32, steal = 32 }, ["Work-Stealing"] = { steal = 74 } }
local shares = {
	"Of L1D's accesses; the rest after L1D, remote L1Ds and reads that missed L2 is L2. A store to words that are not owned yet counts as served by L2.",
}

return {
	help = "reuse between kernels: CTA schedulers that bring a CTA to the SM that has its data",
	source = "M. Huzaifa, J. Alsop, A. Mahmoud, G. Salvador, M. D. Sinclair, S. V. Adve: Inter-kernel Reuse-aware Thread Block Scheduling, ACM TACO 17(3), 2020",
	figures = {
		{ name = "table1", title = "dependencies between kernels", runs = dependence_runs, table = dependence_table },
		{ name = "table3", title = "applications", runs = size_runs, table = size_table },
		{ name = "4a", title = "microbenchmarks: time", runs = runs_of(micro), table = beside_rr(micro, "time", small, { of_rr }) },
		{
			name = "4b", title = "microbenchmarks: dynamic energy", runs = runs_of(micro),
			table = beside_rr(micro, "energy", { ["GPU-small"] = { reset = 39 } }, { of_rr }),
		},
		{ name = "4c", title = "microbenchmarks: flits over links", runs = runs_of(micro), table = beside_rr(micro, "traffic", {}, { of_rr }) },
		{
			name = "4d", title = "microbenchmarks: where accesses are served", runs = runs_of(micro),
			table = breakdown(micro, { ["GPU-small reset"] = 100, ["GPU-large flip"] = 17 }, shares),
		},
		{
			name = "5a", title = "regular applications: time", runs = runs_of(regular),
			table = beside_rr(regular, "time", { mean = { steal = 81 } }, { of_rr }),
		},
		{
			name = "5b", title = "regular applications: dynamic energy", runs = runs_of(regular),
			table = beside_rr(regular, "energy", { mean = { reset = 90, flip = 88, steal = 89 } }, { of_rr }),
		},
		{
			name = "5c", title = "regular applications: flits over links", runs = runs_of(regular),
			table = beside_rr(regular, "traffic", { mean = { steal = 58 } }, { of_rr }),
		},
		{
			name = "5d", title = "regular applications: where accesses are served", runs = runs_of(regular),
			table = breakdown(regular, { ["HS flip"] = 91, ["NW flip"] = 30, ["ST flip"] = 56 }, shares),
		},
		{
			name = "6a", title = "irregular applications: time", runs = runs_of(irregular),
			table = beside_rr(irregular, "time", { mean = { steal = 90 } }, { of_rr }),
		},
		{
			name = "6b", title = "irregular applications: dynamic energy", runs = runs_of(irregular),
			table = beside_rr(irregular, "energy", { mean = { steal = 92 } }, { of_rr }),
		},
		{
			name = "6c", title = "irregular applications: flits over links", runs = runs_of(irregular),
			table = beside_rr(irregular, "traffic", { mean = { steal = 84 } }, { of_rr }),
		},
		{
			name = "6d", title = "irregular applications: where accesses are served", runs = runs_of(irregular),
			table = breakdown(irregular, {}, shares),
		},
		{ name = "7", title = "L1D from 16 to 512 KB: time", runs = scaled_runs, table = scaled_table },
		{
			name = "8", title = "regular applications with coherence gpu: time", runs = runs_of(regular, GPU),
			table = beside_rr(regular, "time", { mean = { steal = 87 } }, { of_rr }, GPU),
		},
		{
			name = "8i", title = "irregular applications with coherence gpu: time", runs = runs_of(irregular, GPU),
			table = beside_rr(irregular, "time", { mean = { steal = 100 } }, { of_rr }, GPU),
		},
		{
			name = "balance", title = "DJ2, and the same graph numbered apart (ours)", runs = balance_runs,
			table = balance_table,
		},
	},
}
