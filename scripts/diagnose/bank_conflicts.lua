--[[ bank_conflicts: lanes of a warp want different words of one bank of shared memory.

Shared memory serves a bank once in a cycle. An access whose lanes want several words of a bank takes as many cycles, and
holds the LSU meanwhile. The bound is, for the part of its cycles that are conflicts, the slots that other
warps lost while it held the LSU, and slots in which warps waited for results: as many as those cycles have. ]]
local lib = require "diagnose.lib"

return function(s)
	local found = {}
	for _, l in ipairs(s.lines) do
		local each = l.requests > 0 and l.shared_conflicts / l.requests or 0
		local slots = each >= 0.5 and lib.bound(s, lib.at_lsu(s, l, l.shared_conflicts / l.transactions)) or 0
		if lib.matters(s, slots, 0.5) then
			found[#found + 1] = {
				title = string.format("bank conflicts of shared memory: %s cycles an access", lib.num(1 + each)),
				slots = slots,
				at = l,
				evidence = {
					string.format("%s of its %s cycles of shared memory are conflicts: %s accesses take %s cycles each instead of %s.",
						lib.num(l.shared_conflicts), lib.num(l.transactions), lib.num(l.requests), lib.num(l.transactions / l.requests),
						lib.num((l.transactions - l.shared_conflicts) / l.requests)),
					string.format("%s issue slots were lost by other warps while it held the LSU.", lib.num(l.blocked)),
					string.format("%s slots were lost while warps waited for its result (its share of the samples).",
						lib.num(lib.share(s, l, "short dependency"))),
				},
				remedy = "Pad the array by a word for each row of " .. s.conf["shared.banks"] ..
					" words, or permute its columns, so that the lanes of a warp fall into different banks. The test gives the machine" ..
					" other banks: it shows whether the conflicts cost time, not what padding brings.",
				test = lib.whatif(s, "shared.banks=" .. (s.conf["shared.banks"] == 64 and 32 or 64)),
				uses = {"line.shared_conflicts", "line.transactions", "line.requests", "line.blocked", "short dependency"},
			}
		end
	end
	return found
end
