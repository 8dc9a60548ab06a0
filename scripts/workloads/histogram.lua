-- Histogram of bytes: counted in shared memory (n bytes), then in global memory by atomics alone (n / 8 bytes).
local need = require("lib.need")

return {
	name = "histogram",
	help = "byte histogram: shared-memory atomics, then global atomics (n bytes, ctas)",
	kernels = "histogram.ptx",
	sizes = {
		small = { n = 400000, ctas = 60 },
		default = { n = 8000000, ctas = 240 },
		large = { n = 40000000, ctas = 240 },
	},
	run = function(cuda, p)
		local m = cuda.module("histogram.ptx")
		local ctas = need(p, "ctas", 1, 65535)
		local words = need(p, "n", 32, 1 << 30) // 4
		local few = words // 8
		local data = cuda.host("u32", words)
		data:rand(0, 0xffffffff)
		local shared, global = cuda.host("u32", 256), cuda.host("u32", 256)
		local ddata = cuda.malloc(4 * words, "data")
		local dshared, dglobal = cuda.malloc(1024, "bins (shared)"), cuda.malloc(1024, "bins (global)")
		cuda.copy(ddata, data)
		cuda.memset(dshared, 0, 1024)
		cuda.memset(dglobal, 0, 1024)
		cuda.launch(m.histogram_shared, { ctas, 1, 1 }, { 256, 1, 1 }, { ddata, dshared, words })
		cuda.launch(m.histogram_global, { ctas, 1, 1 }, { 256, 1, 1 }, { ddata, dglobal, few })
		cuda.copy(shared, dshared)
		cuda.copy(global, dglobal)
		cuda.check(function()
			local count = {}
			for b = 0, 255 do
				count[b] = 0
			end
			local function add(from, to)
				for i = from, to do
					local w = data[i]
					local a, b, c, d = w & 255, w >> 8 & 255, w >> 16 & 255, w >> 24
					count[a] = count[a] + 1
					count[b] = count[b] + 1
					count[c] = count[c] + 1
					count[d] = count[d] + 1
				end
			end
			local function same(got, name)
				for b = 0, 255 do
					if got[b] ~= count[b] then
						return false, string.format("bins (%s)[%d]: got %d, want %d", name, b, got[b], count[b])
					end
				end
				return true
			end
			add(0, few - 1)
			local ok, message = same(global, "global")
			if not ok then
				return ok, message
			end
			add(few, words - 1)
			return same(shared, "shared")
		end)
	end,
}
