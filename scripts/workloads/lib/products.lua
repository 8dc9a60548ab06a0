-- The reference of C = A B^T for matrices that are tables (or arrays) from index 0, a of m x k and b of n x k: returns a
-- table of C's elements, row by row, and a function that compares an array with it. Of large matrices every so many rows
-- are computed and compared (64 at least).
return function(a, b, m, n, k)
	local every = math.max(1, m // 64)
	local want = {}
	for i = 0, m - 1, every do
		for j = 0, n - 1 do
			local sum, ai, bj = 0, i * k, j * k
			for l = 0, k - 1 do
				sum = sum + a[ai + l] * b[bj + l]
			end
			want[i * n + j] = sum
		end
	end
	return want, function(name, c)
		for i = 0, m - 1, every do
			for j = i * n, i * n + n - 1 do
				if c[j] ~= want[j] then
					return false, ("%s: C[%d, %d] is %s, not %s"):format(name, i, j % n, c[j], want[j])
				end
			end
		end
		return true
	end
end
