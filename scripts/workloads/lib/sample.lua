-- An iterator over indices in 0 .. n-1 for a check that cannot afford them all: every index if n <= most, else `most`
-- of them, one at random (from --seed) in each of `most` equal stretches, so that no stretch goes unchecked.
return function(cuda, n, most)
	local i = -1
	if n <= most then
		return function()
			i = i + 1
			return i < n and i or nil
		end
	end
	local random = cuda.host("f64", most):rand(0, 1)
	return function()
		i = i + 1
		return i < most and math.floor((i + random[i]) * n / most) or nil
	end
end
