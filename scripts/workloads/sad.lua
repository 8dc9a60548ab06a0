-- Sums of absolute differences for motion estimation, all block shapes of H.264.
local need = require("lib.need")
local sample = require("lib.sample")

local RANGE = 16
local SIDE = 2 * RANGE + 1
local POSITIONS, PADDED = SIDE * SIDE, 1104
local BLOCKS_CHECKED = 100 -- 4 x 4 blocks checked pixel by pixel, at all 1089 displacements
local QUADS_CHECKED = 120 -- of each kind of block made of four smaller ones

-- The top left corner of 4 x 4 block number b: macroblock, 8 x 8 block in it, 4 x 4 block in that.
local function corner(b, mb_width)
	local mb, eight, four = b // 16, b // 4 % 4, b % 4
	local x = mb % mb_width * 16 + eight % 2 * 8 + four % 2 * 4
	local y = mb // mb_width * 16 + eight // 2 * 8 + four // 2 * 4
	return x, y
end

local function check_4x4(got, current, reference, at, width, height)
	local pixels = {}
	for i = 0, width * height - 1 do
		pixels[i] = reference[i]
	end
	for b in at do
		local x0, y0 = corner(b, width // 16)
		for position = 0, POSITIONS - 1 do
			local dx, dy = position % SIDE - RANGE, position // SIDE - RANGE
			local want = 0
			for y = y0, y0 + 3 do
				local row = math.max(0, math.min(height - 1, y + dy)) * width
				for x = x0, x0 + 3 do
					local d = current[y * width + x] - pixels[row + math.max(0, math.min(width - 1, x + dx))]
					want = want + (d < 0 and -d or d)
				end
			end
			if got[b * PADDED + position] ~= want then
				local format = "4x4 block %d at (%d, %d): got %d, want %d"
				return false, string.format(format, b, dx, dy, got[b * PADDED + position], want)
			end
		end
	end
	return true
end

-- Four small blocks to two wide, two tall, one square.
local function check_quads(small, wide, tall, square, at)
	for q in at do
		local s, w, o = 4 * q * PADDED, 2 * q * PADDED, q * PADDED
		for i = 0, POSITIONS - 1 do
			local a, b, c, d = small[s + i], small[s + PADDED + i], small[s + 2 * PADDED + i], small[s + 3 * PADDED + i]
			if
				wide[w + i] ~= a + b
				or wide[w + PADDED + i] ~= c + d
				or tall[w + i] ~= a + c
				or tall[w + PADDED + i] ~= b + d
				or square[o + i] ~= a + b + c + d
			then
				return false, string.format("blocks made of %d .. %d, displacement %d: wrong sum", 4 * q, 4 * q + 3, i)
			end
		end
	end
	return true
end

return {
	name = "sad",
	help = "motion estimation: texture reads, integer sums, three kernels (frame in macroblocks of 16 x 16)",
	kernels = "sad.ptx",
	sizes = {
		small = { mb_width = 2, mb_height = 1 },
		default = { mb_width = 8, mb_height = 5 },
		large = { mb_width = 20, mb_height = 12 },
	},
	run = function(cuda, p)
		local mbw, mbh = need(p, "mb_width", 1, 128), need(p, "mb_height", 1, 128)
		local mbs, width, height = mbw * mbh, 16 * mbw, 16 * mbh
		local m = cuda.module("sad.ptx")
		local current, reference = cuda.host("u16", width * height), cuda.host("u16", width * height)
		current:rand(0, 255)
		reference:rand(0, 255)
		local bytes = 2 * width * height
		local dcurrent, dreference = cuda.malloc(bytes, "current"), cuda.malloc(bytes, "reference")
		cuda.copy(dcurrent, current)
		cuda.copy(dreference, reference)
		local texture = cuda.texture({
			addr = dreference, width = width, height = height, pitch = 2 * width, type = "u16",
		})

		local names, host, device = { "4x4", "8x4", "4x8", "8x8", "16x8", "8x16", "16x16" }, {}, {}
		for i, blocks in ipairs({ 16, 8, 8, 4, 2, 2, 1 }) do
			host[i] = cuda.host("u16", mbs * blocks * PADDED)
			device[i] = cuda.malloc(2 * mbs * blocks * PADDED, names[i])
		end
		cuda.launch(m.sad_4x4, { 4 * mbw, 4 * mbh, 1 }, 61, { dcurrent, texture, device[1], mbw })
		cuda.launch(m.sad_8, { mbw, mbh, 1 }, { 32, 4, 1 }, { device[1], device[2], device[3], device[4] })
		cuda.launch(m.sad_16, { mbw, mbh, 1 }, 32, { device[4], device[5], device[6], device[7] })
		for i = 1, 7 do
			cuda.copy(host[i], device[i])
		end
		local at_4, at_8 = sample(cuda, 16 * mbs, BLOCKS_CHECKED), sample(cuda, 4 * mbs, QUADS_CHECKED)
		local at_16 = sample(cuda, mbs, QUADS_CHECKED)
		cuda.check(function()
			return check_4x4(host[1], current, reference, at_4, width, height)
		end)
		cuda.check(function()
			return check_quads(host[1], host[2], host[3], host[4], at_8)
		end)
		cuda.check(function()
			return check_quads(host[4], host[5], host[6], host[7], at_16)
		end)
	end,
}
