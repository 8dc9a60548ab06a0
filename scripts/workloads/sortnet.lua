-- Bitonic sorting network: keys with the values that belong to them, one launch for the tiles and then, per phase, one
-- launch for each long stride and one for all short ones.
local need = require("lib.need")

local TILE = 1024

return {
	name = "sortnet",
	help = "bitonic sorting network: barriers, bank conflicts, many launches (2^log_n pairs; ascending 1 or 0)",
	kernels = "sortnet.ptx",
	sizes = {
		small = { log_n = 12, ascending = 1 },
		default = { log_n = 15, ascending = 1 },
		large = { log_n = 17, ascending = 1 },
	},
	run = function(cuda, p)
		local n, ascending = 1 << need(p, "log_n", 10, 24), need(p, "ascending", 0, 1)
		local m = cuda.module("sortnet.ptx")
		local keys, values = cuda.host("u32", n), cuda.host("u32", n):iota()
		keys:rand(0, n - 1) -- so that some keys are equal
		local dkeys, dvalues = cuda.malloc(4 * n, "keys"), cuda.malloc(4 * n, "values")
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
			-- In order, every value is there once, and each has its own key: nothing else is a sorted result (the
			-- network is not stable, so the values of equal keys come in any order).
			local seen, last = {}, sorted[0]
			for i = 0, n - 1 do
				local key, value = sorted[i], order[i]
				if ascending == 1 and key < last or ascending == 0 and key > last then
					return false, string.format("key[%d] = %d after key[%d] = %d", i, key, i - 1, last)
				end
				if value >= n or seen[value] then
					return false, string.format("value[%d] = %d is there twice or out of range", i, value)
				end
				if keys[value] ~= key then
					return false, string.format("value[%d] = %d has key %d, want %d", i, value, key, keys[value])
				end
				seen[value], last = true, key
			end
			return true
		end)
	end,
}
