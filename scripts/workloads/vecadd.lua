-- c = a + b, one element a thread: streaming memory traffic and nothing else.
local need = require("lib.need")

return {
	name = "vecadd",
	help = "vector addition: streaming, memory bound (n elements)",
	kernels = "vecadd.ptx",
	sizes = {
		small = { n = 131000 }, -- not a multiple of the CTA size: the last warps are partly masked
		default = { n = 2500000 },
		large = { n = 12000000 },
	},
	run = function(cuda, p)
		local m = cuda.module("vecadd.ptx")
		local n = need(p, "n", 1, 1 << 28)
		local bytes = 4 * n
		local a, b, c = cuda.host("f32", n), cuda.host("f32", n), cuda.host("f32", n)
		a:rand(-1, 1)
		b:rand(-1, 1)
		local da, db, dc = cuda.malloc(bytes, "a"), cuda.malloc(bytes, "b"), cuda.malloc(bytes, "c")
		cuda.copy(da, a)
		cuda.copy(db, b)
		cuda.launch(m.vecadd, { (n + 255) // 256, 1, 1 }, { 256, 1, 1 }, { da, db, dc, n })
		cuda.copy(c, dc)
		cuda.check(function()
			-- The sum of two f32 is exact in double up to one rounding, and storing it rounds as add.rn.f32 does: no
			-- tolerance.
			local want = cuda.host("f32", n)
			for i = 0, n - 1 do
				want[i] = a[i] + b[i]
			end
			return cuda.compare(c, want, 0, 0)
		end)
	end,
}
