-- Attention for one query a sequence over a paged cache of keys and values (configs/kernels/decode.cu).
local need = require("lib.need")
local attention = require("lib.attention")
local elements = require("lib.elements")
local f16 = require("lib.f16")
local permutation = require("lib.permutation")

local page = 16

return {
	name = "decode",
	help = "decode attention: a query a sequence, paged K/V cache, split over CTAs, then joined (sequences, heads; length: tokens of the longest, others have half of it or more; d: 64 or 128; splits: CTAs for a head of a sequence)",
	kernels = "decode.ptx",
	sizes = {
		small = { sequences = 2, heads = 2, length = 200, d = 64, splits = 4 },
		default = { sequences = 4, heads = 4, length = 1000, d = 128, splits = 8 },
		large = { sequences = 8, heads = 8, length = 1000, d = 128, splits = 8 },
	},
	run = function(cuda, p)
		local sequences, heads = need(p, "sequences", 1, 1024), need(p, "heads", 1, 128)
		local length, d = need(p, "length", 1, 65536), need(p, "d", 64, 128, 64)
		local pages = (length + page - 1) // page -- of the longest sequence
		local splits = need(p, "splits", 1, 256)
		local all = elements("sequences, length, heads and d", sequences * pages * page * heads * d)
		local m, queries = cuda.module("decode.ptx"), sequences * heads
		local q, vq = f16.random(cuda, queries * d, 4)
		local k, vk = f16.random(cuda, all, 1)
		local v, vv = f16.random(cuda, all, 1)
		local lengths = cuda.host("i32", sequences):rand((length + 1) // 2, length)
		lengths[0] = length
		local table_of = permutation(cuda, sequences * pages)

		local dq, dk, dv = cuda.malloc(2 * queries * d, "Q"), cuda.malloc(2 * all, "K"), cuda.malloc(2 * all, "V")
		local dtable, dlengths = cuda.malloc(4 * sequences * pages, "table"), cuda.malloc(4 * sequences, "lengths")
		local dresults = cuda.malloc(4 * queries * splits * d, "results")
		local dshares = cuda.malloc(8 * queries * splits, "shares")
		local got, dout = cuda.host("f32", queries * d), cuda.malloc(4 * queries * d, "O")
		cuda.copy(dq, q)
		cuda.copy(dk, k)
		cuda.copy(dv, v)
		cuda.copy(dtable, table_of)
		cuda.copy(dlengths, lengths)
		cuda.memset(dresults, 255, 4 * queries * splits * d)
		cuda.memset(dout, 255, 4 * queries * d)
		local scale = 1 / math.sqrt(d)
		cuda.launch(m["decode_split_" .. d], { splits, heads, sequences }, 128, {
			dq, dk, dv, dtable, dlengths, pages, scale * 1.4426950408889634, dresults, dshares,
		})
		cuda.launch(m["decode_join_" .. d], queries, d, { dresults, dshares, splits, dout })
		cuda.copy(got, dout)
		cuda.check(function()
			local want = {}
			for query = 0, queries - 1 do
				local sequence, head = query // heads, query % heads
				attention(vq, query * d, vk, vv, function(i)
					return ((table_of[sequence * pages + i // page] * heads + head) * page + i % page) * d
				end, lengths[sequence], d, scale, want, query * d)
			end
			return cuda.compare(got, want, 0, 4e-6)
		end)
	end,
}
