-- DNA matching: queries against the suffix tree of a reference.
local need = require("lib.need")
local published = require("lib.published")
local sample = require("lib.sample")
local suffix_tree = require("lib.suffixtree")

local ROW, SLOTS = 1024, 4
local QUERIES_CHECKED = 200 -- more are sampled

-- Random letters 1 .. 4 with stretches copied from earlier ones, as genomes have; then the end, 5.
local function make_reference(cuda, n)
	local letters = cuda.host("u8", n + 1):rand(1, 4)
	local random = cuda.host("u32", 2 * (n // 100 + 1)):rand(0, 0xffffffff)
	for piece = 1, n // 100 - 1 do
		if random[2 * piece] % 4 == 0 then
			local from = random[2 * piece + 1] % ((piece - 1) * 100 + 1)
			for i = 0, 99 do
				letters[100 * piece + i] = letters[from + i]
			end
		end
	end
	letters[n] = 5
	return letters
end

-- Pieces of the reference in which one letter in 16 is another one.
local function make_queries(cuda, reference, p)
	local queries = cuda.host("u8", p.queries * p.length)
	local from = cuda.host("i32", p.queries):rand(0, p.reference - p.length)
	local random = cuda.host("u8", #queries):rand(0, 255)
	for i = 0, #queries - 1 do
		local letter = reference[from[i // p.length] + i % p.length]
		queries[i] = random[i] % 16 == 0 and random[i] // 16 % 4 + 1 or letter
	end
	return queries
end

-- Copies n texels of `channels` values to the device as rows of ROW texels.
local function texture(cuda, type, bytes, channels, values, n, name)
	local height = (n + ROW - 1) // ROW
	local padded = cuda.host(type, height * ROW * channels)
	for i = 0, n * channels - 1 do
		padded[i] = values[i]
	end
	local addr = cuda.malloc(#padded * bytes, name)
	cuda.copy(addr, padded)
	return cuda.texture({
		addr = addr, width = ROW, height = height, pitch = ROW * channels * bytes, type = type, channels = channels,
	})
end

-- The kernels' structure of four texture objects.
local function upload_tree(cuda, tree, reference)
	local nodes, children, leaves, count = {}, {}, {}, tree.nodes + 1
	for i = 0, 4 * count - 1 do
		nodes[i], children[i] = 0, 0
	end
	leaves[0] = 0
	for v = 1, tree.nodes do
		nodes[4 * v], nodes[4 * v + 1] = tree.from[v], tree.to[v]
		nodes[4 * v + 2], nodes[4 * v + 3] = tree.link[v] or 0, tree.parent[v]
		for letter = 1, 4 do
			children[4 * v + letter - 1] = tree.child[letter][v] or 0
		end
		leaves[v] = tree.position[v] and -1 - tree.position[v] or tree.child[5][v] or 0
	end
	local handles = cuda.host("u64", 4)
	handles[0] = texture(cuda, "i32", 4, 4, nodes, count, "nodes")
	handles[1] = texture(cuda, "i32", 4, 4, children, count, "children")
	handles[2] = texture(cuda, "u32", 4, 1, leaves, count, "leaves")
	handles[3] = texture(cuda, "u8", 1, 1, reference, #reference, "reference")
	return handles
end

local function as_string(letters, from, to)
	local characters = {}
	for i = from, to do
		characters[#characters + 1] = ("ACGT"):sub(letters[i], letters[i])
	end
	return table.concat(characters)
end

-- Positions (from 1) of `what` in `text` that differ before it from `left`.
local function occurrences(text, what, left)
	local found, count, at = {}, 0, text:find(what, 1, true)
	while at do
		if left == "" or at == 1 or text:sub(at - 1, at - 1) ~= left then
			found[at], count = true, count + 1
		end
		at = text:find(what, at + 1, true)
	end
	return found, count
end

-- Checks one match by searching the text itself.
local function check_match(text, query, start, match_length, count, positions, min_match)
	local match = query:sub(start + 1, start + match_length)
	if start + match_length > #query or not text:find(match, 1, true) then
		return false, "match of " .. match_length .. " does not occur"
	end
	if start + match_length < #query and text:find(query:sub(start + 1, start + match_length + 1), 1, true) then
		return false, "match of " .. match_length .. " is not the longest"
	end
	local found, want = {}, 0
	if match_length >= min_match then
		found, want = occurrences(text, match, query:sub(start, start))
	end
	if count ~= want then
		return false, string.format("got %d occurrences, want %d", count, want)
	end
	for slot = 1, math.min(count, SLOTS) do
		if not found[positions[slot] + 1] then
			return false, string.format("does not occur, or only once, at %d", positions[slot])
		end
		found[positions[slot] + 1] = nil
	end
	return true
end

return {
	name = "mummer",
	help = "DNA matching in a suffix tree: texture reads, divergence (letters of the reference; queries; their length)",
	kernels = "mummer.ptx",
	sizes = {
		small = { reference = 3000, queries = 320, length = 25, min_match = 12 },
		default = { reference = 20000, queries = 6000, length = 25, min_match = 12 },
		large = { reference = 60000, queries = 36000, length = 25, min_match = 12 },
	},
	run = function(cuda, p)
		need(p, "reference", 100, 1 << 20)
		need(p, "queries", 1, 1 << 20)
		need(p, "length", 1, math.min(p.reference, 1000))
		local starts = p.length - need(p, "min_match", 1, p.length) + 1
		local n = need({ matches = p.queries * starts }, "matches", 1, 1 << 26)
		local m = cuda.module("mummer.ptx")
		local reference = make_reference(cuda, p.reference)
		local queries = make_queries(cuda, reference, p)
		local letters = {}
		for i = 0, p.reference do
			letters[i] = reference[i]
		end
		local tree = upload_tree(cuda, suffix_tree(letters, p.reference, 5), reference)
		local matches, counts, positions = cuda.host("i32", 2 * n), cuda.host("i32", n), cuda.host("i32", SLOTS * n)
		local dqueries, dmatches = cuda.malloc(#queries, "queries"), cuda.malloc(8 * n, "matches")
		local dcounts, dpositions = cuda.malloc(4 * n, "counts"), cuda.malloc(4 * SLOTS * n, "positions")
		cuda.copy(dqueries, queries)
		cuda.launch(m.mummer_match, (p.queries + 255) // 256, 256, {
			tree, dqueries, dmatches, p.queries, p.length, p.min_match,
		})
		cuda.launch(m.mummer_print, (n + 255) // 256, 256, {
			tree, dqueries, dmatches, dcounts, dpositions, n, p.length, p.min_match,
		}, published(24)) -- Park 2016, table 4.2
		cuda.copy(matches, dmatches)
		cuda.copy(counts, dcounts)
		cuda.copy(positions, dpositions)
		local at = sample(cuda, p.queries, QUERIES_CHECKED)
		cuda.check(function()
			local text = as_string(reference, 0, p.reference - 1)
			for q in at do
				local query = as_string(queries, q * p.length, (q + 1) * p.length - 1)
				for start = 0, starts - 1 do
					local i = q * starts + start
					local slots = {}
					for slot = 1, SLOTS do
						slots[slot] = positions[SLOTS * i + slot - 1]
					end
					local length = matches[2 * i + 1]
					local ok, message = check_match(text, query, start, length, counts[i], slots, p.min_match)
					if not ok then
						return false, string.format("query %d from %d: %s", q, start, message)
					end
				end
			end
			return true
		end)
	end,
}
