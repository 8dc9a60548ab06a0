-- The layer normalization of each row of a matrix, by a warp a row and by a CTA a row that keeps it in registers.
local need = require("lib.need")
local steps = require("lib.steps")

local kernels = { "layernorm_two", "layernorm_vector", "layernorm_cta" }

return {
	name = "layernorm",
	help = "layer normalization of rows in three steps: a warp a row, loads of 16 B, a CTA a row in registers (rows and columns, multiples of 4, columns up to 4096; step 1 to 3, 0 = all)",
	kernels = "layernorm.ptx",
	sizes = {
		small = { rows = 64, columns = 1000, step = 0 },
		default = { rows = 512, columns = 2048, step = 0 },
		large = { rows = 4096, columns = 2048, step = 3 },
	},
	run = function(cuda, p)
		local rows, columns = need(p, "rows", 4, 65536, 4), need(p, "columns", 4, 4096, 4)
		local m, n = cuda.module("layernorm.ptx"), rows * columns
		local x = cuda.host("f32", n):rand(-2, 6) -- a mean other than 0
		for first = 0, n - 1, 4 * columns do -- rows whose variance is hardly more than epsilon
			for i = first, first + columns - 1 do
				x[i] = (x[i] - 2) / 512
			end
		end
		local gain, bias = cuda.host("f32", columns):rand(0.5, 1.5), cuda.host("f32", columns):rand(-1, 1)
		local got, want = cuda.host("f32", n), cuda.host("f64", n)
		local din, dout = cuda.malloc(4 * n, "in"), cuda.malloc(4 * n, "out")
		local dgain, dbias = cuda.malloc(4 * columns, "gain"), cuda.malloc(4 * columns, "bias")
		cuda.copy(din, x)
		cuda.copy(dgain, gain)
		cuda.copy(dbias, bias)
		for first = 0, n - 1, columns do
			local sum, squares = 0.0, 0.0
			for i = first, first + columns - 1 do
				sum = sum + x[i]
			end
			local mean = sum / columns
			for i = first, first + columns - 1 do
				squares = squares + (x[i] - mean) ^ 2
			end
			local by = 1 / math.sqrt(squares / columns + 1e-5)
			for i = 0, columns - 1 do
				want[first + i] = (x[first + i] - mean) * by * gain[i] + bias[i]
			end
		end
		for step, name in steps(p, "step", kernels) do
			cuda.memset(dout, 255, 4 * n)
			cuda.launch(m[name], step == 3 and rows or rows // 4, 128, { din, dgain, dbias, dout, columns })
			cuda.copy(got, dout)
			cuda.check(function()
				local ok, message = cuda.compare(got, want, 0, 4e-6)
				return ok, message and name .. ": " .. message
			end)
		end
	end,
}
