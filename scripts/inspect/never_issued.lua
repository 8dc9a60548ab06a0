--[[ never_issued: warps that have not issued a single instruction, and how long the others waited for their first.

    warpdbg run bfs --inspect never_issued        report at the end of the run
    (wd) inspect never_issued                     the report so far

Settings (globals, set before the script is loaded): NEVER_ISSUED_TOP = warps listed.
Columns: warps = dispatched; issued = have issued; never = have not; first = cycles from dispatch to the first instruction (mean, longest).
Then the warps that never issued, longest waiting first. At the end of a run that finished there are none; in one that deadlocked, faulted
or ended early they show whom the scheduler or the fetch unit left behind. Warps dispatched before the script was loaded are not counted. ]]
local lib = require "inspect.lib"
lib.settings("NEVER_ISSUED", {NEVER_ISSUED_TOP = 20})
local top = lib.setting("NEVER_ISSUED_TOP", 20)
local waiting -- by SM * 64 + slot: dispatched, not yet issued
local kernels -- by name

local function reset()
	waiting, kernels = {}, {}
end

local function rest()
	local rows = {}
	for i, w in ipairs(lib.sorted(waiting, function(a, b)
		return a.cycle < b.cycle
	end)) do
		local x = gpu.sm[w.sm].warp[w.slot]
		rows[i] = {w.sm, w.slot, w.kernel, w.cta, w.cycle, gpu.cycle - w.cycle, x.state, x.waits}
	end
	if #rows > 0 then
		print("never issued:")
		lib.table({"SM", "warp", "<kernel", "CTA", "since", "cycles", "<state", "<waits for"}, rows, top)
	end
end

lib.inspection("never_issued", reset, function()
	local rows = {}
	for _, w in pairs(waiting) do
		kernels[w.kernel].never = kernels[w.kernel].never + 1
	end
	for i, k in ipairs(lib.sorted(kernels, function()
		return false
	end)) do
		rows[i] = {k.name, k.warps, k.issued, k.never, lib.ratio(k.sum, k.issued), k.longest}
		k.never = 0
	end
	lib.table({"<kernel", "warps", "issued", "never", "first: mean", "longest"}, rows)
	rest()
end)

lib.on("never_issued", "cta-dispatch", function(e)
	local name = e.kernel_name
	kernels[name] = kernels[name] or {name = name, warps = 0, issued = 0, never = 0, sum = 0, longest = 0}
	local mask, slot = e.warps, 0
	while mask ~= 0 do
		if mask & 1 == 1 then
			waiting[e.sm * 64 + slot] = {sm = e.sm, slot = slot, kernel = name, cta = e.cta, cycle = e.cycle}
			kernels[name].warps = kernels[name].warps + 1
		end
		mask, slot = mask >> 1, slot + 1
	end
end)

lib.on("never_issued", "issue", function(e)
	local key = e.sm * 64 + e.warp
	local w = waiting[key]
	if w then
		local k = kernels[w.kernel]
		waiting[key] = nil
		k.issued = k.issued + 1
		k.sum = k.sum + e.cycle - w.cycle
		k.longest = math.max(k.longest, e.cycle - w.cycle)
	end
end)
