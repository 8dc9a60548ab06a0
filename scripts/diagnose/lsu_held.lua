--[[ lsu_held: the LSU serves other instructions while warps are ready for it.

The LSU serves one instruction at a time, in order. Warps that are ready for it lose their slots until it is free. The
bound is the slots that were lost so to all lines of code but those that hold the LSU for bank conflicts or uncoalesced
accesses, which are findings of those rules. The line that costs others most is named. ]]
local lib = require "diagnose.lib"

local function plain(l)
	return l.requests > 0 and l.shared_conflicts <= l.transactions / 2 and l.transactions < 4 * l.requests
end

return function(s)
	local all = 0
	for _, l in ipairs(s.lines) do
		all = all + (plain(l) and l.blocked or 0)
	end
	local line, blocked = lib.most(s.lines, function(l)
		return plain(l) and l.blocked or 0
	end)
	local slots = lib.bound(s, all)
	if not line or not lib.matters(s, slots, 2) then
		return
	end
	return {
		title = "the LSU is taken while warps are ready for it",
		slots = slots,
		at = line,
		evidence = {
			string.format("Other warps lost %s issue slots to the line, while it held the LSU for %s cycles; %s slots to all such lines.",
				lib.num(blocked), lib.num(line.held), lib.num(all)),
			string.format("It went there %s times, with %s cycles each; a cache refused it in %s cycles.", lib.num(line.requests),
				lib.num(line.transactions / line.requests), lib.num(line.refused)),
			string.format("The LSUs of active SMs are taken in %s of the cycles.", lib.percent(lib.lsu_use(s), 1)),
		},
		remedy = "Fewer or wider accesses (vectors of two or four words), data kept in registers, or other instructions between the accesses." ..
			" The test lets the LSU take in more instructions.",
		test = lib.whatif(s, "lsu.queue=" .. (s.conf["lsu.queue"] < 32 and math.min(32, 2 * s.conf["lsu.queue"]) or 16)),
		uses = {"line.blocked", "line.held", "line.requests", "line.refused", "lsu busy"},
	}
end
