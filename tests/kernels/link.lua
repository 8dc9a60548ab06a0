-- Two PTX files linked together.
return {
	name = "link",
	run = function(cuda)
		local m = cuda.module { "link_main.ptx", "link_lib.ptx" }
		assert(cuda.module { "link_main.ptx", "link_lib.ptx" }.linked, "the same files again")
		local h = cuda.host("f32", 64):iota()
		local d = cuda.malloc(256, "o")
		cuda.copy(d, h)
		cuda.launch(m.linked, 2, 32, { d, 64 }, { shared = 128 })
		cuda.copy(h, d)
		local mine, theirs = { [0] = 1, 2, 3, 4 }, { [0] = 10, 20, 30, 40 }
		local table = cuda.host("s32", 16)
		cuda.copy(table, cuda.symbol(m, "table"))
		cuda.check(function()
			for i = 0, 63 do
				local v, k = i ~ 1, i & 3
				local want = (2 * v + i ^ 3 + theirs[k]) * 2.5 + table[i & 15] + (1 + v) ^ 3 + mine[k] + i + 1
				if math.abs(h[i] - want) > 1e-5 * want then
					return false, string.format("element %d is %g, not %g", i, h[i], want)
				end
			end
			return table[4] == 5 and table[5] == 0
		end)
	end,
}
