-- n random f16 values that are multiples of 1/16 in [-1, 1], as u16, and the same values as numbers. What
-- lib/sixteenths.lua says of exact sums holds for them, too, in a tensor unit as well: no bit of a sum is cut off.
local function f16_of_sixteenths(k)
	local sign, m, e = k < 0 and 0x8000 or 0, math.abs(k), 11
	if m == 0 then
		return 0
	end
	while m < 16 do -- m/16 in [1, 2) times 2^(e - 11)
		m, e = m * 2, e - 1
	end
	return sign | (e + 4) << 10 | (m - 16) << 6
end

return function(cuda, n)
	local bits, random, values = cuda.host("u16", n), cuda.host("i32", n), {}
	random:rand(-16, 16)
	for i = 0, n - 1 do
		bits[i] = f16_of_sixteenths(random[i])
		values[i] = random[i] / 16
	end
	return bits, values
end
