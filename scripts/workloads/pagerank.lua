-- PageRank of an undirected graph: a fixed number of steps, two launches each.
local need = require("lib.need")
local random_graph = require("lib.graph")

local DAMPING = 0.85

local function reference(first, target, n, steps)
	local f, t, degree, rank, sum = {}, {}, {}, {}, {}
	for v = 0, n do
		f[v] = first[v]
	end
	for e = 0, f[n] - 1 do
		t[e] = target[e]
	end
	for v = 0, n - 1 do
		degree[v], rank[v] = f[v + 1] - f[v], 1 / n
	end
	for _ = 1, steps do
		for v = 0, n - 1 do
			local total = 0.0
			for e = f[v], f[v + 1] - 1 do
				local w = t[e]
				total = total + rank[w] / degree[w]
			end
			sum[v] = total
		end
		for v = 0, n - 1 do
			rank[v] = (1 - DAMPING) / n + DAMPING * sum[v]
		end
	end
	return rank
end

return {
	name = "pagerank",
	help = "PageRank by pulling: gathers over compressed rows of uneven length (n nodes, average degree, even = 1: all about it, 2: neighbours apart, steps)",
	kernels = "pagerank.ptx",
	sizes = {
		small = { n = 2000, degree = 6, even = 0, steps = 5 },
		default = { n = 16726, degree = 6, even = 0, steps = 20 },
		large = { n = 88263, degree = 8, even = 0, steps = 20 },
	},
	run = function(cuda, p)
		local n, steps = need(p, "n", 1, 1 << 22), need(p, "steps", 0, 1000)
		local m = cuda.module("pagerank.ptx")
		local first, target, entries = random_graph(cuda, n, need(p, "degree", 1, 64), need(p, "even", 0, 2))
		local outgoing, longest = cuda.host("i32", n), 0
		for v = 0, n - 1 do
			outgoing[v] = first[v + 1] - first[v]
			longest = math.max(longest, outgoing[v])
		end
		local dfirst, dtarget = cuda.malloc(4 * (n + 1), "first"), cuda.malloc(4 * math.max(entries, 1), "edges")
		local doutgoing, dshare = cuda.malloc(4 * n, "outgoing"), cuda.malloc(4 * math.max(entries, 1), "share")
		local drank, dsum = cuda.malloc(4 * n, "rank"), cuda.malloc(4 * n, "sum")
		cuda.copy(dfirst, first)
		cuda.copy(dtarget, target)
		cuda.copy(doutgoing, outgoing)
		local grid, block, damping = { (n + 255) // 256, 1, 1 }, { 256, 1, 1 }, cuda.f32(DAMPING)
		cuda.launch(m.pagerank_shares, grid, block, { dfirst, dtarget, doutgoing, dshare, n })
		cuda.launch(m.pagerank_begin, grid, block, { drank, dsum, n })
		for _ = 1, steps do
			cuda.launch(m.pagerank_pull, grid, block, { dfirst, dtarget, dshare, drank, dsum, n })
			cuda.launch(m.pagerank_damp, grid, block, { drank, dsum, damping, n })
		end
		local rank = cuda.host("f32", n)
		cuda.copy(rank, drank)
		cuda.check(function()
			-- All terms are positive, so relative errors do not grow: a step adds those of the longest row's sum and
			-- of a handful of operations, 2^-24 each.
			local tolerance = (steps + 1) * (longest + 8) * 2.0 ^ -24
			return cuda.compare(rank, reference(first, target, n, steps), tolerance, 0)
		end)
	end,
}
