--[[ slow_launch: one launch of a kernel takes much longer than the others.

The launches of a kernel are compared with their median. The bound is the slots that the machine lost in the cycles by
which the launch is longer, if it lost in them as many as in the run as a whole: `diagnose kernel N` looks at the launch
itself. ]]
local lib = require "diagnose.lib"

local function median(list)
	local cycles = {}
	for i, k in ipairs(list) do
		cycles[i] = k.to - k.from
	end
	table.sort(cycles)
	return cycles[(#cycles + 1) // 2]
end

return function(s)
	local by, names, found = {}, {}, {}
	for _, k in ipairs(s.launches) do
		if not by[k.name] then
			by[k.name] = {}
			names[#names + 1] = k.name
		end
		table.insert(by[k.name], k)
	end
	for _, name in ipairs(names) do
		local list = by[name]
		local usual = median(list)
		local k, cycles = lib.most(list, function(l)
			return l.to - l.from
		end)
		local insts, all = 0, 0
		for _, l in ipairs(list) do
			insts, all = insts + l.warp_insts, all + l.to - l.from
		end
		local slots = k and (cycles - usual) * lib.per_cycle(s) * s.lost / math.max(1, s.slots) or 0
		if #list >= 3 and cycles >= 2 * usual and lib.matters(s, slots, 3) then
			found[#found + 1] = {
				title = string.format("launch %d of %s is %s times as long as usual", k.id, name, lib.num(cycles / math.max(1, usual))),
				slots = math.min(slots, s.lost),
				evidence = {
					string.format("It took %s cycles; the median of the kernel's %d launches is %s.", lib.num(cycles), #list, lib.num(usual)),
					string.format("That is %s of the kernel's cycles and %s of its warp instructions, with %s of %d threads.",
						lib.percent(cycles, all), lib.percent(k.warp_insts, insts), lib.count(k.ctas, "CTA"), k.warps * 32),
				},
				remedy = "If its share of the instructions is as large as that of the cycles, it has more to do: look at how the work grows." ..
					" Otherwise its accesses or its balance are worse than in other launches. The test gives the findings about it alone.",
				test = "diagnose kernel " .. k.id,
				uses = {"kernel.started_at", "kernel.ended_at", "kernel.warp_insts"},
			}
		end
	end
	return found
end
