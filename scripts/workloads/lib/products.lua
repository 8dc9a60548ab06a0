-- The reference of C = A B^T for n x k matrices (k: n if it is left out) that are tables from index 0, row by row, with
-- sums that are exact.
-- Returns a function that compares an array with it, which returns true, or false and what differs.
--
-- Of large matrices 64 rows and more are compared element by element. All rows are compared after a multiplication by a
-- random vector r of whole numbers from 1 to 1023: C r = A (B^T r) takes n k steps (Freivalds 1977). One wrong element in
-- a row is noticed for certain, several unless their errors cancel out under r.
return function(cuda, a, b, n, k)
	k = k or n
	local every = math.max(1, math.min(n // 64, n * n * k // (1 << 24)))
	local want, through, by = {}, {}, {}
	for i = 0, n - 1, every do
		for j = 0, n - 1 do
			local sum, ai, bj = 0, i * k, j * k
			for l = 0, k - 1 do
				sum = sum + a[ai + l] * b[bj + l]
			end
			want[i * n + j] = sum
		end
	end
	local r = cuda.host("i32", n):rand(1, 1023)
	for l = 0, k - 1 do
		local sum = 0
		for j = 0, n - 1 do
			sum = sum + b[j * k + l] * r[j]
		end
		through[l] = sum
	end
	for i = 0, n - 1 do
		local sum = 0
		for l = 0, k - 1 do
			sum = sum + a[i * k + l] * through[l]
		end
		by[i] = sum
	end
	return function(name, c)
		for i = 0, n - 1, every do
			for j = i * n, i * n + n - 1 do
				if c[j] ~= want[j] then
					return false, ("%s: C[%d, %d] is %s, not %s"):format(name, i, j % n, c[j], want[j])
				end
			end
		end
		for i = 0, n - 1 do
			local sum = 0
			for j = 0, n - 1 do
				sum = sum + c[i * n + j] * r[j]
			end
			if sum ~= by[i] then
				return false, ("%s: row %d of C times a vector is %s, not %s"):format(name, i, sum, by[i])
			end
		end
		return true
	end
end
