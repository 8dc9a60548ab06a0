-- Blocked LU decomposition: three kernels a step, grids that shrink from step to step.
local need = require("lib.need")

local B = 16

-- A x = L (U x) for a vector of +1 and -1: two triangular products, O(n^2). Every row of A is a sum over all of its
-- row of L and all of U, so an error anywhere shows in at least one row.
local function check_product(original, lu, n, tolerance)
	local v, ux = {}, {}
	for j = 0, n - 1 do
		v[j] = (j * 2654435761 >> 7) % 2 * 2 - 1
	end
	for i = 0, n - 1 do
		local sum, row = 0.0, i * n
		for j = i, n - 1 do
			sum = sum + lu[row + j] * v[j]
		end
		ux[i] = sum
	end
	for i = 0, n - 1 do
		local got, want, row = ux[i], 0.0, i * n
		for j = 0, i - 1 do
			got = got + lu[row + j] * ux[j]
		end
		for j = 0, n - 1 do
			want = want + original[row + j] * v[j]
		end
		if not (math.abs(got - want) <= tolerance * n) then
			return false, string.format("row %d of L U x: got %.9g, want %.9g", i, got, want)
		end
	end
	return true
end

-- The factors themselves, by elimination in double precision: O(n^3).
local function factor(original, n)
	local rows = {}
	for i = 1, n do
		local row = {}
		for j = 1, n do
			row[j] = original[(i - 1) * n + j - 1]
		end
		rows[i] = row
	end
	for k = 1, n - 1 do
		local pivot = rows[k]
		for i = k + 1, n do
			local row = rows[i]
			local f = row[k] / pivot[k]
			row[k] = f
			for j = k + 1, n do
				row[j] = row[j] - f * pivot[j]
			end
		end
	end
	return rows
end

return {
	name = "lud",
	help = "LU decomposition in blocks: shrinking grids, divergent half warps (n x n, n a multiple of 16)",
	kernels = "lud.ptx",
	sizes = {
		small = { n = 96 },
		default = { n = 352 },
		large = { n = 640 },
	},
	run = function(cuda, p)
		local n = need(p, "n", B, 16384, B)
		local m = cuda.module("lud.ptx")
		local a, lu = cuda.host("f32", n * n), cuda.host("f32", n * n)
		a:rand(-1, 1)
		for i = 0, n - 1 do
			a[i * n + i] = n -- dominates its row, so no pivoting is needed
		end
		local dm = cuda.malloc(4 * n * n, "matrix")
		cuda.copy(dm, a)
		for offset = 0, n - B, B do
			local left = (n - offset) // B - 1
			cuda.launch(m.lud_diagonal, { 1, 1, 1 }, { B, 1, 1 }, { dm, n, offset })
			if left > 0 then
				cuda.launch(m.lud_perimeter, { left, 1, 1 }, { 2 * B, 1, 1 }, { dm, n, offset })
				cuda.launch(m.lud_internal, { left, left, 1 }, { B, B, 1 }, { dm, n, offset })
			end
		end
		cuda.copy(lu, dm)
		cuda.check(function()
			-- Diagonally dominant: no growth, entries of U near 1 (n on the diagonal), of L near 1/n. An entry is a
			-- sum of at most n products near 1/n with roundings of 2^-24 each.
			local ok, message = check_product(a, lu, n, 1e-6)
			if not ok or n > 512 then -- beyond that the full factors cost Lua too long: the identity above is the check
				return ok, message
			end
			local rows, want = factor(a, n), cuda.host("f32", n * n)
			for i = 1, n do
				local row, at = rows[i], (i - 1) * n - 1
				for j = 1, n do
					want[at + j] = row[j]
				end
			end
			return cuda.compare(lu, want, 1e-5, 1e-6)
		end)
	end,
}
