--[[ barrier: warps wait at a barrier for others of their CTA.

The first warp at a barrier waits for the last. If the warps of a CTA come at different times, and other CTAs of the SM have
nothing to issue either, slots are lost. The bound is the barrier's share of the slots that were lost while warps
waited at barriers and for nothing else. ]]
local lib = require "diagnose.lib"

return function(s)
	local found = {}
	for _, l in ipairs(s.lines) do
		local slots = lib.bound(s, lib.share(s, l, "barrier"))
		if lib.matters(s, slots, 1) then
			local other = s.conf["warp-sched"] == "lrr" and "gto" or "lrr"
			found[#found + 1] = {
				title = "warps wait at a barrier for slower ones",
				slots = slots,
				at = l,
				evidence = {
					string.format("%s issue slots were lost at barriers, %s of them at this one (by samples).", lib.num(s.stalls.barrier),
						lib.percent(lib.share(s, l, "barrier"), s.stalls.barrier)),
					string.format("It was executed %s times by warps.", lib.num(l.executed)),
				},
				remedy = "The same work for every warp between two barriers; smaller CTAs, so that another CTA of the SM has something to do;" ..
					" a barrier for fewer warps. The test serves the warps in another order.",
				test = lib.whatif(s, "warp-sched=" .. other),
				uses = {"barrier", "line.executed"},
			}
		end
	end
	return found
end
