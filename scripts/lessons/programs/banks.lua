-- Reads of shared memory by words that are `stride` apart (kernel banks of lessons.cu).
local need = require("lib.need")
local WORDS = 4096

return {
	name = "banks",
	help = "bank conflicts: lanes read words of shared memory that are `stride` apart (ctas, stride, rounds)",
	kernels = "lessons.ptx",
	sizes = {
		small = { ctas = 15, stride = 1, rounds = 50 },
		default = { ctas = 60, stride = 1, rounds = 200 },
		large = { ctas = 240, stride = 1, rounds = 1000 },
	},
	run = function(cuda, p)
		local ctas, stride, rounds = need(p, "ctas", 1, 4096), need(p, "stride", 0, 4096), need(p, "rounds", 0, 100000)
		local m = cuda.module("lessons.ptx")
		local threads = 256
		local dout, out = cuda.malloc(4 * ctas * threads, "out"), cuda.host("u32", ctas * threads)
		cuda.memset(dout, 0xff, 4 * ctas * threads)
		cuda.launch(m.banks, { ctas, 1, 1 }, { threads, 1, 1 }, { dout, stride, rounds })
		cuda.copy(out, dout)
		cuda.check(function()
			local want = cuda.host("u32", ctas * threads)
			for t = 0, threads - 1 do
				local sum = 0
				for r = 0, rounds - 1 do
					sum = sum + (t * stride + r * threads) % WORDS
				end
				for c = 0, ctas - 1 do
					want[c * threads + t] = sum & 0xffffffff
				end
			end
			return cuda.compare(out, want, 0, 0)
		end)
	end,
}
