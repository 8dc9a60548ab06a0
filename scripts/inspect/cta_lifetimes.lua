--[[ cta_lifetimes: how long the CTAs of each kernel live, from dispatch to their end, as a histogram.

    warpdbg run bfs --script scripts/inspect/cta_lifetimes.lua       report at the end of the run
    (wd) source scripts/inspect/cta_lifetimes.lua                    then at any stop: lua cta_lifetimes()

Settings (globals, set before the script is loaded): CTA_LIFETIMES_BINS = rows of a histogram (the range is divided evenly).
Figures are in cycles; launches of a kernel are taken together. p50 = half of the CTAs lived at most so long. A long tail means that a
few CTAs keep the machine while the others are done. ]]
local lib = require "inspect.lib"
lib.settings("CTA_LIFETIMES", {CTA_LIFETIMES_BINS = 10})
local bins = lib.setting("CTA_LIFETIMES_BINS", 10)
local lives -- by kernel name: {list of cycles, launches}

local function reset()
	lives = {}
end

local function at(sorted, q)
	return sorted[math.max(1, math.ceil(q * #sorted))]
end

local function histogram(list)
	local lo, hi = list[1], list[#list]
	local step = math.max(1, (hi - lo + bins) // bins)
	local n, rows, most = {}, {}, 0
	for _, v in ipairs(list) do
		local b = (v - lo) // step
		n[b] = (n[b] or 0) + 1
		most = math.max(most, n[b])
	end
	for b = 0, (hi - lo) // step do
		rows[#rows + 1] = {lo + b * step .. " .. " .. lo + (b + 1) * step - 1, n[b] or 0, lib.bar(n[b] or 0, most, 40)}
	end
	lib.table({"cycles", "CTAs", "<"}, rows)
end

lib.inspection("cta_lifetimes", reset, function()
	local list = lib.sorted(lives, function()
		return false
	end)
	if #list == 0 then
		print("no CTA has finished")
	end
	for _, k in ipairs(list) do
		local sum = 0
		table.sort(k.cycles)
		for _, v in ipairs(k.cycles) do
			sum = sum + v
		end
		local c = k.cycles
		print(string.format("%s: %d CTAs done; cycles min %d, p50 %d, p90 %d, max %d, mean %.1f", k.name, #c, c[1],
			at(c, 0.5), at(c, 0.9), c[#c], sum / #c))
		histogram(c)
	end
end)

lib.on("cta_lifetimes", "cta-done", function(e)
	local k = lives[e.kernel_name]
	if not k then
		k = {name = e.kernel_name, cycles = {}}
		lives[e.kernel_name] = k
	end
	k.cycles[#k.cycles + 1] = e.cycles
end)
