--[[ occupancy: a resource of an SM keeps it from holding more CTAs, and its warps cannot hide their waits.

Registers, shared memory, threads and CTA slots each allow so many CTAs of a kernel on an SM; the least is the limit. With
one more of n CTAs an SM could issue at most (n + 1) / n times as fast. The bound is what this saves of the kernel's slots
(estimated by its part of all resident warps), and at most the slots in which its warps waited for results that more
warps could hide (not for lines thrown out of L1D, nor while L1D refused misses); and the slots of SMs without a CTA at
the kernel's end, which other numbers of CTAs at once change, too. ]]
local lib = require "diagnose.lib"

local function up(v, unit)
	return (v + unit - 1) // unit * unit
end

-- What each resource has to be for n CTAs: {setting, value, now, words}.
local function needs(s, k, n)
	local c = s.conf
	local regs = k.warps * up(k.regs * 32, c["sm.reg_unit"])
	local shared = k.shared_bytes > 0 and up(k.shared_bytes + c["sm.shared_system"], c["sm.shared_unit"]) or 0
	return {
		{key = "sm.threads", needs = n * k.warps * 32, has = c["sm.threads"],
			words = string.format("CTAs of at most %d threads (now %d)", c["sm.threads"] // 32 // n * 32, k.warps * 32)},
		{key = "sm.ctas", needs = n, has = c["sm.ctas"], words = "larger CTAs, as the machine has no more slots"},
		{key = "sm.regs", needs = n * regs, has = c["sm.regs"], words = string.format("at most %d registers a thread (now %d)",
			c["sm.regs"] // n // k.warps // c["sm.reg_unit"] * c["sm.reg_unit"] // 32, k.regs)},
		{key = "sm.shared", needs = n * shared, has = c["sm.shared"], words = string.format("at most %d B of shared memory a CTA (now %d)",
			c["sm.shared"] // n // c["sm.shared_unit"] * c["sm.shared_unit"], k.shared_bytes)},
		{key = "max_ctas_per_sm", needs = n, has = c["max_ctas_per_sm"] > 0 and c["max_ctas_per_sm"] or n,
			words = "a higher max_ctas_per_sm"},
	}
end

-- Slots in which warps waited for results of the kernel's own code.
local function waits(s, name)
	local slots, hideable = 0, lib.hideable(s)
	for _, l in ipairs(s.lines) do
		local cost = lib.share(s, l, "memory dependency") * hideable + lib.share(s, l, "short dependency")
		if cost > 0 and lib.code(l).func == name then
			slots = slots + cost
		end
	end
	return slots
end

return function(s)
	local by, names, all, found, empty = {}, {}, 0, {}, lib.empty_slots(s)
	for _, k in ipairs(s.launches) do
		all = all + k.warp_cycles
		local full = k.ctas_per_sm * s.num_sms
		if k.ctas_per_sm > 0 and k.ctas > full and k.ctas_per_sm * k.warps < s.conf["sm.threads"] // 32 then
			if not by[k.name] then
				by[k.name] = {k = k, warp_cycles = 0, empty = 0}
				names[#names + 1] = k.name
			end
			local t = by[k.name]
			t.warp_cycles, t.empty = t.warp_cycles + k.warp_cycles, t.empty + empty[k.id]
		end
	end
	for _, name in ipairs(names) do
		local t = by[name]
		local k, n = t.k, t.k.ctas_per_sm
		local active = (s.slots - (s.stalls["no warp"] or 0)) * t.warp_cycles / math.max(1, all)
		local slots = math.min(s.lost, lib.bound(s, math.min(waits(s, name), active / (n + 1))) + t.empty)
		local lack, settings, words = {}, {}, {}
		for _, r in ipairs(needs(s, k, n + 1)) do
			if r.needs > r.has then
				lack[#lack + 1] = string.format("%s %s for %s (has %s)", r.key, lib.num(r.needs), lib.count(n + 1, "CTA"), lib.num(r.has))
				settings[#settings + 1] = r.key .. "=" .. r.needs
				words[#words + 1] = r.words
			end
		end
		if #lack > 0 and lib.matters(s, slots, 1) then
			found[#found + 1] = {
				title = string.format("%s: %s hold an SM of %s to %s", "occupancy", k.limiter, name, lib.count(n, "CTA")),
				slots = slots,
				evidence = {
					string.format("%d CTAs of %d warps are %s of an SM's places for warps.", n, k.warps,
						lib.percent(n * k.warps, s.conf["sm.threads"] // 32)),
					"One more CTA needs " .. table.concat(lack, "; ") .. ".",
					string.format("Warps of %s waited for results in %s issue slots.", name, lib.num(waits(s, name))),
				},
				remedy = "One more CTA fits with " .. table.concat(words, ", and ") .. ". The test gives the machine what one more CTA needs.",
				test = lib.whatif(s, table.concat(settings, " ")),
				uses = {"memory dependency", "short dependency", "kernel.warp_cycles", "sm.regs", "sm.shared", "sm.ctas", "sm.threads"},
			}
		end
	end
	return found
end
