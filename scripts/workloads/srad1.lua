-- Speckle reducing anisotropic diffusion, all on the device: six kernels, a tree of reductions in every iteration.
local need = require("lib.need")
local diffuse = require("lib.srad")

local BLOCK, LAMBDA = 512, 0.5

-- Index of the neighbour before and after each of 0 .. n-1, within the image.
local function neighbours(cuda, n)
	local before, after = cuda.host("i32", n), cuda.host("i32", n)
	for i = 0, n - 1 do
		before[i], after[i] = math.max(i - 1, 0), math.min(i + 1, n - 1)
	end
	return before, after
end

-- Coefficient of variation squared from the sums of n elements and of their squares.
local function variation(sum, square, n)
	local mean = sum / n
	return (square / n - mean * mean) / (mean * mean)
end

local function reference(picture, p)
	local image, n = {}, p.rows * p.columns
	for i = 0, n - 1 do
		image[i] = math.exp(picture[i] / 255)
	end
	for _ = 1, p.iterations do
		local sum, square = 0.0, 0.0
		for i = 0, n - 1 do
			sum, square = sum + image[i], square + image[i] * image[i]
		end
		diffuse(image, p.rows, p.columns, variation(sum, square, n), LAMBDA)
	end
	for i = 0, n - 1 do
		image[i] = math.log(image[i]) * 255
	end
	return image
end

return {
	name = "srad1",
	help = "image despeckling, version 1: six kernels, reductions, division, index arrays (rows x columns, iterations)",
	kernels = "srad1.ptx",
	sizes = {
		small = { rows = 100, columns = 96, iterations = 1 },
		default = { rows = 256, columns = 256, iterations = 4 },
		large = { rows = 512, columns = 448, iterations = 6 },
	},
	run = function(cuda, p)
		local rows, columns = need(p, "rows", 1, 1 << 14), need(p, "columns", 1, 1 << 14)
		local n, iterations = rows * columns, need(p, "iterations", 1, 1000)
		if n < 2 then
			error("parameters rows x columns = 1: one pixel has no variation", 0)
		end
		local m = cuda.module("srad1.ptx")
		local picture, result = cuda.host("f32", n):rand(0, 255), cuda.host("f32", n)
		local dimage = cuda.malloc(4 * n, "image")
		local dsums, dsquares = cuda.malloc(4 * n, "sums"), cuda.malloc(4 * n, "squares")
		local dn, ds = cuda.malloc(4 * n, "dn"), cuda.malloc(4 * n, "ds")
		local dw, de, dc = cuda.malloc(4 * n, "dw"), cuda.malloc(4 * n, "de"), cuda.malloc(4 * n, "coefficient")
		local dnorth, dsouth = cuda.malloc(4 * rows, "north"), cuda.malloc(4 * rows, "south")
		local dwest, deast = cuda.malloc(4 * columns, "west"), cuda.malloc(4 * columns, "east")
		local north, south = neighbours(cuda, rows)
		local west, east = neighbours(cuda, columns)
		cuda.copy(dnorth, north)
		cuda.copy(dsouth, south)
		cuda.copy(dwest, west)
		cuda.copy(deast, east)
		cuda.copy(dimage, picture)

		local grid, sum, square = (n + BLOCK - 1) // BLOCK, cuda.host("f32", 1), cuda.host("f32", 1)
		cuda.launch(m.srad_extract, grid, BLOCK, { n, dimage })
		for _ = 1, iterations do
			cuda.launch(m.srad_prepare, grid, BLOCK, { n, dimage, dsums, dsquares })
			local left, stride = n, 1
			repeat
				local ctas = (left + BLOCK - 1) // BLOCK
				cuda.launch(m.srad_reduce, ctas, BLOCK, { left, stride, dsums, dsquares })
				left, stride = ctas, stride * BLOCK
			until left == 1
			cuda.copy(sum, dsums, 4)
			cuda.copy(square, dsquares, 4)
			local q0sqr = variation(sum[0], square[0], n)
			cuda.launch(m.srad_diffuse, grid, BLOCK, {
				rows, n, dnorth, dsouth, dwest, deast, dn, ds, dw, de, cuda.f32(q0sqr), dc, dimage,
			})
			cuda.launch(m.srad_update, grid, BLOCK, {
				cuda.f32(LAMBDA), rows, n, dsouth, deast, dn, ds, dw, de, dc, dimage,
			})
		end
		cuda.launch(m.srad_compress, grid, BLOCK, { n, dimage })
		cuda.copy(result, dimage)
		cuda.check(function()
			-- The logarithm at the end is off by up to 2^-22 (lg2.approx) x ln 2 x 255 = 4e-5, and with it the image's
			-- few roundings of 2^-24 an iteration grow 255 times; quotients by q0sqr lend weight to some of them.
			-- A wrong neighbour is an error of about 1.
			return cuda.compare(result, reference(picture, p), 0, 1e-4 * (3 + iterations))
		end)
	end,
}
