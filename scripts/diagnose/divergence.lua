--[[ divergence: a branch parts the lanes of a warp, and each side executes with the lanes of the other idle.

Until the paths join, an instruction takes an issue slot for a part of the lanes. Of each instruction between a branch and
the place where its paths join, the slots of the lanes that had been at work before the branch are counted as used badly;
nested branches count for the innermost. The bound is a part of the slots that were used, not of those that were lost. ]]
local lib = require "diagnose.lib"

local function mean(row)
	return row and row.executed > 0 and row.lanes / row.executed or 0
end

-- The branches that parted lanes, with the instructions that one side executes: pcs from .. to.
local function branches(s, at)
	local list = {}
	for _, l in ipairs(s.lines) do
		local c = l.diverged > 0 and lib.code(l)
		if c and (c.reconv or c.target) then
			local back = c.target and c.target <= l.pc
			local b = {row = l, from = back and c.target or l.pc + 1, to = back and l.pc or (c.reconv or l.pc + 1) - 1}
			b.lanes = math.max(mean(at(l.kernel, b.from - 1)), mean(at(l.kernel, l.pc - 1)), mean(at(l.kernel, b.to + 1)))
			list[#list + 1] = b
		end
	end
	table.sort(list, function(a, b)
		local x, y = a.to - a.from, b.to - b.from
		return x < y or x == y and (a.row.kernel < b.row.kernel or a.row.kernel == b.row.kernel and a.row.pc < b.row.pc)
	end)
	return list
end

return function(s)
	local by, taken, found = {}, {}, {}
	for _, l in ipairs(s.lines) do
		by[l.kernel .. ":" .. l.pc] = l
	end
	local function at(kernel, pc)
		return by[kernel .. ":" .. pc]
	end
	for _, b in ipairs(branches(s, at)) do
		local slots, insts, lanes = 0, 0, 0
		for pc = b.from, b.to do
			local row = at(b.row.kernel, pc)
			if row and not taken[row] and row.executed > 0 then
				taken[row] = true
				slots = slots + row.slots * math.max(0, 1 - mean(row) / math.max(1, b.lanes))
				insts, lanes = insts + row.executed, lanes + row.lanes
			end
		end
		if lib.matters(s, slots, 0.5) then
			found[#found + 1] = {
				title = string.format("divergence: %s of %s lanes at work behind the branch", lib.num(lanes / insts), lib.num(b.lanes)),
				slots = slots,
				of = "used",
				at = b.row,
				evidence = {
					string.format("The branch parted the warp in %s of %s executions.", lib.num(b.row.diverged), lib.num(b.row.executed)),
					string.format("%s warp instructions until the paths join had %s lanes, %s before the branch.", lib.num(insts),
						lib.num(lanes / insts), lib.num(b.lanes)),
				},
				remedy = "Let the lanes of a warp take the same way: sort or regroup the work, choose by warp instead of by thread, or" ..
					" compute both sides without a branch where they are short. No setting of the machine does that; the inspection" ..
					" counts the lanes lost by each branch.",
				test = "inspect divergence",
				uses = {"line.diverged", "line.executed", "line.lanes", "line.slots"},
			}
		end
	end
	return found
end
