--[[ line_stalls: where the warps stand and why, line by line, by looking at all of them every so many cycles.

    warpdbg run hotspot --inspect line_stalls     report at the end of the run
    (wd) inspect line_stalls                      the report so far

Settings (globals, set before the script is loaded): LINE_STALLS_PERIOD = cycles between two looks; LINE_STALLS_TOP = lines shown;
LINE_STALLS_CUDA = true: by line of the .cu file (PTX without .loc: by PTX line all the same).
Columns: warps = times a warp was seen before that line (an estimate of its warp cycles / LINE_STALLS_PERIOD); then the share of each
state in percent: issued, refused (ready, its unit was busy), ready (not chosen), memory, short (arithmetic or shared memory result),
barrier, fence, sleep, fetch; states that no warp was seen in are left out. In the debugger, loaded after the first cycle: of the samples that it takes itself from the start on, one
every 512 cycles, unless a period was set (issued is then among ready). ]]
local lib = require "inspect.lib"
lib.settings("LINE_STALLS", {LINE_STALLS_PERIOD = 64, LINE_STALLS_TOP = 20, LINE_STALLS_CUDA = false})
local period, top = lib.setting("LINE_STALLS_PERIOD", 64), lib.setting("LINE_STALLS_TOP", 20)
local asked = rawget(_G, "LINE_STALLS_PERIOD") ~= nil
local cuda = lib.setting("LINE_STALLS_CUDA", false)
local states = {"issued", "refused", "ready", "memory", "short", "barrier", "fence", "sleep", "fetch"}
local seen -- by place
local looks, warps, exited

local function reset()
	seen, looks, warps, exited = {}, 0, 0, 0
end

local function note(w, n)
	local c = lib.code(w.kernel, w.pc)
	local place = cuda and c.src_line and c.cuda or c.place
	local s = seen[place]
	if not s then
		s = {place = place, n = 0, text = place == c.place and c.text or c.func}
		seen[place] = s
	end
	s.n = s.n + n
	s[w.state] = (s[w.state] or 0) + n
	warps = warps + n
end

-- What the debugger has seen from the start on, one look every 512 cycles, when this was loaded later.
local function from_start(waits)
	seen, warps = {}, 0
	for _, c in ipairs(waits.code) do
		for state, n in pairs(c.states) do
			note({kernel = c.kernel, pc = c.pc, state = state}, n)
		end
	end
	return string.format("total: one look every %d cycles since the start; %d warps seen", waits.period, warps)
end

lib.inspection("line_stalls", reset, function(from)
	local waits = from > 0 and not asked and dbg.waits()
	local total = waits and from_start(waits)
	local head, rows = {"<line", "warps", "%"}, {}
	for i, state in ipairs(states) do
		head[3 + i] = "?" .. state
	end
	head[#head + 1] = "<text"
	for i, s in ipairs(lib.sorted(seen, function(a, b)
		return a.n > b.n
	end)) do
		local r = {s.place, s.n, lib.percent(s.n, warps)}
		for _, state in ipairs(states) do
			r[#r + 1] = s[state] and lib.percent(s[state], s.n) or "-"
		end
		r[#r + 1] = s.text
		rows[i] = r
	end
	print(total or string.format("total: %d looks, one every %d cycles; %d warps seen, %d of them had exited", looks, period,
		warps + exited, exited))
	lib.table(head, rows, top)
	return waits and true
end)

lib.sample("line_stalls", period, function(cycle)
	looks = looks + 1
	for i = 0, gpu.num_sms - 1 do
		for _, w in ipairs(gpu.sm[i].resident) do
			if w.pc then
				note(w, 1)
			else
				exited = exited + 1
			end
		end
	end
end)
