-- Chimera: preemption of SMs by switching, draining, flushing, or the best of them for each CTA. Chapter IV of the thesis.
--
-- Machine: fermi30.lua, table 4.1. A periodic real-time task (concurrent/realtime) takes half of the SMs from each
-- benchmark; the thesis does so every 1 ms for 200 us. Here a period is shorter, with the same share: benchmarks of a
-- run of seconds see several of them.
local lab = require("lib.lab")
local published = require("lib.published")
local together = require("lib.together")

local GPU, MHZ, SMS = "fermi30", 1400, 30
local BYTES_PER_US = 177408 / SMS -- of an SM: its share of 177.4 GB/s
local LOOK = 5 -- us between two looks at the work done
local TECHNIQUES = { "switch", "drain", "flush", "chimera" }

-- Label in the thesis; workload; with --quick and without: parameters and about how many us it runs alone. long: those that run
-- for more than the thesis's period of 1 ms, with parameters of their own if need be. BS has the registers of table 4.2, of a
-- program that prices two options a thread.
local benchmarks = {
	{ "BS", "blackscholes", quick = { iterations = 6, regs = 49 }, quick_us = 400, params = { regs = 49 }, us = 800 },
	{ "BT", "btree", quick = { queries = 6000, ranges = 3600 }, quick_us = 480, us = 650 },
	{ "BP", "backprop", us = 660 },
	{ "CP", "cp", quick = { points = 512 }, quick_us = 500, us = 500, long = { points = 1024 }, long_us = 2000 },
	{ "FWT", "fwt", quick = { log_n = 19 }, quick_us = 450, params = { log_n = 20 }, us = 900 },
	{ "HW", "heartwall", us = 1000 },
	{ "HS", "hotspot", quick = { n = 768, iterations = 6 }, quick_us = 500, us = 500 },
	{ "KM", "kmeans", quick = {}, quick_us = 694, us = 3300, long_us = 3300 },
	{ "LC", "leukocyte", us = 3000, long_us = 3000 },
	{ "LUD", "lud", quick = {}, quick_us = 795, us = 1700, long_us = 1700 },
	{ "MUM", "mummer", quick = {}, quick_us = 477, us = 1300, long_us = 1300 },
	{ "NW", "nw", us = 3000, long_us = 3000 },
	{ "SAD", "sad", us = 1400, long_us = 1400 },
	{ "ST", "stencil", params = { iterations = 10 }, us = 1000, long = { iterations = 20 }, long_us = 2000 },
}

