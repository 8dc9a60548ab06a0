-- Lays out the rows of `warpdbg list workloads --table`: one a kernel, in brackets what is published of the original.
local published = require("published")

local function dims(d)
	local n = d[3] > 1 and 3 or d[2] > 1 and 2 or 1
	return table.concat(d, "x", 1, n)
end

local function with(value, theirs)
	return theirs == nil and tostring(value) or ("%s (%s)"):format(value, theirs)
end

local function yes(b)
	return b == nil and "?" or b and "yes" or "no"
end

local function idempotent(code, p)
	local ours = yes(code.idempotent)
	if code.idempotent == false then
		ours = ("no, %.0f %%"):format(100 * code.restartable)
	end
	return with(ours, p and (p[5] and "yes" or ("no, %d %%"):format(p[6])))
end

-- What the run showed: CTAs idempotent to their end, and the share of instructions before the moment of all.
local function dynamic(d)
	if d.unknown > 0 then
		return ("%d of %d unknown"):format(d.unknown, d.ctas)
	elseif d.idempotent == d.ctas then
		return "yes"
	end
	local some = d.idempotent > 0 and (" (%.0f %% of CTAs do)"):format(100 * (d.ctas - d.idempotent) / d.ctas) or ""
	local share = d.insts_before and (", %.0f %%"):format(100 * d.insts_before) or ""
	return (d.overwrote > 0 and "overwrites" or d.atomic > 0 and "atomics" or "prints") .. share .. some
end

local function context(k)
	local threads = k.block[1] * k.block[2] * k.block[3]
	return math.floor((4 * k.regs * threads + k.shared) / 1024 + 0.5)
end

local MIX = { "int", "f32", "f64", "sfu", "mem", "shared", "const", "ctrl" }

local function row(k)
	if k.error then
		return { k.workload, k.error, "", "", "", "", "", "", "", "", "", "", "", "" }
	end
	local p = published[k.workload] and published[k.workload][k.kernel] or {}
	local mix = {}
	for i, name in ipairs(MIX) do
		mix[i] = ("%.0f"):format(k.mix[name])
	end
	return {
		k.workload,
		k.kernel,
		tostring(k.launches),
		with(dims(k.grid), p.lee and p.lee[2]),
		with(dims(k.block), p.lee and p.lee[3]),
		tostring(k.regs),
		tostring(k.shared),
		with(context(k), p.preempt and p.preempt[3]),
		with(k.ctas_per_sm, p.preempt and p.preempt[4]) .. " " .. k.limiter,
		with(k.code.phases, p.phases and p.phases[5]),
		with(k.code.program_points, p.points and p.points[3]),
		idempotent(k.code, p.preempt),
		dynamic(k.dynamic),
		table.concat(mix, " "),
	}
end

return function(kernels)
	local rows = {}
	for i, k in ipairs(kernels) do
		rows[i] = row(k)
	end
	return {
		columns = {
			"workload", "kernel", "launches", "grid", "block", "regs", "shared B", "context kB", "CTAs/SM", "phases", "points",
			"idempotent", "executed", "mix %",
		},
		rows = rows,
		notes = {
			"Grid: the grid of the launch with the most CTAs. CTAs/SM: how many CTAs an SM can hold, and what limits them. Context:",
			"registers and shared memory of a CTA. Points: program points before merging. Idempotent: by the code; for \"no\", with the",
			"share of instructions before the first that forbids a restart. Executed: what the CTAs of this run did, exact by byte",
			"(yes: all of them could have been restarted up to their end), with the mean share of a CTA's instructions before it.",
			"Mix: shares of the executed warp instructions: " .. table.concat(MIX, " / ") .. ".",
			"In brackets: published figures of the program after which the workload is modelled, on that paper's machine and with",
			"its compiler. Grid (CTAs) and block: Lee 2014, table 2. Phases: Awatramani 2015, table II. Points: Park 2016, table",
			"3.2. Context, CTAs/SM and idempotence: Park 2016, table 4.2.",
		},
	}
end
