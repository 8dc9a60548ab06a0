-- Gaussian elimination: two launches per column, most threads of the later ones idle.
local need = require("lib.need")

-- Eliminates below the diagonal in double precision: rows (1-based), right-hand side and multipliers.
local function eliminate(a, b, n)
	local rows, right, factors = {}, {}, {}
	for i = 1, n do
		local row = {}
		for j = 1, n do
			row[j] = a[(i - 1) * n + j - 1]
		end
		rows[i], right[i], factors[i] = row, b[i - 1], {}
	end
	for t = 1, n - 1 do
		local pivot = rows[t]
		for i = t + 1, n do
			local row = rows[i]
			local f = row[t] / pivot[t]
			factors[i][t] = f
			for j = t, n do
				row[j] = row[j] - f * pivot[j]
			end
			right[i] = right[i] - f * right[t]
		end
	end
	return rows, right, factors
end

-- The largest residual of a x = b, x by back substitution from the device's triangle: linear in every element of it.
local function residual(a, b, triangle, right, n)
	local x, worst = {}, 0
	for i = n - 1, 0, -1 do
		local sum = right[i]
		for j = i + 1, n - 1 do
			sum = sum - triangle[i * n + j] * x[j]
		end
		x[i] = sum / triangle[i * n + i]
	end
	for i = 0, n - 1 do
		local sum = b[i]
		for j = 0, n - 1 do
			sum = sum - a[i * n + j] * x[j]
		end
		worst = math.max(worst, math.abs(sum))
	end
	return worst
end

return {
	name = "gaussian",
	help = "Gaussian elimination: two small launches per column, uncoalesced, half-empty warps (n x n)",
	kernels = "gaussian.ptx",
	sizes = {
		small = { n = 40 },
		default = { n = 128 },
		large = { n = 224 },
	},
	run = function(cuda, p)
		local n = need(p, "n", 2, 4096)
		local module = cuda.module("gaussian.ptx")
		local a, b = cuda.host("f32", n * n):rand(-1, 1), cuda.host("f32", n):rand(-1, 1)
		for i = 0, n - 1 do
			a[i * n + i] = n -- dominates its row, so no pivoting is needed
		end
		local da, dm, db = cuda.malloc(4 * n * n, "a"), cuda.malloc(4 * n * n, "m"), cuda.malloc(4 * n, "b")
		cuda.copy(da, a)
		cuda.copy(db, b)
		local ctas, tiles = (n + 511) // 512, (n + 3) // 4
		for t = 0, n - 2 do
			cuda.launch(module.fan1, ctas, 512, { dm, da, n, t })
			cuda.launch(module.fan2, { tiles, tiles, 1 }, { 4, 4, 1 }, { dm, da, db, n, t })
		end
		local triangle, factor, right = cuda.host("f32", n * n), cuda.host("f32", n * n), cuda.host("f32", n)
		cuda.copy(triangle, da)
		cuda.copy(factor, dm)
		cuda.copy(right, db)
		cuda.check(function()
			-- Diagonally dominant: no growth; elements stay near 1 (n on the diagonal) and multipliers near 1/n, with
			-- at most n products near 1/n and as many roundings of 2^-24 of elements near 1. b grows to at most
			-- e within the steps.
			local worst = residual(a, b, triangle, right, n)
			if not (worst <= 1e-5) then
				return false, string.format("residual of a x = b: %.9g", worst)
			end
			if n > 400 then -- beyond that elimination costs Lua too long: the residual is the check
				return true
			end
			local rows, sides, factors = eliminate(a, b, n)
			local want, multiplier = cuda.host("f32", n * n), cuda.host("f32", n * n)
			for i = 1, n do
				for j = 1, n do
					want[(i - 1) * n + j - 1] = rows[i][j]
					multiplier[(i - 1) * n + j - 1] = factors[i][j] or 0
				end
				b[i - 1] = sides[i]
			end
			local ok, message = cuda.compare(factor, multiplier, 1e-5, 1e-7)
			if ok then
				ok, message = cuda.compare(triangle, want, 1e-5, 1e-6)
			end
			if ok then
				ok, message = cuda.compare(right, b, 1e-5, 1e-6)
			end
			return ok, message
		end)
	end,
}
