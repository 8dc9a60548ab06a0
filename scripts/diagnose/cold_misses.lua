--[[ cold_misses: loads wait for data that nobody has asked for before, and that comes from DRAM.

The first access to a line misses in every cache (cold, or compulsory, misses). The bound is the slots in which warps
waited for loads that DRAM answered, times the part of L2's read misses that are cold. ]]
local lib = require "diagnose.lib"

return function(s)
	local c = s.sum.l2
	local misses = c.miss_cold + c.miss_capacity + c.miss_sector + c.miss_invalidated + c.miss_conflict
	local part = misses > 0 and c.miss_cold / misses or 0
	local slots = lib.bound(s, lib.memory(s, lib.from_dram(s)) * part)
	if not lib.matters(s, slots, 3) or part < 0.5 then
		return
	end
	local line = lib.waits_for_dram(s)
	return {
		title = "cold misses: warps wait for data that is read for the first time",
		slots = slots,
		at = line,
		evidence = {
			string.format("%s of L2's %s read misses are cold; %s capacity, %s conflict.", lib.percent(c.miss_cold, misses),
				lib.num(misses), lib.num(c.miss_capacity), lib.num(c.miss_conflict)),
			string.format("The line waits most: DRAM answered %s of its %s transactions.", lib.num(line.dram), lib.num(line.transactions)),
			string.format("A request takes %s cycles in DRAM on average.", lib.num(s.sum.dram.queue_cycles / math.max(1, s.sum.dram.requests))),
		},
		remedy = "More loads under way before the first is used (unrolling, several elements a thread, prefetch), fewer bytes, or data kept" ..
			" from one kernel to the next. A cache of another size does not help; the table shows the lines that DRAM answers.",
		test = "info code dram",
		uses = {"l2.miss_cold", "line.dram", "line.l2_hits", "memory dependency", "dram.queue_cycles"},
	}
end
