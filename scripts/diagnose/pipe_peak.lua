--[[ pipe_peak: the issue slots, or a unit of arithmetic, are used as far as they can be.

A kernel that uses its issue slots is limited by its instructions, and one whose warps find their unit taken by that unit.
There is nothing to mend in the way it uses the machine: only fewer or cheaper instructions make it faster. The bound is
the slots that were lost to units that were taken. ]]
local lib = require "diagnose.lib"

return function(s)
	local busy = s.stalls["pipe busy"] or 0
	local active = s.slots - (s.stalls["no warp"] or 0)
	if s.used == 0 then
		return
	end
	local unit = busy >= 0.25 * active
	if not unit and s.used < 0.8 * active then
		return
	end
	local line = lib.most(s.lines, function(l)
		return unit and l.requests == 0 and l.blocked or not unit and l.slots or 0
	end)
	local c = line and lib.code(line)
	return {
		title = unit and "a unit of arithmetic is at its peak (" .. (c and c.op or "?") .. "): nothing to mend but the instructions"
			or "the issue slots are used: nothing to mend but the instructions",
		slots = lib.bound(s, busy),
		note = true,
		at = line,
		evidence = {
			string.format("Active SMs used %s of their slots, and lost %s because a unit was taken.", lib.percent(s.used, active),
				lib.percent(busy, active)),
			line and string.format("The line took %s slots, and others lost %s to it.", lib.num(line.slots), lib.num(line.blocked)) or nil,
		},
		remedy = "Fewer instructions, or cheaper ones: single for double precision, approximate functions, a product and a sum in one" ..
			" instruction. The table shows which lines take most slots.",
		test = "info code slots",
		uses = {"issued", "pipe busy", "line.slots", "line.blocked"},
	}
end
