-- Breadth-first search of a random graph, one launch of two kernels per level.
local need = require("lib.need")
local random_graph = require("lib.csr")

local function reference(first, target, n, source)
	local distance = {}
	for v = 0, n - 1 do
		distance[v] = -1
	end
	distance[source] = 0
	local frontier = { source }
	while #frontier > 0 do
		local next_ = {}
		for _, v in ipairs(frontier) do
			local d = distance[v] + 1
			for e = first[v], first[v + 1] - 1 do
				local w = target[e]
				if distance[w] < 0 then
					distance[w] = d
					next_[#next_ + 1] = w
				end
			end
		end
		frontier = next_
	end
	return distance
end

return {
	name = "bfs",
	help = "breadth-first search: irregular accesses, divergence, a launch pair per level (n nodes, average degree)",
	kernels = "bfs.ptx",
	sizes = {
		small = { n = 6000, degree = 6 },
		default = { n = 80000, degree = 6 },
		large = { n = 400000, degree = 6 },
	},
	run = function(cuda, p)
		local n, source = need(p, "n", 1, 1 << 24), 0
		local m = cuda.module("bfs.ptx")
		local first, target, edges = random_graph(cuda, n, need(p, "degree", 1, 64))
		local flags, distance, more = cuda.host("i32", n), cuda.host("i32", n), cuda.host("i32", 1)
		local dfirst, dtarget = cuda.malloc(4 * (n + 1), "first"), cuda.malloc(4 * edges, "edges")
		local dfrontier, dreached = cuda.malloc(4 * n, "frontier"), cuda.malloc(4 * n, "reached")
		local dvisited, ddistance = cuda.malloc(4 * n, "visited"), cuda.malloc(4 * n, "distance")
		local dmore = cuda.malloc(4, "more")
		cuda.copy(dfirst, first)
		cuda.copy(dtarget, target)
		flags:fill(0)
		cuda.copy(dreached, flags)
		flags[source] = 1
		cuda.copy(dfrontier, flags)
		cuda.copy(dvisited, flags)
		distance:fill(-1)
		distance[source] = 0
		cuda.copy(ddistance, distance)

		local grid, block = { (n + 511) // 512, 1, 1 }, { 512, 1, 1 }
		local levels = 0
		repeat
			cuda.memset(dmore, 0, 4)
			cuda.launch(m.bfs_expand, grid, block, { dfirst, dtarget, dfrontier, dreached, dvisited, ddistance, n })
			cuda.launch(m.bfs_advance, grid, block, { dfrontier, dreached, dvisited, dmore, n })
			cuda.copy(more, dmore)
			levels = levels + 1
			-- A correct search needs at most n levels; without this a wrong one could go on for ever.
		until more[0] == 0 or levels > n

		cuda.copy(distance, ddistance)
		cuda.check(function()
			local want, ref = cuda.host("i32", n), reference(first, target, n, source)
			for v = 0, n - 1 do
				want[v] = ref[v]
			end
			return cuda.compare(distance, want, 0, 0)
		end)
	end,
}
