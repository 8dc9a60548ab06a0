-- GPU Maestro: how two kernels share SMs, found by trying. Chapter V of the thesis.
--
-- Machine: gtx980.lua, table 5.2; preemption by Chimera. The thesis takes all pairs of 22 benchmarks for a billion
-- instructions each, or to their end, and lets the one that ends first begin again. Here metrics are taken while both
-- run, until one ends, by how long what each has got done takes alone. Benchmarks: the 22 of table 5.3, with grids that fill
-- the machine several times; those of LC, LMD, LUD, MUM and NW are smaller, as the programs' own are. BS has the registers of table 4.2.
local lab = require("lib.lab")
local together = require("lib.together")

local GPU, MHZ = "gtx980", 1126
local LOOK = 5 -- us between two looks at the work done

-- Label and type in table 5.3; workload; parameters with --quick, and without.
local benchmarks = {
	{ "BP", "COM", "backprop", quick = { inputs = 131072 }, params = { inputs = 393216 } },
	{ "CP", "COM", "cp", quick = { points = 512, atoms = 400 }, params = { points = 768, atoms = 600 } },
	{ "HS", "COM", "hotspot", quick = { n = 768, iterations = 6 }, params = { n = 1536, iterations = 6 } },
	{ "MRIQ", "COM", "mriq", quick = { voxels = 65536, samples = 800 }, params = { voxels = 131072, samples = 1000 } },
	{ "HW", "COM", "heartwall", params = { frames = 6 } },
	{ "LC", "COM", "leukocyte" },
	{ "SAD", "COM", "sad" },
	{ "TPACF", "COM", "tpacf", quick = { n = 64, sets = 300 }, params = { n = 64, sets = 1000 } },
	{ "BFS", "MEM", "bfs", params = { n = 160000 } },
	{ "BS", "MEM", "blackscholes", quick = { n = 1200000, ctas = 1200, iterations = 2, regs = 49 },
		params = { n = 3600000, ctas = 3600, iterations = 2, regs = 49 } },
	{ "BT", "MEM", "btree", quick = { queries = 6000, ranges = 3000 }, params = { queries = 18000, ranges = 9000 } },
	{ "FDTD", "MEM", "fdtd3d", params = { nx = 256, ny = 256, nz = 24, steps = 2 } },
	{ "FWT", "MEM", "fwt", params = { log_n = 20 } },
	{ "KM", "MEM", "kmeans", params = { n = 90000, iterations = 1 } },
	{ "LBM", "MEM", "lbm", quick = { ny = 40, nz = 40, steps = 2 }, params = { ny = 60, nz = 60, steps = 3 } },
	{ "LMD", "MEM", "lavamd", params = { x = 4, y = 2, z = 2 } },
	{ "LUD", "MEM", "lud" },
	{ "MUM", "MEM", "mummer", params = { queries = 18000 } },
	{ "NW", "MEM", "nw" },
	{ "SC", "MEM", "streamcluster", quick = { points = 65536, dimensions = 64, candidates = 6 },
		params = { points = 65536, dimensions = 128, candidates = 10 } },
	{ "SRAD", "MEM", "srad2", quick = { height = 512, width = 512, iterations = 4 },
		params = { height = 512, width = 512, iterations = 12 } },
	{ "ST", "MEM", "stencil", quick = { nx = 256, ny = 256, nz = 32, iterations = 3 },
		params = { nx = 512, ny = 256, nz = 32, iterations = 5 } },
}
local by_label = {}
for _, b in ipairs(benchmarks) do
	by_label[b[1]] = b
end

-- Three of each category.
local FEW = {
	{ "CP", "TPACF" }, { "HS", "MRIQ" }, { "BP", "TPACF" },
	{ "HS", "SC" }, { "ST", "TPACF" }, { "LBM", "TPACF" },
	{ "LBM", "ST" }, { "BS", "BT" }, { "ST", "BT" },
}

