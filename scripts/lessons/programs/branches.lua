-- Threads that go two ways, so many neighbours together (kernel branches of lessons.cu).
local need = require("lib.need")

return {
	name = "branches",
	help = "divergence: `run` neighbouring threads take the same way through an if (n, run, rounds)",
	kernels = "lessons.ptx",
	sizes = {
		small = { n = 4096, run = 1, rounds = 50 },
		default = { n = 16384, run = 1, rounds = 100 },
		large = { n = 262144, run = 1, rounds = 1000 },
	},
	run = function(cuda, p)
		local n, run, rounds = need(p, "n", 256, 1 << 24, 256), need(p, "run", 1, 1 << 20), need(p, "rounds", 0, 100000)
		local m = cuda.module("lessons.ptx")
		local input, out = cuda.host("f32", n), cuda.host("f32", n)
		for i = 0, n - 1 do
			input[i] = i % 64
		end
		local din, dout = cuda.malloc(4 * n, "in"), cuda.malloc(4 * n, "out")
		cuda.copy(din, input)
		cuda.memset(dout, 0xff, 4 * n)
		cuda.launch(m.branches, { n // 256, 1, 1 }, { 256, 1, 1 }, { din, dout, run, rounds })
		cuda.copy(out, dout)
		cuda.check(function()
			local want, known = cuda.host("f32", n), { {}, {} } -- by way, by value
			for i = 0, n - 1 do
				local way = i // run % 2 + 1
				local x = known[way][i % 64]
				if not x then
					x = i % 64
					for _ = 1, rounds do
						x = way == 2 and x * 0.5 + 1 or x * 0.25 + 2
					end
					known[way][i % 64] = x
				end
				want[i] = x
			end
			return cuda.compare(out, want, 1e-6, 0)
		end)
	end,
}
