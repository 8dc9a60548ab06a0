--[[ held_back: the warp scheduler passes over warps that could issue.

Some schedulers hold warps back to keep their data in the cache or to spread their waits (ccws, mascar, tlv). A slot that
is lost while a warp could issue is charged to the scheduler alone. The bound is these slots. ]]
local lib = require "diagnose.lib"

return function(s)
	local slots = lib.bound(s, s.stalls["held back"])
	if not lib.matters(s, slots, 1) then
		return
	end
	local now = s.conf["warp-sched"]
	local test = now ~= "gto" and "gto" or "lrr"
	return {
		title = "the warp scheduler " .. now .. " holds back warps that could issue",
		slots = slots,
		evidence = {
			string.format("%s issue slots were lost while a warp was ready and its unit free.", lib.num(s.stalls["held back"])),
			string.format("L1D hits in %s of its accesses.", lib.percent(s.sum.l1d.hits, s.sum.l1d.accesses)),
		},
		remedy = "Holding back pays where the cache keeps more by it. The test runs the same with a scheduler that holds nobody back.",
		test = lib.whatif(s, "warp-sched=" .. test),
		uses = {"held back", "l1d.hits"},
	}
end
