-- Sum of n integers in two launches: partial sums of many CTAs, then one CTA over the partial sums.
local need = require("lib.need")

return {
	name = "reduction",
	help = "sum of integers: grid-stride loads, shared-memory tree, shuffles (n elements, ctas in the first launch)",
	kernels = "reduction.ptx",
	sizes = {
		small = { n = 400000, ctas = 90 },
		default = { n = 9000000, ctas = 720 },
		large = { n = 40000000, ctas = 720 },
	},
	run = function(cuda, p)
		local m = cuda.module("reduction.ptx")
		local n, ctas = need(p, "n", 1, 1 << 28), need(p, "ctas", 1, 65535)
		local data, total = cuda.host("i32", n), cuda.host("i32", 1)
		data:rand(-1000000, 1000000)
		local din, dpart, dtotal = cuda.malloc(4 * n, "in"), cuda.malloc(4 * ctas, "partial"), cuda.malloc(4, "total")
		cuda.copy(din, data)
		cuda.launch(m.reduce, { ctas, 1, 1 }, { 256, 1, 1 }, { din, dpart, n })
		cuda.launch(m.reduce, { 1, 1, 1 }, { 256, 1, 1 }, { dpart, dtotal, ctas })
		cuda.copy(total, dtotal)
		cuda.check(function()
			local sum = 0
			for i = 0, n - 1 do
				sum = sum + data[i]
			end
			-- The device adds modulo 2^32.
			local want, got = sum & 0xffffffff, total[0] & 0xffffffff
			if got ~= want then
				return false, string.format("total[0]: got %d, want %d (modulo 2^32)", got, want)
			end
			return true
		end)
	end,
}
