--[[ cta_lifetimes: how long the CTAs of each kernel live, from dispatch to their end, as a histogram.

    warpdbg run bfs --inspect cta_lifetimes       report at the end of the run
    (wd) inspect cta_lifetimes                    the report so far

Settings (globals): CTA_LIFETIMES_BINS = rows of a histogram (the range is divided evenly).
Figures are in cycles; launches of a kernel are taken together. p50 = half of the CTAs lived at most so long. A long tail means that a
few CTAs keep the machine while the others are done. ]]
local lib = require "inspect.lib"
local settings = {CTA_LIFETIMES_BINS = 10}
lib.settings("CTA_LIFETIMES", settings)
local lives -- by kernel name: {name, n, sum, of = how many by cycles}

local function reset()
	lives = {}
end

local function lengths(k)
	local sorted = {}
	for v in pairs(k.of) do
		sorted[#sorted + 1] = v
	end
	table.sort(sorted)
	return sorted
end

-- How long the shorter part q of them lives at most.
local function at(k, sorted, q)
	local left = math.max(1, math.ceil(q * k.n))
	for _, v in ipairs(sorted) do
		left = left - k.of[v]
		if left <= 0 then
			return v
		end
	end
end

local function histogram(k, list)
	lib.settings("CTA_LIFETIMES", settings)
	local bins = lib.setting("CTA_LIFETIMES_BINS", 10)
	local lo, hi = list[1], list[#list]
	local step = math.max(1, (hi - lo + bins) // bins)
	local n, rows, most = {}, {}, 0
	for _, v in ipairs(list) do
		local b = (v - lo) // step
		n[b] = (n[b] or 0) + k.of[v]
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
		local c = lengths(k)
		print(string.format("%s: %d CTAs done; cycles min %d, p50 %d, p90 %d, max %d, mean %.1f", k.name, k.n, c[1],
			at(k, c, 0.5), at(k, c, 0.9), c[#c], k.sum / k.n))
		histogram(k, c)
	end
end)

lib.on("cta_lifetimes", "cta-done", function(e)
	local k = lives[e.kernel_name]
	if not k then
		k = {name = e.kernel_name, n = 0, sum = 0, of = {}}
		lives[e.kernel_name] = k
	end
	k.n, k.sum = k.n + 1, k.sum + e.cycles
	k.of[e.cycles] = (k.of[e.cycles] or 0) + 1
end)
