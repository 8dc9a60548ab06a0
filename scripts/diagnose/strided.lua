--[[ strided: the lanes of a warp access memory that is not side by side.

An access of a warp becomes a transaction for each line (or sector) that its lanes touch, and the LSU presents one in a
cycle. Lanes that touch neighbouring words need few. The bound is, for the part of its transactions that would not be there if
its lanes were side by side, the slots that others lost while it held the LSU, and slots in which warps waited: as many as
those cycles have, or its own share of the waits. ]]
local lib = require "diagnose.lib"

return function(s)
	local unit = s.conf.coalesce:match("sector") and 32 or s.conf["l1d.line"]
	local found = {}
	for _, l in ipairs(s.lines) do
		local c = l.requests > 0 and l.transactions > 2 * l.requests and lib.code(l)
		if c and lib.is_memory(c) then
			local lanes = l.lanes / l.executed
			local best = math.max(1, math.ceil(lanes * c.bytes / unit))
			local each = l.transactions / l.requests
			local slots = each >= 2 * best and lib.bound(s, lib.at_lsu(s, l, 1 - best / each)) or 0
			if lib.matters(s, slots, 0.5) then
				found[#found + 1] = {
					title = string.format("uncoalesced access: %s transactions each, %s would do", lib.num(each), lib.num(best)),
					slots = slots,
					at = l,
					evidence = {
						string.format("%s accesses became %s transactions of %d B: %s each, for %s lanes of %d B.", lib.num(l.requests),
							lib.num(l.transactions), unit, lib.num(each), lib.num(lanes), c.bytes),
						string.format("They touch %s sectors of 32 B each; %s hold the data that the lanes want.",
							lib.num(l.sectors / l.requests), lib.num(math.max(1, lanes * c.bytes / 32))),
						string.format("%s slots were lost by other warps while it held the LSU, %s while warps waited for its data.",
							lib.num(l.blocked), lib.num(lib.share(s, l, "memory dependency"))),
					},
					remedy = "Let neighbouring threads access neighbouring addresses: another order of the index, a structure of arrays" ..
						" in place of an array of structures, or a detour over shared memory. No setting of the machine does that; the" ..
						" table shows the accesses.",
					test = "info code transactions",
					uses = {"line.transactions", "line.requests", "line.sectors", "line.lanes", "line.blocked", "memory dependency"},
				}
			end
		end
	end
	return found
end
