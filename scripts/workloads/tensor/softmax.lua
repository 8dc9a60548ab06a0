-- The softmax of each row of a matrix: three passes, the online softmax by a warp a row, and by a CTA a row.
local elements = require("lib.elements")
local need = require("lib.need")
local steps = require("lib.steps")

local kernels = { "softmax_three", "softmax_warp", "softmax_cta" }

return {
	name = "softmax",
	help = "softmax of rows in three steps: three passes, online by a warp a row, online by a CTA a row (rows, a multiple of 8; columns, a multiple of 4; step 1 to 3, 0 = all)",
	kernels = "softmax.ptx",
	sizes = {
		small = { rows = 64, columns = 1000, step = 0 },
		default = { rows = 512, columns = 2048, step = 0 },
		large = { rows = 4096, columns = 2048, step = 2 },
	},
	run = function(cuda, p)
		local rows, columns = need(p, "rows", 8, 65536, 8), need(p, "columns", 4, 65536, 4)
		local m, n = cuda.module("softmax.ptx"), elements("rows and columns", rows * columns)
		local x = cuda.host("f32", n):rand(-8, 8)
		local got = cuda.host("f32", n)
		local din, dout = cuda.malloc(4 * n, "in"), cuda.malloc(4 * n, "out")
		cuda.copy(din, x)
		local want = cuda.host("f64", n)
		for first = 0, n - 1, columns do
			local most, sum = -math.huge, 0.0
			for i = first, first + columns - 1 do
				most = math.max(most, x[i])
			end
			for i = first, first + columns - 1 do
				want[i] = math.exp(x[i] - most)
				sum = sum + want[i]
			end
			for i = first, first + columns - 1 do
				want[i] = want[i] / sum
			end
		end
		for step, name in steps(p, "step", kernels) do
			cuda.memset(dout, 255, 4 * n)
			cuda.launch(m[name], step == 3 and rows or rows // 8, 256, { din, dout, columns })
			cuda.copy(got, dout)
			cuda.check(function()
				-- Relative: 2^-22 of each exponential, whose argument is rounded to 24 bits, and of the quotient.
				local ok, message = cuda.compare(got, want, 4e-6)
				return ok, message and name .. ": " .. message
			end)
		end
	end,
}
