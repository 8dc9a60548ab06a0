-- Shortest paths from node 0: rounds of relaxation until nothing gets nearer.
local need = require("lib.need")
local random_graph = require("lib.graph")

local FAR = 0x3fffffff

-- Dijkstra's algorithm with a bucket per distance: another way to the same distances.
local function reference(first, target, weight, n)
	local distance, buckets, d, last = {}, { [0] = { 0 } }, 0, 0
	for v = 0, n - 1 do
		distance[v] = FAR
	end
	distance[0] = 0
	while d <= last do
		for _, v in ipairs(buckets[d] or {}) do
			if distance[v] == d then
				for e = first[v], first[v + 1] - 1 do
					local w, far = target[e], d + weight[e]
					if far < distance[w] then
						distance[w] = far
						local bucket = buckets[far] or {}
						bucket[#bucket + 1] = w
						buckets[far], last = bucket, math.max(last, far)
					end
				end
			end
		end
		buckets[d], d = nil, d + 1
	end
	return distance
end

return {
	name = "sssp",
	help = "shortest paths: atomic minimum at scattered addresses, two launches a round (n nodes, degree, even = 1: all about it, 2: neighbours apart, longest edge)",
	kernels = "sssp.ptx",
	sizes = {
		small = { n = 2000, degree = 6, even = 0, longest = 32 },
		default = { n = 40000, degree = 8, even = 0, longest = 64 },
		large = { n = 220000, degree = 8, even = 0, longest = 64 },
	},
	run = function(cuda, p)
		local n, longest = need(p, "n", 1, 1 << 22), need(p, "longest", 1, 1000)
		local m = cuda.module("sssp.ptx")
		local first, target, entries = random_graph(cuda, n, need(p, "degree", 1, 64), need(p, "even", 0, 2))
		local weight = cuda.host("i32", math.max(entries, 1)):rand(1, longest)
		local distance, more = cuda.host("i32", n), cuda.host("i32", 1)
		local dfirst, dtarget = cuda.malloc(4 * (n + 1), "first"), cuda.malloc(4 * #target, "edges")
		local dweight, ddistance = cuda.malloc(4 * #target, "weight"), cuda.malloc(4 * n, "distance")
		local dnext, dactive = cuda.malloc(4 * n, "next"), cuda.malloc(4 * n, "active")
		local dmore = cuda.malloc(4, "more")
		cuda.copy(dfirst, first)
		cuda.copy(dtarget, target)
		cuda.copy(dweight, weight)
		local grid, block, rounds = { (n + 255) // 256, 1, 1 }, { 256, 1, 1 }, 0
		cuda.launch(m.sssp_begin, grid, block, { ddistance, dnext, dactive, 0, n })
		repeat
			cuda.memset(dmore, 0, 4)
			cuda.launch(m.sssp_relax, grid, block, { dfirst, dtarget, dweight, ddistance, dnext, dactive, n })
			cuda.launch(m.sssp_take, grid, block, { ddistance, dnext, dactive, dmore, n })
			cuda.copy(more, dmore)
			rounds = rounds + 1
			-- No shortest path has more than n edges; without this a wrong search could go on for ever.
		until more[0] == 0 or rounds > n
		cuda.copy(distance, ddistance)
		cuda.check(function()
			return cuda.compare(distance, reference(first, target, weight, n), 0, 0)
		end)
	end,
}
