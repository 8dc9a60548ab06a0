-- C = A B of f16 with f32 sums: a ladder of five kernels, from one element a thread to tensor cores with asynchronous,
-- swizzled copies.
local need = require("lib.need")
local halves = require("lib.halves")

local steps = { "hgemm_naive", "hgemm_mma", "hgemm_ldmatrix", "hgemm_async", "hgemm_swizzled" }

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
		local n, step = need(p, "n", 64, 8192, 64), need(p, "step", 0, #steps)
		local m = cuda.module("hgemm.ptx")
		local a, va = halves(cuda, n * n)
		local b, vb = halves(cuda, n * n)
		local c = cuda.host("f32", n * n)
		local da, db, dc = cuda.malloc(2 * n * n, "A"), cuda.malloc(2 * n * n, "B"), cuda.malloc(4 * n * n, "C")
		cuda.copy(da, a)
		cuda.copy(db, b)
		-- Of large matrices every so many rows are checked.
		local every = math.max(1, n // 64)
		local want = {}
		for i = 0, n - 1, every do
			for j = 0, n - 1 do
				local sum = 0.0
				for k = 0, n - 1 do
					sum = sum + va[i * n + k] * vb[j * n + k]
				end
				want[i * n + j] = sum
			end
		end
		for s = step > 0 and step or 1, step > 0 and step or #steps do
			if s == 1 then
				cuda.launch(m[steps[s]], { n // 32, n // 8, 1 }, { 32, 8, 1 }, { da, db, dc, n, n })
			else
				cuda.launch(m[steps[s]], { n // 64, n // 64, 1 }, { 128, 1, 1 }, { da, db, dc, n, n })
			end
			cuda.copy(c, dc)
			cuda.check(function()
				for i, v in pairs(want) do
					if c[i] ~= v then
						return false, ("%s: C[%d, %d] is %g, not %g"):format(steps[s], i // n, i % n, c[i], v)
					end
				end
				return true
			end)
		end
	end,
}
