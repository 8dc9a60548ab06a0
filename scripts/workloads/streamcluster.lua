-- Streaming clustering: candidates for a new centre, one launch each; the host opens and closes centres.
local need = require("lib.need")

local WORDS = 8 -- of struct point: weight, -, coordinates (2), assigned (2), cost, -
local WEIGHT, ASSIGNED, COST = 0, 4, 6
local INT = 2.0 ^ -149 -- i * INT is the f32 whose bits are the integer i, for 0 <= i < 2^23

-- Points around `clusters` random centres, dimension-major, within 0 .. 1.
local function clustered(cuda, n, dimensions, clusters)
	local coordinates = cuda.host("f32", n * dimensions):rand(-0.1, 0.1)
	local centre = cuda.host("f32", clusters * dimensions):rand(0.1, 0.9)
	local choice = cuda.host("i32", n):rand(0, clusters - 1)
	for i = 0, n - 1 do
		local c = choice[i] * dimensions
		for d = 0, dimensions - 1 do
			coordinates[d * n + i] = coordinates[d * n + i] + centre[c + d]
		end
	end
	return coordinates
end

-- The clustering: points, their centres and costs, as the device sees them and as Lua tables.
local State = {}
State.__index = State

function State:distance(i, j)
	local sum, n, coordinates = 0.0, self.n, self.coordinates
	for d = 0, self.dimensions - 1 do
		local difference = coordinates[d * n + i] - coordinates[d * n + j]
		sum = sum + difference * difference
	end
	return sum
end

function State:assign(i, centre)
	local at = i * WORDS
	self.words[at + ASSIGNED] = centre * INT
	self.words[at + COST] = self.words[at + WEIGHT] * self:distance(i, centre)
	self.assigned[i] = centre
end

-- Numbers the centres 0 .. K-1 in the order of points; returns K.
function State:number_centres()
	local k = 0
	for i = 0, self.n - 1 do
		if self.is_centre[i] then
			self.number[i] = k
			k = k + 1
		end
	end
	return k
end

-- Adds up the rows of work: sums[0 .. k-1] for the centres, sums[k] for switching.
local function totals(work, n, k)
	local sums = {}
	for c = 0, k do
		local sum = 0.0
		for at = c, (n - 1) * (k + 1) + c, k + 1 do
			sum = sum + work[at]
		end
		sums[c] = sum
	end
	return sums
end

-- Opens x if that saves more than a centre costs, and then closes the centres that are not worth theirs any more.
function State:decide(x, k, work, switched)
	local sums = totals(work, self.n, k)
	local change = self.centre_cost + sums[k]
	for c = 0, k - 1 do
		sums[c] = sums[c] + self.centre_cost
		if sums[c] > 0 then
			change = change - sums[c]
		end
	end
	if change >= 0 then
		return
	end
	local closed = {}
	for i = 0, self.n - 1 do
		closed[i] = self.is_centre[i] and sums[self.number[i]] > 0
	end
	for i = 0, self.n - 1 do
		if switched[i] == 1 or closed[self.assigned[i]] then
			self:assign(i, x)
		end
	end
	for i = 0, self.n - 1 do
		self.is_centre[i] = self.is_centre[i] and not closed[i]
	end
	self.is_centre[x] = true
end

-- Proves every stride-th row of work and switched from `start` for the candidate x. A fused sum of squares and the
-- product with the weight are off by dimensions + 2 roundings of 2^-24 at most, as the cost is (rounded from double);
-- costs nearer than that may come out either way.
function State:check(x, k, work, switched, start, stride)
	for i = start, self.n - 1, stride do
		local at = i * WORDS
		local cost, x_cost = self.words[at + COST], self.words[at + WEIGHT] * self:distance(i, x)
		local slack = (self.dimensions + 4) * 2.0 ^ -24 * (cost + x_cost)
		local slot = switched[i] == 1 and k or self.number[self.assigned[i]]
		local sign = switched[i] == 1 and 1 or -1
		if sign * (x_cost - cost) > slack then
			return false, string.format("switched[%d]: got %d at costs %.9g and %.9g", i, switched[i], cost, x_cost)
		end
		for c = 0, k do
			local got, want = work[i * (k + 1) + c], c == slot and sign * (x_cost - cost) or 0
			if not (math.abs(got - want) <= (c == slot and slack or 0)) then
				return false, string.format("work[%d][%d] of %d: got %.9g, want %.9g", i, c, k, got, want)
			end
		end
	end
	return true
end

local function new_state(cuda, n, dimensions, clusters)
	local s = setmetatable({ n = n, dimensions = dimensions, assigned = {}, is_centre = {} }, State)
	s.coordinates = clustered(cuda, n, dimensions, clusters)
	s.words, s.number = cuda.host("f32", n * WORDS), cuda.host("i32", n)
	local weights, total = cuda.host("i32", n):rand(1, 3), 0.0
	for i = 0, n - 1 do
		s.words[i * WORDS + WEIGHT] = weights[i]
		s.is_centre[i] = i == 0
		s:assign(i, 0)
		total = total + s.words[i * WORDS + COST]
	end
	s.centre_cost = total / (4 * clusters) -- a cluster is worth a centre, half a cluster not
	return s
end

return {
	name = "streamcluster",
	help = "clustering by facility location: a launch per candidate centre (points, dimensions, clusters, candidates)",
	kernels = "streamcluster.ptx",
	sizes = {
		small = { points = 2048, dimensions = 32, clusters = 4, candidates = 5 },
		default = { points = 12288, dimensions = 32, clusters = 6, candidates = 14 },
		large = { points = 49152, dimensions = 40, clusters = 8, candidates = 18 },
	},
	run = function(cuda, p)
		local n, dimensions = need(p, "points", 1, 1 << 20), need(p, "dimensions", 1, 256)
		local candidates = need(p, "candidates", 1, 1000)
		if n * dimensions > 1 << 28 then
			error(string.format("parameters points x dimensions = %d are more than %d", n * dimensions, 1 << 28), 0)
		end
		local m = cuda.module("streamcluster.ptx")
		local s = new_state(cuda, n, dimensions, need(p, "clusters", 1, 1000))
		local random, switched = cuda.host("i32", candidates):rand(0, n - 1), cuda.host("u8", n)
		local dpoints = cuda.malloc(4 * WORDS * n, "points")
		local dcoordinates = cuda.malloc(4 * n * dimensions, "coordinates")
		local dnumber, dswitched = cuda.malloc(4 * n, "centre numbers"), cuda.malloc(n, "switched")
		cuda.copy(dcoordinates, s.coordinates)
		local ok, message = true, nil
		for round = 1, candidates do
			local x, k = random[round - 1], s:number_centres()
			local size = n * (k + 1)
			local work, dwork = cuda.host("f32", size), cuda.malloc(4 * size, "work") -- zeroed
			cuda.copy(dpoints, s.words)
			cuda.copy(dnumber, s.number)
			cuda.memset(dswitched, 0, n)
			cuda.launch(m.pgain, (n + 511) // 512, 512, {
				n, dimensions, x, dpoints, k, dcoordinates, dwork, dnumber, dswitched,
			})
			cuda.copy(work, dwork)
			cuda.copy(switched, dswitched)
			cuda.free(dwork)
			if ok then -- every point is checked once: a share of them in each round, against that round's clustering
				ok, message = s:check(x, k, work, switched, round - 1, candidates)
				message = message and string.format("candidate %d: %s", round, message)
			end
			s:decide(x, k, work, switched)
		end
		cuda.check(function()
			return ok, message
		end)
	end,
}
