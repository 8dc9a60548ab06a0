-- Bitonic sorting network: keys with the values that belong to them, one launch for the tiles and then, per phase, one
-- launch for each long stride and one for all short ones.
local need = require("lib.need")

local TILE, SHORTEST = 1024, 64

-- Is every array of `length` pairs in order, with each value of its own once and the key that belongs to it? Nothing else is
-- a sorted result (the network is not stable, so the values of equal keys come in any order).
local function check(sorted, order, keys, n, length, ascending)
	local seen = {}
	for i = 0, n - 1 do
		local key, value, last = sorted[i], order[i], i % length > 0 and sorted[i - 1] or sorted[i]
		if ascending == 1 and key < last or ascending == 0 and key > last then
			return false, string.format("arrays of %d: key[%d] = %d after key[%d] = %d", length, i, key, i - 1, last)
		end
		if value >= n or seen[value] or value // length ~= i // length then
			return false, string.format("arrays of %d: value[%d] = %d is there twice or out of range", length, i, value)
		end
		if keys[value] ~= key then
			return false, string.format("arrays of %d: value[%d] = %d has key %d, want %d", length, i, value, key, keys[value])
		end
		seen[value] = true
	end
	return true
end

-- Batches of short arrays of the same pairs, twice as long each time.
local function sort_batches(cuda, m, p, n, keys, values, dkeys, dvalues)
	local sorted, order, ok, message = cuda.host("u32", n), cuda.host("u32", n), true, nil
	for k = 0, p.short - 1 do
		local length = SHORTEST << k
		cuda.copy(dkeys, keys)
		cuda.copy(dvalues, values)
		cuda.launch(m.sort_short, { n // TILE, 1, 1 }, { TILE // 2, 1, 1 }, { dkeys, dvalues, length, p.ascending })
		cuda.copy(sorted, dkeys)
		cuda.copy(order, dvalues)
		if ok then
			ok, message = check(sorted, order, keys, n, length, p.ascending)
		end
	end
	cuda.check(function()
		return ok, message
	end)
end

return {
	name = "sortnet",
	help = "bitonic sorting network: barriers, bank conflicts, many launches (2^log_n pairs; ascending 1 or 0; short: in place of one array batches of shorter ones, so many lengths from 64 on)",
	kernels = "sortnet.ptx",
	sizes = {
		small = { log_n = 12, ascending = 1, short = 0 },
		default = { log_n = 15, ascending = 1, short = 0 },
		large = { log_n = 17, ascending = 1, short = 0 },
	},
	run = function(cuda, p)
		local n, ascending = 1 << need(p, "log_n", 10, 24), need(p, "ascending", 0, 1)
		local m = cuda.module(need(p, "short", 0, 5) > 0 and "sortnet_short.ptx" or "sortnet.ptx")
		local keys, values = cuda.host("u32", n), cuda.host("u32", n):iota()
		keys:rand(0, n - 1) -- so that some keys are equal
		local dkeys, dvalues = cuda.malloc(4 * n, "keys"), cuda.malloc(4 * n, "values")
		if p.short > 0 then
			return sort_batches(cuda, m, p, n, keys, values, dkeys, dvalues)
		end
		cuda.copy(dkeys, keys)
		cuda.copy(dvalues, values)
		local tiles, pairs_ = { n // TILE, 1, 1 }, { n // 512, 1, 1 }
		local size = 2 * TILE
		cuda.launch(m.sort_tiles, tiles, { TILE // 2, 1, 1 }, { dkeys, dvalues, n, ascending })
		while size <= n do
			local stride = size // 2
			while stride >= TILE do
				cuda.launch(m.merge_global, pairs_, { 256, 1, 1 }, { dkeys, dvalues, n, size, stride, ascending })
				stride = stride // 2
			end
			cuda.launch(m.merge_tiles, tiles, { TILE // 2, 1, 1 }, { dkeys, dvalues, n, size, ascending })
			size = size * 2
		end
		local sorted, order = cuda.host("u32", n), cuda.host("u32", n)
		cuda.copy(sorted, dkeys)
		cuda.copy(order, dvalues)
		cuda.check(function()
			return check(sorted, order, keys, n, n, ascending)
		end)
	end,
}
