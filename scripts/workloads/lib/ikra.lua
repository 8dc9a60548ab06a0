-- The load-add-store microbenchmarks of Huzaifa et al. 2020 as a workload: `name`, one line of `help`, the number of
-- CTAs of 8 KB on the published machine of 3 SMs (L1 32 KB each, L2 256 KB) and on the one of 15 SMs (L1 128 KB each,
-- L2 4 MB), launches of the small size, and whether the CTAs do different amounts of work.
--
-- small and default are the published input: an input is defined by what it leaves of the caches, so it does not grow
-- with the size; small has fewer launches and operations where the published ones take long. large is the same
-- benchmark for the 15 SMs (uneven: 4 launches of the 16, which would be 65 million warp instructions).
local need = require("lib.need")

local THREADS, LOCATIONS = 256, 8
local BYTES = 4 * THREADS * LOCATIONS

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

return function(name, help, on3, on15, small_launches, uneven)
	local function size(ctas, launches, most)
		return { ctas = ctas, launches = launches, most = uneven and most or nil, ramp = uneven and 50 or nil }
	end
	local parameters = uneven and "(ctas, launches, most operations, ramp: % of them along the grid)" or "(ctas, launches)"
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
			local count = uneven and operations(cuda, ctas, need(p, "most", 1, 1 << 20), need(p, "ramp", 0, 100))
			local m = cuda.module("ikra.ptx")
			local n = ctas * THREADS * LOCATIONS
			local before, after = cuda.host("u32", n):rand(0, 0xffffffff), cuda.host("u32", n)
			local data = cuda.malloc(ctas * BYTES, "data")
			local arguments = { data }
			cuda.copy(data, before)
			if uneven then
				arguments[2] = cuda.malloc(4 * ctas, "count")
				cuda.copy(arguments[2], count)
			end
			for _ = 1, launches do
				cuda.launch(uneven and m.ikra_steal or m.ikra, { ctas, 1, 1 }, { THREADS, 1, 1 }, arguments)
			end
			cuda.copy(after, data)
			cuda.check(function()
				for i = 0, n - 1 do
					local each = 1
					if uneven then -- location j is met in operations j, j + 8, ...
						local cta, location = i // (THREADS * LOCATIONS), i // THREADS % LOCATIONS
						each = (count[cta] + LOCATIONS - 1 - location) // LOCATIONS
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
