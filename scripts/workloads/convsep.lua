-- Separable convolution: a pass over rows, one over columns.
local need = require("lib.need")
local sixteenths = require("lib.sixteenths")

local RADIUS = 8

-- Row sums of `line` (1-based, `n` pixels, zeros around it) with the taps: out[i] = sum of taps[R - j] line[i + j].
local function convolve(line, n, taps)
	local out = {}
	for i = 1, n do
		local sum, from, to = 0.0, i - RADIUS, i + RADIUS
		if from < 1 then
			from = 1
		end
		if to > n then
			to = n
		end
		local at = RADIUS + i
		for x = from, to do
			sum = sum + taps[at - x] * line[x]
		end
		out[i] = sum
	end
	return out
end

local function reference(image, width, height, taps)
	local rows = {}
	for y = 0, height - 1 do
		local line = {}
		for x = 1, width do
			line[x] = image[y * width + x - 1]
		end
		rows[y + 1] = convolve(line, width, taps)
	end
	return rows
end

return {
	name = "convsep",
	help = "separable convolution, radius 8: tiles in shared memory (width: a multiple of 128, height: of 64)",
	kernels = "convsep.ptx",
	sizes = {
		small = { width = 256, height = 128 },
		default = { width = 1024, height = 576 },
		large = { width = 2048, height = 1536 },
	},
	run = function(cuda, p)
		local width, height = need(p, "width", 128, 16384, 128), need(p, "height", 64, 16384, 64)
		local m, n = cuda.module("convsep.ptx"), width * height
		local image, taps, result = sixteenths(cuda, n), sixteenths(cuda, 2 * RADIUS + 1), cuda.host("f32", n)
		local din, dbetween = cuda.malloc(4 * n, "image"), cuda.malloc(4 * n, "rows")
		local dout = cuda.malloc(4 * n, "result")
		cuda.copy(din, image)
		cuda.copy(cuda.symbol(m, "taps"), taps)
		cuda.launch(m.convolve_rows, { width // 128, height // 4, 1 }, { 16, 4, 1 }, { dbetween, din, width })
		cuda.launch(m.convolve_columns, { width // 16, height // 64, 1 }, { 16, 8, 1 }, {
			dout, dbetween, width, height,
		})
		cuda.copy(result, dout)
		cuda.check(function()
			-- Exact: pixels and taps are multiples of 1/16 within +-1, so sums after both passes are multiples of
			-- 2^-12 within 17 * 17: 21 bits. Columns of more than 2^20 pixels are checked in a sample of every
			-- stride-th column (a number without a common factor with the tile's 16).
			local rows, t = reference(image, width, height, taps), {}
			for j = 0, 2 * RADIUS do
				t[j] = taps[j]
			end
			local stride = n > 1048576 and n // 1048576 * 2 + 1 or 1
			for x = 1, width, stride do
				local line = {}
				for y = 1, height do
					line[y] = rows[y][x]
				end
				line = convolve(line, height, t)
				for y = 1, height do
					local got = result[(y - 1) * width + x - 1]
					if got ~= line[y] then
						return false, string.format("pixel (%d, %d): got %.9g, want %.9g", x - 1, y - 1, got, line[y])
					end
				end
			end
			return true
		end)
	end,
}
