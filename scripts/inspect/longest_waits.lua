--[[ longest_waits: the longest waits for memory, with the PTX line that causes each and where the time went.

    warpdbg run bfs --inspect longest_waits       report at the end of the run
    (wd) inspect longest_waits                    the report so far

Settings (globals, set before the script is loaded): LONGEST_WAITS_TOP = waits shown; LONGEST_WAITS_PERIOD = cycles between two looks at
the warps that wait.
A wait begins when a warp's next instruction needs the result of a memory access (event warp-stall, state memory) and ends when that
instruction issues: what it waits for besides - an arithmetic result, its turn at the scheduler or the unit, a CTA that is swapped out or
saved meanwhile - is in it. It is charged to the instruction whose result it waits for as it begins, a load, not to the one that needs
the value. Columns: cycles = its length; line, at = the line that causes it; for = the lines that wait; where = what the warp waited
for, looked up every LONGEST_WAITS_PERIOD cycles ("x 3": seen three times in a row; "-": the wait was shorter than a period). Waits
under way are in the list too, marked "...". ]]
local lib = require "inspect.lib"
lib.settings("LONGEST_WAITS", {LONGEST_WAITS_TOP = 20, LONGEST_WAITS_PERIOD = 64})
local top, period = lib.setting("LONGEST_WAITS_TOP", 20), lib.setting("LONGEST_WAITS_PERIOD", 64)
local waiting -- by SM * 64 + slot
local away -- of CTAs without a slot, by launch and CTA: by slot beyond the CTA's first
local longest -- the `top` longest, longest first
local by_line -- place: {count, cycles}

local function reset()
	waiting, away, longest, by_line = {}, {}, {}, {}
end

local function longer(a, b)
	if a.cycles ~= b.cycles then
		return a.cycles > b.cycles
	end
	if a.from ~= b.from then
		return a.from < b.from
	end
	return a.sm * 64 + a.warp < b.sm * 64 + b.warp
end

local function insert(list, w)
	if #list >= top and not longer(w, list[#list]) then
		return
	end
	local i = #list
	while i > 0 and longer(w, list[i]) do
		list[i + 1] = list[i]
		i = i - 1
	end
	list[i + 1] = w
	list[top + 1] = nil
end

