--[[ divergence: conditional branches by line: how often executed, how often the warp split there, and the lanes lost by it.

    warpdbg run bfs --inspect divergence          report at the end of the run
    (wd) inspect divergence                       the report so far

Settings (globals, set before the script is loaded): DIVERGENCE_TOP = lines shown.
Columns: branches = executions by warps; split = of them: both ways taken; taken = mean share of lanes that jump, where it split; insts =
warp instructions executed by a part of the warp because of this branch, until the paths join; lanes lost = lanes that were
idle in those, because they were on the branch's other path; % = of all lanes that were idle for any reason (also: the guard of an
instruction, lanes that have exited, blocks that do not fill their last warp). ]]
local lib = require "inspect.lib"
lib.settings("DIVERGENCE", {DIVERGENCE_TOP = 20})
local top = lib.setting("DIVERGENCE_TOP", 20)
local lines -- by place
local open -- by SM * 64 + slot: splits under way, outermost first
local insts, lanes -- in all

local function reset()
	lines, open, insts, lanes = {}, {}, 0, 0
end

local function line_of(kernel, pc)
	local c = lib.code(kernel, pc)
	local l = lines[c.place]
	if not l then
		l = {code = c, n = 0, split = 0, taken = 0, of = 0, insts = 0, lost = 0}
		lines[c.place] = l
	end
	return l, c
end

lib.inspection("divergence", reset, function()
	local rows, n, split, lost = {}, 0, 0, 0
	for i, l in ipairs(lib.sorted(lines, function(a, b)
		if a.lost ~= b.lost then
			return a.lost > b.lost
		end
		return a.n > b.n
	end)) do
		rows[i] = {l.code.place, l.code.cuda, l.code.func, l.n, l.split, lib.percent(l.split, l.n), lib.percent(l.taken, l.of), l.insts, l.lost,
			lib.percent(l.lost, 32 * insts - lanes), l.code.text}
		n, split, lost = n + l.n, split + l.split, lost + l.lost
	end
	print(string.format("total: %d branches, %d split; %d of %d lanes idle in %d warp instructions, %d of them lost by splits", n, split,
		32 * insts - lanes, 32 * insts, insts, lost))
	lib.table({"<line", "?<CUDA", "<function", "branches", "split", "%", "taken %", "insts", "lanes lost", "%", "<PTX"}, rows, top)
end)

-- What the splits under way cost an instruction with these lanes: at each, the lanes on the other path.
-- Lanes of both: the split is over (it had joined at the return of a function, for which there is no event).
local function charge(list, mask)
	for i = #list, 1, -1 do
		local s = list[i]
		local taken, other = mask & s.taken ~= 0, mask & s.other ~= 0
		if taken and other then
			table.remove(list, i)
		elseif taken or other then
			s.line.insts = s.line.insts + 1
			s.line.lost = s.line.lost + lib.lanes(taken and s.other or s.taken)
		end
	end
end

-- Lanes that have exited are nobody's loss.
local function leave(list, mask)
	for _, s in ipairs(list) do
		s.taken, s.other = s.taken & ~mask, s.other & ~mask
	end
end

lib.on("divergence", "issue", function(e)
	local c = lib.code(e.kernel, e.pc)
	local list = open[e.sm * 64 + e.warp]
	insts, lanes = insts + 1, lanes + lib.lanes(e.mask)
	if list then
		charge(list, e.mask)
		if c.op == "exit" or c.op == "ret" and c.kernel then
			leave(list, e.mask)
		end
	end
	if c.op == "bra" and c.guarded then
		local l = line_of(e.kernel, e.pc)
		l.n = l.n + 1
	end
end)

lib.on("divergence", "branch-diverge", function(e)
	local key = e.sm * 64 + e.warp
	local l, c = line_of(e.kernel, e.pc)
	local list = open[key]
	if not list then
		list = {}
		open[key] = list
	end
	l.split = l.split + 1
	l.taken, l.of = l.taken + lib.lanes(e.taken), l.of + lib.lanes(e.taken | e.fallthrough)
	list[#list + 1] = {line = l, taken = e.taken, other = e.fallthrough, join = c.reconv}
end)

-- All splits that end here and whose lanes are among those joined.
lib.on("divergence", "reconverge", function(e)
	local list = open[e.sm * 64 + e.warp] or {}
	for i = #list, 1, -1 do
		if list[i].join == e.pc and (list[i].taken | list[i].other) & e.mask ~= 0 then
			table.remove(list, i)
		end
	end
end)

lib.on("divergence", "warp-exit", function(e)
	open[e.sm * 64 + e.warp] = nil
end)
