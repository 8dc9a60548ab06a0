--[[ no_mshr: L1D has no MSHR free for another miss, and refuses the LSU.

Each line that is on its way takes an MSHR. When all are taken the LSU's head is refused, and holds up all accesses
behind it, hits too. The bound is the slots that were lost for this reason while a warp was ready for the
LSU, and of those in which warps waited for memory as many as the cycles of the refusals have. ]]
local lib = require "diagnose.lib"

return function(s)
	local mshrs = s.conf["l1d.mshrs"]
	return lib.refused_for(s, "l1 no mshr", "rf_mshr", {
		title = "L1D has no MSHR free",
		evidence = {string.format("An SM has %d MSHRs; %s are in use on average.", mshrs,
			lib.num(s.sum.l1d.mshr_cycles / math.max(1, s.cycles * s.num_sms)))},
		remedy = "Fewer lines in flight at a time: coalesced accesses, fewer CTAs on an SM (max_ctas_per_sm), or a warp scheduler" ..
			" that holds loads back (ccws, mascar). The test doubles the MSHRs.",
		test = lib.whatif(s, "l1d.mshrs=" .. math.min(1024, 2 * mshrs)),
	})
end
