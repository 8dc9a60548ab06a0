-- The reference of C = A B^T for n x n matrices in host arrays, row by row, with sums that are exact. Returns a function
-- that compares an array with it, which returns true, or false and what differs.
--
-- Up to n = 512 all elements are compared. All rows of larger matrices are compared after a multiplication by a random
-- vector r of whole numbers from 1 to 1023: C r = A (B^T r) takes n^2 steps (Freivalds 1977). One wrong element in a row
-- is noticed for certain, several unless their errors cancel out under r.
local WHOLE = 512

return function(cuda, a, b, n)
	local sums = function(m)
		return cuda.host("f64", m)
	end
	if n <= WHOLE then
		local want = sums(n * n):product(a, b, n, n, n, "nt")
		return function(name, c)
			local same, what = cuda.compare(c, want)
			return same, not same and ("%s: C%s"):format(name, what) or nil
		end
	end
	local r = cuda.host("i32", n):rand(1, 1023)
	local want = sums(n):product(a, sums(n):product(b, r, n, 1, n, "tn"), n, 1, n)
	return function(name, c)
		local same, what = cuda.compare(sums(n):product(c, r, n, 1, n), want)
		return same, not same and ("%s: C times a vector%s"):format(name, what) or nil
	end
end
