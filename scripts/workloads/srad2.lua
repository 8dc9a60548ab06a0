-- Speckle reducing anisotropic diffusion: two tiled kernels an iteration, statistics on the host.
local need = require("lib.need")
local diffuse = require("lib.srad")

local LAMBDA = 0.5

-- Coefficient of variation squared of the first `side` x `side` pixels.
local function variation(image, width, side)
	local sum, square = 0.0, 0.0
	for y = 0, side - 1 do
		for i = y * width, y * width + side - 1 do
			local v = image[i]
			sum, square = sum + v, square + v * v
		end
	end
	local mean = sum / (side * side)
	return (square / (side * side) - mean * mean) / (mean * mean)
end

return {
	name = "srad2",
	help = "image despeckling, version 2: 16 x 16 tiles in shared memory (width, height: multiples of 16; iterations)",
	kernels = "srad2.ptx",
	sizes = {
		small = { width = 128, height = 128, iterations = 1 },
		default = { width = 384, height = 320, iterations = 2 },
		large = { width = 768, height = 512, iterations = 4 },
	},
	run = function(cuda, p)
		local width, height = need(p, "width", 16, 8192, 16), need(p, "height", 16, 8192, 16)
		local n, iterations = width * height, need(p, "iterations", 1, 1000)
		local side = math.min(width, height, 128) -- of the region whose statistics count
		local m = cuda.module("srad2.ptx")
		local image, want = cuda.host("f32", n):rand(0, 1), {}
		for i = 0, n - 1 do
			image[i] = math.exp(image[i])
			want[i] = image[i]
		end
		local dimage, dc = cuda.malloc(4 * n, "image"), cuda.malloc(4 * n, "coefficient")
		local de, dw = cuda.malloc(4 * n, "de"), cuda.malloc(4 * n, "dw")
		local dn, ds = cuda.malloc(4 * n, "dn"), cuda.malloc(4 * n, "ds")
		local grid, block = { width // 16, height // 16, 1 }, { 16, 16, 1 }
		for _ = 1, iterations do
			local q0sqr = variation(image, width, side)
			cuda.copy(dimage, image)
			cuda.launch(m.srad_1, grid, block, { de, dw, dn, ds, dimage, dc, width, height, cuda.f32(q0sqr) })
			cuda.launch(m.srad_2, grid, block, { de, dw, dn, ds, dimage, dc, width, height, cuda.f32(LAMBDA) })
			cuda.copy(image, dimage)
		end
		cuda.check(function()
			for _ = 1, iterations do
				diffuse(want, width, height, variation(want, width, side), LAMBDA)
			end
			-- Pixels within 1 .. e, a dozen roundings of 2^-24 an iteration. A wrong neighbour is an error of about
			-- 1e-2.
			return cuda.compare(image, want, 0, 2e-6 * (2 + iterations))
		end)
	end,
}
