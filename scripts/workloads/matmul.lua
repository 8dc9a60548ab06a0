-- C = A B, tiled in shared memory, one element a thread.
local need = require("lib.need")
local sixteenths = require("lib.sixteenths")

return {
	name = "matmul",
	help = "tiled matrix multiplication: shared memory, barriers, reuse (n x n, n a multiple of 16)",
	kernels = "matmul.ptx",
	sizes = {
		small = { n = 96 },
		default = { n = 256 },
		large = { n = 448 },
	},
	run = function(cuda, p)
		local n = need(p, "n", 16, 8192, 16)
		local m = cuda.module("matmul.ptx")
		local a, b, c = sixteenths(cuda, n * n), sixteenths(cuda, n * n), cuda.host("f32", n * n)
		local da, db, dc = cuda.malloc(4 * n * n, "A"), cuda.malloc(4 * n * n, "B"), cuda.malloc(4 * n * n, "C")
		cuda.copy(da, a)
		cuda.copy(db, b)
		cuda.launch(m.matmul, { n // 16, n // 16, 1 }, { 16, 16, 1 }, { da, db, dc, n })
		cuda.copy(c, dc)
		cuda.check(function()
			-- Exact (lib/sixteenths.lua): no tolerance.
			local want = cuda.host("f32", n * n):product(a, b, n, n, n)
			return cuda.compare(c, want, 0, 0)
		end)
	end,
}
