-- The load-add-store microbenchmarks of Huzaifa et al. 2020 as a workload: `name`, one line of `help`, the number of
-- CTAs of 8 KB on the published machine of 3 SMs (L1 32 KB each, L2 256 KB) and on the one of 15 SMs (L1 128 KB each,
-- L2 4 MB), launches of the small size, and whether the CTAs do different amounts of work.
--
-- small and default are the published input: an input is defined by what it leaves of the caches, so it does not grow
-- with the size; small has fewer launches and operations where the published ones take long. large is the same
-- benchmark for the 15 SMs (uneven: 4 launches of the 16, which would be 65 million warp instructions).
local need = require("lib.need")

local THREADS, LOCATIONS = 256, 8

-- Operations a CTA: 1 .. most, random, with `ramp` percent of the range rising along the grid. A share that rises makes
-- equal pieces of the grid unequal work, which is what stealing is for.
local function operations(cuda, ctas, most, ramp)
	local count, random = cuda.host("u32", ctas), cuda.host("f32", ctas):rand(0, 1)
	local range, share = most - 0.001, ramp / 100
	for b = 0, ctas - 1 do
		local place = ctas > 1 and b / (ctas - 1) or 0
		count[b] = 1 + math.floor(range * (share * place + (1 - share) * random[b]))
	end
	return count
end

-- Where the locations of each CTA begin, and behind the last one's, in locations of a CTA.
local function begins(cuda, ctas, count)
	local first, at = cuda.host("u32", ctas + 1), 0
	for b = 0, ctas - 1 do
		first[b] = at
		at = at + (count and count[b] or LOCATIONS)
	end
	first[ctas] = at
	return first
end

-- In a launch location k of a CTA that has `each` operations is met in operations k, k + 8, ...
local function meetings(each, k)
	return (each + LOCATIONS - 1 - k) // LOCATIONS
end

return function(name, help, on3, on15, small_launches, uneven)
	local function size(ctas, launches, most)
		local p = { ctas = ctas, launches = launches, threads = THREADS }
		if uneven then
			p.most, p.ramp, p.apart = most, 50, 0
		end
		return p
	end
	local parameters = uneven
			and "(ctas, launches, threads a CTA, most operations, ramp: % of them along the grid, apart = 1: each has a location of its own)"
		or "(ctas, launches, threads a CTA)"
	return {
		name = name,
		help = help .. " " .. parameters,
		kernels = "ikra.ptx",
		sizes = {
			small = size(on3, small_launches, 12),
			default = size(on3, 16, 64),
			large = size(on15, uneven and 4 or 16, 64),
		},
		run = function(cuda, p)
			local ctas, launches = need(p, "ctas", 1, 65535), need(p, "launches", 1, 1 << 20)
			local threads = need(p, "threads", 32, 1024, 32)
			local count = uneven and operations(cuda, ctas, need(p, "most", 1, 1 << 20), need(p, "ramp", 0, 100))
			local apart = uneven and need(p, "apart", 0, 1) == 1
			if uneven and not apart and threads ~= THREADS then
				error(string.format("parameter threads = %d is for apart = 1", threads), 0)
			end
			local fixed = threads == THREADS and not apart
			local m = cuda.module(fixed and "ikra.ptx" or "ikra_shape.ptx")
			local first = begins(cuda, ctas, apart and count)
			local n = need({ points = first[ctas] * threads }, "points", 1, 1 << 28)
			local before, after = cuda.host("u32", n):rand(0, 0xffffffff), cuda.host("u32", n)
			local data = cuda.malloc(4 * n, "data")
			local arguments = { data }
			cuda.copy(data, before)
			if uneven then
				local told = apart and first or count
				arguments[2] = cuda.malloc(4 * #told, apart and "first" or "count")
				cuda.copy(arguments[2], told)
			end
			local kernel = apart and m.ikra_apart or fixed and (uneven and m.ikra_steal or m.ikra) or m.ikra_shape
			for _ = 1, launches do
				cuda.launch(kernel, { ctas, 1, 1 }, { threads, 1, 1 }, arguments)
			end
			cuda.copy(after, data)
			cuda.check(function()
				for i = 0, n - 1 do
					local location, each = i // threads, 1
					if uneven and not apart then
						each = meetings(count[location // LOCATIONS], location % LOCATIONS)
					end
					local want = before[i] + launches * each & 0xffffffff
					if after[i] ~= want then
						return false, string.format("data[%d]: got %d, want %d", i, after[i], want)
					end
				end
				return true
			end)
		end,
	}
end
