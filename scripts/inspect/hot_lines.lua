--[[ hot_lines: the most executed PTX lines, with their share of the issue slots.

    warpdbg run hotspot --inspect hot_lines       report at the end of the run
    (wd) inspect hot_lines                        the report so far

Settings (globals, set before the script is loaded): HOT_LINES_TOP = lines shown.
Columns: insts = warp instructions; slots = issue slots they need (isa.issue_cost: 0 for what the machine code has no instruction for);
lanes = mean lanes at work; CUDA = line of the .cu file where the PTX names it. ]]
local lib = require "inspect.lib"
lib.settings("HOT_LINES", {HOT_LINES_TOP = 20})
local top = lib.setting("HOT_LINES_TOP", 20)
local count, lanes -- by launch: by pc

local function reset()
	count, lanes = {}, {}
end

local function lines()
	local by, insts, slots = {}, 0, 0
	for kernel, pcs in pairs(count) do
		for pc, n in pairs(pcs) do
			local c = lib.code(kernel, pc)
			local key = string.format("%s:%09d", c.file, c.line)
			local r = by[key] or {code = c, insts = 0, slots = 0, lanes = 0}
			by[key] = r
			r.insts, r.slots, r.lanes = r.insts + n, r.slots + n * c.slots, r.lanes + lanes[kernel][pc]
			insts, slots = insts + n, slots + n * c.slots
		end
	end
	return lib.sorted(by, function(a, b)
		if a.slots ~= b.slots then
			return a.slots > b.slots
		end
		return a.insts > b.insts
	end), insts, slots
end

lib.inspection("hot_lines", reset, function()
	local list, insts, slots = lines()
	local rows = {}
	for i, r in ipairs(list) do
		local c = r.code
		rows[i] = {c.place, c.cuda, c.func, r.insts, lib.percent(r.insts, insts), r.slots, lib.percent(r.slots, slots),
			lib.ratio(r.lanes, r.insts), c.text}
	end
	print("total: " .. insts .. " warp instructions, " .. slots .. " issue slots, " .. #list .. " lines")
	lib.table({"<line", "?<CUDA", "<function", "insts", "%", "slots", "%", "lanes", "<PTX"}, rows, top)
end)

lib.on("hot_lines", "issue", function(e)
	local kernel, pc = e.kernel, e.pc
	local c = count[kernel]
	if not c then
		c = {}
		count[kernel], lanes[kernel] = c, {}
	end
	local l = lanes[kernel]
	c[pc] = (c[pc] or 0) + 1
	l[pc] = (l[pc] or 0) + lib.lanes(e.mask)
end)
