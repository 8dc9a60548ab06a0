-- Needleman-Wunsch alignment of two random sequences: one launch per anti-diagonal of tiles.
local need = require("lib.need")

local PENALTY = 10
local LETTERS = 20
local MATCH = 6

-- Similarity of two letters: MATCH for equal ones, else -4 .. 3, symmetric.
local function similarity_of(a, b)
	return a == b and MATCH or (a * b + a + b) % 8 - 4
end

return {
	name = "nw",
	help = "Needleman-Wunsch: wavefront of tiles, half-empty warps, many small launches (n letters, a multiple of 16; tile: 16 or 8)",
	kernels = "nw.ptx",
	sizes = {
		small = { n = 192, tile = 16 },
		default = { n = 880, tile = 16 },
		large = { n = 2048, tile = 16 },
	},
	run = function(cuda, p)
		local n, tile = need(p, "n", 16, 16384, 16), need(p, "tile", 8, 16, 8)
		local m = cuda.module(tile == 8 and "nw8.ptx" or "nw.ptx")
		local pitch = n + 1
		local letters = cuda.host("u32", 2 * n)
		letters:rand(0, 1000000000)
		local similarity, score = cuda.host("i32", pitch * pitch), cuda.host("i32", pitch * pitch)
		similarity:fill(0)
		score:fill(0)
		for y = 1, n do
			local a = letters[y - 1] % LETTERS
			for x = 1, n do
				similarity[y * pitch + x] = similarity_of(a, letters[n + x - 1] % LETTERS)
			end
			score[y * pitch] = -PENALTY * y
			score[y] = -PENALTY * y
		end
		local bytes = 4 * pitch * pitch
		local dsimilarity, dscore = cuda.malloc(bytes, "similarity"), cuda.malloc(bytes, "score")
		cuda.copy(dsimilarity, similarity)
		cuda.copy(dscore, score)
		local tiles = n // tile
		for d = 0, tiles - 1 do
			cuda.launch(m.nw_upper, { d + 1, 1, 1 }, { tile, 1, 1 }, { dsimilarity, dscore, n, PENALTY, d })
		end
		for d = tiles - 1, 1, -1 do
			cuda.launch(m.nw_lower, { d, 1, 1 }, { tile, 1, 1 }, { dsimilarity, dscore, n, PENALTY, d })
		end
		local result = cuda.host("i32", pitch * pitch)
		cuda.copy(result, dscore)
		cuda.check(function()
			for y = 1, n do
				local row, up = y * pitch, (y - 1) * pitch
				local west, northwest = score[row], score[up]
				for x = 1, n do
					local north = score[up + x]
					local best = northwest + similarity[row + x]
					if west - PENALTY > best then
						best = west - PENALTY
					end
					if north - PENALTY > best then
						best = north - PENALTY
					end
					score[row + x] = best
					west, northwest = best, north
				end
			end
			return cuda.compare(result, score, 0, 0)
		end)
	end,
}
