-- C = alpha A B^T + beta C, register tiled.
local need = require("lib.need")
local sixteenths = require("lib.sixteenths")

local ALPHA, BETA = 0.5, 0.25

return {
	name = "sgemm",
	help = "register-tiled matrix multiplication: few threads, 16 sums each (m: a multiple of 128, n: of 16, k: of 8)",
	kernels = "sgemm.ptx",
	sizes = {
		small = { m = 128, n = 96, k = 96 },
		default = { m = 512, n = 384, k = 160 },
		large = { m = 1024, n = 768, k = 256 },
	},
	run = function(cuda, p)
		local m, n = need(p, "m", 128, 8192, 128), need(p, "n", 16, 8192, 16)
		local k = need(p, "k", 8, 8192, 8)
		local module = cuda.module("sgemm.ptx")
		local a, b, c = sixteenths(cuda, m * k), sixteenths(cuda, n * k), sixteenths(cuda, m * n)
		local da, db, dc = cuda.malloc(4 * m * k, "A"), cuda.malloc(4 * n * k, "B"), cuda.malloc(4 * m * n, "C")
		cuda.copy(da, a)
		cuda.copy(db, b)
		cuda.copy(dc, c)
		cuda.launch(module.sgemm_nt, { m // 128, n // 16, 1 }, { 16, 8, 1 }, {
			da, m, db, n, dc, m, k, cuda.f32(ALPHA), cuda.f32(BETA),
		})
		local result = cuda.host("f32", m * n)
		cuda.copy(result, dc)
		cuda.check(function()
			-- Products and their sums are exact (lib/sixteenths.lua), and so are halves and quarters of them: no
			-- tolerance. The matrices are stored in columns: row by row these are B A^T and C^T.
			local sums = cuda.host("f64", m * n):product(b, a, n, m, k, "tn")
			return cuda.compare(result, cuda.host("f32", m * n):combine(sums, ALPHA, c, BETA))
		end)
	end,
}
