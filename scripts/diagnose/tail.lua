--[[ tail: SMs have no CTA left while the last CTAs of a kernel run.

A grid that is not a multiple of what the machine holds at once leaves SMs without work at its end, and so do CTAs that
run much longer than others. The bound is the slots without a resident warp while launches ran that have at least a CTA
for each SM. Where several kernels run at a time, the slots are divided by the launches' empty places for warps. ]]
local lib = require "diagnose.lib"

return function(s)
	local empty, by, order = lib.empty_slots(s), {}, {}
	for _, k in ipairs(s.launches) do
		if k.ctas >= s.num_sms then
			if not by[k.name] then
				by[k.name] = {slots = 0, n = 0, worst = k}
				order[#order + 1] = k.name
			end
			local t = by[k.name]
			t.slots, t.n = t.slots + empty[k.id], t.n + 1
			if empty[k.id] > empty[t.worst.id] then
				t.worst = k
			end
		end
	end
	local found = {}
	for _, name in ipairs(order) do
		local t = by[name]
		if lib.matters(s, t.slots, 1) then
			local k = t.worst
			local at_once = k.ctas_per_sm * s.num_sms
			found[#found + 1] = {
				title = "tail: SMs without a CTA while others of " .. name .. " still run",
				slots = math.min(t.slots, s.lost),
				evidence = {
					string.format("SMs without a warp lost %s issue slots while %s.", lib.num(t.slots), t.n == 1 and "launch " .. k.id .. " ran"
						or "its " .. t.n .. " launches ran, most of them with launch " .. k.id),
					string.format("Launch %d: %s CTAs, and the machine holds %s at once (%d on each of %d SMs): %.2f times full.", k.id,
						lib.num(k.ctas), lib.num(at_once), k.ctas_per_sm, s.num_sms, k.ctas / at_once),
					string.format("%s of its places for warps were taken, on average.",
						lib.percent(k.warp_cycles, (k.to - k.from) * at_once * k.warps)),
				},
				remedy = "Smaller CTAs, or a grid that is a multiple of what the machine holds; CTAs that share the work evenly; another" ..
					" kernel at the same time in another stream. The inspection shows whether some CTAs run longer than others.",
				test = "inspect cta_lifetimes",
				uses = {"no warp", "kernel.warp_cycles", "kernel.started_at", "kernel.ended_at"},
			}
		end
	end
	return found
end
