-- Two-point angular correlation function: histograms of the distances of all pairs of points.
local need = require("lib.need")
local sample = require("lib.sample")

local BINS = 20 -- five a factor of ten, from 1 arc minute on
local PATCH = 0.2 -- side of the patch of sky the points are in, radians
local PAIRS_CHECKED = 450000 -- pairs the reference classifies; whole histograms are sampled to keep to it

-- Counts, for every inner limit b, the pairs that are certainly nearer than it (cosine >= edges[b]) and those too near
-- to it to say: the kernel's cosine is off by three roundings of 2^-24.
local function reference(x, y, z, first, second, n, edges)
	local nearer, doubtful, slack = {}, {}, 2.0 ^ -22
	for b = 1, BINS - 1 do
		nearer[b], doubtful[b] = 0, 0
	end
	local within = first == second
	for i = 0, n - 1 do
		local ax, ay, az = x[first * n + i], y[first * n + i], z[first * n + i]
		for j = within and i + 1 or 0, n - 1 do
			local cosine = ax * x[second * n + j] + ay * y[second * n + j] + az * z[second * n + j]
			local b = BINS - 1 -- most pairs are far apart; stops at the first limit that is certainly farther out
			while b > 0 and cosine >= edges[b] - slack do
				if cosine >= edges[b] + slack then
					nearer[b] = nearer[b] + 1
				else
					doubtful[b] = doubtful[b] + 1
				end
				b = b - 1
			end
		end
	end
	return nearer, doubtful
end

local function check_histogram(counts, which, p, x, y, z, edges)
	local first = which > p.sets and which - p.sets or 0
	local second = which > p.sets and which - p.sets or which
	local nearer, doubtful = reference(x, y, z, first, second, p.n, edges)
	local below = 0
	for b = 1, BINS - 1 do
		below = below + counts[which * BINS + b - 1]
		if below < nearer[b] or below > nearer[b] + doubtful[b] then
			local format = "histogram %d: got %d pairs within limit %d, want %d..%d"
			return false, string.format(format, which, below, b, nearer[b], nearer[b] + doubtful[b])
		end
	end
	return true
end

-- Every histogram must hold all its pairs.
local function check_totals(counts, p)
	for which = 0, 2 * p.sets do
		local total = 0
		for b = 0, BINS - 1 do
			total = total + counts[which * BINS + b]
		end
		local want = (which == 0 or which > p.sets) and p.n * (p.n - 1) // 2 or p.n * p.n
		if total ~= want then
			return false, string.format("histogram %d: got %d pairs, want %d", which, total, want)
		end
	end
	return true
end

local function make_points(cuda, total)
	local x, y, z = cuda.host("f32", total), cuda.host("f32", total), cuda.host("f32", total)
	local a, d = cuda.host("f64", total):rand(0, PATCH), cuda.host("f64", total):rand(0, PATCH)
	for i = 0, total - 1 do
		x[i], y[i] = math.cos(d[i]) * math.cos(a[i]), math.cos(d[i]) * math.sin(a[i])
		z[i] = math.sin(d[i])
	end
	return x, y, z
end

return {
	name = "tpacf",
	help = "angular correlation: bisection, histograms in shared memory with atomics (n points a set, random sets)",
	kernels = "tpacf.ptx",
	sizes = {
		small = { n = 64, sets = 3 },
		default = { n = 320, sets = 7 },
		large = { n = 384, sets = 28 },
	},
	run = function(cuda, p)
		local n, sets = need(p, "n", 2, 32768), need(p, "sets", 1, 1024)
		local m = cuda.module("tpacf.ptx")
		local total = n * (sets + 1)
		need({ points = total }, "points", 1, 1 << 26)
		local x, y, z = make_points(cuda, total)
		local edges = cuda.host("f32", BINS + 1)
		for b = 0, BINS do
			edges[b] = b == 0 and 1 or math.cos(math.pi / 180 / 60 * 10 ^ (b / 5))
		end
		cuda.copy(cuda.symbol(m, "edges"), edges)
		local dx, dy, dz = cuda.malloc(4 * total, "x"), cuda.malloc(4 * total, "y"), cuda.malloc(4 * total, "z")
		cuda.copy(dx, x)
		cuda.copy(dy, y)
		cuda.copy(dz, z)
		local histograms = 2 * sets + 1
		local counts, dcounts = cuda.host("u32", histograms * BINS), cuda.malloc(4 * histograms * BINS, "histograms")
		cuda.launch(m.tpacf_histograms, histograms, 256, { dx, dy, dz, dcounts, sets, n })
		cuda.copy(counts, dcounts)
		local at = sample(cuda, histograms, math.max(2, PAIRS_CHECKED // (n * n)))
		cuda.check(function()
			return check_totals(counts, p)
		end)
		cuda.check(function()
			for which in at do
				local ok, message = check_histogram(counts, which, p, x, y, z, edges)
				if not ok then
					return false, message
				end
			end
			return true
		end)
	end,
}
