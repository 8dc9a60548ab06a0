-- Dyadic convolution of a long signal with a short kernel: two fast Walsh-Hadamard transforms, their product, and one
-- transform back.
local need = require("lib.need")
local published = require("lib.published")

local MOST = 11 -- a transform of 2^11 elements is what one CTA does in shared memory
local TAPS = 128 -- elements of the convolution's kernel that are not 0

local function transform(cuda, m, data, log_n)
	local count = 1
	while log_n > MOST do
		local stride = 1 << log_n - 2
		cuda.launch(m.fwt_batch2, { (stride + 255) // 256, count, 1 }, { 256, 1, 1 }, { data, stride }, published(21)) -- Park 2016, table 4.2
		log_n, count = log_n - 2, count * 4
	end
	local n = 1 << log_n
	-- As published (Park 2016, table 4.2), on every machine: three CTAs an SM.
	local options = { shared = 4 * n, regs = 10 }
	cuda.launch(m.fwt_batch1, { count, 1, 1 }, { n // 4, 1, 1 }, { data, log_n }, options)
end

local function small_integers(cuda, n, most)
	local values, random = cuda.host("f32", n), cuda.host("i32", n)
	random:rand(-most, most)
	for i = 0, n - 1 do
		values[i] = random[i]
	end
	return values
end

return {
	name = "fwt",
	help = "fast Walsh transform: strided butterflies in shared and global memory (2^log_n elements)",
	kernels = "fwt.ptx",
	sizes = {
		small = { log_n = 13 },
		default = { log_n = 17 },
		large = { log_n = 19 },
	},
	run = function(cuda, p)
		local log_n = need(p, "log_n", 7, 24)
		local n = 1 << log_n
		local m = cuda.module("fwt.ptx")
		-- Exact in f32: transforms are sums of small integers, and in the transform back every value is a multiple of
		-- its stage's part of 1 / n, with a numerator that no product of the two transforms exceeds. Those are about
		-- 5.5 * 2.6 * sqrt(n) and at most 128 * 2: together below 2^22 for n = 2^20. Longer signals are weaker.
		local signal, taps = small_integers(cuda, n, log_n <= 20 and 4 or 1), small_integers(cuda, TAPS, 2)
		local padded, result = cuda.host("f32", n), cuda.host("f32", n)
		for i = 0, TAPS - 1 do
			padded[i] = taps[i]
		end
		local dsignal, dtaps = cuda.malloc(4 * n, "signal"), cuda.malloc(4 * n, "taps")
		cuda.copy(dsignal, signal)
		cuda.copy(dtaps, padded)
		transform(cuda, m, dsignal, log_n)
		transform(cuda, m, dtaps, log_n)
		cuda.launch(m.fwt_modulate, { 128, 1, 1 }, { 256, 1, 1 }, { dsignal, dtaps, n })
		transform(cuda, m, dsignal, log_n)
		cuda.copy(result, dsignal)
		cuda.check(function()
			-- The definition, element by element. An error in either transform or the product spreads over all
			-- elements, so at large n about 20000 of them do; an odd stride visits every
			-- thread of a CTA.
			local stride = n <= 20000 and 1 or n // 20000 | 1
			for i = 0, n - 1, stride do
				local want = 0.0
				for j = 0, TAPS - 1 do
					want = want + taps[j] * signal[i ~ j]
				end
				if result[i] ~= want then
					return false, string.format("result[%d]: got %.9g, want %.9g", i, result[i], want)
				end
			end
			return true
		end)
	end,
}
