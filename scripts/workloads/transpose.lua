-- Matrix transpose, by way of a padded tile in shared memory (tiled = 1) or without (tiled = 0).
local need = require("lib.need")

return {
	name = "transpose",
	help = "matrix transpose: coalescing and shared-memory banks (width, height; tiled = 0 stores by columns)",
	kernels = "transpose.ptx",
	-- Rows of default and large are an odd number of 256 B blocks, which spreads a tile over the memory partitions of most
	-- machines. With width or height a multiple of 384 (1536, say) all rows of a tile are in one of gtx480's six: partition
	-- camping, worth a look.
	sizes = {
		small = { width = 500, height = 260, tiled = 1 },
		default = { width = 1984, height = 1600, tiled = 1 },
		large = { width = 4160, height = 3520, tiled = 1 },
	},
	run = function(cuda, p)
		local m = cuda.module("transpose.ptx")
		local w, h = need(p, "width", 1, 16384), need(p, "height", 1, 16384)
		local input, output = cuda.host("f32", w * h), cuda.host("f32", w * h)
		input:rand(-1, 1)
		local din, dout = cuda.malloc(4 * w * h, "in"), cuda.malloc(4 * w * h, "out")
		cuda.copy(din, input)
		cuda.memset(dout, 0xff, 4 * w * h) -- NaN: an element that is never written cannot pass
		local kernel = need(p, "tiled", 0, 1) == 1 and m.transpose_tiled or m.transpose_naive
		cuda.launch(kernel, { (w + 31) // 32, (h + 31) // 32, 1 }, { 32, 8, 1 }, { din, dout, w, h })
		cuda.copy(output, dout)
		cuda.check(function()
			local want = cuda.host("f32", w * h)
			for y = 0, h - 1 do
				local row = y * w
				for x = 0, w - 1 do
					want[x * h + y] = input[row + x]
				end
			end
			return cuda.compare(output, want, 0, 0)
		end)
	end,
}
