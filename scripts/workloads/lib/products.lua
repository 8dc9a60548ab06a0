-- The reference of C = A B^T for n x n matrices that are tables from index 0, row by row: returns a function that
-- compares an array with it, which returns true, or false and what differs. Of large matrices every so many rows are
-- computed and compared, 64 at least.
return function(a, b, n)
	local every = math.max(1, n // 64)
	local want = {}
	for i = 0, n - 1, every do
		for j = 0, n - 1 do
			local sum, ai, bj = 0, i * n, j * n
			for k = 0, n - 1 do
				sum = sum + a[ai + k] * b[bj + k]
			end
			want[i * n + j] = sum
		end
	end
	return function(name, c)
		for i = 0, n - 1, every do
			for j = i * n, i * n + n - 1 do
				if c[j] ~= want[j] then
					return false, ("%s: C[%d, %d] is %s, not %s"):format(name, i, j % n, c[j], want[j])
				end
			end
		end
		return true
	end
end
