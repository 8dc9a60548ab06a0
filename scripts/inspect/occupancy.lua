--[[ occupancy: for each kernel, how many CTAs of it each resource of an SM allows, which one is the limit, and what one CTA more would take.

    warpdbg run hotspot --inspect occupancy       report at the end of the run
    (wd) inspect occupancy                        the report so far

No settings. Columns: needs = of the resource, for one CTA as it is allocated; has = of an SM; CTAs = how many fit; one more CTA = what
this resource would have to be for one CTA more than the limit now ("-": it allows that already). Launches of a kernel with the same
shape are taken together. The last line is what was reached: resident warps, mean over the cycles in which an SM had any. ]]
local lib = require "inspect.lib"
lib.settings("OCCUPANCY", {})

local function round_up(v, unit)
	return (v + unit - 1) // unit * unit
end

local function cta_regs(k, conf, regs)
	return k.warps * round_up(regs * 32, conf["sm.reg_unit"])
end

-- The most registers per thread with which `ctas` fit; nil when even one does not let them.
local function regs_for(k, conf, ctas)
	for regs = k.regs, 1, -1 do
		if conf["sm.regs"] // cta_regs(k, conf, regs) >= ctas then
			return regs
		end
	end
end

local function resources(k, conf)
	local regs, shared = cta_regs(k, conf, k.regs), round_up(k.shared_bytes, conf["sm.shared_unit"])
	local max, threads = conf["max_ctas_per_sm"], conf["sm.threads"]
	local list = {
		{name = "threads", needs = k.warps * 32, has = threads, ctas = threads // 32 // k.warps, more = function(n)
			local warps = threads // 32 // n
			return warps > 0 and "at most " .. warps * 32 .. " threads per CTA (now " .. k.warps * 32 .. ")" or "impossible"
		end},
		{name = "CTAs", needs = 1, has = conf["sm.ctas"], ctas = conf["sm.ctas"], more = function()
			return "another machine (sm.ctas), or CTAs of more threads"
		end}}
	if regs > 0 then
		list[#list + 1] = {name = "registers", needs = regs, has = conf["sm.regs"], ctas = conf["sm.regs"] // regs, more = function(n)
			local r = regs_for(k, conf, n)
			return r and "at most " .. r .. " registers per thread (now " .. k.regs .. ")" or "impossible"
		end}
	end
	if shared > 0 then
		list[#list + 1] = {name = "shared memory", needs = shared, has = conf["sm.shared"], ctas = conf["sm.shared"] // shared,
			more = function(n)
				local unit = conf["sm.shared_unit"]
				return "at most " .. conf["sm.shared"] // n // unit * unit .. " B per CTA (now " .. k.shared_bytes .. ")"
			end}
	end
	if max > 0 then
		list[#list + 1] = {name = "max_ctas_per_sm", needs = 1, has = max, ctas = max, more = function(n)
			return "--set max_ctas_per_sm=" .. n
		end}
	end
	return list
end

local function shape(k)
	return string.format("%s: %d warps per CTA, %d registers per thread, %d B of shared memory", k.name, k.warps, k.regs, k.shared_bytes)
end

local function explain(k, n)
	local conf, rows = gpu.conf, {}
	print(shape(k) .. (n > 1 and " (" .. n .. " launches)" or ""))
	for i, r in ipairs(resources(k, conf)) do
		local more = r.ctas >= k.ctas_per_sm + 1 and "-" or r.more(k.ctas_per_sm + 1)
		rows[i] = {r.name, r.needs, r.has, r.ctas, r.name == k.limiter and "limit" or r.ctas == k.ctas_per_sm and "limit too" or "", more}
	end
	lib.table({"<resource", "needs", "has", "CTAs", "<", "<one more CTA"}, rows)
	local warps, most = k.ctas_per_sm * k.warps, gpu.conf["sm.threads"] // 32
	print(string.format("%d CTAs = %d of %d warps, %s %%; grid of %d CTAs on %d SMs: %s per SM\n", k.ctas_per_sm, warps, most,
		lib.percent(warps, most), k.ctas, gpu.num_sms, lib.ratio(k.ctas, gpu.num_sms)))
end

lib.inspection("occupancy", function() end, function()
	local launches, list = {}, {}
	for i = 0, gpu.num_kernels - 1 do
		local k = gpu.kernel[i]
		local key = shape(k)
		launches[key] = (launches[key] or 0) + 1
		if launches[key] == 1 then
			list[#list + 1] = k
		end
	end
	for _, k in ipairs(list) do
		explain(k, launches[shape(k)])
	end
	print(string.format("reached: %s warps of %d per SM on average while it had any", lib.ratio(gpu.occupancy, gpu.active_cycles),
		gpu.conf["sm.threads"] // 32))
end)
