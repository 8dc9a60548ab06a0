--[[ no_mshr: L1D has no MSHR free for another miss, and refuses the LSU.

Each line that is on its way takes an MSHR. When all are taken the LSU's head is refused, and holds up all accesses
behind it, hits too. The bound is the slots that were lost for this reason while a warp was ready for the
LSU, and of those in which warps waited for memory as many as the cycles of the refusals have. ]]
local lib = require "diagnose.lib"

return function(s)
	local slots, c = lib.bound(s, lib.refusal(s, "l1 no mshr", "rf_mshr")), s.sum.l1d
	if not lib.matters(s, slots, 0.5) then
		return
	end
	local line, cycles = lib.most(s.lines, function(l)
		return l.refused
	end)
	local mshrs = s.conf["l1d.mshrs"]
	return {
		title = "L1D has no MSHR free",
		slots = slots,
		at = line,
		evidence = {
			string.format("L1D refused for want of an MSHR in %s cycles, summed over the SMs (%s of their cycles).", lib.num(c.rf_mshr),
				lib.percent(c.rf_mshr, s.cycles * s.num_sms)),
			string.format("An SM has %d MSHRs; %s are in use on average.", mshrs, lib.num(c.mshr_cycles / (s.cycles * s.num_sms))),
			string.format("The line was refused in %s cycles, more than any other.", lib.num(cycles)),
		},
		remedy = "Fewer lines in flight at a time: coalesced accesses, fewer CTAs on an SM (max_ctas_per_sm), or a warp scheduler" ..
			" that holds loads back (ccws, mascar). The test doubles the MSHRs.",
		test = lib.whatif(s, "l1d.mshrs=" .. math.min(1024, 2 * mshrs)),
		uses = {"l1 no mshr", "l1d.rf_mshr", "l1d.mshr_cycles", "line.refused", "memory dependency"},
	}
end
