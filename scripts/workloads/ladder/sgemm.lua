-- C = alpha A B + beta C of f32: a ladder of seven kernels, from one element a thread to tiles of warps.
local need = require("lib.need")
local products = require("lib.products")
local sixteenths = require("lib.sixteenths")
local steps = require("lib.steps")

-- As the publication has them. Results are multiples of 1/512 below 2^13, so they are exact.
local ALPHA, BETA = 0.5, 3.0

local kernels = {
	"ladder_naive", "ladder_coalesced", "ladder_shared", "ladder_column", "ladder_square", "ladder_vector", "ladder_warp",
}
local edge = { 32, 32, 32, 64, 128, 128, 128 } -- of a CTA's share of C
local block = { { 32, 32 }, 1024, 1024, 512, 256, 256, 128 }

return {
	name = "sgemm",
	help = "matrix multiplication of f32 in seven steps: naive, coalesced, tiles in shared memory, 8 elements a thread, 8 x 8, accesses of 16 B, tiles of warps (A n x k, B k x n; n a multiple of 128, k of 32; step 1 to 7, 0 = all; regs = registers a thread, 0 = as estimated)",
	kernels = "sgemm_ladder.ptx",
	sizes = {
		small = { n = 128, k = 64, step = 0, regs = 0 },
		default = { n = 256, k = 128, step = 0, regs = 0 },
		large = { n = 1152, k = 512, step = 7, regs = 0 },
	},
	run = function(cuda, p)
		local n, k = need(p, "n", 128, 8192, 128), need(p, "k", 32, 8192, 32)
		local regs = need(p, "regs", 0, 255)
		local m = cuda.module("sgemm_ladder.ptx")
		local a, b, c = sixteenths(cuda, n * k), sixteenths(cuda, k * n), sixteenths(cuda, n * n)
		local result = cuda.host("f32", n * n)
		local da, db, dc = cuda.malloc(4 * n * k, "A"), cuda.malloc(4 * k * n, "B"), cuda.malloc(4 * n * n, "C")
		cuda.copy(da, a)
		cuda.copy(db, b)
		local compare = products(cuda, a, b, n, k, "nn")
		for step, name in steps(p, "step", kernels) do
			local ctas = n // edge[step]
			cuda.copy(dc, c)
			cuda.launch(m[name], { ctas, ctas }, block[step], {
				da, db, dc, n, k, cuda.f32(ALPHA), cuda.f32(BETA),
			}, { regs = regs })
			cuda.copy(result, dc)
			cuda.check(function()
				local product = cuda.host("f64", n * n):combine(result, 1 / ALPHA, c, -BETA / ALPHA)
				return compare(name .. ", (C - 3 C before) / 0.5", product)
			end)
		end
	end,
}
