-- C = A B of s8 with s32 sums: four products an instruction, then tensor cores. Every sum is exact.
local need = require("lib.need")
local products = require("lib.products")
local steps = require("lib.steps")

local kernels = { "igemm_dp4a", "igemm_mma" }

return {
	name = "igemm",
	help = "matrix multiplication of 8-bit integers in two steps: dp4a, tensor cores (n x n, n a multiple of 64; step 1 or 2, 0 = both); needs sm_80",
	kernels = "igemm.ptx",
	sizes = {
		small = { n = 128, step = 0 },
		default = { n = 256, step = 0 },
		large = { n = 1024, step = 2 },
	},
	run = function(cuda, p)
		local n = need(p, "n", 64, 8192, 64)
		local m = cuda.module("igemm.ptx")
		local a, b = cuda.host("s8", n * n):rand(-128, 127), cuda.host("s8", n * n):rand(-128, 127)
		local c = cuda.host("s32", n * n)
		local da, db, dc = cuda.malloc(n * n, "A"), cuda.malloc(n * n, "B"), cuda.malloc(4 * n * n, "C")
		cuda.copy(da, a)
		cuda.copy(db, b)
		local compare = products(cuda, a, b, n)
		for step, name in steps(p, "step", kernels) do
			cuda.memset(dc, 255, 4 * n * n)
			if step == 1 then
				cuda.launch(m[name], { n // 32, n // 8 }, { 32, 8 }, { da, db, dc, n, n })
			else
				cuda.launch(m[name], { n // 64, n // 64 }, 128, { da, db, dc, n, n })
			end
			cuda.copy(c, dc)
			cuda.check(function()
				return compare(name, c)
			end)
		end
	end,
}
