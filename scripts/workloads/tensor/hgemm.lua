-- C = A B of f16 with f32 sums: a ladder of five kernels, from one element a thread to tensor cores with asynchronous,
-- swizzled copies.
local need = require("lib.need")
local halves = require("lib.halves")
local products = require("lib.products")
local steps = require("lib.steps")

local kernels = { "hgemm_naive", "hgemm_mma", "hgemm_ldmatrix", "hgemm_async", "hgemm_swizzled" }

return {
	name = "hgemm",
	help = "half-precision matrix multiplication in five steps: naive, mma, ldmatrix, cp.async, swizzled (n x n, n a multiple of 64; step 1 to 5, 0 = all); needs sm_80",
	kernels = "hgemm.ptx",
	sizes = {
		small = { n = 128, step = 0 },
		default = { n = 192, step = 0 },
		large = { n = 512, step = 5 },
	},
	run = function(cuda, p)
		local n = need(p, "n", 64, 8192, 64)
		local m = cuda.module("hgemm.ptx")
		local a, va = halves(cuda, n * n)
		local b, vb = halves(cuda, n * n)
		local c = cuda.host("f32", n * n)
		local da, db, dc = cuda.malloc(2 * n * n, "A"), cuda.malloc(2 * n * n, "B"), cuda.malloc(4 * n * n, "C")
		cuda.copy(da, a)
		cuda.copy(db, b)
		local compare = products(cuda, va, vb, n)
		for step, name in steps(p, "step", kernels) do
			if step == 1 then
				cuda.launch(m[name], { n // 32, n // 8, 1 }, { 32, 8, 1 }, { da, db, dc, n, n })
			else
				cuda.launch(m[name], { n // 64, n // 64, 1 }, { 128, 1, 1 }, { da, db, dc, n, n })
			end
			cuda.copy(c, dc)
			cuda.check(function()
				return compare(name, c)
			end)
		end
	end,
}
