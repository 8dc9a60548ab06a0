-- CTA schedulers: how many CTAs an SM needs, LCS, BCS with SCA, and both.
--
-- Machine: fermi28.lua, the paper's table 1. Benchmarks: those of its table 2 that are among the workloads, with grids that
-- fill the 28 SMs several times, as the paper's do (most of its are larger still). Its FDTD and 3DFD are two programs of
-- CUDA's samples for one stencil; ours stands for the first. --quick takes a few, with fewer CTAs.
--
-- KMN is Rodinia's invert_mapping, with the published 1,936 CTAs: its other kernel takes a fifth of the time (Park 2016, table
-- 4.2). EIP has its 391 CTAs. MMUL and MUM have the published four CTAs on an SM, where the estimate of registers would let
-- six in: section 5.2 says so of MMUL, and 57 % of MUM's 196 are assigned at the beginning (5.1). MMUL's grid has an even
-- number of columns, as without it the pairs of bcs end in the next row.
--
-- The paper's bars are pictures: of most figures only the means are in its text, and they stand beside ours.
local lab = require("lib.lab")
local limits = require("lib.limits")

local GPU = "fermi28"

-- Label, workload, kernel whose cycles count (nil: the program's), CTAs an SM can hold, published type; flat = its grid has
-- one dimension; held: CTAs an SM holds as published, if not those that fit; quick: sizes with --quick, without which it is left out there.
local benchmarks = {
	{ "CONV", "convsep", nil, 8, "I", quick = { width = 512, height = 256 }, params = { width = 1024, height = 576 } },
	{ "MMUL", "matmul", "matmul", 4, "I", held = true, params = { n = 384 } },
	{ "BP", "backprop", nil, 6, "II", quick = { inputs = 8192 } },
	{ "BFS", "bfs", nil, 3, "II", flat = true, params = { n = 300000 } },
	{ "CP", "cp", "cenergy", 8, "II", params = { points = 512, atoms = 100 } },
	{ "RAY", "ray", "trace", 6, "II", params = { width = 512, height = 384 } },
	{
		"SRAD", "srad2", nil, 6, "II",
		quick = { width = 320, height = 256, iterations = 1 }, params = { width = 768, height = 768, iterations = 1 },
	},
	{ "MADD", "madd", "madd", 6, "II" },
	{ "TRAN", "transpose", "transpose_tiled", 6, "II" },
	{ "VADD", "vecadd", "vecadd", 6, "II", flat = true },
	{ "FDTD", "fdtd3d", "finite_differences", 4, "II", params = { nx = 384, ny = 384, nz = 12, steps = 1 } },
	{
		"KMN", "kmeans", "kmeans_swap", 6, "III",
		flat = true, quick = { n = 240000, iterations = 0 }, params = { n = 495616, iterations = 0 },
	},
	{ "MUM", "mummer", "mummer_match", 4, "III", flat = true, held = true, params = { queries = 50176 } },
	{ "EIP", "eip", nil, 6, "III", flat = true, params = { ctas = 391, points = 200000 } },
	{
		"BLK", "blackscholes", "blackscholes", 8, "IV",
		flat = true, quick = { n = 128000, ctas = 1000, iterations = 1 }, params = { ctas = 3125, iterations = 1 },
	},
	{ "STN", "stencil", "stencil", 8, "IV", params = { nx = 512, ny = 512, nz = 16, iterations = 1 } },
	{ "LBM", "lbm", "lbm_stream_collide", 7, "IV", params = { nx = 100, ny = 40, nz = 40, steps = 2 } },
	{
		"LPS", "lps", "laplace3d", 8, "IV",
		quick = { nx = 256, ny = 256, nz = 8 }, params = { nx = 512, ny = 256, nz = 32 },
	},
}

local function chosen(x, want)
	local t = {}
	for _, b in ipairs(benchmarks) do
		if (b.quick or not x.quick) and (not want or want(b)) then
			t[#t + 1] = b
		end
	end
	return t
end

local function grids(b)
	return not b.flat
end

local function run_of(b, x, more)
	local run = { workload = b[2], gpu = GPU, size = x.size, warp_sched = "gto", cta_sched = "rr" }
	run.set = b.held and { max_ctas_per_sm = b[4] } or nil
	run.params = x.quick and b.quick or not x.quick and b.params or nil
	return lab.variant(run, more or {})
end

local function limited(limit, more)
	return lab.variant({ set = { max_ctas_per_sm = limit } }, more or {})
end

local BCS_GTO = { cta_sched = "bcs" }
local BCS_SCA = { cta_sched = "bcs", warp_sched = "sca" }
local LCS = { cta_sched = "lcs" }
local LCS_FLOOR = { cta_sched = "lcs", set = { ["lcs.round"] = "floor" } }
local LCS_CEIL = { cta_sched = "lcs", set = { ["lcs.round"] = "ceil" } }
local BOTH = { cta_sched = "lcs+bcs", warp_sched = "sca" }
local CCWS = { warp_sched = "ccws" }
local TLV = { warp_sched = "tlv" }
local DYNCTA = { cta_sched = "dyncta" }

local function runs_of(want, ...)
	local mores = { ... }
	return function(x)
		local runs = {}
		for _, b in ipairs(chosen(x, want)) do
			for _, more in ipairs(mores) do
				runs[#runs + 1] = run_of(b, x, more)
			end
		end
		return runs
	end
end

local function cycles(result, b, x, more)
	local r = result(run_of(b, x, more))
	return r and lab.kernel_cycles(r, b[3])
end

-- --- the sweep: figures 4, 5, 6, 15 ------------------------------------------------------------------------------------

local function sweep_runs(want, more)
	return function(x)
		local runs = {}
		for _, b in ipairs(chosen(x, want)) do
			for limit = 1, b[4] do
				runs[#runs + 1] = run_of(b, x, limited(limit, more))
			end
		end
		return runs
	end
end

-- Speed at each limit over that at 1, and the peak; nil when a run is missing.
local function curve(result, b, x, more)
	local speed, peak, base = {}, 0, cycles(result, b, x, limited(1, more))
	for limit = 1, b[4] do
		local s = lab.over(base, cycles(result, b, x, limited(limit, more)))
		if not s then
			return nil
		end
		speed[limit], peak = s, math.max(peak, s)
	end
	return speed, peak
end

local MOST = 8

local function sweep_columns(first)
	local columns = first
	for limit = 1, MOST do
		columns[#columns + 1] = { name = tostring(limit), digits = 2, compare = "none" }
	end
	return columns
end

local function figure4(result, x)
	local rows, agree, n = {}, 0, 0
	for _, b in ipairs(chosen(x)) do
		local speed = curve(result, b, x)
		local opt, own
		if speed then
			opt, own = limits.optimum(speed)
			n, agree = n + 1, agree + (own == b[5] and 1 or 0)
		end
		local row = { b[1], b[5], own or false, opt or false, b[4] }
		for limit = 1, MOST do
			row[#row + 1] = speed and speed[limit] or false
		end
		rows[#rows + 1] = row
	end
	return {
		columns = sweep_columns({
			"benchmark", "type", "own type", { name = "OPT", digits = 0, compare = "none" },
			{ name = "most", digits = 0, compare = "none" },
		}),
		rows = rows,
		notes = {
			("Speed with at most so many CTAs on an SM over that with 1; type: published; %d of %d agree."):format(agree, n),
			"OPT: fewest CTAs within 2 % of the peak. I: rises to the end, II: rises, then flat, III: falls, IV: rises and falls.",
		},
	}
end

local activity = { CONV = true, SRAD = true, KMN = true, LPS = true }

local function figure5(result, x)
	local classes, rows = { "active", "core stall", "mem stall", "idle" }, {}
	for _, b in ipairs(chosen(x, function(b) return activity[b[1]] end)) do
		for limit = 1, b[4] do
			local r = result(run_of(b, x, limited(limit)))
			local s = r and r.stalls.lee2014
			local row, sum = { b[1], limit }, 0
			for _, class in ipairs(classes) do
				sum = sum + (s and s[class] or 0)
			end
			for _, class in ipairs(classes) do
				row[#row + 1] = s and 100 * s[class] / sum or false
			end
			rows[#rows + 1] = row
		end
	end
	local columns = { "benchmark", { name = "CTAs", digits = 0, compare = "none" } }
	for _, class in ipairs(classes) do
		columns[#columns + 1] = { name = class, unit = "%", digits = 1, compare = "none" }
	end
	return {
		columns = columns,
		rows = rows,
		notes = { "Shares of the schedulers' slots. Published in prose: with more CTAs memory stall and idle fall for type I;",
			"for II core stall grows instead; for III and IV it is significant." },
	}
end

local function figure6(result, x)
	local rows = {}
	for _, b in ipairs(chosen(x, function(b) return b[1] == "KMN" or b[1] == "BLK" end)) do
		local base = cycles(result, b, x, limited(1))
		for limit = 1, b[4] do
			local r = result(run_of(b, x, limited(limit)))
			rows[#rows + 1] = {
				b[1], limit, lab.over(base, r and lab.kernel_cycles(r, b[3])),
				r and 100 * (1 - r.l1d.hits / r.l1d.accesses) or false, r and 100 * (1 - r.l2.hits / r.l2.accesses) or false,
			}
		end
	end
	local function column(name, unit, digits)
		return { name = name, unit = unit, digits = digits, compare = "none" }
	end
	return {
		columns = {
			"benchmark", column("CTAs", nil, 0), column("speed", nil, 2), column("L1D misses", "%", 1), column("L2 misses", "%", 1),
		},
		rows = rows,
		notes = { "Published in prose: KMN slows down as L1D's misses grow, BLK as L2's do. Misses of the whole program." },
	}
end

local function figure15(result, x)
	local rows = {}
	for _, b in ipairs(chosen(x, function(b) return b[1] == "LPS" or b[1] == "FDTD" end)) do
		for _, with in ipairs({ { "gto", {} }, { "bcs, sca", BCS_SCA } }) do
			local speed = curve(result, b, x, with[2])
			local row = { b[1] .. " " .. with[1] }
			for limit = 1, MOST do
				row[#row + 1] = speed and speed[limit] or false
			end
			rows[#rows + 1] = row
		end
	end
	return {
		columns = sweep_columns({ "benchmark" }),
		rows = rows,
		notes = { "Published: LPS and 3DFD, which rise and fall with gto, rise (type I or II) with bcs and sca." },
	}
end

-- --- LCS: figures 12, 13 -------------------------------------------------------------------------------------------------

-- Gains in % over gto and rr of some variants; then the means over benchmarks of some types.
local function gains(result, x, want, variants, groups)
	local rows, ratios = {}, {}
	for _, g in ipairs(groups) do
		ratios[g[1]] = {}
		for i = 1, #variants do
			ratios[g[1]][i] = {}
		end
	end
	for _, b in ipairs(chosen(x, want)) do
		local base, row = cycles(result, b, x), { b[1], b[5] }
		for i, v in ipairs(variants) do
			if type(v) == "function" then
				v = v(result, b, x)
			end
			local q = v and lab.over(base, cycles(result, b, x, v)) or false
			row[#row + 1] = q and (q - 1) * 100
			for _, g in ipairs(groups) do
				if q and (not g[2] or g[2][b[5]]) then
					table.insert(ratios[g[1]][i], q)
				end
			end
		end
		rows[#rows + 1] = row
	end
	for _, g in ipairs(groups) do
		local row = { g[1], "" }
		for i = 1, #variants do
			local m = lab.geomean(ratios[g[1]][i])
			row[#row + 1] = { m and (m - 1) * 100 or false, published = g[3][i] or nil }
		end
		rows[#rows + 1] = row
	end
	return rows
end

local function gain(name)
	return { name = name, unit = "%", digits = 1, compare = "difference" }
end

local FALLING = { III = true, IV = true }

-- The limit of the sweep that is fastest.
local function best_limit(result, b, x)
	local speed, peak = curve(result, b, x)
	for limit = 1, speed and b[4] or 0 do
		if speed[limit] == peak then
			return limited(limit)
		end
	end
end

local function figure12(result, x)
	return {
		columns = { "benchmark", "type", gain("lcs"), gain("lcs, floor"), gain("lcs, ceil"), gain("best limit") },
		rows = gains(result, x, nil, { LCS, LCS_FLOOR, LCS_CEIL, best_limit },
			{ { "mean", nil, { 7 } }, { "III and IV", FALLING, { 23 } } }),
		notes = { "Over gto and rr. lcs: T_new to the nearest number, as figure 7(b) has it; floor and ceil: rounded down as equation 1",
			"says, and up (lcs.round). best limit: the fastest of figure 4, which no scheduler that sets one limit for all CTAs can",
			"pass but by chance." },
		plot = { kind = "bars", columns = { "lcs", "lcs, floor", "lcs, ceil" } },
	}
end

local function figure13(result, x)
	local rows = {}
	for _, b in ipairs(chosen(x)) do
		local speed = curve(result, b, x)
		local row = { b[1], b[5], b[4], speed and (limits.optimum(speed)) or false }
		for _, more in ipairs({ LCS, LCS_FLOOR, LCS_CEIL }) do
			local r, limit = result(run_of(b, x, more)), 0
			for _, k in ipairs(r and r.kernels or {}) do
				if (not b[3] or k.name == b[3]) and k.cta_limit > 0 then
					limit = math.min(limit > 0 and limit or math.huge, k.cta_limit)
				end
			end
			row[#row + 1] = limit > 0 and math.min(limit, b[4]) or false
		end
		rows[#rows + 1] = row
	end
	local function column(name)
		return { name = name, digits = 0, compare = "none" }
	end
	return {
		columns = { "benchmark", "type", column("most"), column("OPT"), column("T_new"), column("T_new, floor"), column("T_new, ceil") },
		rows = rows,
		notes = { "CTAs on an SM: the most that fit, OPT of figure 4, and T_new; the lowest of several kernels' and launches'.",
			"Published in prose: KMN 1; MMUL OPT 3, T_new 2; LPS T_new 3 of 8." },
	}
end

-- --- instructions of each CTA: figure 8 ----------------------------------------------------------------------------------

local WATCHED = { inspect = "cta_progress" }
local MOMENTS = 10

-- Of the first launch of a benchmark's kernel of which a CTA ended: cycles of the looks, and per CTA of that SM, in the order
-- of their ids, its instructions at each; the last look is that end.
local function progress(result, b, x)
	local r = result(run_of(b, x, WATCHED))
	local launch = math.huge
	for _, k in ipairs(r and r.kernels or {}) do
		if (not b[3] or k.name == b[3]) and r.figures["cta_progress_" .. k.id .. "_cycle"] then
			launch = math.min(launch, k.id)
		end
	end
	if launch == math.huge then
		return nil
	end
	local name, ids, insts = "cta_progress_" .. launch .. "_", {}, {}
	for figure in pairs(r.figures) do
		ids[#ids + 1] = tonumber(figure:match("^" .. name .. "cta_(%d+)$"))
	end
	table.sort(ids)
	for i, id in ipairs(ids) do
		insts[i] = r.figures[name .. "cta_" .. id]
	end
	return r.figures[name .. "cycle"], insts
end

local function figure8(result, x)
	local b, rows, columns, drawn = benchmarks[#benchmarks], {}, { { name = "cycle", digits = 0, compare = "none" } }, {}
	local cycle, insts = progress(result, b, x)
	for i = 1, b[4] do
		columns[i + 1], drawn[i] = { name = "CTA " .. i - 1, digits = 1, compare = "none" }, "CTA " .. i - 1
	end
	for m = 1, cycle and MOMENTS or 0 do
		local at = math.max(1, m * #cycle // MOMENTS)
		rows[m] = { cycle[at] }
		for i = 1, b[4] do
			rows[m][i + 1] = insts[i] and insts[i][at] / 1000 or false
		end
	end
	return {
		columns = columns,
		rows = rows,
		notes = { "Thousands of instructions of the CTAs of the SM where one ends first, numbered by that SM's order of dispatch; gto.",
			"Published, a picture: some CTAs go on issuing, others (6 and 7) hardly ever do." },
		plot = { kind = "lines", columns = drawn },
	}
end

-- The instructions of the CTAs when the first ends, over that one's; their sum is what lcs rounds.
local function figure8shares(result, x)
	local published = { LPS = 3, KMN = 1 }
	local rows = {}
	for _, b in ipairs(chosen(x, function(b) return activity[b[1]] end)) do
		local _, insts = progress(result, b, x)
		local most, sum, row = 0, 0, { b[1], b[5] }
		for _, of_cta in ipairs(insts or {}) do
			most, sum = math.max(most, of_cta[#of_cta]), sum + of_cta[#of_cta]
		end
		for i = 1, MOST do
			row[i + 2] = insts and insts[i] and insts[i][#insts[i]] / most or false
		end
		row[MOST + 3] = insts and { (2 * sum + most) // (2 * most), published = published[b[1]] } or false
		rows[#rows + 1] = row
	end
	local columns = { "benchmark", "type" }
	for i = 1, MOST do
		columns[i + 2] = { name = "CTA " .. i - 1, digits = 2, compare = "none" }
	end
	columns[MOST + 3] = { name = "T_new", digits = 0, compare = "difference" }
	return {
		columns = columns,
		rows = rows,
		notes = { "Instructions when the first CTA ends over the most of a CTA, by order of dispatch; T_new: their sum, rounded.",
			"Published in prose: about the same for type I, so that T_new is what fits." },
	}
end

-- --- energy: figure 14 ---------------------------------------------------------------------------------------------------

-- Registers and shared memory that no CTA has are power-gated, with gto and with lcs, as in the paper.
local GATED = { set = { ["energy.gate_registers"] = true, ["energy.gate_shared"] = true } }
local GATED_LCS = lab.variant(GATED, LCS)

-- The paper's is of the chip: without what DRAM and board take.
local function chip_energy(r)
	local g = r and r.energy.groups
	return g and g.core + g.shared + g.l1 + g.l2 + g.network
end

local function figure14(result, x)
	local rows, ratios = {}, {}
	for _, b in ipairs(chosen(x)) do
		local base, lcs = result(run_of(b, x, GATED)), result(run_of(b, x, GATED_LCS))
		local q = lab.over(chip_energy(lcs), chip_energy(base)) or false
		local time = lab.over(lcs and lcs.cycles, base and base.cycles) or false
		rows[#rows + 1] = { b[1], b[5], q and (q - 1) * 100, time and (time - 1) * 100 }
		if q then
			table.insert(ratios, q)
		end
	end
	local m = lab.mean(ratios)
	rows[#rows + 1] = { "mean", "", { m and (m - 1) * 100 or false, published = -11 }, false }
	return {
		columns = { "benchmark", "type", gain("energy"), { name = "cycles", unit = "%", digits = 1, compare = "none" } },
		rows = rows,
		notes = { "Change with lcs over gto and rr, of the chip and the whole program; registers and shared memory that no CTA",
			"has are power-gated in both. Published: less for all types, up to 37 % for type III." },
		plot = { kind = "bars", columns = { "energy" } },
	}
end

-- --- BCS: figures 16, 17 -------------------------------------------------------------------------------------------------

local function figure16(result, x)
	return {
		columns = { "benchmark", "type", gain("bcs, gto"), gain("bcs, sca") },
		rows = gains(result, x, grids, { BCS_GTO, BCS_SCA }, { { "mean", nil, { 3, 15 } } }),
		notes = { "Over gto and rr, grids of two dimensions. Published: up to 70 % with sca; STN around 7 %, BP slightly slower." },
		plot = { kind = "bars", columns = { "bcs, gto", "bcs, sca" } },
	}
end

local function figure17(result, x)
	local rows, ratios = {}, { {}, {} }
	local function misses(b, more)
		local r = result(run_of(b, x, more))
		return r and 1 - r.l1d.hits / r.l1d.accesses
	end
	for _, b in ipairs(chosen(x, grids)) do
		local base, row = misses(b), { b[1] }
		row[2] = base and 100 * base or false
		for i, more in ipairs({ BCS_GTO, BCS_SCA }) do
			local q = lab.over(misses(b, more), base)
			row[#row + 1] = q and (q - 1) * 100
			if q then
				table.insert(ratios[i], q)
			end
		end
		rows[#rows + 1] = row
	end
	local row = { "mean", false }
	for i, published in ipairs({ -8, -24 }) do
		local m = lab.mean(ratios[i])
		row[#row + 1] = { m and (m - 1) * 100 or false, published = published }
	end
	rows[#rows + 1] = row
	return {
		columns = { "benchmark", { name = "L1D misses", unit = "%", digits = 1, compare = "none" }, gain("bcs, gto"), gain("bcs, sca") },
		rows = rows,
		notes = { "Miss rate of L1D with gto and rr, and its change. Published: MMUL's falls by more than 30 %." },
		plot = { kind = "bars", columns = { "bcs, gto", "bcs, sca" } },
	}
end

-- --- concurrent kernels: figure 18 -----------------------------------------------------------------------------------------

-- Table 3: the two, the CTAs of each on an SM, and the gain where the text has it.
local pairs_of = {
	{ "CP", "LPS", "3, 5", 20 }, { "MMUL", "VADD", "2, 3" }, { "MUM", "BLK", "2, 4" }, { "MMUL", "RAY", "2, 2" },
	{ "CP", "MADD", "3, 4" }, { "KMN", "SRAD", "1, 5", 27 },
}

local function benchmark(name)
	for _, b in ipairs(benchmarks) do
		if b[1] == name then
			return b
		end
	end
end

-- A program and its parameters, as concurrent/pair takes them.
local function program(b, x)
	local t = {}
	for k, v in pairs(x.quick and b.quick or not x.quick and b.params or {}) do
		t[#t + 1] = k .. "=" .. v
	end
	table.sort(t)
	return b[2] .. (#t > 0 and ":" .. table.concat(t, ",") or "")
end

local function pair_run(p, x, partition)
	return {
		workload = "concurrent/pair", gpu = GPU, size = x.size, warp_sched = "gto", cta_sched = "lcs", partition = partition,
		params = { a = program(benchmark(p[1]), x), b = program(benchmark(p[2]), x) },
	}
end

local function pair_runs(x)
	local runs = {}
	for _, p in ipairs(pairs_of) do
		runs[#runs + 1] = pair_run(p, x, "cke")
		runs[#runs + 1] = pair_run(p, x, "mcke")
	end
	return runs
end

-- From the first CTA of all launches to the last.
local function span(r)
	local from, to = math.huge, 0
	for _, k in ipairs(r and r.kernels or {}) do
		from, to = math.min(from, k.started_at), math.max(to, k.ended_at)
	end
	return r and to - from
end

-- T_new of the program's kernels, the lowest of its launches'.
local function counts(r, stream)
	local least = math.huge
	for _, k in ipairs(r and r.kernels or {}) do
		if k.stream == stream and k.cta_limit > 0 then
			least = math.min(least, k.cta_limit)
		end
	end
	return least < math.huge and tostring(least) or "–"
end

local function figure18(result, x)
	local rows, ratios = {}, {}
	for _, p in ipairs(pairs_of) do
		local cke, mcke = result(pair_run(p, x, "cke")), result(pair_run(p, x, "mcke"))
		local q = lab.over(span(cke), span(mcke)) or false
		rows[#rows + 1] = {
			p[1] .. "-" .. p[2], p[3], counts(cke, 1) .. ", " .. counts(cke, 2), { q and (q - 1) * 100, published = p[4] },
		}
		if q then
			table.insert(ratios, q)
		end
	end
	local m = lab.geomean(ratios)
	rows[#rows + 1] = { "mean", false, false, m and (m - 1) * 100 or false }
	return {
		columns = { "pair", "CTAs, published", "T_new", gain("mcke") },
		rows = rows,
		notes = { "Gain of mcke over cke, both with lcs and gto, from the first CTA of the two programs to the last.",
			"Published in prose: up to 27 % (KMN-SRAD), CP-LPS 20 %, CP-MADD next to nothing." },
		plot = { kind = "bars", columns = { "mcke" } },
	}
end

-- --- figure 19 -----------------------------------------------------------------------------------------------------------

local function figure19(result, x)
	return {
		columns = { "benchmark", "type", gain("lcs"), gain("lcs+bcs"), gain("ccws"), gain("tlv"), gain("dyncta") },
		rows = gains(result, x, nil, { LCS, BOTH, CCWS, TLV, DYNCTA }, { { "mean", nil, { 8, 16, 3, nil, 2 } } }),
		notes = { "Over gto and rr. Published for ccws: lcs+bcs is 13 % ahead of it, 16 of gto: some 3 %; dyncta: 14, so some 2." },
		plot = { kind = "bars", columns = { "lcs", "lcs+bcs", "ccws", "tlv", "dyncta" } },
	}
end

local function both(a, b)
	return function(x)
		local runs = a(x)
		for _, r in ipairs(b(x)) do
			runs[#runs + 1] = r
		end
		return runs
	end
end

local function two(names, more)
	return sweep_runs(function(b) return names[b[1]] end, more)
end

return {
	help = "CTA schedulers: how many CTAs an SM needs, lcs, bcs with sca, and both",
	source = "M. Lee, S. Song, J. Moon, J. Kim, W. Seo, Y. Cho, S. Ryu: Improving GPGPU resource utilization through alternative thread block scheduling, HPCA 2014",
	figures = {
		{ name = "4", title = "speed by CTAs on an SM; types I to IV", runs = sweep_runs(), table = figure4 },
		{ name = "5", title = "core activity by CTAs on an SM", runs = two(activity), table = figure5 },
		{ name = "6", title = "KMN and BLK: speed and misses by CTAs on an SM", runs = two({ KMN = true, BLK = true }), table = figure6 },
		{
			name = "8", title = "LPS: instructions of each CTA over time", table = figure8,
			runs = runs_of(function(b) return b[1] == "LPS" end, WATCHED),
		},
		{
			name = "8shares", title = "instructions of each CTA when the first ends, by type",
			runs = runs_of(function(b) return activity[b[1]] end, WATCHED), table = figure8shares,
		},
		{ name = "12", title = "gain of lcs over gto", runs = both(sweep_runs(), runs_of(nil, {}, LCS, LCS_FLOOR, LCS_CEIL)), table = figure12 },
		{ name = "13", title = "OPT and T_new", runs = both(sweep_runs(), runs_of(nil, LCS, LCS_FLOOR, LCS_CEIL)), table = figure13 },
		{ name = "14", title = "energy with lcs", runs = runs_of(nil, GATED, GATED_LCS), table = figure14 },
		{
			name = "15", title = "LPS and FDTD: speed by CTAs on an SM, gto and bcs with sca",
			runs = both(two({ LPS = true, FDTD = true }), two({ LPS = true, FDTD = true }, BCS_SCA)), table = figure15,
		},
		{ name = "16", title = "gain of bcs over rr", runs = runs_of(grids, {}, BCS_GTO, BCS_SCA), table = figure16 },
		{ name = "17", title = "L1D misses with bcs", runs = runs_of(grids, {}, BCS_GTO, BCS_SCA), table = figure17 },
		{ name = "18", title = "gain of mcke over cke", runs = pair_runs, table = figure18 },
		{ name = "19", title = "gain of lcs, lcs+bcs and rivals over gto", runs = runs_of(nil, {}, LCS, BOTH, CCWS, TLV, DYNCTA), table = figure19 },
	},
}
