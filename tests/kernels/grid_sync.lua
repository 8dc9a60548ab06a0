-- Grids that synchronise: as many CTAs as fit (ctas), with other kernels before and behind them in other streams.
return {
	name = "grid_sync",
	sizes = { default = { ctas = 30, cooperative = 1, threads = 256 } },
	run = function(cuda, p)
		local m = cuda.module("grid_sync.ptx")
		local n, rounds, ctas = 5000, 3, p.ctas
		local v, out = cuda.host("u32", n):rand(), cuda.host("u32", rounds)
		local dv, dout = cuda.malloc(4 * n, "v"), cuda.malloc(4 * rounds, "out")
		local dpart, dbusy = cuda.malloc(4 * ctas, "part"), cuda.malloc(4 * 256 * 256, "busy")
		cuda.copy(dv, v)
		cuda.launch(m.busy, 60, 256, { dbusy, 40 }, { stream = cuda.stream() })
		cuda.launch(m.reduce, ctas, p.threads, { dv, dpart, dout, n, rounds }, { cooperative = p.cooperative == 1 })
		cuda.launch(m.busy, 200, 64, { dbusy, 40 }, { stream = cuda.stream() })
		cuda.copy(out, dout)
		cuda.check(function()
			for r = 0, rounds - 1 do
				local sum = 0
				for i = 0, n - 1 do
					sum = sum + v[i]
				end
				sum = sum & 0xffffffff
				if out[r] ~= sum then
					return false, string.format("round %d: %d, not %d", r, out[r], sum)
				end
				for i = 0, n - 1 do
					v[i] = v[i] ~ sum
				end
			end
			return true
		end)
	end,
}
