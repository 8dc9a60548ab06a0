-- f16 as 16 bits. f16.value(bits): the number. f16.random(cuda, n, most): n random f16 that are multiples of most/1024
-- in [-most, most] (most: a power of 2, so none is rounded), as an array of u16 and as a table of their values from 0.
local f16 = {}

function f16.value(bits)
	local e, m = bits >> 10 & 31, bits & 1023
	local x
	if e == 31 then
		x = m > 0 and 0 / 0 or math.huge
	elseif e == 0 then
		x = m * 2.0 ^ -24
	else
		x = (m + 1024) * 2.0 ^ (e - 25)
	end
	return bits >= 0x8000 and -x or x
end

function f16.random(cuda, n, most)
	local bits_of = {}
	for bits = 0, 0x7bff do
		local k = f16.value(bits) * 1024 / most
		if k <= 1024 and k == math.floor(k) then
			bits_of[math.floor(k)], bits_of[-math.floor(k)] = bits, k > 0 and bits | 0x8000 or bits
		end
	end
	local array, random, values = cuda.host("u16", n), cuda.host("i32", n):rand(-1024, 1024), {}
	for i = 0, n - 1 do
		local k = random[i]
		array[i], values[i] = bits_of[k], k * most / 1024
	end
	return array, values
end

return f16
