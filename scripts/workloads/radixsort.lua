-- Radix sort of keys with the values that belong to them: four launches and a scan a digit of four bits.
local need = require("lib.need")

local TILE, DIGITS = 1024, 16

-- Exclusive prefix sums of n words, a multiple of TILE: of tiles, of the tiles' totals (by the same kernels), and the
-- ones added to the others. `buffers` keeps each level's totals.
local function scan(cuda, m, from, to, n, buffers, level)
	local tiles = n // TILE
	local b = buffers[level]
	if not b then
		local padded = (tiles + TILE - 1) // TILE * TILE
		b = { n = padded, totals = cuda.malloc(4 * padded, "totals"), before = cuda.malloc(4 * padded, "before") }
		buffers[level] = b
	end
	cuda.launch(m.scan, tiles, 256, { from, to, b.totals })
	if tiles > 1 then
		scan(cuda, m, b.totals, b.before, b.n, buffers, level + 1)
		cuda.launch(m.scan_add, tiles, 256, { to, b.before })
	end
end

return {
	name = "radixsort",
	help = "radix sort: shared-memory splits, scans, scattered stores (n pairs: a multiple of 1024; bits of a key)",
	kernels = "radixsort.ptx",
	sizes = {
		small = { n = 40960, bits = 8 },
		default = { n = 262144, bits = 16 },
		large = { n = 524288, bits = 32 },
	},
	run = function(cuda, p)
		local n, bits = need(p, "n", TILE, 1 << 24, TILE), need(p, "bits", 4, 32, 4)
		local m = cuda.module("radixsort.ptx")
		local keys, values = cuda.host("u32", n):rand(0, (1 << bits) - 1), cuda.host("u32", n):iota()
		local halves = n // (TILE // 2)
		local ncounts = (halves * DIGITS + TILE - 1) // TILE * TILE
		local key, value = cuda.malloc(4 * n, "keys"), cuda.malloc(4 * n, "values")
		local tile_key, tile_value = cuda.malloc(4 * n, "tiles' keys"), cuda.malloc(4 * n, "tiles' values")
		local counts, offsets = cuda.malloc(4 * ncounts, "counts"), cuda.malloc(4 * ncounts, "offsets")
		local begins, buffers = cuda.malloc(4 * halves * DIGITS, "begins"), {}
		cuda.copy(key, keys)
		cuda.copy(value, values)
		for shift = 0, bits - 4, 4 do
			cuda.launch(m.sort_blocks, n // TILE, 256, { key, value, tile_key, tile_value, shift })
			cuda.launch(m.find_offsets, halves, 256, { tile_key, counts, begins, shift })
			scan(cuda, m, counts, offsets, ncounts, buffers, 1)
			cuda.launch(m.reorder, halves, 256, { tile_key, tile_value, key, value, offsets, begins, shift })
		end
		local sorted, order = cuda.host("u32", n), cuda.host("u32", n)
		cuda.copy(sorted, key)
		cuda.copy(order, value)
		cuda.check(function()
			-- Keys in order, equal ones in the order they had, each value there with its own key: there is one result
			-- of which this holds (n different pairs out of n).
			local last, last_value = -1, -1
			for i = 0, n - 1 do
				local k, v = sorted[i], order[i]
				if k < last or k == last and v <= last_value then
					local format = "pair %d: key %d, value %d after key %d, value %d"
					return false, string.format(format, i, k, v, last, last_value)
				end
				if v >= n or keys[v] ~= k then
					return false, string.format("pair %d: value %d does not belong to key %d", i, v, k)
				end
				last, last_value = k, v
			end
			return true
		end)
	end,
}
