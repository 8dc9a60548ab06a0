-- 8 x 8 cosine transform of an image, quantisation and inverse transform, by two methods.
local need = require("lib.need")

-- JPEG's table for luminance (ITU-T T.81, annex K).
local QUANTUM = {
	16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87,
	80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92,
	95, 98, 112, 100, 103, 99,
}

-- c[u * 8 + x] = cos((2 x + 1) u pi / 16) * sqrt(1 / 8 or 2 / 8), orthonormal.
local function cosines()
	local c = {}
	for u = 0, 7 do
		for x = 0, 7 do
			c[u * 8 + x] = math.cos((2 * x + 1) * u * math.pi / 16) * math.sqrt((u == 0 and 1 or 2) / 8)
		end
	end
	return c
end

-- The 8 x 8 block at `at`: C b Ct, or Ct b C for the inverse. Returns a 0-based table.
local function transform(c, data, at, width, inverse)
	local half, out = {}, {}
	local step_u, step_x = inverse and 1 or 8, inverse and 8 or 1
	for x = 0, 7 do
		for u = 0, 7 do
			local sum = 0.0
			for i = 0, 7 do
				sum = sum + c[u * step_u + i * step_x] * data[at + i * width + x]
			end
			half[u * 8 + x] = sum
		end
	end
	for u = 0, 7 do
		for v = 0, 7 do
			local sum = 0.0
			for i = 0, 7 do
				sum = sum + half[u * 8 + i] * c[v * step_u + i * step_x]
			end
			out[u * 8 + v] = sum
		end
	end
	return out
end

-- Checks the blocks that `every` picks; `from` and `to` are what a kernel read and wrote.
local function check_transform(name, c, from, to, size, every, inverse)
	-- Sixteen products of cosines below 1/2 with values up to 2048 (whose squares add up to 64 * 128^2): f32 roundings
	-- of at most 2^-24 * 2048 each, of which a dozen come into a value. One swapped pixel is an error of about 1.
	local slack, width, blocks = 16 * 2048 * 2.0 ^ -24, size, size // 8
	for b = 0, blocks * blocks - 1, every do
		local at = b // blocks * 8 * width + b % blocks * 8
		local want = transform(c, from, at, width, inverse)
		for i = 0, 63 do
			local got = to[at + i // 8 * width + i % 8]
			if not (math.abs(got - want[i]) <= slack) then
				local format = "%s, block %d, [%d][%d]: got %.9g, want %.9g"
				return false, string.format(format, name, b, i // 8, i % 8, got, want[i])
			end
		end
	end
	return true
end

local function check_quantised(name, from, to, size, every)
	for i = 0, size * size - 1, every do
		local q = QUANTUM[i // size % 8 * 8 + i % 8 + 1]
		local steps = to[i] / q
		-- A whole number of quanta and the nearest one; a tie may go either way, also for the quotient's rounding.
		if steps ~= math.floor(steps) or not (math.abs(to[i] - from[i]) <= q * (0.5 + 2.0 ^ -16)) then
			return false, string.format("%s, [%d]: got %.9g from %.9g, quantum %d", name, i, to[i], from[i], q)
		end
	end
	return true
end

return {
	name = "dct8x8",
	help = "8 x 8 cosine transform, quantisation, inverse: shared memory, CTAs of 64 (n x n pixels, n a multiple of 32)",
	kernels = "dct8x8.ptx",
	sizes = {
		small = { n = 96 },
		default = { n = 480 },
		large = { n = 1024 },
	},
	run = function(cuda, p)
		local n = need(p, "n", 32, 8192, 32)
		local m = cuda.module("dct8x8.ptx")
		local c = cosines()
		local cosine, quantum = cuda.host("f32", 64), cuda.host("i16", 64)
		for i = 0, 63 do
			cosine[i], quantum[i] = c[i], QUANTUM[i + 1]
		end
		cuda.copy(cuda.symbol(m, "cosine"), cosine)
		cuda.copy(cuda.symbol(m, "quantum"), quantum)
		local random, image = cuda.host("i32", n * n):rand(-24, 24), cuda.host("f32", n * n)
		for i = 0, n * n - 1 do -- a gradient with noise: pixels in -128 .. 127
			image[i] = (i % n * 3 + i // n * 2) % 208 - 104 + random[i] * 23 // 24
		end
		local dimage, dwork = cuda.malloc(4 * n * n, "image"), cuda.malloc(4 * n * n, "coefficients")
		local dresult = cuda.malloc(4 * n * n, "result")
		local coefficients, quantised = cuda.host("f32", n * n), cuda.host("f32", n * n)
		local result = cuda.host("f32", n * n)
		cuda.copy(dimage, image)

		local blocks, block = { n // 8, n // 8, 1 }, { 8, 8, 1 }
		-- All blocks while there are few, else about 200; an odd step meets every place in a tile.
		local every = (n // 8) * (n // 8) <= 200 and 1 or (n // 8) * (n // 8) // 200 | 1
		local function round(name, dct, idct, grid, cta)
			cuda.memset(dwork, 0xff, 4 * n * n)
			cuda.memset(dresult, 0xff, 4 * n * n)
			cuda.launch(dct, grid, cta, { dwork, dimage, n })
			cuda.copy(coefficients, dwork)
			cuda.launch(m.quantise, blocks, block, { dwork, n })
			cuda.copy(quantised, dwork)
			cuda.launch(idct, grid, cta, { dresult, dwork, n })
			cuda.copy(result, dresult)
			cuda.check(function()
				local ok, message = check_transform("dct_" .. name, c, image, coefficients, n, every, false)
				if ok then
					ok, message = check_quantised("quantise after " .. name, coefficients, quantised, n, n <= 128 and 1 or 7)
				end
				if ok then
					ok, message = check_transform("idct_" .. name, c, quantised, result, n, every, true)
				end
				return ok, message
			end)
		end
		round("matrix", m.dct_matrix, m.idct_matrix, blocks, block)
		round("fast", m.dct_fast, m.idct_fast, { n // 32, n // 16, 1 }, { 8, 4, 2 })
	end,
}
