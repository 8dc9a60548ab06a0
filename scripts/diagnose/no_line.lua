--[[ no_line: every line of a set of L1D is reserved for data on its way, and L1D refuses the LSU.

A miss reserves a line of its set until the data comes. If all ways of a set are reserved, another miss in this set is
refused, and holds up all accesses behind it. The bound is the slots that were lost for this reason while a warp was
ready for the LSU, and of those in which warps waited for memory as many as the cycles of the refusals have. ]]
local lib = require "diagnose.lib"

return function(s)
	local slots, c = lib.bound(s, lib.refusal(s, "l1 no line", "rf_line")), s.sum.l1d
	if not lib.matters(s, slots, 0.5) then
		return
	end
	local line, cycles = lib.most(s.lines, function(l)
		return l.refused
	end)
	local ways = s.conf["l1d.ways"]
	return {
		title = "all lines of a set of L1D are reserved",
		slots = slots,
		at = line,
		evidence = {
			string.format("L1D refused for want of a line in %s cycles, summed over the SMs (%s of their cycles).", lib.num(c.rf_line),
				lib.percent(c.rf_line, s.cycles * s.num_sms)),
			string.format("A set has %d ways, and there are %d sets.", ways, s.conf["l1d.sets"]),
			string.format("The line was refused in %s cycles, more than any other.", lib.num(cycles)),
		},
		remedy = "Fewer accesses that fall into the same set at a time: another stride or padding of the array, fewer CTAs on an SM" ..
			" (max_ctas_per_sm), or a hashed index (l1d.hash). The test doubles the ways.",
		test = lib.whatif(s, "l1d.ways=" .. math.min(256, 2 * ways)),
		uses = {"l1 no line", "l1d.rf_line", "line.refused", "memory dependency"},
	}
end
