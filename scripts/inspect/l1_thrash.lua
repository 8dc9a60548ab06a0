--[[ l1_thrash: who throws whose lines out of the L1 data caches, and which of them are missed again soon after.

    warpdbg run bfs --inspect l1_thrash           report at the end of the run
    (wd) inspect l1_thrash                        the report so far

Settings (globals, set before the script is loaded): L1_THRASH_WINDOW = cycles within which a new miss of an evicted line counts as a
re-miss; L1_THRASH_TOP = rows of each table.
A line belongs to the CTA whose load brought it in, "?" when that was before the script was loaded.
Columns: evictions = lines thrown out; own = by the CTA they belong to; others = by another CTA; re-missed = loaded again within the
window after that; mean gap = cycles between eviction and re-miss. Many re-misses by other CTAs mean that fewer resident CTAs (`--set
max_ctas_per_sm=N`) or another warp scheduler would keep the lines. ]]
local lib = require "inspect.lib"
lib.settings("L1_THRASH", {L1_THRASH_WINDOW = 2000, L1_THRASH_TOP = 10})
local window, top = lib.setting("L1_THRASH_WINDOW", 2000), lib.setting("L1_THRASH_TOP", 10)
local owner, evicted -- by SM: by line
local kernels, pairs_of, lines -- sums by kernel pair, by pair of CTAs, by line
local total

local function reset()
	owner, evicted, kernels, pairs_of, lines = {}, {}, {}, {}, {}
	total = {evictions = 0, own = 0, misses = 0, again = 0}
end

local function of(map, key)
	local t = map[key]
	if not t then
		t = {}
		map[key] = t
	end
	return t
end

local function sum_of(map, key, a, b)
	local t = map[key]
	if not t then
		t = {a = a, b = b, evictions = 0, own = 0, again = 0, gap = 0}
		map[key] = t
	end
	return t
end

local function rows_of(map, first)
	local rows = {}
	for i, t in ipairs(lib.sorted(map, function(a, b)
		if a.again ~= b.again then
			return a.again > b.again
		end
		return a.evictions > b.evictions
	end)) do
		local r = first(t)
		table.move({t.evictions, t.evictions - t.own, t.again, lib.percent(t.again, t.evictions), lib.ratio(t.gap, t.again)}, 1,
			5, #r + 1, r)
		rows[i] = r
	end
	return rows
end

lib.inspection("l1_thrash", reset, function()
	print(string.format("total: %d evictions, %d of them by the CTA the line belonged to; %d load misses, %d of lines evicted less "
		.. "than %d cycles before", total.evictions, total.own, total.misses, total.again, window))
	lib.table({"<evicted by", "<lines of", "evictions", "others", "re-missed", "%", "mean gap"}, rows_of(kernels, function(t)
		return {t.a, t.b}
	end))
	print("\npairs of CTAs (launch:CTA):")
	lib.table({"<evicted by", "<lines of", "evictions", "others", "re-missed", "%", "mean gap"}, rows_of(pairs_of, function(t)
		return {t.a, t.b}
	end), top)
	print("\nlines:")
	lib.table({"<address", "<allocation", "evictions", "others", "re-missed", "%", "mean gap"}, rows_of(lines, function(t)
		local a = mem.find(t.a)
		return {string.format("0x%x", t.a), a and a.name or "?"}
	end), top)
end)

-- An event of an access by a warp; other accesses (prefetches) have none.
local function who(e)
	return e.kernel and e.kernel .. ":" .. e.cta or "?"
end

lib.on("l1_thrash", "l1-miss", function(e)
	local line = e.addr
	local gone = of(evicted, e.sm)[line]
	total.misses = total.misses + 1
	of(owner, e.sm)[line] = {cta = who(e), kernel = e.kernel_name or "?"}
	if not gone then
		return
	end
	evicted[e.sm][line] = nil
	local gap = e.cycle - gone.cycle
	if gap <= window then
		total.again = total.again + 1
		for _, t in ipairs(gone.sums) do
			t.again, t.gap = t.again + 1, t.gap + gap
		end
	end
end)

lib.on("l1_thrash", "l1-evict", function(e)
	local line, by, kernel = e.addr, who(e), e.kernel_name or "?"
	local from = of(owner, e.sm)[line] or {cta = "?", kernel = "?"}
	local own = from.cta == by and 1 or 0
	local sums = {
		sum_of(kernels, kernel .. "/" .. from.kernel, kernel, from.kernel), sum_of(pairs_of, by .. "/" .. from.cta, by, from.cta),
		sum_of(lines, line, line)}
	for _, t in ipairs(sums) do
		t.evictions, t.own = t.evictions + 1, t.own + own
	end
	total.evictions, total.own = total.evictions + 1, total.own + own
	owner[e.sm][line] = nil
	of(evicted, e.sm)[line] = {cycle = e.cycle, sums = sums}
end)
