-- Histogram of bytes in 64 bins: each thread counts in bytes of its own in shared memory.
local need = require("lib.need")

local OF_CTA = 64 * 240 -- bytes: 64 threads, of which a byte-wide counter holds 240 with sixteen a load

return {
	name = "histogram64",
	help = "byte histogram in 64 bins: counters of each thread in shared memory, CTAs of 64 (n bytes, a multiple of 16)",
	kernels = "histogram64.ptx",
	sizes = {
		small = { n = 400000 },
		default = { n = 8000000 },
		large = { n = 64 << 20 },
	},
	run = function(cuda, p)
		local m = cuda.module("histogram64.ptx")
		local n = need(p, "n", 16, 1 << 30)
		if n % 16 ~= 0 then
			error("n must be a multiple of 16, not " .. n)
		end
		local ctas = (n + OF_CTA - 1) // OF_CTA
		local data, bins = cuda.host("u32", n // 4), cuda.host("u32", 64)
		data:rand(0, 0xffffffff)
		local ddata, dpart = cuda.malloc(n, "data"), cuda.malloc(256 * ctas, "partial")
		local dbins = cuda.malloc(256, "bins")
		cuda.copy(ddata, data)
		cuda.launch(m.histogram64, ctas, 64, { ddata, dpart, n // 16 })
		cuda.launch(m.histogram64_merge, 64, 256, { dpart, dbins, ctas })
		cuda.copy(bins, dbins)
		cuda.check(function()
			local count = {}
			for b = 0, 63 do
				count[b] = 0
			end
			for i = 0, n // 4 - 1 do
				local w = data[i]
				local a, b, c, d = w >> 2 & 63, w >> 10 & 63, w >> 18 & 63, w >> 26
				count[a] = count[a] + 1
				count[b] = count[b] + 1
				count[c] = count[c] + 1
				count[d] = count[d] + 1
			end
			for b = 0, 63 do
				if bins[b] ~= count[b] then
					return false, string.format("bins[%d]: got %d, want %d", b, bins[b], count[b])
				end
			end
			return true
		end)
	end,
}
