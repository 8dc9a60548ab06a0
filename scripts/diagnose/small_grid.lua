--[[ small_grid: launches have fewer CTAs than the machine has SMs.

An SM without a CTA of a launch has nothing to do unless another kernel runs. The bound is the slots without a resident
warp while such launches ran; where several kernels run at a time, they are divided by the launches' empty places. ]]
local lib = require "diagnose.lib"

return function(s)
	local empty, slots, n, worst, cycles = lib.empty_slots(s), 0, 0, nil, 0
	for _, k in ipairs(s.launches) do
		if k.ctas < s.num_sms then
			slots, n, cycles = slots + empty[k.id], n + 1, cycles + k.to - k.from
			if not worst or empty[k.id] > empty[worst.id] then
				worst = k
			end
		end
	end
	if not worst or not lib.matters(s, slots, 1) then
		return
	end
	return {
		title = n == 1 and "a launch with fewer CTAs than SMs" or lib.num(n) .. " launches with fewer CTAs than SMs",
		slots = math.min(slots, s.lost),
		evidence = {
			string.format("Launch %d (%s) has %s for %d SMs, and took %s cycles; all such launches took %s of %s cycles.", worst.id,
				worst.name, lib.count(worst.ctas, "CTA"), s.num_sms, lib.num(worst.to - worst.from), lib.num(cycles), lib.num(s.cycles)),
			string.format("SMs without a warp lost %s issue slots meanwhile.", lib.num(slots)),
		},
		remedy = "More and smaller CTAs; several small launches at a time in different streams; or one launch for several steps, with a" ..
			" barrier of the grid between them.",
		test = "info launches",
		uses = {"no warp", "kernel.started_at", "kernel.ended_at", "kernel.warp_cycles"},
	}
end