local function pairs_of(x)
	if x.quick or x.few then
		return FEW
	end
	local t = {}
	for i = 1, #benchmarks do
		for k = i + 1, #benchmarks do
			t[#t + 1] = { benchmarks[i][1], benchmarks[k][1] }
		end
	end
	return t
end

local CATEGORIES = { "COM/COM", "COM/MEM", "MEM/MEM" }

local function category(p)
	local a, b = by_label[p[1]][2], by_label[p[2]][2]
	return a < b and a .. "/" .. b or b .. "/" .. a -- COM before MEM
end

local function name_of(p)
	return p[1] .. "/" .. p[2]
end

-- --- runs ------------------------------------------------------------------------------------------------------------

-- A twentieth of a run, or less: the thesis has 50,000 cycles.
local function epoch(x)
	return x.quick and 10000 or 50000
end

-- GPU Maestro: its partitions, 2-way allocation and turns between kernels (kernel-sched=lrr comes with the partition).
local function maestro(set)
	return { "maestro", "chimera", lab.variant({ ["sm.allocation"] = "two-way" }, set or {}) }
end

-- Partition, preemption, settings by name.
local HOW = {
	spatial = { "spatial", "chimera" },
	smk = { "smk", "chimera" },
	["smk-pw"] = { "smk-pw", "chimera" },
	["warped-slicer"] = { "warped-slicer", "chimera" },
	maestro = maestro(),
	none = maestro({ ["kernel-sched"] = "none" }),
	ipr = maestro({ ["kernel-sched"] = "ipr" }),
	fair = maestro({ ["kernel-sched"] = "fair" }),
	ideal = maestro({ ["preempt.bandwidth"] = 1e9, ["preempt.halt"] = "cta" }), -- contexts move in no time
}
HOW.ideal[2] = "switch"

local function bench(label, x)
	local b = by_label[label]
	return { workload = b[3], gpu = GPU, size = "default", params = x.quick and b.quick or b.params }
end

local function alone(label, x)
	return lab.variant(bench(label, x), { beside = { together.watch(LOOK) } })
end

local function shared(p, x, how, set)
	local other = bench(p[2], x)
	local maestro = HOW[how][1] == "maestro"
	set = lab.variant(lab.variant(HOW[how][3] or {}, { ["maestro.epoch"] = maestro and epoch(x) or nil }), set or {})
	if how == "warped-slicer" and x.quick then
		set["slicer.warmup"], set["slicer.profile"] = 5000, 5000
	end
	return lab.variant(bench(p[1], x), {
		partition = HOW[how][1],
		preempt = HOW[how][2],
		set = set,
		beside = {
			{ workload = other.workload, size = other.size, params = other.params },
			together.watch(LOOK, { partitions = maestro and 1 or nil }),
		},
	})
end

local function alone_results(result, p, x)
	local a, b = result(alone(p[1], x)), result(alone(p[2], x))
	return a and b and { a, b }
end

local function metrics(result, p, x, how, set)
	local r, by_itself = result(shared(p, x, how, set)), alone_results(result, p, x)
	return r and by_itself and together.metrics_of(together.slower(r, by_itself, MHZ, LOOK)), r
end

local function runs_of(names)
	return function(x)
		local runs = {}
		for _, p in ipairs(pairs_of(x)) do
			runs[#runs + 1] = alone(p[1], x)
			runs[#runs + 1] = alone(p[2], x)
			for _, how in ipairs(names) do
				runs[#runs + 1] = shared(p, x, how)
			end
		end
		return runs
	end
end

-- --- figures 5.1 to 5.3 and 5.6: what there is to gain -----------------------------------------------------------------

local PARTS = { 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875 }
local EXAMPLES = { { "CP", "TPACF" }, { "HS", "SC" }, { "HS", "BS" }, { "LBM", "ST" } } -- thesis: LC/BP, HS/SC, LMD/ST

local function part(p, x, first)
	return shared(p, x, "smk", first ~= 0.5 and { ["smk.first"] = first } or nil)
end

local function part_runs(examples, parts)
	return function(x)
		local runs = {}
		for _, p in ipairs(examples) do
			runs[#runs + 1] = alone(p[1], x)
			runs[#runs + 1] = alone(p[2], x)
			runs[#runs + 1] = shared(p, x, "spatial")
			for _, first in ipairs(parts) do
				runs[#runs + 1] = part(p, x, first)
			end
		end
		return runs
	end
end

local function figure51(result, x)
	local rows, columns, names = {}, { { name = "resources of the first", unit = "%", digits = 1 } }, {}
	for i, p in ipairs(EXAMPLES) do
		columns[i + 1] = { name = name_of(p), unit = "of spatial", digits = 2 }
		names[i] = name_of(p)
	end
	for k, first in ipairs(PARTS) do
		rows[k] = { 100 * first }
		for i, p in ipairs(EXAMPLES) do
			local by_itself, spatial = alone_results(result, p, x), metrics(result, p, x, "spatial")
			local r = result(part(p, x, first))
			local m = r and by_itself and together.metrics_of(together.slower(r, by_itself, MHZ, LOOK))
			rows[k][i + 1] = m and spatial and m.stp / spatial.stp or false
		end
	end
	return {
		columns = columns,
		rows = rows,
		notes = {
			"COM/COM, COM/MEM (two) and MEM/MEM. STP of smk with so much of each SM for the first, over spatial's. Published as curves",
			"of LC/BP, HS/SC and LMD/ST: flat and above 1; above 1 and far best uneven; below 1 everywhere.",
		},
		plot = { kind = "lines", columns = names },
	}
end

local TRACED = { "SRAD", "BFS" }

-- Instructions a cycle in windows of so many looks.
local function trace(work, looks)
	local t = {}
	for i = 1, #work // looks do
		t[i] = (work[i * looks] - (i > 1 and work[(i - 1) * looks] or 0)) / (looks * LOOK * MHZ)
	end
	return t
end

local WINDOWS = 40 -- of a trace, at most
local function looks_of(n)
	return math.max(1, math.ceil(n / WINDOWS))
end

local function figure52(result, x)
	local r, by_itself, rows = result(part(TRACED, x, 0.5)), alone_results(result, TRACED, x), {}
	if r and by_itself then
		local looks = looks_of(#r.figures.work_0)
		local t = {
			trace(r.figures.work_0, looks), trace(r.figures.work_1, looks), trace(by_itself[1].figures.work_0, looks),
			trace(by_itself[2].figures.work_0, looks),
		}
		for i = 1, #t[1] do
			rows[i] = { i * looks * LOOK, t[1][i], t[2][i], t[3][i] or false, t[4][i] or false }
		end
	end
	return {
		columns = {
			{ name = "us", digits = 0 }, { name = "SRAD", digits = 2 }, { name = "BFS", digits = 2 },
			{ name = "SRAD alone", digits = 2 }, { name = "BFS alone", digits = 2 },
		},
		rows = rows,
		notes = { "Instructions a cycle of the machine: on the same SMs in even parts (smk), and alone. Published as a picture." },
		plot = { kind = "lines", columns = { "SRAD", "BFS", "SRAD alone", "BFS alone" } },
	}
end

-- STP in steps of work done, which is counted in the us that it takes alone.
local function stp_by_work(r, by_itself, step)
	local first, second = together.alone_time(by_itself[1].figures.work_0, LOOK), together.alone_time(by_itself[2].figures.work_0, LOOK)
	local looks = math.min(r.programs[1]["end"], r.programs[2]["end"]) / MHZ // LOOK
	local t, done, began = {}, 0, 0
	for i = 1, math.floor(looks) do
		local before = done
		done = first(r.figures.work_0[i]) + second(r.figures.work_1[i])
		while done >= (#t + 1) * step do
			local at = LOOK * (i - 1 + ((#t + 1) * step - before) / (done - before))
			t[#t + 1] = step / (at - began)
			began = at
		end
	end
	return t
end

local function figure53(result, x)
	local by_itself, of, least, rows = alone_results(result, TRACED, x), {}, math.huge, {}
	local step = x.quick and 60 or 150
	for i, first in ipairs(PARTS) do
		local r = result(part(TRACED, x, first))
		of[i] = r and by_itself and stp_by_work(r, by_itself, step) or {}
		least = math.min(least, #of[i])
	end
	for k = 1, least do
		local best, which = 0, nil
		for i in ipairs(PARTS) do
			if of[i][k] > best then
				best, which = of[i][k], PARTS[i]
			end
		end
		rows[k] = { k * step, 100 * (of[4][k] - 1), 100 * (best - 1), 100 * which }
	end
	return {
		columns = {
			{ name = "work", unit = "us", digits = 0 }, { name = "even", unit = "%", digits = 1 }, { name = "oracle", unit = "%", digits = 1 },
			{ name = "SRAD's part", unit = "%", digits = 1 },
		},
		rows = rows,
		notes = {
			"STP over no sharing, by the work that SRAD and BFS have got done in all, in us of each alone: in even parts, and with",
			"the best of seven parts in each step. Published as a picture.",
		},
		plot = { kind = "lines", columns = { "even", "oracle" } },
	}
end

-- LUD begins again and again in the thesis; ours goes on to its end, with ever smaller kernels.
local FRAGMENTED = { "FDTD", "LUD" }
by_label.FDTD = { "FDTD", "MEM", "fdtd3d", quick = { nx = 256, ny = 256, nz = 24, steps = 2 },
	params = { nx = 256, ny = 256, nz = 24, steps = 8 } }
by_label.LUD = { "LUD", "MEM", "lud", quick = { n = 512 }, params = { n = 1024 } }

local function allocated(x, how)
	local other = bench("LUD", x)
	return lab.variant(bench("FDTD", x), {
		partition = "smk", preempt = "chimera", set = { ["sm.allocation"] = how },
		beside = {
			{ workload = other.workload, size = other.size, params = other.params }, together.watch(LOOK, { partitions = 1 }),
		},
	})
end

local function figure55(result, x)
	local first, both, rows = result(allocated(x, "first-fit")), result(allocated(x, "two-way")), {}
	if first and both then
		local a, b = first.figures.fragmented, both.figures.fragmented
		local looks = looks_of(math.max(#a, #b))
		local function mean(t, i)
			local sum = 0
			for k = (i - 1) * looks + 1, i * looks do
				sum = sum + (t[k] or 0)
			end
			return sum / looks
		end
		for i = 1, math.max(#a, #b) // looks do
			rows[i] = { i * looks * LOOK, i * looks <= #a and mean(a, i), i * looks <= #b and mean(b, i) }
		end
		rows[#rows + 1] = { "mean", lab.mean(a), lab.mean(b) }
	end
	return {
		columns = { { name = "us", digits = 0 }, { name = "first fit", unit = "%", digits = 2 }, { name = "2-way", unit = "%", digits = 2 } },
		rows = rows,
		notes = {
			"Registers of the SMs that CTAs to come could have if what is free were in one piece, FDTD and LUD in even parts.",
			"Published as a picture of first fit: it comes and goes with the kernels of LUD.",
		},
		plot = { kind = "lines", columns = { "first fit", "2-way" } },
	}
end

local STARVED = { "CP", "BS" } -- thesis: LC/BS

local function lrr(x)
	return shared(STARVED, x, "smk", { ["kernel-sched"] = "lrr" })
end

local function figure56(result, x)
	local none, turns, by_itself, rows = result(part(STARVED, x, 0.5)), result(lrr(x)), alone_results(result, STARVED, x), {}
	if none and turns and by_itself then
		local a, b = none.figures, turns.figures
		local looks = looks_of(math.min(#a.work_0, #b.work_0))
		local t = { trace(a.work_0, looks), trace(a.work_1, looks), trace(b.work_0, looks), trace(b.work_1, looks) }
		for i = 1, math.min(#t[1], #t[3]) do
			rows[i] = { i * looks * LOOK, t[1][i], t[2][i], t[3][i], t[4][i] }
		end
	end
	return {
		columns = {
			{ name = "us", digits = 0 }, { name = "CP", digits = 1 }, { name = "BS", digits = 1 }, { name = "CP, lrr", digits = 1 },
			{ name = "BS, lrr", digits = 1 },
		},
		rows = rows,
		notes = {
			"Instructions a cycle of the machine in even parts under gto, CP first: without and with turns between kernels.",
			"Published as a picture of LC/BS: BS starves at first, the less the longer it lasts.",
		},
		plot = { kind = "lines", columns = { "CP", "BS", "CP, lrr", "BS, lrr" } },
	}
end

-- --- figures 5.10 to 5.15 ----------------------------------------------------------------------------------------------

-- Rows: categories and all pairs, geometric means; columns: ANTT increase and STP improvement of each.
local function by_category(names, published, labels)
	return function(result, x)
		local rows, columns, drawn = {}, { "pairs" }, {}
		for i, how in ipairs(names) do
			local label = labels and labels[i] or how
			columns[i + 1] = { name = "ANTT " .. label, unit = "%", digits = 1, compare = "difference" }
			columns[#names + i + 1] = { name = "STP " .. label, unit = "%", digits = 1, compare = "difference" }
			drawn[i], drawn[#names + i] = "ANTT " .. label, "STP " .. label
		end
		for k, c in ipairs({ CATEGORIES[1], CATEGORIES[2], CATEGORIES[3], "all" }) do
			local row = { c }
			for i, how in ipairs(names) do
				local antt, stp = {}, {}
				for _, p in ipairs(pairs_of(x)) do
					local m = (c == "all" or category(p) == c) and metrics(result, p, x, how)
					if m then
						antt[#antt + 1], stp[#stp + 1] = m.antt, m.stp
					end
				end
				local a, s = lab.geomean(antt), lab.geomean(stp)
				local all = c == "all"
				row[i + 1] = a and { 100 * (a - 1), published = all and published[how][1] or nil } or false
				row[#names + i + 1] = s and { 100 * (s - 1), published = all and published[how][2] or nil } or false
			end
			rows[k] = row
		end
		return {
			columns = columns,
			rows = rows,
			notes = { "Over no sharing; ANTT: lower is better. Published for all pairs; by category as bars." },
			plot = { kind = "bars", columns = drawn },
		}
	end
end

local PUBLISHED = {
	spatial = { 72.2, 20.7 }, smk = { 99.1, 27.3 }, maestro = { 57.6, 45.0 }, ["smk-pw"] = { 90.3, 26.2 },
	["warped-slicer"] = { 78.4, 30.3 }, none = { 73.4, 39.0 }, ipr = { 59.6, 44.4 }, fair = { 58.9, 40.8 },
}

-- The pairs of --quick in full size (but with --quick): its epochs are hardly longer than a preemption.
local function few(of)
	return function(a, b)
		local x = b or a -- runs(x), table(result, x)
		x = { few = true, quick = x.quick, size = x.size }
		if b then
			return of(a, x)
		end
		return of(x)
	end
end

-- Decisions at the ends of epochs, and the STP that preemption costs.
local function figure512(result, x)
	local rows = {}
	local published = { spatial = 13.0, first = 32.2, one = 16.1, more = 38.7, overhead = 0.8 } -- one: 29.4 % of 54.8
	for k, c in ipairs({ CATEGORIES[1], CATEGORIES[2], CATEGORIES[3], "all" }) do
		local n, of, lost = 0, { spatial = 0, first = 0, one = 0, more = 0 }, {}
		for _, p in ipairs(pairs_of(x)) do
			local m, r = metrics(result, p, x, "maestro")
			local ideal = metrics(result, p, x, "ideal")
			if m and (c == "all" or category(p) == c) then
				for how in pairs(of) do
					of[how] = of[how] + r.figures["epochs_" .. how]
					n = n + r.figures["epochs_" .. how]
				end
				lost[#lost + 1] = ideal and 100 * (1 - m.stp / ideal.stp) or nil
			end
		end
		local function cell(v, name)
			return v and { v, published = c == "all" and published[name] or nil } or false
		end
		rows[k] = { c }
		for i, how in ipairs({ "spatial", "first", "one", "more" }) do
			rows[k][i + 1] = cell(n > 0 and 100 * of[how] / n, how)
		end
		rows[k][6] = cell(lab.mean(lost), "overhead")
	end
	local function percent(name, digits)
		return { name = name, unit = "%", digits = digits or 1, compare = "difference" }
	end
	return {
		columns = { "pairs", percent("spatial"), percent("even"), percent("one CTA other"), percent("more"), percent("overhead", 2) },
		rows = rows,
		notes = {
			"Of the epochs that have ended. Even: the followers' first partition when two kernels meet for the first time.",
			"Overhead: STP lost against contexts that are switched in no time.",
		},
		plot = { kind = "bars", columns = { "spatial", "even", "one CTA other", "more" } },
	}
end

local function timeline(p)
	return function(result, x)
		local r, rows, now = result(shared(p, x, "maestro")), {}, { false, false }
		local f = r and r.figures
		for i, us in ipairs(f and f.share_us or {}) do
			now[f.share_of[i] + 1] = f.share_threads[i]
			local last = rows[#rows]
			if last and last[1] == us then
				last[2], last[3] = now[1], now[2]
			else
				rows[#rows + 1] = { us, now[1], now[2] }
			end
		end
		return {
			columns = { { name = "us", digits = 0 }, { name = p[1], unit = "threads", digits = 0 }, { name = p[2], unit = "threads", digits = 0 } },
			rows = rows,
			notes = { "On a follower, from then on. Published as a picture: TPACF has more threads than either." },
			plot = { kind = "lines", columns = { p[1], p[2] } },
		}
	end
end

local RIVALS = { "spatial", "smk-pw", "warped-slicer", "maestro" }

local function figure515(result, x)
	local rows, columns = {}, { "pair" }
	for _, p in ipairs(pairs_of(x)) do
		local row = { name_of(p) }
		for i, how in ipairs(RIVALS) do
			local m = metrics(result, p, x, how)
			row[i + 1] = m and 100 * (m.stp - 1) or false
		end
		rows[#rows + 1] = row
	end
	for i, how in ipairs(RIVALS) do
		columns[i + 1] = { name = how, unit = "%", digits = 1 }
	end
	return {
		columns = columns,
		rows = rows,
		notes = { "STP over no sharing. Published as bars of eighteen pairs." },
		plot = { kind = "bars", columns = RIVALS },
	}
end

local KERNEL_AWARE, LABELS = { "none", "maestro", "ipr", "fair" }, { "none", "lrr", "ipr", "fair" }
local TIMELINES = { a = { "ST", "TPACF" }, b = { "LBM", "TPACF" } }

local function timeline_runs(p)
	return function(x)
		return { shared(p, x, "maestro") }
	end
end

return {
	help = "two kernels on the same SMs: spatial, smk, warped-slicer and maestro; turns between kernels",
	source = "J. J. K. Park: Enabling efficient resource utilization on multitasking throughput processors, PhD thesis, University of Michigan 2016, chapter V",
	figures = {
		{ name = "5.1", title = "STP by the part of an SM", runs = part_runs(EXAMPLES, PARTS), table = figure51 },
		{ name = "5.2", title = "IPC together and alone", runs = part_runs({ TRACED }, { 0.5 }), table = figure52 },
		{ name = "5.3", title = "the best part by time", runs = part_runs({ TRACED }, PARTS), table = figure53 },
		{
			name = "5.5",
			title = "registers that fragmentation keeps from use",
			runs = function(x)
				return { allocated(x, "first-fit"), allocated(x, "two-way") }
			end,
			table = figure55,
		},
		{
			name = "5.6",
			title = "a kernel that starves",
			runs = function(x)
				return { alone(STARVED[1], x), alone(STARVED[2], x), part(STARVED, x, 0.5), lrr(x) }
			end,
			table = figure56,
		},
		{
			name = "5.10",
			title = "ANTT and STP: spatial, smk, maestro",
			runs = runs_of({ "spatial", "smk", "maestro" }),
			table = by_category({ "spatial", "smk", "maestro" }, PUBLISHED),
		},
		{
			name = "5.11",
			title = "ANTT and STP of maestro by kernel-aware scheduling",
			runs = runs_of(KERNEL_AWARE),
			table = by_category(KERNEL_AWARE, PUBLISHED, LABELS),
		},
		{ name = "5.12", title = "what maestro chose, and what it cost", runs = runs_of({ "maestro", "ideal" }), table = figure512 },
		{
			name = "5.10few", title = "ANTT and STP: nine pairs in full size (ours)", runs = few(runs_of({ "spatial", "smk", "maestro" })),
			table = few(by_category({ "spatial", "smk", "maestro" }, PUBLISHED)),
		},
		{
			name = "5.12few", title = "what maestro chose, and what it cost: nine pairs in full size (ours)",
			runs = few(runs_of({ "maestro", "ideal" })), table = few(figure512),
		},
		{ name = "5.13a", title = "threads over time: ST/TPACF", runs = timeline_runs(TIMELINES.a), table = timeline(TIMELINES.a) },
		{ name = "5.13b", title = "threads over time: LBM/TPACF", runs = timeline_runs(TIMELINES.b), table = timeline(TIMELINES.b) },
		{ name = "5.14", title = "ANTT and STP: rivals", runs = runs_of(RIVALS), table = by_category(RIVALS, PUBLISHED) },
		{ name = "5.15", title = "STP of pairs: rivals", runs = runs_of(RIVALS), table = figure515 },
	},
}
