-- Queries on a B+ tree: single keys, then ranges of keys.
local need = require("lib.need")

local ORDER = 256
local WORDS = 1 + 2 * (ORDER + 1) + 2 -- of struct node: location, indices, keys, is_leaf, num_keys
local INDICES, KEYS = 1, 1 + ORDER + 1
local LEAST, MOST = -0x80000000, 0x7fffffff
-- Registers a thread as published (Park 2016, table 4.2), with three and two CTAs of 256 on an SM of 32768. The program of
-- Awatramani 2015, table II, had six and five there, as ours has by the estimate.
local FIND_K, FIND_RANGE_K = 36, 46

-- The sizes of the tree's levels, leaves first, with `fill` children a node.
local function level_sizes(n, fill)
	local sizes, nodes = {}, n
	repeat
		nodes = (nodes + fill - 1) // fill
		sizes[#sizes + 1] = nodes
	until nodes == 1
	return sizes
end

-- A tree over keys[0 .. n-1] in ascending order: nodes of all levels from the root on, as an array of words. Returns
-- it, the number of nodes and how many levels are below the root.
local function build(cuda, keys, n, fill)
	local sizes, total = level_sizes(n, fill), 0
	local start = {}
	for level = #sizes, 1, -1 do
		start[level] = total
		total = total + sizes[level]
	end
	local words = cuda.host("i32", total * WORDS)
	local below, span = n, 1 -- children of this level in all; keys under each of them
	for level = 1, #sizes do
		for i = 0, sizes[level] - 1 do
			local at = (start[level] + i) * WORDS
			local from = i * fill
			local children = math.min(fill, below - from)
			words[at] = start[level] + i
			for c = 0, ORDER do
				words[at + KEYS + c] = c < children and keys[(from + c) * span] or MOST
				words[at + INDICES + c] = c < children and from + c + (level > 1 and start[level - 1] or 0) or 0
			end
			if level > 1 then
				words[at + KEYS] = LEAST
			end
			words[at + WORDS - 2] = level == 1 and 1 or 0
			words[at + WORDS - 1] = children
		end
		below, span = sizes[level], span * fill
	end
	return words, total, #sizes - 1
end

return {
	name = "btree",
	help = "B+ tree queries, a CTA each: short phases (keys, children per node: fill, queries, ranges, regs: 1 = those of Park 2016, 0 = the estimate)",
	kernels = "btree.ptx",
	sizes = {
		small = { keys = 5000, fill = 160, queries = 96, ranges = 64, regs = 1 },
		default = { keys = 200000, fill = 160, queries = 1500, ranges = 900, regs = 1 },
		large = { keys = 1000000, fill = 160, queries = 8000, ranges = 5000, regs = 1 },
	},
	run = function(cuda, p)
		local n, fill = need(p, "keys", 1, 1 << 23), need(p, "fill", 2, ORDER)
		local queries, ranges = need(p, "queries", 1, 65535), need(p, "ranges", 1, 65535)
		local regs = need(p, "regs", 0, 1) -- a launch with 0 registers has the estimate
		local m = cuda.module("btree.ptx")
		local keys = cuda.host("i32", n):rand(0, 3)
		for i = 0, n - 1 do
			keys[i] = 4 * i + keys[i] -- one in four integers at random, all different
		end
		local records = cuda.host("i32", n):rand(0, 1000000000)
		local words, total, height = build(cuda, keys, n, fill)
		local dnodes, drecords = cuda.malloc(4 * total * WORDS, "nodes"), cuda.malloc(4 * n, "records")
		cuda.copy(dnodes, words)
		cuda.copy(drecords, records)

		-- Single keys: any integers, so that a quarter of them is found.
		local wanted, answers = cuda.host("i32", queries):rand(0, 4 * n - 1), cuda.host("i32", queries)
		for q = 0, queries - 1, 2 do
			wanted[q] = keys[wanted[q] // 4] -- and with these five eighths
		end
		local dcurrent, dnext = cuda.malloc(4 * queries, "current"), cuda.malloc(4 * queries, "next")
		local dwanted, danswers = cuda.malloc(4 * queries, "keys"), cuda.malloc(4 * queries, "answers")
		cuda.copy(dwanted, wanted)
		cuda.memset(danswers, 0xff, 4 * queries)
		cuda.launch(m.find_k, queries, 256, {
			height, dnodes, total, drecords, dcurrent, dnext, dwanted, danswers,
		}, { regs = regs * FIND_K })
		cuda.copy(answers, danswers)

		-- Ranges between two keys of the tree.
		local left, right = cuda.host("i32", ranges):rand(0, n - 1), cuda.host("i32", ranges):rand(0, n - 1)
		local from, to = cuda.host("i32", ranges), cuda.host("i32", ranges)
		local first, count = cuda.host("i32", ranges), cuda.host("i32", ranges)
		for q = 0, ranges - 1 do
			left[q], right[q] = math.min(left[q], right[q]), math.max(left[q], right[q])
			from[q], to[q] = keys[left[q]], keys[right[q]]
		end
		local names, d = { "current 0", "next 0", "current 1", "next 1", "from", "to", "first", "count" }, {}
		for i, name in ipairs(names) do
			d[i] = cuda.malloc(4 * ranges, name)
		end
		cuda.copy(d[5], from)
		cuda.copy(d[6], to)
		cuda.launch(m.find_range_k, ranges, 256, { height, dnodes, total, table.unpack(d) }, { regs = regs * FIND_RANGE_K })
		cuda.copy(first, d[7])
		cuda.copy(count, d[8])
		cuda.check(function()
			local want = {}
			for q = 0, queries - 1 do
				local i = wanted[q] // 4
				want[q] = keys[i] == wanted[q] and records[i] or -1
			end
			local ok, message = cuda.compare(answers, want, 0, 0)
			return ok, message and "find_k: " .. message
		end)
		cuda.check(function()
			for q = 0, ranges - 1 do
				right[q] = right[q] - left[q] + 1
			end
			local ok, message = cuda.compare(first, left, 0, 0)
			if not ok then
				return false, "find_range_k, first record: " .. message
			end
			ok, message = cuda.compare(count, right, 0, 0)
			return ok, message and "find_range_k, records: " .. message
		end)
	end,
}
