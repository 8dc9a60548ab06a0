-- y = A x for a random sparse matrix in compressed rows, first with a thread, then with a warp per row.
local need = require("lib.need")
local random_structure = require("lib.csr")
local sixteenths = require("lib.sixteenths")

return {
	name = "spmv",
	help = "sparse matrix times vector (CSR): gathers, uneven rows; scalar then vector kernel (rows, average nonzeros)",
	kernels = "spmv.ptx",
	sizes = {
		small = { rows = 2000, nonzeros = 16 },
		default = { rows = 40000, nonzeros = 16 },
		large = { rows = 200000, nonzeros = 16 },
	},
	run = function(cuda, p)
		local rows, nonzeros = need(p, "rows", 1, 1 << 22), need(p, "nonzeros", 1, 64)
		local m = cuda.module("spmv.ptx")
		local first, column, entries = random_structure(cuda, rows, nonzeros)
		local value, x = sixteenths(cuda, entries), sixteenths(cuda, rows)
		local dfirst, dcolumn = cuda.malloc(4 * (rows + 1), "first"), cuda.malloc(4 * entries, "column")
		local dvalue, dx = cuda.malloc(4 * entries, "value"), cuda.malloc(4 * rows, "x")
		local dscalar, dvector = cuda.malloc(4 * rows, "y (scalar)"), cuda.malloc(4 * rows, "y (vector)")
		cuda.copy(dfirst, first)
		cuda.copy(dcolumn, column)
		cuda.copy(dvalue, value)
		cuda.copy(dx, x)
		cuda.memset(dscalar, 0xff, 4 * rows)
		cuda.memset(dvector, 0xff, 4 * rows)
		local block = { 128, 1, 1 }
		cuda.launch(m.spmv_scalar, { (rows + 127) // 128, 1, 1 }, block, { dfirst, dcolumn, dvalue, dx, dscalar, rows })
		cuda.launch(m.spmv_vector, { (rows + 3) // 4, 1, 1 }, block, { dfirst, dcolumn, dvalue, dx, dvector, rows })
		local scalar, vector = cuda.host("f32", rows), cuda.host("f32", rows)
		cuda.copy(scalar, dscalar)
		cuda.copy(vector, dvector)
		cuda.check(function()
			-- Exact (lib/sixteenths.lua): no tolerance, although the two kernels add in different orders.
			local want = cuda.host("f32", rows)
			for r = 0, rows - 1 do
				local sum = 0.0
				for e = first[r], first[r + 1] - 1 do
					sum = sum + value[e] * x[column[e]]
				end
				want[r] = sum
			end
			local ok, message = cuda.compare(scalar, want, 0, 0)
			if not ok then
				return false, "spmv_scalar: " .. message
			end
			ok, message = cuda.compare(vector, want, 0, 0)
			return ok, not ok and "spmv_vector: " .. message or nil
		end)
	end,
}
