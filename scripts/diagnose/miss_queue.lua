--[[ miss_queue: the queue of L1D's requests to L2, or an MSHR's list of merged requests, is full.

A miss takes a place in the miss queue until the network takes the request; a request for a line that is on its way takes
a place in the MSHR's list. Without a place the LSU's head is refused. The bound is the slots that were lost for these
reasons while a warp was ready for the LSU, and of those in which warps waited for memory as many as the cycles of the
refusals have. ]]
local lib = require "diagnose.lib"

local function finding(s, reason, what, counter, setting)
	local size = s.conf[setting]
	return lib.refused_for(s, reason, counter, {
		title = what .. " is full",
		evidence = {string.format("%s is %d.", setting, size)},
		remedy = "Fewer requests at a time: coalesced accesses, data kept in shared memory, or fewer CTAs on an SM. If L2 or DRAM is" ..
			" saturated, the queue only shows it. The test doubles the places.",
		test = lib.whatif(s, setting .. "=" .. math.min(256, 2 * size)),
	})
end

return function(s)
	local list = {}
	list[#list + 1] = finding(s, "l1 queue full", "L1D's miss queue", "rf_queue", "l1d.miss_queue")
	list[#list + 1] = finding(s, "l1 merge full", "an MSHR's merge list", "rf_merge", "l1d.merges")
	return list
end
