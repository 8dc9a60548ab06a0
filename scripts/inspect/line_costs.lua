--[[ line_costs: which PTX or CUDA lines hold up others, and what accesses of memory cost, line by line.

    warpdbg run hotspot --inspect line_costs      report at the end of the run
    (wd) inspect line_costs                       the report so far

Settings (globals, set before the script is loaded): LINE_COSTS_TOP = lines shown; LINE_COSTS_CUDA = true: by line of the .cu file.
The lines with most blocked slots come first. Columns (explain line.NAME): blocked = issue slots that warps lost, though ready, because
this line held the LSU or their unit, and their share of all such slots; suffered = slots lost while a warp was ready to execute this
line; held = cycles that it held a unit; refused = of these, cycles in which a cache took nothing from it; executed; lanes = per
execution; txn = transactions of an access; conflicts = cycles of bank conflicts; L1 %, L2 % = where its loads hit. ]]
local lib = require "inspect.lib"
lib.settings("LINE_COSTS", {LINE_COSTS_TOP = 20, LINE_COSTS_CUDA = false})
local top, cuda = lib.setting("LINE_COSTS_TOP", 20), lib.setting("LINE_COSTS_CUDA", false)

lib.inspection("line_costs", function()
	dbg.lines() -- counts from here on where nobody has counted yet
end, function()
	local blocked, held, rows = 0, 0, {}
	local lines = dbg.lines(cuda and "cuda" or "ptx")
	for _, l in ipairs(lines) do
		blocked, held = blocked + l.blocked, held + l.held
	end
	for i, l in ipairs(lib.sorted(lines, function(a, b)
		if a.blocked ~= b.blocked then
			return a.blocked > b.blocked
		end
		return a.held > b.held
	end)) do
		local loads = l.l1_hits + l.l2_hits + l.dram
		rows[i] = {l.place, l.blocked, lib.percent(l.blocked, blocked), l.suffered, l.held, l.refused, l.executed,
			lib.ratio(l.lanes, l.executed), l.requests > 0 and lib.ratio(l.transactions, l.requests) or "", l.shared_conflicts,
			loads > 0 and lib.percent(l.l1_hits, loads) or "", loads > l.l1_hits and lib.percent(l.l2_hits, loads - l.l1_hits) or "",
			cuda and "" or lib.code(l.kernel, l.pc).text}
	end
	print("total: " .. blocked .. " issue slots lost to units that were held, " .. held .. " cycles of units, " .. #lines .. " lines")
	lib.table({"<line", "blocked", "%", "suffered", "held", "?refused", "executed", "lanes", "?txn", "?conflicts", "?L1 %", "?L2 %",
		"?<PTX"}, rows, top)
end)
