--[[ starvation: warps that do not issue for a long time: reported, or stopped at.

    warpdbg run bfs --inspect starvation          report at the end of the run
    (wd) inspect starvation                       the report so far

Settings (globals, set before the script is loaded): STARVATION_CYCLES = how long is too long; STARVATION_TOP = warps shown;
STARVATION_BREAK = true: the run stops when a warp reaches it (in the debugger it can go on).
Columns: cycles = between two instructions of a warp ("..." = it has not issued since); from = cycle of the first of them, or of the
dispatch; state, waits for = seen when it had reached STARVATION_CYCLES, looked for every quarter of that ("-": it issued before). ]]
local lib = require "inspect.lib"
lib.settings("STARVATION", {STARVATION_CYCLES = 1000, STARVATION_TOP = 20, STARVATION_BREAK = false})
local limit, top = lib.setting("STARVATION_CYCLES", 1000), lib.setting("STARVATION_TOP", 20)
local stop = lib.setting("STARVATION_BREAK", false)
local live -- by SM * 64 + slot: {from = last issue, ...}
local gaps, longest -- gaps of `limit` or more; the longest of all

local function reset()
	live, gaps, longest = {}, {}, 0
end

-- The warp has issued or exited: keeps what was too long.
local function close(w, cycle)
	local n = cycle - w.from
	longest = math.max(longest, n)
	if n >= limit then
		gaps[#gaps + 1] = {cycles = n, from = w.from, sm = w.sm, slot = w.slot, kernel = w.kernel, cta = w.cta, state = w.state, waits = w.waits}
	end
	w.from, w.state, w.waits = cycle, nil, nil
end

local function by_length(a, b)
	return a.cycles > b.cycles
end

lib.inspection("starvation", reset, function()
	local all, rows, open = table.move(gaps, 1, #gaps, 1, {}), {}, 0
	for _, w in ipairs(lib.sorted(live, function(a, b)
		return a.from < b.from
	end)) do
		local n = gpu.cycle - w.from
		if n >= limit then
			open = open + 1
			all[#all + 1] = {cycles = n, open = true, from = w.from, sm = w.sm, slot = w.slot, kernel = w.kernel, cta = w.cta, state = w.state,
				waits = w.waits}
		end
	end
	for i, g in ipairs(lib.sorted(all, by_length)) do
		rows[i] = {g.cycles .. (g.open and "..." or ""), g.from, g.sm, g.slot, g.kernel, g.cta, g.state or "-", g.waits or "-"}
	end
	print(string.format("total: %d times a warp did not issue for %d cycles or more, %d of them still; longest between two instructions: %d",
		#all, limit, open, longest))
	if #rows > 0 then
		lib.table({"cycles", "from", "SM", "warp", "<kernel", "CTA", "<state", "<waits for"}, rows, top)
	end
end)

lib.on("starvation", "cta-dispatch", function(e)
	local mask, slot = e.warps, 0
	while mask ~= 0 do
		if mask & 1 == 1 then
			live[e.sm * 64 + slot] = {from = e.cycle, sm = e.sm, slot = slot, kernel = e.kernel_name, cta = e.cta}
		end
		mask, slot = mask >> 1, slot + 1
	end
end)

lib.on("starvation", "issue", function(e)
	local w = live[e.sm * 64 + e.warp]
	if w then
		close(w, e.cycle)
	end
end)

lib.on("starvation", "warp-exit", function(e)
	live[e.sm * 64 + e.warp] = nil
end)

lib.sample("starvation", math.max(1, limit // 4), function(cycle)
	local first
	for key, w in pairs(live) do
		if not w.state and cycle - w.from >= limit then
			local x = gpu.sm[w.sm].warp[w.slot]
			w.state, w.waits = x.state, x.waits
			first = math.min(first or key, key)
		end
	end
	if first and stop then
		local w = live[first]
		dbg.stop(string.format("SM %d warp %d (%s, CTA %d) has not issued since cycle %d: %s %s", w.sm, w.slot, w.kernel, w.cta, w.from,
			w.state, w.waits))
	end
end)
