-- Two grids that synchronise, in two streams, with CTAs of different sizes: each fits the machine only alone. The second
-- comes while the first is being dispatched. Beside them a plain kernel that is queued last.
return {
	name = "grid_two",
	sizes = { default = { large = 15, small = 120, swap = 0 } },
	run = function(cuda, p)
		local m = cuda.module("grid_sync.ptx")
		local n, rounds = 5000, 2
		local shapes = { { p.large, 512 }, { p.small, 64 } }
		if p.swap == 1 then
			shapes = { shapes[2], shapes[1] }
		end
		local v, outs = cuda.host("u32", n):rand(), {}
		local dbusy = cuda.malloc(4 * 60 * 64, "busy")
		local grids = {}
		for i, s in ipairs(shapes) do
			local dv, dpart = cuda.malloc(4 * n, "v"), cuda.malloc(4 * s[1], "part")
			outs[i] = cuda.malloc(4 * rounds, "out")
			cuda.copy(dv, v)
			grids[i] = { dv, dpart, outs[i], n, rounds }
		end
		for i, s in ipairs(shapes) do -- nothing in between, so that they are queued at the same time
			cuda.launch(m.reduce, s[1], s[2], grids[i], { cooperative = true, stream = cuda.stream() })
		end
		cuda.launch(m.busy, 15, 64, { dbusy, 40 }, { stream = cuda.stream() })
		local got = cuda.host("u32", rounds)
		cuda.check(function()
			for k = 1, 2 do
				cuda.copy(got, outs[k])
				local x = {}
				for i = 0, n - 1 do
					x[i] = v[i]
				end
				for r = 0, rounds - 1 do
					local sum = 0
					for i = 0, n - 1 do
						sum = sum + x[i]
					end
					sum = sum & 0xffffffff
					if got[r] ~= sum then
						return false, string.format("grid %d, round %d: %d, not %d", k, r, got[r], sum)
					end
					for i = 0, n - 1 do
						x[i] = x[i] ~ sum
					end
				end
			end
			return true
		end)
	end,
}
