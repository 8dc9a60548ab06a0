--[[ no_line: every line of a set of L1D is reserved for data on its way, and L1D refuses the LSU.

A miss reserves a line of its set until the data comes. If all ways of a set are reserved, another miss in this set is
refused, and holds up all accesses behind it. The bound is the slots that were lost for this reason while a warp was
ready for the LSU, and of those in which warps waited for memory as many as the cycles of the refusals have. ]]
local lib = require "diagnose.lib"

return function(s)
	local ways = s.conf["l1d.ways"]
	return lib.refused_for(s, "l1 no line", "rf_line", {
		title = "all lines of a set of L1D are reserved",
		evidence = {string.format("A set has %d ways, and there are %d sets.", ways, s.conf["l1d.sets"])},
		remedy = "Fewer accesses that fall into the same set at a time: another stride or padding of the array, fewer CTAs on an SM" ..
			" (max_ctas_per_sm), or a hashed index (l1d.hash). The test doubles the ways.",
		test = lib.whatif(s, "l1d.ways=" .. math.min(256, 2 * ways)),
	})
end
