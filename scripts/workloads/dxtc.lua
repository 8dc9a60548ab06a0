-- DXT1 compression of an image, a CTA a block of 4 x 4 texels.
local need = require("lib.need")
local sample = require("lib.sample")
local dxt1 = require("lib.dxt1")

-- Registers a thread with which four CTAs of 256 fit an SM of 32768, as published (Awatramani 2015, table II).
local FOUR_CTAS = { regs = 32 }
local BLOCKS_CHECKED = 400 -- compressed by the reference; of more a random selection

-- The pixels of a 4 x 4 block, 8 bits red, green, blue: a slope between two colours with noise, such as photographs
-- have; every fourth block has two colours and their mean, as in drawings, every eighth only one.
local function paint_block(image, b, random)
	local at, plain, three = 64 * b, b % 8 == 0, b % 4 == 1
	local function byte(i)
		return random[at + i] & 255
	end
	for i = 0, 15 do
		local texel = 0
		for c = 0, 2 do
			local v = byte(c)
			if three then
				v = v + (byte(3 + c) - v) * (byte(8 + i) % 3) / 2
			elseif not plain then
				local slope = ((i & 3) * (byte(6) - 128) + (i >> 2) * (byte(7) - 128)) / 768 + 0.5
				v = v + (byte(3 + c) - v) * slope + byte(8 + 3 * i + c) / 16 - 8
			end
			texel = texel | math.floor(math.max(0, math.min(255, v))) << 8 * c
		end
		image[16 * b + i] = texel
	end
end

return {
	name = "dxtc",
	help = "DXT1 texture compression: least squares over 1122 codes a block of texels (width, height, threads a CTA)",
	kernels = "dxtc.ptx",
	sizes = {
		small = { width = 16, height = 16, threads = 256 },
		default = { width = 96, height = 44, threads = 256 },
		large = { width = 128, height = 128, threads = 256 },
	},
	run = function(cuda, p)
		local width, height = need(p, "width", 4, 4096, 4), need(p, "height", 4, 4096, 4)
		local threads = need(p, "threads", 64, 256) -- the SDK's are 64, those of Awatramani 2015 256
		if threads & threads - 1 ~= 0 then
			error(string.format("parameter threads = %d is not 64, 128 or 256", threads), 0)
		end
		local blocks = width * height // 16
		local m = cuda.module("dxtc.ptx")
		local random = cuda.host("u32", 64 * blocks):rand(0, 0xffffffff)
		local image, result = cuda.host("u32", 16 * blocks), cuda.host("u32", 2 * blocks)
		for b = 0, blocks - 1 do
			paint_block(image, b, random)
		end
		local codes = dxt1.permutations()
		local packed = cuda.host("u32", #codes)
		for i = 1, #codes do
			packed[i - 1] = codes[i]
		end
		local dcodes, dimage = cuda.malloc(4 * #codes, "codes"), cuda.malloc(64 * blocks, "image")
		local dresult = cuda.malloc(8 * blocks, "result")
		cuda.copy(dcodes, packed)
		cuda.copy(dimage, image)
		cuda.launch(m.dxtc_compress, blocks, threads, { dcodes, dimage, dresult }, FOUR_CTAS)
		cuda.copy(result, dresult)
		local few = sample(cuda, blocks, BLOCKS_CHECKED)
		cuda.check(function()
			local f32 = cuda.host("f32", 1)
			for b in few do
				local got = dxt1.error_of(image, 16 * b, result[2 * b], result[2 * b + 1])
				local least, most = dxt1.best_error(image, 16 * b, codes, f32)
				-- The kernel's errors are sums of a few numbers up to 2^26 / 9 in f32, of squared colours in 0..255.
				if not (got >= least - 2 and got <= most + 2) then
					local format = "block %d (%08x %08x): squared error %.2f, want %.2f"
					return false, string.format(format, b, result[2 * b], result[2 * b + 1], got, most)
				end
			end
			return true
		end)
	end,
}
