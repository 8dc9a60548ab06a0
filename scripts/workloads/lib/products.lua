-- The reference of C = A B for A of n x k and B of k x n elements (k: n if it is left out) in host arrays, with sums that
-- are exact; layout: as array:product has it, "nt" if it is left out. Returns a function that compares an array, row by
-- row, with it, which returns true, or false and what differs.
--
-- Up to n = 512 all elements are compared. All rows of larger matrices are compared after a multiplication by a random
-- vector r of whole numbers from 1 to 1023: C r = A (B r) takes n k steps (Freivalds 1977). One wrong element in a row is
-- noticed for certain, several unless their errors cancel out under r.
local WHOLE = 512

return function(cuda, a, b, n, k, layout)
	k, layout = k or n, layout or "nt"
	local sums = function(m)
		return cuda.host("f64", m)
	end
	if n <= WHOLE then
		local want = sums(n * n):product(a, b, n, n, k, layout)
		return function(name, c)
			local same, what = cuda.compare(c, want)
			return same, not same and ("%s: C%s"):format(name, what) or nil
		end
	end
	local r = cuda.host("i32", n):rand(1, 1023)
	local through = sums(k):product(b, r, k, 1, n, layout:sub(2) .. "n")
	local want = sums(n):product(a, through, n, 1, k, layout:sub(1, 1) .. "n")
	return function(name, c)
		local same, what = cuda.compare(sums(n):product(c, r, n, 1, n), want)
		return same, not same and ("%s: C times a vector%s"):format(name, what) or nil
	end
end
