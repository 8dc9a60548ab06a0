--[[ sched_imbalance: one scheduler of an SM issues much more than the others.

A warp belongs to one scheduler. If the warps with work are those of one scheduler (one warp in four does the work, say),
the slots of the others cannot be used for them. The bound is the slots by which the other schedulers of each SM
stay behind its busiest one. ]]
local lib = require "diagnose.lib"

return function(s)
	if s.schedulers < 2 then
		return
	end
	local behind, used, most_of, worst, gap = 0, 0, 0, 0, -1
	for i = 0, s.num_sms - 1 do
		local most, sum = 0, 0
		for j = 0, s.schedulers - 1 do
			local n = s.slots_of[i][j].issued
			most, sum = math.max(most, n), sum + n
		end
		local here = s.schedulers * most - sum
		behind, used, most_of = behind + here, used + sum, most_of + most
		if here > gap then
			worst, gap = i, here
		end
	end
	local slots = math.min(behind, s.lost)
	if used == 0 or most_of * s.schedulers < 1.3 * used or not lib.matters(s, slots, 2) then
		return
	end
	local of = {}
	for j = 0, s.schedulers - 1 do
		of[#of + 1] = lib.num(s.slots_of[worst][j].issued)
	end
	return {
		title = "schedulers of an SM have unequal work",
		slots = slots,
		evidence = {
			string.format("SM %d: its schedulers used %s issue slots.", worst, table.concat(of, ", ")),
			string.format("The busiest scheduler of each SM used %s slots in all, the mean one %s.", lib.num(most_of),
				lib.num(used / s.schedulers)),
		},
		remedy = "Warp w belongs to scheduler w modulo " .. s.schedulers .. ": give the work to warps of all schedulers, or let all warps of a" ..
			" CTA take part. The table shows the warps of an SM with what they have executed.",
		test = "info warps " .. worst,
		uses = {"issued", "sm.issue_slots"},
	}
end
