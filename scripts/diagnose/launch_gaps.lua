--[[ launch_gaps: cycles in which no kernel runs, between launches or before the first.

A launch takes time until its first CTA is dispatched (launch.latency), a launch behind it in the same stream waits for its
end, and the host program may do something in between. The bound is all slots of the cycles in which no launch was under
way. ]]
local lib = require "diagnose.lib"

return function(s)
	local idle = s.cycles - lib.busy_cycles(s)
	local slots, n, latency = idle * lib.per_cycle(s), #s.launches, s.conf["launch.latency"]
	if not lib.matters(s, slots, 1) or n == 0 then
		return
	end
	local gap = {}
	for i = 2, n do
		gap[i] = math.max(0, s.launches[i].from - s.launches[i - 1].to)
	end
	local longest = 1
	for i = 2, n do
		if gap[i] > (gap[longest] or 0) then
			longest = i
		end
	end
	local evidence = {
		string.format("No kernel ran in %s of %s cycles, with %s: %s cycles a launch.", lib.num(idle), lib.num(s.cycles),
			n == 1 and "1 launch" or lib.num(n) .. " launches", lib.num(idle / n)),
		string.format("launch.latency is %d cycles.", latency),
	}
	if gap[longest] then
		table.insert(evidence, 2, string.format("The longest gap, %s cycles, is before launch %d (%s).", lib.num(gap[longest]),
			s.launches[longest].id, s.launches[longest].name))
	end
	return {
		title = "gaps between launches",
		slots = math.min(slots, s.lost),
		evidence = evidence,
		remedy = "Fewer and longer launches; several streams, so that a launch's latency passes while another kernel runs; or a graph" ..
			" of launches." .. (latency > 0 and " The test takes the latency away." or " The table shows when each began and ended."),
		test = latency > 0 and lib.whatif(s, "launch.latency=0") or "info launches",
		uses = {"no warp", "kernel.started_at", "kernel.ended_at"},
	}
end
