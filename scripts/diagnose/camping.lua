--[[ camping: one L2 slice or DRAM channel has far more than its share of the accesses.

Addresses are spread over slices and channels. With an unlucky stride most accesses fall into one of them, and the others
are idle (partition camping). If all had the same number, the busiest would be done in mean / most of its time. The bound
is that part of the slots in which warps waited for loads that missed L1D, or L1D refused the LSU. ]]
local lib = require "diagnose.lib"

-- Which instance has most of a counter: its number, its value, the mean.
local function busiest(list, counter)
	local at, most, sum, n = nil, 0, 0, 0
	for i = 0, #list do
		local v = list[i] and list[i][counter] or 0
		if list[i] then
			sum, n = sum + v, n + 1
			if v > most then
				at, most = i, v
			end
		end
	end
	return at, most, n > 0 and sum / n or 0, n
end

local function finding(s, what, list, counter, unit, weigh)
	local at, most, mean, n = busiest(list, counter)
	if not at or n < 2 or most < 2 * mean then
		return
	end
	local slots = lib.bound(s, lib.below(s, weigh) * (1 - mean / most))
	if not lib.matters(s, slots, 2) then
		return
	end
	local line = lib.most(s.lines, function(l)
		return lib.share(s, l, "memory dependency") * weigh(l)
	end)
	local even = s.conf.partitions & (s.conf.partitions - 1) == 0 -- else map.hash has no meaning
	return {
		title = string.format("camping: %s %d has %s times its share", what, at, lib.num(most / mean)),
		slots = slots,
		at = line,
		evidence = {
			string.format("%s %d: %s %s, of %d the mean is %s.", what, at, lib.num(most), unit, n, lib.num(mean)),
			string.format("map.hash is %s.", s.conf["map.hash"]),
		},
		remedy = "Another stride: pad rows so that they do not all begin in the same slice." ..
			(even and " The test spreads the addresses by another rule." or " The table shows the lines whose accesses go to L2."),
		test = even and lib.whatif(s, "map.hash=" .. (s.conf["map.hash"] == "ipoly" and "xor" or "ipoly")) or "info code l2_hits",
		uses = {"l2.reads", "dram.bytes", "memory dependency", "l1 queue full"},
	}
end

return function(s)
	local l2 = finding(s, "L2 slice", s.l2, "reads", "loads and fetches", lib.missed(s))
	local dram = finding(s, "DRAM channel", s.dram, "bytes", "bytes", lib.from_dram(s))
	if l2 and dram then
		return l2.slots >= dram.slots and l2 or dram
	end
	return l2 or dram
end
