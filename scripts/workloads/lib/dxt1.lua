-- DXT1 blocks: the codes that a compressor tries, the error of a compressed block, and the smallest error that the
-- codes allow. Texels are 8 bits red, green, blue from the lowest on; errors are sums of squares over texels and
-- channels. Colours between the two of a block are exact thirds or halves, as the compressor assumes; hardware rounds.
local dxt1 = {}

local ORDER4, ORDER3 = { 0, 2, 3, 1 }, { 0, 2, 1 } -- codes along the axis from the first colour to the second
local SHARE4, SHARE3 = { [0] = 0, 3, 1, 2 }, { [0] = 0, 2, 1 } -- thirds, halves of the second colour
local CHANNELS = { { levels = 31, at = 11 }, { levels = 63, at = 5 }, { levels = 31, at = 0 } }

-- All codes of 16 texels that are monotone along the axis, 2 bits a texel: 153 without code 3, then 816 with it.
function dxt1.permutations()
	local list = {}
	local function add(n3)
		for n0 = 0, 16 - n3 do
			for n2 = 0, 16 - n3 - n0 do
				local counts, codes, at = { n0, n2, n3, 16 - n3 - n0 - n2 }, 0, 0
				for k, count in ipairs(counts) do
					for _ = 1, count do
						codes = codes | ORDER4[k] << at
						at = at + 2
					end
				end
				list[#list + 1] = codes
			end
		end
	end
	for n3 = 0, 16 do
		add(n3)
	end
	return list
end

local function expand(number, levels)
	return levels == 31 and (number << 3 | number >> 2) or (number << 2 | number >> 4)
end

local function channel(texel, c)
	return texel >> 8 * (c - 1) & 255
end

-- image[at .. at + 15] against the block (colours, codes). Black of three-colour blocks (code 3) counts as black.
function dxt1.error_of(image, at, colours, codes)
	local first, second = colours & 0xffff, colours >> 16
	local shares, whole = SHARE3, 2
	if first > second then
		shares, whole = SHARE4, 3
	end
	local sum = 0.0
	for i = 0, 15 do
		local share = shares[codes >> 2 * i & 3]
		for c, ch in ipairs(CHANNELS) do
			local a = expand(first >> ch.at & ch.levels, ch.levels)
			local b = expand(second >> ch.at & ch.levels, ch.levels)
			local colour = share and a + (b - a) * share / whole or 0
			sum = sum + (colour - channel(image[at + i], c)) ^ 2
		end
	end
	return sum
end

-- --- the order of the texels -----------------------------------------------------------------------------------------

-- Bit by bit what the kernel computes in f32: all sums of integers are exact, a fused step is rounded once.
local function principal_axis(colours, f32)
	local function round(x)
		f32[0] = x
		return f32[0]
	end
	local sum, m = { 0, 0, 0 }, { {}, {}, {} }
	for a = 1, 3 do
		for i = 1, 16 do
			sum[a] = sum[a] + colours[i][a]
		end
	end
	for a = 1, 3 do
		for b = 1, 3 do
			local products = 0
			for i = 1, 16 do
				products = products + colours[i][a] * colours[i][b]
			end
			m[a][b] = 16 * products - sum[a] * sum[b]
		end
	end
	local function dot(x, y)
		return round(x[1] * y[1] + round(x[2] * y[2] + round(x[3] * y[3])))
	end
	local v = { 1.0, 1.0, 1.0 }
	for _ = 1, 8 do
		local w = { dot(m[1], v), dot(m[2], v), dot(m[3], v) }
		local largest = math.max(math.abs(w[1]), math.abs(w[2]), math.abs(w[3]))
		local scale = largest > 0 and round(1 / largest) or 0.0
		v = { round(w[1] * scale), round(w[2] * scale), round(w[3] * scale) }
	end
	return v, dot
end

local function sorted_texels(image, at, f32)
	local colours = {}
	for i = 1, 16 do
		local texel = image[at + i - 1]
		colours[i] = { channel(texel, 1), channel(texel, 2), channel(texel, 3), index = i }
	end
	local axis, dot = principal_axis(colours, f32)
	for _, colour in ipairs(colours) do
		colour.along = dot(colour, axis)
	end
	table.sort(colours, function(x, y)
		if x.along ~= y.along then
			return x.along < y.along
		end
		return x.index < y.index
	end)
	return colours
end

-- --- least squares ---------------------------------------------------------------------------------------------------

-- The one or two quantised colours that a solution, computed with some rounding, may become.
local function quantised(colour, levels)
	local scaled = math.max(0, math.min(255, colour)) * levels / 255 + 0.5
	local low, high = math.floor(scaled - 1e-3), math.floor(scaled + 1e-3)
	local a = expand(math.max(low, 0), levels)
	return a, high ~= low and high <= levels and low >= 0 and expand(high, levels) or a
end

-- Least and greatest error of one channel over what rounding may choose, times whole^2, less the colours' squares.
local function channel_error(e, whole, ax, bx, levels)
	local det = e.aa * e.bb - e.ab * e.ab
	if det == 0 then
		return 0, 0 -- the kernel takes black then
	end
	local a1, a2 = quantised(whole * (ax * e.bb - bx * e.ab) / det, levels)
	local b1, b2 = quantised(whole * (bx * e.aa - ax * e.ab) / det, levels)
	local function error(a, b)
		return a * a * e.aa + b * b * e.bb + 2 * (a * b * e.ab - whole * (a * ax + b * bx))
	end
	local least = error(a1, b1)
	if a1 == a2 and b1 == b2 then
		return least, least
	end
	local x, y, z = error(a1, b2), error(a2, b1), error(a2, b2)
	return math.min(least, x, y, z), math.max(least, x, y, z)
end

-- Sums of the weights' products for counts of texels along the axis, and of the first weight with prefix sums.
local function codes_error(counts, shares, whole, prefix)
	local e, ax = { aa = 0, bb = 0, ab = 0 }, { 0, 0, 0 }
	local at = 0
	for k, count in ipairs(counts) do
		local b = shares[k]
		local a = whole - b
		e.aa, e.bb, e.ab = e.aa + count * a * a, e.bb + count * b * b, e.ab + count * a * b
		for c = 1, 3 do
			ax[c] = ax[c] + a * (prefix[c][at + count] - prefix[c][at])
		end
		at = at + count
	end
	local least, most = 0, 0
	for c = 1, 3 do
		local low, high = channel_error(e, whole, ax[c], whole * prefix[c][16] - ax[c], CHANNELS[c].levels)
		least, most = least + low, most + high
	end
	return least / (whole * whole), most / (whole * whole)
end

local function counts_of(codes, order)
	local counts, place = {}, {}
	for k, code in ipairs(order) do
		counts[k], place[code] = 0, k
	end
	for i = 0, 15 do
		local k = place[codes >> 2 * i & 3]
		counts[k] = counts[k] + 1
	end
	return counts
end

-- The smallest error of a block over all codes with four and three colours: its least and greatest value, which differ
-- if a solution lies so near to the middle of two colours that rounding decides. codes: dxt1.permutations(); f32: a
-- host array of one element.
function dxt1.best_error(image, at, codes, f32)
	local colours, prefix, squares = sorted_texels(image, at, f32), {}, 0
	for c = 1, 3 do
		prefix[c] = { [0] = 0 }
		for i = 1, 16 do
			prefix[c][i] = prefix[c][i - 1] + colours[i][c]
			squares = squares + colours[i][c] ^ 2
		end
	end
	local least, most = math.huge, math.huge
	local function try(counts, shares, whole)
		local low, high = codes_error(counts, shares, whole, prefix)
		least, most = math.min(least, low), math.min(most, high)
	end
	for _, code in ipairs(codes) do
		local counts = counts_of(code, ORDER4)
		try(counts, { 0, 1, 2, 3 }, 3)
		if counts[3] == 0 then
			try(counts_of(code, ORDER3), { 0, 1, 2 }, 2)
		end
	end
	return least + squares, most + squares
end

return dxt1
