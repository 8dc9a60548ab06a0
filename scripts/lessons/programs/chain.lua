-- A chain of dependent loads in each warp (kernel chain of lessons.cu), through a table of 2^bits words: with 5 bits it is
-- one line, which stays in L1D.
local need = require("lib.need")

return {
	name = "chain",
	help = "latency: each load's address is the value of the one before (ctas, warps of each, rounds, bits)",
	kernels = "lessons.ptx",
	sizes = {
		small = { ctas = 4, warps = 1, rounds = 50, bits = 5 },
		default = { ctas = 4, warps = 1, rounds = 500, bits = 5 },
		large = { ctas = 60, warps = 1, rounds = 5000, bits = 5 },
	},
	run = function(cuda, p)
		local ctas, warps, rounds = need(p, "ctas", 1, 4096), need(p, "warps", 1, 32), need(p, "rounds", 0, 1000000)
		local words = 1 << need(p, "bits", 5, 22)
		local m = cuda.module("lessons.ptx")
		local next, out = cuda.host("u32", words), cuda.host("u32", ctas * warps * 32)
		for i = 0, words - 1 do
			next[i] = (i * 5 + 1) % words -- goes through all of them
		end
		local dnext, dout = cuda.malloc(4 * words, "next"), cuda.malloc(4 * ctas * warps * 32, "out")
		cuda.copy(dnext, next)
		cuda.memset(dout, 0xff, 4 * ctas * warps * 32)
		cuda.launch(m.chain, { ctas, 1, 1 }, { warps * 32, 1, 1 }, { dnext, dout, rounds, words })
		cuda.copy(out, dout)
		cuda.check(function()
			local want = cuda.host("u32", ctas * warps * 32)
			for w = 0, ctas * warps - 1 do
				local at = w * 977 % words
				for _ = 1, rounds do
					at = next[at]
				end
				for lane = 0, 31 do
					want[w * 32 + lane] = at
				end
			end
			return cuda.compare(out, want, 0, 0)
		end)
	end,
}
