-- CTAs that all have the same to do (kernel waves of lessons.cu).
local need = require("lib.need")

return {
	name = "waves",
	help = "tail effect: so many threads with the same work, in CTAs of `block` (threads, block, rounds)",
	kernels = "lessons.ptx",
	sizes = {
		small = { threads = 20480, block = 512, rounds = 50 },
		default = { threads = 20480, block = 512, rounds = 500 },
		large = { threads = 204800, block = 512, rounds = 5000 },
	},
	run = function(cuda, p)
		local block, rounds = need(p, "block", 32, 1024, 32), need(p, "rounds", 0, 100000)
		local threads = need(p, "threads", 32, 1 << 24)
		local ctas = (threads + block - 1) // block
		local m = cuda.module("lessons.ptx")
		local dout, out = cuda.malloc(4 * ctas * block, "out"), cuda.host("f32", ctas * block)
		cuda.memset(dout, 0xff, 4 * ctas * block)
		cuda.launch(m.waves, { ctas, 1, 1 }, { block, 1, 1 }, { dout, rounds })
		cuda.copy(out, dout)
		cuda.check(function()
			local x = 1.0
			for _ = 1, rounds do
				x = x * 0.5 + 1
			end
			local want = cuda.host("f32", ctas * block)
			for i = 0, ctas * block - 1 do
				want[i] = x
			end
			return cuda.compare(out, want, 1e-6, 0)
		end)
	end,
}
