-- A random sparse structure in compressed rows, for graphs and matrices: row r has entries first[r] .. first[r + 1] -
-- 1, each with a column anywhere in 0 .. rows-1. Rows have 1 .. 2*average-1 entries, evenly distributed. Returns
-- first (rows + 1 elements), column, and the number of entries.
return function(cuda, rows, average)
	local first, count = cuda.host("i32", rows + 1), cuda.host("u32", rows)
	count:rand(0, 0xffffffff)
	local entries = 0
	for r = 0, rows - 1 do
		first[r] = entries
		entries = entries + 1 + count[r] % (2 * average - 1)
	end
	first[rows] = entries
	local column, random = cuda.host("i32", entries), cuda.host("u32", entries)
	random:rand(0, 0xffffffff)
	for e = 0, entries - 1 do
		column[e] = random[e] % rows
	end
	return first, column, entries
end
