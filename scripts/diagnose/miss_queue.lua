--[[ miss_queue: the queue of L1D's requests to L2, or an MSHR's list of merged requests, is full.

A miss takes a place in the miss queue until the network takes the request; a request for a line that is on its way takes
a place in the MSHR's list. Without a place the LSU's head is refused. The bound is the slots that were lost for these
reasons while a warp was ready for the LSU, and of those in which warps waited for memory as many as the cycles of the
refusals have. ]]
local lib = require "diagnose.lib"

local function finding(s, reason, what, counter, setting, size, most)
	local slots, cycles = lib.bound(s, lib.refusal(s, reason, counter)), s.sum.l1d[counter]
	if not lib.matters(s, slots, 0.5) then
		return
	end
	local line = lib.most(s.lines, function(l)
		return l.refused
	end)
	return {
		title = what .. " is full",
		slots = slots,
		at = line,
		evidence = {
			string.format("L1D refused for this reason in %s cycles, summed over the SMs (%s of their cycles); %s is %d.",
				lib.num(cycles), lib.percent(cycles, s.cycles * s.num_sms), setting, size),
		},
		remedy = "Fewer requests at a time: coalesced accesses, data kept in shared memory, or fewer CTAs on an SM. If L2 or DRAM is" ..
			" saturated, the queue only shows it. The test doubles the places.",
		test = lib.whatif(s, setting .. "=" .. math.min(most, 2 * size)),
		uses = {reason, "l1d." .. counter, "line.refused", "memory dependency"},
	}
end

return function(s)
	local list = {}
	list[#list + 1] = finding(s, "l1 queue full", "L1D's miss queue", "rf_queue", "l1d.miss_queue", s.conf["l1d.miss_queue"], 256)
	list[#list + 1] = finding(s, "l1 merge full", "an MSHR's merge list", "rf_merge", "l1d.merges", s.conf["l1d.merges"], 256)
	return list
end