local function trail(w)
	local out = {}
	for _, p in ipairs(w.trail or {}) do
		out[#out + 1] = p.text .. (p.n > 1 and " x " .. p.n or "")
	end
	return out[1] and table.concat(out, " > ") or "-"
end

-- "53 61 ...": the lines that wait, those of the longest waits first.
local function those_for(l)
	local out = {}
	for i, f in ipairs(lib.sorted(l.waiters, function(a, b)
		return a.cycles > b.cycles
	end)) do
		out[#out + 1] = i > 3 and "..." or f.line
		if i > 3 then
			break
		end
	end
	return table.concat(out, " ")
end

-- Those that still wait, as of now.
local function with_open()
	local list = table.move(longest, 1, #longest, 1, {})
	local keys, all = {}, {}
	for _, cta in pairs(away) do
		for _, w in pairs(cta) do
			all[#all + 1] = w
		end
	end
	table.sort(all, function(a, b)
		return longer({cycles = 0, from = a.from, sm = a.sm, warp = a.warp}, {cycles = 0, from = b.from, sm = b.sm, warp = b.warp})
	end)
	for k in pairs(waiting) do
		keys[#keys + 1] = k
	end
	table.sort(keys)
	for _, k in ipairs(keys) do
		all[#all + 1] = waiting[k]
	end
	for _, w in ipairs(all) do
		w.cycles, w.open = gpu.cycle - w.from, true
		insert(list, w)
	end
	return list
end

lib.inspection("longest_waits", reset, function()
	local rows, n, cycles = {}, 0, 0
	for i, l in ipairs(lib.sorted(by_line, function(a, b)
		return a.cycles > b.cycles
	end)) do
		rows[i] = {l.code.place, l.code.cuda, l.n, l.cycles, lib.ratio(l.cycles, l.n), l.longest, those_for(l), l.code.text}
		n, cycles = n + l.n, cycles + l.cycles
	end
	print(string.format("total: %d waits for memory, %d warp cycles", n, cycles))
	lib.table({"<line", "?<CUDA", "waits", "cycles", "mean", "longest", "<for", "<PTX"}, rows, top)
	print("\nlongest:")
	rows = {}
	for i, w in ipairs(with_open()) do
		rows[i] = {w.cycles .. (w.open and "..." or ""), w.from, w.sm, w.warp, w.kernel_name, w.cta, lib.code(w.kernel, w.by).place, lib.code(w.kernel, w.pc).line,
			trail(w)}
		w.open = nil
	end
	lib.table({"cycles", "from", "SM", "warp", "<kernel", "CTA", "<at", "for", "<where"}, rows)
end)

lib.on("longest_waits", "warp-stall", {state = "memory"}, function(e)
	local key = e.sm * 64 + e.warp
	local w = waiting[key]
	if not w or w.pc ~= e.pc or w.cta ~= e.cta or w.kernel ~= e.kernel then
		waiting[key] = {from = e.cycle, sm = e.sm, warp = e.warp, kernel = e.kernel, kernel_name = e.kernel_name, cta = e.cta, pc = e.pc,
			by = gpu.sm[e.sm].warp[e.warp].producer or e.pc}
	end
end)

-- A CTA has left its slots: its waits go on; or, dropped, they are over.
local function leave(e, first, last)
	local cta = {}
	for slot = first, last do
		local w = waiting[e.sm * 64 + slot]
		if w and w.cta == e.cta and w.kernel == e.kernel then
			waiting[e.sm * 64 + slot] = nil
			cta[slot - first] = w
		end
	end
	away[e.kernel .. ":" .. e.cta] = next(cta) and cta
end

local function come(e, first)
	for i, w in pairs(away[e.kernel .. ":" .. e.cta] or {}) do
		w.sm, w.warp = e.sm, first + i
		waiting[e.sm * 64 + first + i] = w
	end
	away[e.kernel .. ":" .. e.cta] = nil
end

local function lowest(mask)
	local i = 0
	while mask ~= 0 and mask >> i & 1 == 0 do
		i = i + 1
	end
	return i
end

lib.on("longest_waits", "cta-swap-out", function(e)
	leave(e, e.warp, 63)
end)
lib.on("longest_waits", "cta-swap-in", function(e)
	come(e, e.warp)
end)
lib.on("longest_waits", "cta-save", function(e)
	leave(e, lowest(e.warps), 63)
end)
lib.on("longest_waits", "cta-restore", function(e)
	come(e, lowest(e.warps))
end)
lib.on("longest_waits", "cta-drop", function(e)
	leave(e, 0, 63)
	away[e.kernel .. ":" .. e.cta] = nil
end)

lib.on("longest_waits", "issue", function(e)
	local key = e.sm * 64 + e.warp
	local w = waiting[key]
	if not w or e.pc ~= w.pc or e.cta ~= w.cta or e.kernel ~= w.kernel then
		return
	end
	waiting[key] = nil
	w.cycles = e.cycle - w.from
	local c = lib.code(w.kernel, w.by)
	local l = by_line[c.place]
	if not l then
		l = {code = c, n = 0, cycles = 0, longest = 0, waiters = {}}
		by_line[c.place] = l
	end
	l.n, l.cycles, l.longest = l.n + 1, l.cycles + w.cycles, math.max(l.longest, w.cycles)
	local at = lib.code(w.kernel, w.pc)
	local f = l.waiters[at.place] or {line = at.line, cycles = 0}
	f.cycles = f.cycles + w.cycles
	l.waiters[at.place] = f
	insert(longest, w)
end)

-- What those that wait now wait for.
lib.sample("longest_waits", period, function(cycle)
	for _, w in pairs(waiting) do
		local t = w.trail
		if not t then
			t = {}
			w.trail = t
		end
		local x = gpu.sm[w.sm].warp[w.warp]
		local text = x.state == "memory" and x.waits:gsub("^%%%S+ *%b(): ", ""):gsub("^%%%S+: ", "") or x.state
		if t[#t] and t[#t].text == text then
			t[#t].n = t[#t].n + 1
		else
			t[#t + 1] = {text = text, n = 1}
		end
	end
end)
