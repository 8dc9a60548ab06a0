-- sured.b: 96 threads on a surface of 12 columns and 4 rows, a row a warp: sums in columns 0 to 3, greatest values in 4 to
-- 7, bits in the last one (.clamp: column 100 was asked for), nothing to the left of the first (.zero).
return {
	name = "surface_reduce",
	sizes = { default = {} },
	run = function(cuda)
		local m = cuda.module("surface_reduce.ptx")
		local a, h = cuda.malloc(4 * 64, "a"), cuda.host("u32", 64)
		cuda.memset(a, 0, 4 * 64)
		cuda.launch(m.k, 1, 96, { cuda.surface { addr = a, width = 12, height = 4, pitch = 64, type = "u32" }, 0 })
		cuda.copy(h, a)
		cuda.check(function()
			for y = 0, 3 do
				for x = 0, 15 do
					local want = 0
					for t = 32 * y, y < 3 and 32 * y + 31 or -1 do
						want = x < 4 and t % 4 == x and want + t or x > 3 and x < 8 and t % 4 == x - 4 and math.max(want, t)
							or x == 11 and want | 1 << t % 32 or want
					end
					if h[16 * y + x] ~= want then
						return false, string.format("column %d, row %d: %d, not %d", x, y, h[16 * y + x], want)
					end
				end
			end
			return true
		end)
	end,
}
