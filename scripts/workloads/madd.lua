-- Matrix addition: two-dimensional CTAs, every element read and written once.
local need = require("lib.need")

return {
	name = "madd",
	help = "matrix addition in 2D: streaming, bandwidth bound (width x height)",
	kernels = "madd.ptx",
	sizes = {
		small = { width = 440, height = 300 },
		default = { width = 1600, height = 1400 },
		large = { width = 3200, height = 3200 },
	},
	run = function(cuda, p)
		local width, height = need(p, "width", 1, 32768), need(p, "height", 1, 16384)
		local m, n = cuda.module("madd.ptx"), width * height
		local a, b, c = cuda.host("f32", n):rand(-1, 1), cuda.host("f32", n):rand(-1, 1), cuda.host("f32", n)
		local da, db, dc = cuda.malloc(4 * n, "A"), cuda.malloc(4 * n, "B"), cuda.malloc(4 * n, "C")
		cuda.copy(da, a)
		cuda.copy(db, b)
		cuda.memset(dc, 0xff, 4 * n)
		local grid = { (width + 15) // 16, (height + 15) // 16, 1 }
		cuda.launch(m.madd, grid, { 16, 16, 1 }, { da, db, dc, width, height })
		cuda.copy(c, dc)
		cuda.check(function()
			-- Exact: a double holds the sum with enough digits that rounding it to f32 is rounding the true sum.
			for i = 0, n - 1 do
				a[i] = a[i] + b[i]
			end
			return cuda.compare(c, a, 0, 0)
		end)
	end,
}
