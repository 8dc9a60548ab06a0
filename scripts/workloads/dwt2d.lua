-- Two-dimensional wavelet transform (reversible 5/3) of an RGB image, several levels.
local need = require("lib.need")

local PIXELS_CHECKED = 150000 -- with more, one of the three components (by the seed) is transformed by the reference

-- Lifts n values first, first + step, ... in place and leaves the low ones in front, the high ones behind.
local function lift(v, first, step, n, low, high)
	local half = n // 2
	for i = 0, half - 1 do
		local at = first + 2 * i * step
		local right = i < half - 1 and v[at + 2 * step] or v[at]
		high[i] = v[at + step] - (v[at] + right) // 2
	end
	for i = 0, half - 1 do
		low[i] = v[first + 2 * i * step] + ((i > 0 and high[i - 1] or high[0]) + high[i] + 2) // 4
	end
	for i = 0, half - 1 do
		v[first + i * step], v[first + (half + i) * step] = low[i], high[i]
	end
end

local function reference(rgb, component, p)
	local v, low, high = {}, {}, {}
	for i = 0, p.width * p.height - 1 do
		v[i] = rgb[3 * i + component] - 128
	end
	local w, h = p.width, p.height
	for _ = 1, p.levels do
		for y = 0, h - 1 do
			lift(v, y * p.width, 1, w, low, high)
		end
		for x = 0, w - 1 do
			lift(v, x, p.width, h, low, high)
		end
		w, h = w // 2, h // 2
	end
	return v
end

-- The strip the original chooses for a width.
local function strip_width(width)
	return width >= 960 and 192 or width >= 480 and 128 or 64
end

-- All levels of one component. Results alternate between two buffers, so each level's three detail bands stay where
-- they were written; returns the whole pyramid in one host array.
local function transform(cuda, m, p, from, to)
	local n = p.width * p.height
	local pyramid, w, h = cuda.host("i32", n), p.width, p.height
	for level = 1, p.levels do
		local strip = strip_width(w)
		local steps = (h + 8 * 15 - 1) // (8 * 15) -- 15 CTAs down the image, as many as the smaller GPUs have SMs
		local grid = { (w + strip - 1) // strip, (h + 8 * steps - 1) // (8 * steps), 1 }
		cuda.launch(m["dwt_53_" .. strip], grid, strip, { from, to, w, h, p.width, steps })
		local result = cuda.host("i32", n)
		cuda.copy(result, to)
		for y = 0, h - 1 do
			-- The low-low quarter comes from the next level.
			for x = (y < h // 2 and level < p.levels) and w // 2 or 0, w - 1 do
				pyramid[y * p.width + x] = result[y * p.width + x]
			end
		end
		from, to = to, from
		w, h = w // 2, h // 2
	end
	return pyramid
end

return {
	name = "dwt2d",
	help = "wavelet transform (5/3) of an RGB image: sliding strips in shared memory, a launch a level and component",
	kernels = "dwt2d.ptx",
	sizes = {
		small = { width = 64, height = 128, levels = 3 },
		default = { width = 512, height = 480, levels = 3 },
		large = { width = 1152, height = 1024, levels = 3 },
	},
	run = function(cuda, p)
		local levels = need(p, "levels", 1, 10)
		local width = need(p, "width", 1 << levels, 16384, 1 << levels)
		local height = need(p, "height", 1 << levels, 16384, 1 << levels)
		local n = need({ pixels = width * height }, "pixels", 4, 1 << 26)
		local m = cuda.module("dwt2d.ptx")
		local rgb = cuda.host("u8", 3 * n):rand(0, 255)
		local drgb = cuda.malloc(3 * n, "rgb")
		cuda.copy(drgb, rgb)
		local component, other = {}, cuda.malloc(4 * n, "result")
		for c = 1, 3 do
			component[c] = cuda.malloc(4 * n, "component " .. c - 1)
		end
		cuda.launch(m.dwt_split, (n + 255) // 256, 256, { drgb, component[1], component[2], component[3], n })
		local chosen = cuda.host("u8", 1):rand(0, 2)[0]
		for c = 0, 2 do
			local got = transform(cuda, m, p, component[c + 1], other)
			if n <= PIXELS_CHECKED or c == chosen then
				cuda.check(function()
					return cuda.compare(got, reference(rgb, c, p), 0, 0)
				end)
			end
		end
	end,
}
