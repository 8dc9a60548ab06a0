--[[ lib: what the inspections share - subscriptions that count every event once, places in the code, aligned tables.

    local lib = require "inspect.lib"
    lib.inspection("name", reset, report)   the global function name() prints the report, also at the end of each run;
                                            reset() is called now and when `run` starts again; report(from) is told from which
                                            cycle on it counts, and may return true: what it shows is from the start all the same
    lib.on("name", event, [filter,] fn)     as dbg.on, without what is told again after going back in time
    lib.sample("name", period, fn)

Sourcing a script again replaces its subscriptions: nothing is counted twice. ]]
local lib = {}
local ids = {} -- by inspection: its subscriptions and hooks
local places = {} -- by launch: by pc
local bits = {[0] = 0}
for i = 1, 255 do
	bits[i] = bits[i >> 1] + (i & 1)
end

-- Number of lanes in a mask.
function lib.lanes(m)
	return bits[m & 255] + bits[m >> 8 & 255] + bits[m >> 16 & 255] + bits[m >> 24 & 255]
end

-- A setting: the global of that name, or its default.
function lib.setting(name, default)
	local v = rawget(_G, name)
	if v == nil then
		return default
	end
	if type(v) ~= type(default) or (type(v) == "number" and (v < 1 or v ~= v // 1)) then
		local what = type(default) == "number" and "a whole number of at least 1" or "a " .. type(default)
		error(name .. " = " .. tostring(v) .. ": " .. what .. " is expected", 0)
	end
	return v
end

-- Global settings outlive a script: names that are one letter off would pass silently, so unknown ones of an inspection are an error.
function lib.settings(prefix, known)
	local names = {}
	for k in pairs(_G) do
		if type(k) == "string" and k:sub(1, #prefix + 1) == prefix .. "_" and known[k] == nil then
			names[#names + 1] = k
		end
	end
	table.sort(names)
	if names[1] then
		error("there is no setting " .. names[1] .. " (the script's first lines list them)", 0)
	end
	for k, default in pairs(known) do
		lib.setting(k, default)
	end
end

-- Going back and changing something there makes another future: figures of the first one stay in, and the report says so.
local last, forked = {}, {}
local from = {} -- by inspection: the cycle from which it counts

-- In the debugger these count from the first cycle on, whether somebody asks or not: less than 1 % of a run. Their report at the end
-- is for those who have asked.
local always = {"cta_lifetimes"}
local unasked = {} -- by inspection
local whole = {line_costs = true, line_stalls = true, occupancy = true} -- tell of the run from its start, whenever they are loaded
local listening

function lib.listen()
	listening = true
	for _, name in ipairs(always) do
		if rawget(_G, name) == nil then
			require("inspect." .. name)
		end
	end
	listening = false
end

-- The report so far; loaded when it is not there yet.
function lib.show(name)
	if type(rawget(_G, name)) ~= "function" then
		require("inspect." .. name)
	end
	unasked[name] = nil
	_G[name]()
end

function lib.inspection(name, reset, report)
	for _, id in ipairs(ids[name] or {}) do
		dbg.off(id)
	end
	local function fresh()
		places = {}
		last[name], forked[name] = 0, nil
		local ok, now = pcall(function()
			return gpu.cycle
		end)
		from[name] = ok and now or 0
		reset()
	end
	local function print_report()
		print("--- " .. name .. ", cycle " .. gpu.cycle .. " ---")
		local listens = #ids[name] > 2
		if listens and from[name] > 0 and from[name] == gpu.cycle and not whole[name] then
			print("It counts from here on, cycle " .. gpu.cycle .. ": go on, then `inspect " .. name .. "` again. `run` begins"
				.. " again and counts from the start.\n")
			return
		end
		local shown_whole = report(from[name])
		if from[name] > 0 and listens and not shown_whole then
			print("note: counted from cycle " .. from[name] .. " on, when it was loaded; `run` begins again and counts from the start")
		end
		if forked[name] then
			print("note: the machine was changed in its past, at or before cycle " .. forked[name]
				.. "; the figures also count what was undone")
		end
		print("")
	end
	unasked[name] = listening
	ids[name] = {dbg.at_start(fresh), dbg.at_end(function()
		if not unasked[name] then
			print_report()
		end
	end)}
	_G[name] = print_report
	fresh()
end

function lib.on(name, event, filter, fn)
	if not fn then
		filter, fn = {}, filter
	end
	table.insert(ids[name], dbg.on(event, filter, function(e)
		if e.replay then
			return
		end
		local cycle = e.cycle
		if cycle < last[name] and not forked[name] then
			forked[name] = cycle
		end
		last[name] = cycle
		fn(e)
	end))
end

function lib.sample(name, period, fn)
	table.insert(ids[name], dbg.sample(period, function(cycle)
		if cycle < last[name] and not forked[name] then
			forked[name] = cycle
		end
		last[name] = cycle
		fn(cycle)
	end))
end

-- The instruction at pc of a launch: as gpu.kernel[K].code(pc), and place = "file.ptx:42".
function lib.code(kernel, pc)
	local of = places[kernel]
	if not of then
		of = {}
		places[kernel] = of
	end
	local c = of[pc]
	if not c then
		c = gpu.kernel[kernel].code(pc)
		c.place = c.file .. ":" .. c.line
		c.cuda = c.src_line and (c.src_file:match("[^/]*$") .. ":" .. c.src_line) or "-"
		of[pc] = c
	end
	return c
end

function lib.percent(part, whole)
	return whole > 0 and string.format("%.1f", 100 * part / whole) or "-"
end

function lib.ratio(a, b)
	return b > 0 and string.format("%.1f", a / b) or "-"
end

-- A bar of at most `width` characters.
function lib.bar(part, whole, width)
	return whole > 0 and string.rep("#", math.floor(width * part / whole + 0.5)) or ""
end

-- Values of a map as a list in an order that does not depend on pairs().
function lib.sorted(map, before)
	local keys, list = {}, {}
	for k in pairs(map) do
		keys[#keys + 1] = k
	end
	table.sort(keys)
	for i, k in ipairs(keys) do
		list[i] = map[k]
		list[i].order = i
	end
	table.sort(list, function(a, b)
		if before(a, b) then
			return true
		end
		return not before(b, a) and a.order < b.order
	end)
	return list
end

-- Takes a column out of a table's head and rows.
local function drop(head, rows, i)
	table.remove(head, i)
	for _, r in ipairs(rows) do
		table.remove(r, i)
	end
end

-- Columns whose heading begins with '?' are left out when nothing but "-" is in them.
local function drop_empty(head, rows)
	for i = #head, 1, -1 do
		if head[i]:sub(1, 1) == "?" then
			local any = false
			head[i] = head[i]:sub(2)
			for _, r in ipairs(rows) do
				any = any or r[i] ~= "-"
			end
			if not any then
				drop(head, rows, i)
			end
		end
	end
end

-- Prints rows under a head. A heading that begins with '<' is left-aligned, others right; the last column is not padded.
function lib.table(head, rows, limit)
	local width, left, all = {}, {}, {}
	drop_empty(head, rows)
	for i, h in ipairs(head) do
		left[i] = h:sub(1, 1) == "<"
		head[i] = left[i] and h:sub(2) or h
	end
	all[1] = head
	for i = 1, math.min(#rows, limit or #rows) do
		all[i + 1] = rows[i]
	end
	for _, r in ipairs(all) do
		for i = 1, #head do
			width[i] = math.max(width[i] or 0, utf8.len(tostring(r[i])) or #tostring(r[i]))
		end
	end
	for _, r in ipairs(all) do
		local out = {}
		for i = 1, #head do
			local text = tostring(r[i])
			local pad = string.rep(" ", width[i] - (utf8.len(text) or #text))
			out[i] = left[i] and (i == #head and text or text .. pad) or pad .. text
		end
		print((table.concat(out, "  "):gsub("%s+$", "")))
	end
	if limit and #rows > limit then
		print("... and " .. #rows - limit .. " more")
	end
end

return lib
