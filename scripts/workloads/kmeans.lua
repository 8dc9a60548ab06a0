-- k-means clustering: the device assigns points to centres, the host moves the centres.
local need = require("lib.need")

local MOST_CHECKED = 1000000 -- values of the transposition

-- Distance squared between point i and centre c.
local function distance2(points, centres, i, c, nf)
	local sum, at, from = 0.0, i * nf, c * nf
	for f = 0, nf - 1 do
		local d = points[at + f] - centres[from + f]
		sum = sum + d * d
	end
	return sum
end

-- Proves member[] on every `stride`-th point from `start`: the centre chosen must be the nearest, up to rounding. nf
-- fused steps with relative error 2^-24 each, doubled for the difference before squaring: nf * 2^-22 is generous; two
-- centres nearer to equal than that may come out either way.
local function check_assignment(points, centres, member, p, start, stride)
	local nf, slack = p.features, 1 + p.features * 2.0 ^ -22
	for i = start, p.n - 1, stride do
		local chosen = member[i]
		if chosen < 0 or chosen >= p.k then
			return false, string.format("member[%d]: got %d, want 0..%d", i, chosen, p.k - 1)
		end
		local mine = distance2(points, centres, i, chosen, nf)
		for c = 0, p.k - 1 do
			local other = distance2(points, centres, i, c, nf)
			if mine > other * slack then
				local format = "member[%d]: got %d at distance %g, want %d at %g"
				return false, string.format(format, i, chosen, mine, c, other)
			end
		end
	end
	return true
end

-- New centres: the mean of their members; a centre without members stays where it is.
local function move(points, centres, member, p)
	local nf = p.features
	local sum, count = {}, {}
	for j = 0, p.k * nf - 1 do
		sum[j] = 0.0
	end
	for c = 0, p.k - 1 do
		count[c] = 0
	end
	for i = 0, p.n - 1 do
		local c = member[i]
		if not count[c] then -- the check reports it; here it only must not take the host program down
			return
		end
		count[c] = count[c] + 1
		local at, to = i * nf, c * nf
		for f = 0, nf - 1 do
			sum[to + f] = sum[to + f] + points[at + f]
		end
	end
	for c = 0, p.k - 1 do
		for f = 0, nf - 1 do
			if count[c] > 0 then
				centres[c * nf + f] = sum[c * nf + f] / count[c]
			end
		end
	end
end

-- Are the columns the points' transpose? Every `stride`-th point is looked at; the values are copies, so bits are compared.
local function check_columns(points, columns, n, nf, stride)
	for i = 0, n - 1, stride do
		for f = 0, nf - 1 do
			if columns[f * n + i] ~= points[i * nf + f] then
				return false, string.format("feature %d of point %d: got %g, want %g", f, i, columns[f * n + i], points[i * nf + f])
			end
		end
	end
	return true
end

-- The points as kmeans_swap leaves them: feature f of point i at f * n + i.
local function by_feature(cuda, points, n, nf)
	local columns = cuda.host("f32", n * nf)
	for i = 0, n - 1 do
		for f = 0, nf - 1 do
			columns[f * n + i] = points[i * nf + f]
		end
	end
	return columns
end

return {
	name = "kmeans",
	help = "k-means clustering: cached reads with reuse across centres (n points, features, k centres, iterations, 0 = only the transposition; swap=0: points come transposed; threads a CTA)",
	kernels = "kmeans.ptx",
	sizes = {
		small = { n = 2560, features = 34, k = 5, iterations = 1, swap = 1, threads = 256 },
		default = { n = 18000, features = 34, k = 5, iterations = 3, swap = 1, threads = 256 },
		large = { n = 80000, features = 34, k = 5, iterations = 4, swap = 1, threads = 256 },
	},
	run = function(cuda, p)
		local n, nf = need(p, "n", 1, 1 << 22), need(p, "features", 1, 64)
		local k = need(p, "k", 1, math.min(n, 1024)) -- the first k points are the first centres
		local swap = need(p, "swap", 0, 1) == 1 -- else the host copies the points feature by feature
		need(p, "iterations", swap and 0 or 1, 1000)
		local m = cuda.module("kmeans.ptx")
		local points, centres, member = cuda.host("f32", n * nf), cuda.host("f32", k * nf), cuda.host("i32", n)
		points:rand(0, 1)
		for j = 0, k * nf - 1 do
			centres[j] = points[j]
		end
		local drows, dcolumns = cuda.malloc(4 * n * nf, "points"), cuda.malloc(4 * n * nf, "features")
		local dcentres, dmember = cuda.malloc(4 * k * nf, "centres"), cuda.malloc(4 * n, "member")
		cuda.copy(drows, points)
		if not swap then
			cuda.copy(dcolumns, by_feature(cuda, points, n, nf))
		end
		cuda.memset(dmember, 0xff, 4 * n)
		local threads = need(p, "threads", 32, 1024, 32)
		local grid, block = { (n + threads - 1) // threads, 1, 1 }, { threads, 1, 1 }
		if swap then
			if p.iterations == 0 then
				cuda.memset(dcolumns, 0xff, 4 * n * nf) -- no number
			end
			cuda.launch(m.kmeans_swap, grid, block, { drows, dcolumns, n, nf })
		end

		-- Every point is checked once: a share of them in each iteration, against that iteration's centres.
		local ok, message = true, nil
		if p.iterations == 0 then
			local columns = cuda.host("f32", n * nf)
			cuda.copy(columns, dcolumns)
			ok, message = check_columns(points, columns, n, nf, 1 + n * nf // MOST_CHECKED)
		end
		for iteration = 1, p.iterations do
			cuda.copy(dcentres, centres)
			cuda.launch(m.kmeans_assign, grid, block, { dcolumns, dcentres, dmember, n, k, nf })
			cuda.copy(member, dmember)
			if ok then
				ok, message = check_assignment(points, centres, member, p, iteration - 1, p.iterations)
				if not ok then
					message = "iteration " .. iteration .. ": " .. message
				end
			end
			if iteration < p.iterations then
				move(points, centres, member, p)
			end
		end
		cuda.check(function()
			return ok, message
		end)
	end,
}
