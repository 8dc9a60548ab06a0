--[[ lsu_held: one line of code holds the LSU, or a unit, while other warps are ready for it.

The LSU serves one instruction at a time, in order. Warps that are ready for it lose their slots until it is free. The
bound is the slots that others lost while the line held it. Lines that hold it for bank conflicts or uncoalesced
accesses are findings of those rules. ]]
local lib = require "diagnose.lib"

return function(s)
	local line = lib.most(s.lines, function(l)
		return l.blocked
	end)
	local slots = line and lib.bound(s, line.blocked) or 0
	if not lib.matters(s, slots, 2) or line.requests == 0 then
		return
	end
	if line.shared_conflicts > line.transactions / 2 or line.transactions >= 4 * line.requests then
		return
	end
	return {
		title = "a line of code holds the LSU while other warps are ready for it",
		slots = slots,
		at = line,
		evidence = {
			string.format("Other warps lost %s issue slots while it held the LSU for %s cycles.", lib.num(line.blocked), lib.num(line.held)),
			string.format("It went there %s times, with %s cycles each; a cache refused it in %s cycles.", lib.num(line.requests),
				lib.num(line.transactions / line.requests), lib.num(line.refused)),
		},
		remedy = "Fewer or wider accesses (vectors of two or four words), data kept in registers, or other instructions between the accesses." ..
			" The test lets the LSU take in twice as many instructions.",
		test = lib.whatif(s, "lsu.queue=" .. (s.conf["lsu.queue"] < 32 and math.min(32, 2 * s.conf["lsu.queue"]) or 16)),
		uses = {"line.blocked", "line.held", "line.requests", "line.refused", "lsu busy"},
	}
end
