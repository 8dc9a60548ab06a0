-- CTA schedulers that leave data where the next kernel finds it: chunk, reset, flip, steal.
--
-- Machines: apu3 for the microbenchmarks, apu15 for the applications, both with coherence denovo; figure 8 with gpu.
-- Applications: those of the paper's table 3 that are among the workloads, with its sizes where ours are the same program;
-- its irregular ones run on two graphs each, ours on a random one (`sssp` is its Dijkstra). Whole programs are timed.
--
-- The paper's bars are pictures: the means and single values in its text stand beside ours.
local lab = require("lib.lab")

local schedulers = { "rr", "chunk", "reset", "flip", "steal" }

local micro = {
	{ "GPU-small", "ikra_small" }, { "GPU-medium", "ikra_medium", quick = false },
	{ "GPU-large", "ikra_large", quick = false }, { "Work-Stealing", "ikra_steal", quick = false },
}
local regular = {
	{ "HS", "hotspot", params = { n = 256, steps = 1, iterations = 20 }, quick = { n = 256, steps = 1, iterations = 4 } },
	{ "KM", "kmeans", params = { n = 25000, features = 35 } },
	{ "LUD", "lud", params = { n = 768 } },
	{ "NW", "nw", params = { n = 512 } },
	{ "PF", "pathfinder", params = { columns = 100000, rows = 101, steps = 10 } },
	{ "SD1", "srad1", params = { rows = 256, columns = 256, iterations = 10 } },
	{ "SD2", "srad2", params = { width = 512, height = 512, iterations = 10 } },
	{ "ST", "stencil", params = { nx = 128, ny = 128, nz = 8, iterations = 10 }, quick = { nx = 128, ny = 128, nz = 8, iterations = 3 } },
}
local irregular = {
	{ "DJ", "sssp" }, { "CL", "color", quick = {} }, { "MI", "mis" }, { "PR", "pagerank" },
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

local function run_of(list, b, sched, x, more)
	local run = {
		workload = b[2], gpu = list == micro and "apu3" or "apu15", warp_sched = "gto", cta_sched = sched,
		params = x.quick and b.quick or b.params or nil,
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

-- Where accesses were served: in L1D (joined fetches included), a remote one, L2, memory.
local function places(r)
	local d, l2 = r.l1d, r.l2
	local l1, remote, memory = d.hits + d.merges, d.remote_reads, l2.misses - l2.write_misses
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

local GPU = { coherence = "gpu" }
local of_rr = "In % of rr's. Published values are those of the text."
local small = { ["GPU-small"] = { reset = 32 }, ["Work-Stealing"] = { steal = 74 } }
local shares = {
	"Of L1D's accesses; the rest after L1D, remote L1Ds and reads that missed L2 is L2. A store to words that are not owned yet counts as served by L2.",
}

return {
	help = "reuse between kernels: CTA schedulers that bring a CTA to the SM that has its data",
	source = "M. Huzaifa, J. Alsop, A. Mahmoud, G. Salvador, M. D. Sinclair, S. V. Adve: Inter-kernel Reuse-aware Thread Block Scheduling, ACM TACO 17(3), 2020",
	figures = {
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
			name = "8", title = "regular applications with coherence gpu: time", runs = runs_of(regular, GPU),
			table = beside_rr(regular, "time", { mean = { steal = 87 } }, { of_rr }, GPU),
		},
		{
			name = "8i", title = "irregular applications with coherence gpu: time", runs = runs_of(irregular, GPU),
			table = beside_rr(irregular, "time", { mean = { steal = 100 } }, { of_rr }, GPU),
		},
	},
}
