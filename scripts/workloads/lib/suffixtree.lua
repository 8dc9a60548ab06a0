-- Suffix tree of a text by Ukkonen's algorithm, in linear time. text[0 .. n] are letters 1 .. letters, of which the
-- last one, text[n], occurs nowhere else. Nodes are numbered from 1, the root. Returns tables by node: from and to
-- (the edge from the parent is text[from .. to - 1]), link (of inner nodes), parent, position (of leaves: where the
-- suffix starts), child[letter][node]; and the number of nodes.
return function(text, n, letters)
	local from, to, link, parent, position, child = { 0 }, { 0 }, { 1 }, { 0 }, {}, {}
	for letter = 1, letters do
		child[letter] = {}
	end
	local nodes = 1
	local function add(first, last, above)
		nodes = nodes + 1
		from[nodes], to[nodes], parent[nodes] = first, last, above
		child[text[first]][above] = nodes
		return nodes
	end

	-- The longest suffix that is in the tree only implicitly: `length` characters, from text[edge] on, below `node`.
	local node, edge, length, open = 1, 0, 0, 0
	for i = 0, n do
		local unlinked
		local function link_to(target)
			if unlinked then
				link[unlinked] = target
			end
			unlinked = nil
		end
		open = open + 1 -- suffixes without a leaf yet
		while open > 0 do
			if length == 0 then
				edge = i
			end
			local down = child[text[edge]][node]
			local edge_length = down and to[down] - from[down]
			if down and length >= edge_length then
				node, edge, length = down, edge + edge_length, length - edge_length
			elseif down and text[from[down] + length] == text[i] then
				link_to(node)
				length = length + 1
				break
			else
				if down then
					local middle = add(from[down], from[down] + length, node)
					from[down] = from[down] + length
					child[text[from[down]]][middle], parent[down] = down, middle
					link_to(middle)
					position[add(i, n + 1, middle)] = i - open + 1
					unlinked = middle
				else
					position[add(i, n + 1, node)] = i - open + 1
					link_to(node)
				end
				open = open - 1
				if node ~= 1 then
					node = link[node]
				elseif length > 0 then
					edge, length = i - open + 1, length - 1
				end
			end
		end
		link_to(1)
	end
	return { from = from, to = to, link = link, parent = parent, position = position, child = child, nodes = nodes }
end
