--[[ thrash: lines are thrown out of L1D before they are used again.

A read miss is a capacity or a conflict miss if the line had been in the cache before and had to make room. The bound is
the slots in which warps waited for loads that missed L1D, and those in which L1D refused the LSU, times the part of the
read misses that are capacity or conflict misses. Who throws out whose lines is counted at each replacement. ]]
local lib = require "diagnose.lib"

return function(s)
	local c = s.sum.l1d
	local again = c.miss_capacity + c.miss_conflict
	local part, misses = lib.thrown_out(s)
	local slots = lib.bound(s, (lib.memory(s, lib.missed(s)) + lib.refused(s)) * part)
	local line, evicted = lib.most(s.lines, function(l)
		return l.evicted
	end)
	if part < 0.25 or not line or not lib.matters(s, slots, 2) then
		return
	end
	local own, ctas, launches = 0, 0, 0
	for _, l in ipairs(s.lines) do
		own = own + l.evicted - l.evicted_ctas - l.evicted_launches
		ctas, launches = ctas + l.evicted_ctas, launches + l.evicted_launches
	end
	local who = ctas >= own and ctas >= launches and "other CTAs" or own >= launches and "its own CTA" or "other launches"
	local name = gpu.kernel[line.kernel].name
	local f = lib.code(line).func
	local most = 0
	for _, k in ipairs(s.launches) do
		if k.name == f then
			most = math.max(most, math.min(k.ctas_per_sm, (k.ctas + s.num_sms - 1) // s.num_sms))
		end
	end
	local fewer = most > 1 and most // 2 or nil
	return {
		title = string.format("thrashing of L1D: %s throws out lines of %s", f or name, who),
		slots = slots,
		at = line,
		evidence = {
			string.format("%s of L1D's %s read misses had the line before: %s capacity, %s conflict.", lib.percent(again, misses),
				lib.num(misses), lib.num(c.miss_capacity), lib.num(c.miss_conflict)),
			string.format("Of %s lines thrown out, %s belonged to other CTAs of the launch, %s to the CTA itself, %s to other launches.",
				lib.num(own + ctas + launches), lib.num(ctas), lib.num(own), lib.num(launches)),
			string.format("The line throws out most: %s.", lib.num(evicted)),
			string.format("L1D hits in %s of its accesses and has %d lines an SM.", lib.percent(c.hits, c.accesses),
				s.conf["l1d.sets"] * s.conf["l1d.ways"]),
		},
		remedy = "Fewer warps at a time, so that their lines fit (max_ctas_per_sm, the CTA schedulers lcs and dyncta, the warp scheduler" ..
			" ccws); blocking; or a layout whose accesses are coalesced and spread over the sets." ..
			(fewer and " The test halves the CTAs of an SM." or " The test doubles the ways."),
		test = lib.whatif(s, fewer and "max_ctas_per_sm=" .. fewer or "l1d.ways=" .. math.min(256, 2 * s.conf["l1d.ways"])),
		uses = {"l1d.miss_capacity", "l1d.miss_conflict", "line.evicted", "line.evicted_ctas", "line.evicted_launches",
			"memory dependency"},
	}
end
