-- The numbers 0 .. n-1 in random order, as an i32 array: priorities without equals.
return function(cuda, n)
	local values, random = cuda.host("i32", n):iota(), cuda.host("u32", n):rand(0, 0xffffffff)
	for i = n - 1, 1, -1 do
		local j = random[i] % (i + 1)
		values[i], values[j] = values[j], values[i]
	end
	return values
end
