-- C = A B of f16 with f32 sums: a ladder of six kernels on tensor cores.
local halves = require("lib.halves")
local need = require("lib.need")
local products = require("lib.products")
local steps = require("lib.steps")

local kernels = { "mma_naive", "mma_tiled", "mma_permuted", "mma_registers", "mma_stages", "mma_large" }
local edge = { 32, 64, 64, 64, 64, 128 } -- of a CTA's share of C

return {
	name = "hgemm",
	help = "half-precision matrix multiplication on tensor cores in six steps: elements of 2 B, more of them a warp, permuted pieces of 16 B and ldmatrix, fragments kept, cp.async in stages, larger tiles (A n x k, B k x n; n a multiple of 128, k of 32; step 1 to 6, 0 = all; regs = registers a thread, 0 = as estimated); needs sm_80",
	kernels = "hgemm_ladder.ptx",
	sizes = {
		small = { n = 128, k = 64, step = 0, regs = 0 },
		default = { n = 256, k = 128, step = 0, regs = 0 },
		large = { n = 1024, k = 512, step = 6, regs = 0 },
	},
	run = function(cuda, p)
		local n, k = need(p, "n", 128, 8192, 128), need(p, "k", 32, 8192, 32)
		local regs = need(p, "regs", 0, 255)
		local m = cuda.module("hgemm_ladder.ptx")
		local a, va = halves(cuda, n * k)
		local b, vb = halves(cuda, k * n)
		local c = cuda.host("f32", n * n)
		local da, db, dc = cuda.malloc(2 * n * k, "A"), cuda.malloc(2 * k * n, "B"), cuda.malloc(4 * n * n, "C")
		cuda.copy(da, a)
		cuda.copy(db, b)
		-- The same B lies row by row in the first two steps (k x n), column by column in the others.
		local compare = { products(cuda, va, vb, n, k, "nn"), products(cuda, va, vb, n, k, "nt") }
		for step, name in steps(p, "step", kernels) do
			local ctas = n // edge[step]
			cuda.launch(m[name], { ctas, ctas }, 256, { da, db, dc, n, k }, { regs = regs })
			cuda.copy(c, dc)
			cuda.check(function()
				return compare[step < 3 and 1 or 2](name, c)
			end)
		end
	end,
}
