-- Maximal independent set by random priorities: three launches a round until every node is in or out.
local need = require("lib.need")
local random_graph = require("lib.graph")
local permutation = require("lib.permutation")

-- Taking the nodes in the order of their numbers, one by one, gives the same set: a node joins in the round in which
-- all lower neighbours are out.
local function reference(first, target, number, n)
	local order, state = {}, {}
	for v = 0, n - 1 do
		order[number[v]], state[v] = v, -1
	end
	for k = 0, n - 1 do
		local v = order[k]
		if state[v] < 0 then
			state[v] = 1
			for e = first[v], first[v + 1] - 1 do
				state[target[e]] = 0
			end
		end
	end
	return state
end

return {
	name = "mis",
	help = "maximal independent set: gathers and scatters over an undirected graph, three launches a round (n, degree, even = 1: all about it, 2: neighbours apart)",
	kernels = "mis.ptx",
	sizes = {
		small = { n = 3000, degree = 6, even = 0 },
		default = { n = 40000, degree = 12, even = 0 },
		large = { n = 180000, degree = 12, even = 0 },
	},
	run = function(cuda, p)
		local n = need(p, "n", 1, 1 << 22)
		local m = cuda.module("mis.ptx")
		local first, target, entries = random_graph(cuda, n, need(p, "degree", 1, 64), need(p, "even", 0, 2))
		local number, state, more = permutation(cuda, n), cuda.host("i32", n), cuda.host("i32", 1)
		local dfirst, dtarget = cuda.malloc(4 * (n + 1), "first"), cuda.malloc(4 * math.max(entries, 1), "edges")
		local dnumber, dstate = cuda.malloc(4 * n, "number"), cuda.malloc(4 * n, "state")
		local dleast, dleaves = cuda.malloc(4 * n, "least"), cuda.malloc(4 * n, "leaves")
		local dmore = cuda.malloc(4, "more")
		cuda.copy(dfirst, first)
		cuda.copy(dtarget, target)
		cuda.copy(dnumber, number)
		cuda.memset(dstate, 0x55, 4 * n)
		cuda.memset(dleaves, 0x55, 4 * n)
		local grid, block, rounds = { (n + 255) // 256, 1, 1 }, { 256, 1, 1 }, 0
		cuda.launch(m.mis_begin, grid, block, { dstate, dleaves, n })
		repeat
			cuda.memset(dmore, 0, 4)
			cuda.launch(m.mis_least, grid, block, { dfirst, dtarget, dnumber, dstate, dleast, dmore, n })
			cuda.launch(m.mis_join, grid, block, { dfirst, dtarget, dnumber, dleast, dstate, dleaves, n })
			cuda.launch(m.mis_leave, grid, block, { dleaves, dstate, n })
			cuda.copy(more, dmore)
			rounds = rounds + 1
			-- A round decides at least one node; without this a wrong one could go on for ever.
		until more[0] == 0 or rounds > n
		cuda.copy(state, dstate)
		cuda.check(function()
			return cuda.compare(state, reference(first, target, number, n), 0, 0)
		end)
	end,
}
