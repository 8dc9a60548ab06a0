-- Graph colouring: one colour a round, two launches a round, until every node has one.
local need = require("lib.need")
local random_graph = require("lib.graph")
local permutation = require("lib.permutation")

-- The same rounds on the host, over lists of the nodes left.
local function reference(first, target, number, n)
	local color, left, round = {}, {}, 0
	for v = 0, n - 1 do
		color[v], left[v + 1] = -1, v
	end
	while #left > 0 do
		local taken, rest = {}, {}
		for _, v in ipairs(left) do
			local mine, greatest = number[v], true
			for e = first[v], first[v + 1] - 1 do
				local w = target[e]
				if color[w] < 0 and number[w] > mine then
					greatest = false
					break
				end
			end
			local list = greatest and taken or rest
			list[#list + 1] = v
		end
		for _, v in ipairs(taken) do
			color[v] = round
		end
		left, round = rest, round + 1
	end
	return color
end

return {
	name = "color",
	help = "graph colouring: gathers over an undirected graph, two launches a round (n nodes, average degree, even = 1: all about it, 2: neighbours apart)",
	kernels = "color.ptx",
	sizes = {
		small = { n = 1300, degree = 6, even = 0 },
		default = { n = 16726, degree = 6, even = 0 },
		large = { n = 88263, degree = 8, even = 0 },
	},
	run = function(cuda, p)
		local n = need(p, "n", 1, 1 << 22)
		local m = cuda.module("color.ptx")
		local first, target, entries = random_graph(cuda, n, need(p, "degree", 1, 64), need(p, "even", 0, 2))
		local number, color, more = permutation(cuda, n), cuda.host("i32", n):fill(-1), cuda.host("i32", 1)
		local dfirst, dtarget = cuda.malloc(4 * (n + 1), "first"), cuda.malloc(4 * math.max(entries, 1), "edges")
		local dnumber, dcolor = cuda.malloc(4 * n, "number"), cuda.malloc(4 * n, "color")
		local dgreatest, dmore = cuda.malloc(4 * n, "greatest"), cuda.malloc(4, "more")
		cuda.copy(dfirst, first)
		cuda.copy(dtarget, target)
		cuda.copy(dnumber, number)
		cuda.copy(dcolor, color)
		local grid, block, round = { (n + 255) // 256, 1, 1 }, { 256, 1, 1 }, 0
		repeat
			cuda.memset(dmore, 0, 4)
			cuda.launch(m.color_greatest, grid, block, { dfirst, dtarget, dnumber, dcolor, dgreatest, dmore, n })
			cuda.launch(m.color_take, grid, block, { dnumber, dgreatest, dcolor, round, n })
			cuda.copy(more, dmore)
			round = round + 1
			-- A round colours at least one node; without this a wrong one could go on for ever.
		until more[0] == 0 or round > n
		cuda.copy(color, dcolor)
		cuda.check(function()
			local want = reference(first, target, number, n)
			return cuda.compare(color, want, 0, 0)
		end)
	end,
}