local function chosen(x)
	local t = {}
	for _, b in ipairs(benchmarks) do
		if (not x.quick or b.quick) and (not x.long or b.long_us) then
			t[#t + 1] = b
		end
	end
	return t
end

-- The experiment with the thesis's period, or, of short runs, one four times as long.
local function long(x)
	return { quick = x.quick, long = true }
end

local function period(x)
	return (x.quick and 100 or 250) * (x.long and 4 or 1)
end

-- A fifth of the time, as in the thesis.
local function job(x)
	return period(x) / 5
end

-- --- runs ------------------------------------------------------------------------------------------------------------

local function size(x)
	return x.quick and "default" or "large"
end

local function params(b, x)
	if x.quick then
		return b.quick
	end
	return x.long and b.long or b.params
end

local function bench(b, x)
	return { workload = b[2], gpu = GPU, size = size(x), params = params(b, x) }
end

local WATCH = together.watch(LOOK)

local function alone(b, x)
	return lab.variant(bench(b, x), { beside = { WATCH }, set = { ["idempotence.track"] = true } })
end

-- With the real-time task; jobs until about the end of the benchmark, which loses a third of its time at most.
local function with_task(b, x, technique, limit, set)
	local us = x.quick and b.quick_us or x.long and b.long_us or b.us
	local task = {
		workload = "concurrent/realtime",
		params = {
			period_us = period(x), run_us = math.floor(job(x)), first_us = 50, limit_us = limit, ctas = SMS // 2,
			jobs = math.max(1, math.floor(us * 1.2 / period(x))),
		},
	}
	return lab.variant(bench(b, x), {
		partition = "spatial",
		preempt = technique,
		beside = { task, WATCH },
		set = lab.variant({ ["preempt.within"] = limit }, set or {}),
	})
end

-- What became of the jobs that were released while the benchmark ran: how many, how many missed their deadline, and the
-- time that periods without a miss lasted and would have lasted without the task, by the work done in them.
local function outcome(result, b, x, technique, limit, set)
	local r, a = result(with_task(b, x, technique, limit, set)), result(alone(b, x))
	if not (r and a) then
		return
	end
	local f, o = r.figures, { jobs = 0, missed = 0, time = 0, needed = 0 }
	local all = lab.kernel_sum_of(r, b[2], "warp_insts") - lab.kernel_sum_of(r, b[2], "insts_dropped")
	local function work(us) -- done until then; looks are every LOOK us
		return f.work_0[us // LOOK] or all
	end
	local alone_us = together.alone_time(a.figures.work_0, LOOK)
	for k, released in ipairs(f.released_us) do
		local from, to = math.floor(released), math.floor(released + period(x))
		if work(from) < all then
			o.jobs = o.jobs + 1
			o.missed = o.missed + (f.waited_us[k] < 0 and 1 or 0)
			if f.waited_us[k] >= 0 and f.work_0[to // LOOK] and work(to) < all then
				local then_ = alone_us(work(from))
				o.time, o.needed = o.time + to - from, o.needed + alone_us(work(to)) - then_
			end
		end
	end
	o.miss = o.jobs > 0 and 100 * o.missed / o.jobs or false
	o.overhead = o.time > 0 and 100 * (1 - o.needed / o.time) or false
	for _, how in ipairs({ "switched", "drained", "flushed" }) do
		o[how] = lab.kernel_sum_of(r, b[2], "ctas_" .. how)
	end
	return o
end

-- --- table 4.2, figures 4.1 to 4.3 -------------------------------------------------------------------------------------

-- The kernels of the table that the run has: label, the published row, what is known of ours.
local function kernels_of(result, x)
	local t = {}
	for _, b in ipairs(chosen(x)) do
		local r = result(alone(b, x))
		local names = {}
		for name, p in pairs(published[b[2]]) do
			names[#names + 1] = p.preempt and name or nil
		end
		table.sort(names, function(m, n)
			return published[b[2]][m].preempt[1] < published[b[2]][n].preempt[1]
		end)
		for _, name in ipairs(names) do
			local k, p = r and lab.launch(r, name), published[b[2]][name].preempt
			local row = { label = p[1], kb = p[3], ctas = p[4], region = p[6], drain = p[7], switch = p[8] }
			if k then
				local threads = k.block[1] * k.block[2] * k.block[3]
				row.our_ctas = k.occupancy.ctas_per_sm
				row.our_kb = (4 * k.regs * threads + k.shared) / 1024
				row.our_switch = row.our_kb * 1024 * row.our_ctas / BYTES_PER_US
				row.cta_us = lab.kernel_sum(r, name, "cta_cycles") / lab.kernel_sum(r, name, "ctas_done") / MHZ
				-- CTAs at random points of their way: the last of n that run together has n / (n + 1) of it before it.
				local n = math.min(row.our_ctas, math.max(1, k.ctas // SMS))
				row.our_drain = row.cta_us * n / (n + 1)
				row.our_region = 100 * lab.kernel_sum(r, name, "idem_insts") / lab.kernel_sum(r, name, "idem_of")
			end
			t[#t + 1] = row
		end
	end
	return t
end

local function alone_runs(x)
	local runs = {}
	for _, b in ipairs(chosen(x)) do
		runs[#runs + 1] = alone(b, x)
	end
	return runs
end

local function table42(result, x)
	local rows = {}
	for i, k in ipairs(kernels_of(result, x)) do
		rows[i] = {
			k.label,
			{ k.kb * 1024 * k.ctas / BYTES_PER_US, published = k.switch },
			{ k.our_kb or false, published = k.kb },
			{ k.our_ctas or false, published = k.ctas },
			{ k.our_switch or false, published = k.switch },
			{ k.our_drain or false, published = k.drain },
			{ k.our_region or false, published = k.region },
		}
	end
	return {
		columns = {
			"kernel",
			{ name = "switch by their sizes", unit = "us", digits = 1 },
			{ name = "context", unit = "kB", digits = 1 },
			{ name = "CTAs", digits = 0 },
			{ name = "switch", unit = "us", digits = 1 },
			{ name = "drain", unit = "us", digits = 1 },
			{ name = "region", unit = "%", digits = 0, compare = "difference" },
		},
		rows = rows,
		notes = {
			"Switch by their sizes: from the published context and CTAs an SM, which are rounded to kB. Drain: the last of an",
			"SM's CTAs, at random points of their way. Region: share of a CTA's instructions before it can no more begin again,",
			"as the run showed it.",
		},
	}
end

local function mean_row(rows, published_means)
	local mean = { "mean" }
	for i = 2, #rows[1] do
		mean[i] = { lab.mean(lab.numbers(rows, i)) or false, published = published_means[i - 1] or nil }
	end
	rows[#rows + 1] = mean
	return rows
end

local function figure41(result, x)
	local rows = {}
	for i, k in ipairs(kernels_of(result, x)) do
		rows[i] = {
			k.label, { k.our_switch or false, published = k.switch }, { k.our_drain or false, published = k.drain }, { 0, published = 0 },
		}
	end
	return {
		columns = {
			"kernel", { name = "switch", unit = "us", digits = 1 }, { name = "drain", unit = "us", digits = 1 },
			{ name = "flush", unit = "us", digits = 1, compare = "none" },
		},
		rows = mean_row(rows, { 14.5, 830.4, 0 }),
		notes = { "Published mean: of all 27 kernels." },
		plot = { kind = "bars", columns = { "switch", "drain" } },
	}
end

-- Lost work over all work of a CTA that is preempted once; flushed at a random point: the mean of p / (1 + p), 1 - ln 2.
local function figure42(result, x)
	local rows = {}
	for i, k in ipairs(kernels_of(result, x)) do
		local twice = k.our_switch and 2 * k.our_switch
		rows[i] = { k.label, twice and 100 * twice / (k.cta_us + twice) or false, 0, 100 * (1 - math.log(2)) }
	end
	local function share(name)
		return { name = name, unit = "%", digits = 1, compare = "difference" }
	end
	return {
		columns = { "kernel", share("switch"), share("drain"), share("flush") },
		rows = mean_row(rows, { 47.7, 0, 30.7 }),
		notes = { "Published mean: of all 27 kernels." },
		plot = { kind = "bars", columns = { "switch", "flush" } },
	}
end

local function figure43(result, x)
	local rows, k = {}, nil
	for _, of in ipairs(kernels_of(result, x)) do
		k = of.label == "KM.1" and of.cta_us and of or k
	end
	for progress = 0, 100, 10 do
		local p = progress / 100
		rows[#rows + 1] = { progress, k and k.our_switch or false, k and (1 - p) * k.cta_us or false, k and p * k.cta_us or false }
	end
	local function us(name)
		return { name = name, unit = "us", digits = 1 }
	end
	return {
		columns = { { name = "progress", unit = "%", digits = 0 }, us("switch"), us("drain"), us("flush") },
		rows = rows,
		notes = { "Of KM.1: latency of a switch and of draining, time that a flush makes void. Published without figures." },
		plot = { kind = "lines", columns = { "switch", "drain", "flush" } },
	}
end

-- --- figures 4.5 to 4.8: the real-time task ------------------------------------------------------------------------------

local function technique_runs(x)
	local runs = alone_runs(x)
	for _, b in ipairs(chosen(x)) do
		for _, technique in ipairs(TECHNIQUES) do
			runs[#runs + 1] = with_task(b, x, technique, 15)
		end
	end
	return runs
end

local JOBS = "Of jobs released while the benchmark runs, those, too, that find SMs free."

-- by: name, technique, limit, set, published
local function outcomes(result, x, by, field, notes, published_all)
	local rows, columns, names = {}, { "benchmark" }, {}
	for _, b in ipairs(chosen(x)) do
		local row = { b[1] }
		for i, v in ipairs(by) do
			local o = outcome(result, b, x, v.technique, v.limit or 15, v.set)
			row[i + 1] = o and o[field] or false
		end
		rows[#rows + 1] = row
	end
	for i, v in ipairs(by) do
		columns[i + 1] = { name = v.name or v.technique, unit = "%", digits = 1, compare = "difference" }
		names[i] = v.name or v.technique
	end
	return {
		columns = columns,
		rows = mean_row(rows, published_all),
		notes = notes,
		plot = { kind = "bars", columns = names },
	}
end

local function of_techniques(field, published_all, notes)
	return function(result, x)
		local by = {}
		for i, technique in ipairs(TECHNIQUES) do
			by[i] = { technique = technique }
		end
		return outcomes(result, x, by, field, notes, published_all)
	end
end

-- Beside the mean of each technique that of the benchmarks in which each but switch met some deadline: of the same ones.
local function figure46(result, x)
	local t = of_techniques("overhead", { 12.2, 8.9, 19.3, 10.1 }, {
		"Time of the periods whose deadline was met, over the time that their work takes alone; a tenth of it is the task's.",
		"A gap: no such period. Common: mean of the benchmarks in which drain, flush and chimera have one.",
	})(result, x)
	local common = {}
	for i = 1, #t.rows - 1 do
		local row = t.rows[i]
		common[#common + 1] = row[3] and row[4] and row[5] and row or nil
	end
	local mean = { "common", false }
	for i = 3, 5 do
		mean[i] = lab.mean(lab.numbers(common, i)) or false
	end
	table.insert(t.rows, #t.rows, mean)
	return t
end

local LIMITS = { { 5, 2.00, 16.5 }, { 10, 1.08, 12.2 }, { 15, 0.24, 10.0 }, { 20, 0.00, 9.0 } }

local function limit_runs(x)
	local runs = alone_runs(x)
	for _, b in ipairs(chosen(x)) do
		for _, l in ipairs(LIMITS) do
			runs[#runs + 1] = with_task(b, x, "chimera", l[1])
		end
	end
	return runs
end

local function figure47(result, x)
	local rows = {}
	for i, l in ipairs(LIMITS) do
		local miss, overhead, how, all = {}, {}, { switched = 0, drained = 0, flushed = 0 }, 0
		for _, b in ipairs(chosen(x)) do
			local o = outcome(result, b, x, "chimera", l[1])
			if o then
				miss[#miss + 1] = o.miss or nil
				overhead[#overhead + 1] = o.overhead or nil
				for name in pairs(how) do
					how[name] = how[name] + o[name]
					all = all + o[name]
				end
			end
		end
		local function share(name)
			return all > 0 and 100 * how[name] / all or false
		end
		rows[i] = {
			l[1], { lab.mean(miss) or false, published = l[2] }, { lab.mean(overhead) or false, published = l[3] }, share("switched"),
			{ share("drained"), published = 19 }, share("flushed"),
		}
	end
	local function percent(name)
		return { name = name, unit = "%", digits = 2, compare = "difference" }
	end
	return {
		columns = {
			{ name = "limit", unit = "us", digits = 0 }, percent("missed"), percent("overhead"), percent("switched"),
			percent("drained"), percent("flushed"),
		},
		rows = rows,
		notes = { JOBS, "The last three: of all preempted CTAs." },
		plot = { kind = "lines", columns = { "missed", "overhead", "switched", "drained", "flushed" } },
	}
end

local STRICT = { ["preempt.idempotence"] = "strict" }

local function strict_runs(x)
	local runs = technique_runs(x)
	for _, b in ipairs(chosen(x)) do
		runs[#runs + 1] = with_task(b, x, "flush", 15, STRICT)
		runs[#runs + 1] = with_task(b, x, "chimera", 15, STRICT)
	end
	return runs
end

local function figure48(result, x)
	return outcomes(result, x, {
		{ name = "flush, strict", technique = "flush", set = STRICT },
		{ name = "flush, relaxed", technique = "flush" },
		{ name = "chimera, strict", technique = "chimera", set = STRICT },
		{ name = "chimera, relaxed", technique = "chimera" },
	}, "miss", {
		JOBS, "The thesis gives 50.0 and 0.2 % for flushing; by its figures 4.5 and 4.7 flushing alone misses 7.3 % and Chimera 0.2 %.",
	}, { 50.0, 7.3, false, 0.2 })
end

-- --- ours: what keeps chimera from the published figures ---------------------------------------------------------------------

-- Misses: estimates of draining that fall short. The thesis's remedy is a margin.
local MARGIN = { ["preempt.within"] = 11 }
-- Overhead: CTAs that take longer than a period and begin again several times.

local function cause_runs(x)
	local runs = alone_runs(x)
	for _, b in ipairs(chosen(x)) do
		runs[#runs + 1] = with_task(b, x, "chimera", 15)
		runs[#runs + 1] = with_task(b, x, "chimera", 15, MARGIN)
	end
	for _, b in ipairs(chosen(long(x))) do
		runs[#runs + 1] = alone(b, long(x))
		for _, technique in ipairs({ "drain", "chimera" }) do
			runs[#runs + 1] = with_task(b, long(x), technique, 15)
		end
	end
	return runs
end

local function figure46causes(result, x)
	local rows = {}
	for _, b in ipairs(chosen(x)) do
		local as_is, margin = outcome(result, b, x, "chimera", 15), outcome(result, b, x, "chimera", 15, MARGIN)
		local lasting, drained
		if b.long_us then
			lasting, drained = outcome(result, b, long(x), "chimera", 15), outcome(result, b, long(x), "drain", 15)
		end
		local row = { b[1] }
		for _, o in ipairs({ as_is or false, margin or false, lasting or false }) do
			row[#row + 1] = o and o.miss or false
		end
		for _, o in ipairs({ as_is or false, margin or false, lasting or false, drained or false }) do
			row[#row + 1] = o and o.overhead or false
		end
		rows[#rows + 1] = row
	end
	local columns = { "benchmark" }
	for _, name in ipairs({
		"missed", "missed, margin", "missed, long", "overhead", "overhead, margin", "overhead, long", "drain, long",
	}) do
		columns[#columns + 1] = { name = name, unit = "%", digits = 1, compare = "difference" }
	end
	return {
		columns = columns,
		rows = mean_row(rows, { 0.2, 0.2, 0.2, 10.1, 10.1, 10.1, 8.9 }),
		notes = {
			"Margin: CTAs are chosen for 11 us, the deadline stays at 15. Long: the thesis's period of 1 ms and its job of 200 us (with",
			"--quick 400 and 80), in benchmarks that last longer than one.",
		},
	}
end

-- --- figures 4.9 and 4.10: with LUD --------------------------------------------------------------------------------------

local function lud()
	for _, b in ipairs(benchmarks) do
		if b[1] == "LUD" then
			return b
		end
	end
end

-- The limit of the thesis, longer than any switch. technique nil: fcfs, whose second kernel gets what the first leaves.
local function pair(b, x, technique)
	local l = lud()
	return lab.variant(bench(b, x), {
		beside = { { workload = l[2], size = size(x), params = params(l, x) }, WATCH },
		partition = technique and "spatial" or "fcfs",
		preempt = technique,
		set = { ["preempt.within"] = 30 },
	})
end

local function partners(x)
	local t = {}
	for _, b in ipairs(chosen(x)) do
		t[#t + 1] = b[1] ~= "LUD" and b or nil
	end
	return t
end

local SHARING = { "leftover", table.unpack(TECHNIQUES) }

local function pair_runs(x)
	local runs = alone_runs(x)
	for _, b in ipairs(partners(x)) do
		for _, how in ipairs(SHARING) do
			runs[#runs + 1] = pair(b, x, how ~= "leftover" and how or nil)
		end
	end
	return runs
end

-- The thesis' baseline, by the times that kernels take alone: one kernel at a time, in the order of their launch; a
-- program that ends first begins again until the other has ended.
local function one_at_a_time(result, b, x)
	local us, alone_us, at, ended, now = {}, {}, { 1, 1 }, {}, 0
	for i, of in ipairs({ b, lud() }) do
		local r = result(alone(of, x))
		if not r then
			return
		end
		us[i], alone_us[i] = {}, 0
		for k, launch in ipairs(r.kernels) do
			us[i][k] = launch.cycles / MHZ
			alone_us[i] = alone_us[i] + us[i][k]
		end
	end
	while not (ended[1] and ended[2]) do
		for i = 1, 2 do
			now = now + us[i][at[i]]
			if at[i] == #us[i] then
				ended[i] = ended[i] or now
			end
			at[i] = at[i] % #us[i] + 1
		end
	end
	return together.metrics_of({ ended[1] / alone_us[1], ended[2] / alone_us[2] })
end

-- While both run, until one ends.
local function shared(result, b, x, technique)
	local r, alone_b, alone_lud = result(pair(b, x, technique)), result(alone(b, x)), result(alone(lud(), x))
	return r and alone_b and alone_lud and together.metrics_of(together.slower(r, { alone_b, alone_lud }, MHZ, LOOK)) or nil
end

local function improvement(field, published_all, as_percent)
	return function(result, x)
		local rows, columns = {}, { "with LUD" }
		for _, b in ipairs(partners(x)) do
			local base, row = one_at_a_time(result, b, x), { b[1] }
			for i, how in ipairs(SHARING) do
				local m = shared(result, b, x, how ~= "leftover" and how or nil)
				local q = base and m and (field == "antt" and base.antt / m.antt or m.stp / base.stp)
				row[i + 1] = q and (as_percent and 100 * (q - 1) or q) or false
			end
			rows[#rows + 1] = row
		end
		for i, how in ipairs(SHARING) do
			columns[i + 1] = as_percent and { name = how, unit = "%", digits = 1, compare = "difference" }
				or { name = how, unit = "times", digits = 2 }
		end
		return {
			columns = columns,
			rows = mean_row(rows, published_all),
			notes = {
				"Over fcfs with one kernel at a time, by the times of kernels alone, in which the program that ends first begins",
				"again, as in the thesis. Shared: as long as both run. Leftover: partition=fcfs, without preemption.",
			},
			plot = { kind = "bars", columns = SHARING },
		}
	end
end

return {
	help = "preemption of SMs: switch, drain, flush and chimera beside a real-time task and LUD",
	source = "J. J. K. Park: Enabling efficient resource utilization on multitasking throughput processors, PhD thesis, University of Michigan 2016, chapter IV",
	figures = {
		{ name = "table4.2", title = "contexts, switch and drain times, idempotence", runs = alone_runs, table = table42 },
		{ name = "4.1", title = "estimated latency of each technique", runs = alone_runs, table = figure41 },
		{ name = "4.2", title = "estimated overhead of each technique", runs = alone_runs, table = figure42 },
		{ name = "4.3", title = "cost of each technique by a CTA's progress", runs = alone_runs, table = figure43 },
		{
			name = "4.5",
			title = "deadlines missed at 15 us",
			runs = technique_runs,
			table = of_techniques("miss", { 56.0, 61.3, 7.3, 0.2 }, { JOBS }),
		},
		{
			name = "4.6",
			title = "throughput overhead at 15 us",
			runs = technique_runs,
			table = figure46,
		},
		{ name = "4.6causes", title = "chimera with a margin, and with longer periods (ours)", runs = cause_runs, table = figure46causes },
		{ name = "4.7", title = "chimera by limit: misses, overhead, techniques", runs = limit_runs, table = figure47 },
		{ name = "4.8", title = "deadlines missed at 15 us, by idempotence", runs = strict_runs, table = figure48 },
		{ name = "4.9", title = "ANTT over fcfs", runs = pair_runs, table = improvement("antt", { false, 20.9, 19.3, 23.6, 25.4 }) },
		{ name = "4.10", title = "STP over fcfs", runs = pair_runs, table = improvement("stp", { false, 16.5, 36.6, 31.4, 41.7 }, true) },
	},
}
