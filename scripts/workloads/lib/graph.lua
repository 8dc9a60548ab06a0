-- A random undirected graph in compressed rows with about n * degree / 2 edges: the neighbours of v are
-- target[first[v]] .. target[first[v + 1] - 1], every edge is there from both ends, none leads from a node to itself.
-- Half of the edges have one end among few nodes (the density of ends falls with the cube root of the rank), as
-- collaboration networks have: a few rows are ten times as long as the others. Their numbers are spread over the whole
-- range. With even = 1 all rows are about as long, and the ends of an edge lie near each other, as in the matrices of
-- bodies cut into elements; even = 2 is the same graph, its nodes' numbers spread over the whole range. Returns first (n + 1 elements), target (at least one element), and the number of entries.
local FAR = 7919 -- is prime: its multiples go everywhere
local BAND = 256 -- nodes behind its own among which an edge of an even graph ends

return function(cuda, n, degree, even)
	local edges = n > 1 and n * degree // 2 or 0
	local a, b = cuda.host("u32", edges), cuda.host("u32", edges)
	a:rand(0, 0xffffffff)
	b:rand(0, 0xffffffff)
	local from, to, count = {}, {}, {}
	for v = 0, n do
		count[v] = 0
	end
	for e = 0, edges - 1 do
		local v, w = a[e] % n, b[e] % n
		if even > 0 then
			w = (v + 1 + b[e] % BAND) % n
		elseif e % 2 == 0 then
			w = math.floor(w * math.sqrt(w / n)) * FAR % n
		end
		if v == w then
			w = (w + 1) % n
		end
		if even == 2 and n % FAR > 0 then
			v, w = v * FAR % n, w * FAR % n
		end
		from[e], to[e] = v, w
		count[v], count[w] = count[v] + 1, count[w] + 1
	end
	local first, place, entries = cuda.host("i32", n + 1), {}, 0
	for v = 0, n do
		first[v], place[v] = entries, entries
		entries = entries + count[v]
	end
	local target = cuda.host("i32", math.max(entries, 1))
	for e = 0, edges - 1 do
		local v, w = from[e], to[e]
		target[place[v]], target[place[w]] = w, v
		place[v], place[w] = place[v] + 1, place[w] + 1
	end
	return first, target, entries
end
