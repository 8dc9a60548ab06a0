--[[ few_warps: too few warps are resident to hide the latency of memory.

By Little's law, a machine that is to issue an instruction in each slot needs as many warps as the mean time between two
instructions of a warp times the slots of a cycle. With W warps on average where P would fit, an SM could issue at most P / W
times as fast. The bound is what this saves, and at most the slots lost while warps waited for results. Waits that more warps
would not hide are left out: those for lines that were thrown out of L1D, and those in cycles in which L1D refused misses;
and an SM cannot be faster than its LSU, which is taken in some of its cycles. ]]
local lib = require "diagnose.lib"

return function(s)
	local c, places = s.sum.sm, s.conf["sm.threads"] // 32
	if c.active_cycles == 0 or s.used == 0 then
		return
	end
	local warps = c.occupancy / c.active_cycles
	local waits = (s.stalls["memory dependency"] or 0) * lib.hideable(s) + (s.stalls["short dependency"] or 0)
	local active = s.slots - (s.stalls["no warp"] or 0)
	local slots = lib.bound(s, math.min(waits, active * (1 - math.max(warps / places, lib.lsu_use(s)))))
	if warps > 0.75 * places or waits < 0.5 * (active - s.used) or not lib.matters(s, slots, 5) then
		return
	end
	local between = c.occupancy / s.used
	local line = lib.most(s.lines, function(l)
		return lib.share(s, l, "memory dependency") + lib.share(s, l, "short dependency")
	end)
	return {
		title = string.format("too few warps to hide latency: %s of %d", lib.num(warps), places),
		slots = slots,
		at = line,
		evidence = {
			string.format("An active SM has %s resident warps on average, and places for %d.", lib.num(warps), places),
			string.format("A warp uses an issue slot every %s cycles. By Little's law %s warps would be needed to use all %d slots of a cycle.",
				lib.num(between), lib.num(between * s.schedulers), s.schedulers),
			string.format("%s slots were lost while warps waited for memory, %s for other results.", lib.num(s.stalls["memory dependency"]),
				lib.num(s.stalls["short dependency"])),
		},
		remedy = "More CTAs (a larger grid, or fewer registers and less shared memory for each: `inspect occupancy`), or more independent" ..
			" instructions in each warp: unrolling, several elements a thread, loads early and uses late.",
		test = "inspect occupancy",
		uses = {"sm.occupancy", "sm.active_cycles", "sm.issue_slots", "memory dependency", "short dependency"},
	}
end
