-- A layer of a mixture of experts: router, sorting of tokens by expert, products, weighted sums
-- (configs/kernels/moe.cu).
local need = require("lib.need")
local sixteenths = require("lib.sixteenths")
local steps = require("lib.steps")

local routers = { "moe_route_thread", "moe_route_warp" }

-- The two largest of `experts` logits from `at` on, the lower expert first if they are equal, and the sum of all
-- exponentials relative to the largest.
local function route(logits, at, experts)
	local a, b
	for e = 0, experts - 1 do
		local l = logits[at + e]
		if not a or l > logits[at + a] then
			a, b = e, a
		elseif not b or l > logits[at + b] then
			b = e
		end
	end
	local sum = 0.0
	for e = 0, experts - 1 do
		sum = sum + math.exp(logits[at + e] - logits[at + a])
	end
	return a, b, sum
end

-- Multiples of 1/16 in [-1, 1], so that equal ones are frequent; those of expert 0 are larger by `skew`.
local function random_logits(cuda, tokens, experts, skew)
	local logits = sixteenths(cuda, tokens * experts)
	for i = 0, tokens * experts - 1, experts do
		logits[i] = logits[i] + skew
	end
	return logits
end

return {
	name = "moe",
	help = "mixture of experts: top 2 of a softmax, counts, offsets, tokens sorted by expert, a product for each (tokens; experts up to 64; width, a multiple of 16; skew: preference of expert 0; step 1 = threads, global atomics, 2 = warps, shared atomics, 0 = both)",
	kernels = "moe.ptx",
	sizes = {
		small = { tokens = 200, experts = 8, width = 32, skew = 1, step = 0 },
		default = { tokens = 600, experts = 32, width = 64, skew = 2, step = 0 },
		large = { tokens = 4096, experts = 64, width = 64, skew = 2, step = 2 },
	},
	run = function(cuda, p)
		local tokens, experts = need(p, "tokens", 1, 65536), need(p, "experts", 2, 64)
		local width, skew = need(p, "width", 16, 1024, 16), need(p, "skew", 0, 8)
		local m = cuda.module("moe.ptx")
		local logits = random_logits(cuda, tokens, experts, skew)
		local x = sixteenths(cuda, tokens * width)
		local w = sixteenths(cuda, experts * width * width)

		local dlogits, dx = cuda.malloc(4 * tokens * experts, "logits"), cuda.malloc(4 * tokens * width, "x")
		local dw = cuda.malloc(4 * experts * width * width, "matrices")
		local dpick, dweight = cuda.malloc(8 * tokens, "pick"), cuda.malloc(8 * tokens, "weight")
		local dshare, dplace = cuda.malloc(4 * tokens, "share"), cuda.malloc(8 * tokens, "place")
		local dcount, dnext = cuda.malloc(4 * experts, "count"), cuda.malloc(4 * experts, "next")
		local dfirst = cuda.malloc(4 * (experts + 1), "first")
		local dsorted, dy = cuda.malloc(8 * tokens * width, "sorted"), cuda.malloc(8 * tokens * width, "y")
		local dout = cuda.malloc(4 * tokens * width, "out")
		cuda.copy(dlogits, logits)
		cuda.copy(dx, x)
		cuda.copy(dw, w)

		-- What the router has to find.
		local pick, weight, share, count = {}, {}, {}, {}
		for e = 0, experts - 1 do
			count[e] = 0
		end
		for t = 0, tokens - 1 do
			local at = t * experts
			local a, b, sum = route(logits, at, experts)
			local other = math.exp(logits[at + b] - logits[at + a])
			pick[2 * t], pick[2 * t + 1] = a, b
			weight[2 * t], weight[2 * t + 1] = 1 / (1 + other), other / (1 + other)
			share[t] = (1 + other) / sum
			count[a], count[b] = count[a] + 1, count[b] + 1
		end
		local first, most = { [0] = 0 }, 0
		for e = 0, experts - 1 do
			first[e + 1], most = first[e] + count[e], math.max(most, count[e])
		end
		-- Token t times the matrix of its a-th expert; every sum is exact.
		local want, xt = {}, {}
		for t = 0, tokens - 1 do
			for k = 0, width - 1 do
				xt[k] = x[t * width + k]
			end
			for c = 0, width - 1 do
				want[t * width + c] = 0.0
			end
			for a = 2 * t, 2 * t + 1 do
				local matrix = pick[a] * width * width
				for k = 0, width - 1 do
					local by, row = xt[k] * weight[a], matrix + k * width
					for c = 0, width - 1 do
						want[t * width + c] = want[t * width + c] + by * w[row + c]
					end
				end
			end
		end

		local function fetch(type, n, from)
			local array = cuda.host(type, n)
			cuda.copy(array, from)
			return array
		end
		local function check(name, type, expected, from, rel, abs)
			local array = fetch(type, #expected + 1, from)
			cuda.check(function()
				local ok, message = cuda.compare(array, expected, rel, abs)
				return ok, message and name .. ": " .. message
			end)
		end
		-- Which of the places of its expert a token gets depends on the order of atomics.
		local function check_places(name)
			local place, sorted = fetch("i32", 2 * tokens, dplace), fetch("f32", 2 * tokens * width, dsorted)
			cuda.check(function()
				local taken = {}
				for i = 0, 2 * tokens - 1 do
					local at, e = place[i], pick[i]
					if at < first[e] or at >= first[e + 1] then
						return false, ("%s: token %d is at %d, not among those of expert %d"):format(name, i // 2, at, e)
					elseif taken[at] then
						return false, ("%s: tokens %d and %d are both at %d"):format(name, taken[at], i // 2, at)
					end
					taken[at] = i // 2
					for c = 0, width - 1 do
						if sorted[at * width + c] ~= x[i // 2 * width + c] then
							return false, ("%s: sorted[%d, %d] is not that of token %d"):format(name, at, c, i // 2)
						end
					end
				end
				return true
			end)
		end

		for step, router in steps(p, "step", routers) do
			cuda.memset(dpick, 255, 8 * tokens)
			cuda.memset(dplace, 255, 8 * tokens)
			cuda.memset(dsorted, 255, 8 * tokens * width)
			cuda.memset(dout, 255, 4 * tokens * width)
			cuda.memset(dcount, 0, 4 * experts)
			local grid = step == 1 and (tokens + 127) // 128 or (tokens + 31) // 32
			cuda.launch(m[router], grid, step == 1 and 128 or 256, {
				dlogits, tokens, experts, dpick, dweight, dshare, dcount,
			})
			cuda.launch(m.moe_offsets, 1, 64, { dcount, experts, dfirst, dnext })
			local permute = step == 1 and "moe_permute_one" or "moe_permute_cta"
			if step == 1 then
				cuda.launch(m[permute], (tokens + 3) // 4, 256, { dx, dpick, tokens, width // 4, dnext, dplace, dsorted })
			else
				cuda.launch(m[permute], (tokens + 31) // 32, 256, {
					dx, dpick, tokens, width // 4, experts, dnext, dplace, dsorted,
				})
			end
			cuda.launch(m.moe_experts, { width // 16, (most + 15) // 16, experts }, { 16, 16 }, {
				dsorted, dw, dfirst, width, dy,
			})
			cuda.launch(m.moe_combine, tokens, 64, { dy, dplace, dweight, width, dout })
			check(router .. ", experts", "i32", pick, dpick)
			check(router .. ", weights", "f32", weight, dweight, 4e-6)
			check(router .. ", share", "f32", share, dshare, 4e-6)
			check(router .. ", counts", "i32", count, dcount)
			check("moe_offsets", "i32", first, dfirst)
			check_places(permute)
			check("moe_combine", "f32", want, dout, 0, 1e-5 * width)
		end
	end,
}
