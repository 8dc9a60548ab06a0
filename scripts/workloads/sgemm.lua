-- C = alpha A B^T + beta C, register tiled.
local need = require("lib.need")
local sixteenths = require("lib.sixteenths")

local ALPHA, BETA = 0.5, 0.25

-- Rows 0 .. m-1 of A or B^T as Lua tables over k, from a matrix in columns.
local function rows_of(matrix, m, k)
	local rows = {}
	for i = 0, m - 1 do
		local row = {}
		for j = 0, k - 1 do
			row[j + 1] = matrix[i + j * m]
		end
		rows[i] = row
	end
	return rows
end

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
			-- tolerance. Beyond 40 million products every stride-th element of each column stands for the rest, from
			-- another row on in each column.
			local arows, brows = rows_of(a, m, k), rows_of(b, n, k)
			local stride = (m * n * k + 39999999) // 40000000
			for j = 0, n - 1 do
				local brow = brows[j]
				for i = j % stride, m - 1, stride do
					local arow, sum = arows[i], 0.0
					for l = 1, k do
						sum = sum + arow[l] * brow[l]
					end
					local at = i + j * m
					local want = BETA * c[at] + ALPHA * sum
					if result[at] ~= want then
						return false, string.format("C[%d][%d]: got %.9g, want %.9g", i, j, result[at], want)
					end
				end
			end
			return true
		end)
	end,
}
