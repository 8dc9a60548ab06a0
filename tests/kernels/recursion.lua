-- Recursion with local arrays on a whole machine: kernels of tests/compiled/recursion.cu. p.deep: calls of the last one.
return {
	name = "recursion",
	sizes = { default = { deep = 6, ctas = 4 } },
	run = function(cuda, p)
		local m = cuda.module("../compiled/recursion.ptx")
		local n = 128
		local a, b = cuda.host("s32", 16 * n):rand(), cuda.host("s32", 16 * n):fill(-1)
		local da, db, dc = cuda.malloc(64 * n, "in"), cuda.malloc(64 * n, "out"), cuda.malloc(4 * n, "deep")
		cuda.copy(da, a)
		cuda.copy(db, b)
		cuda.launch(m.quicksort, p.ctas, n, { db, da })
		cuda.launch(m.deep, p.ctas, n, { dc, p.deep })
		cuda.copy(b, db)
		cuda.check(function()
			for t = 0, n - 1 do
				local want = {}
				for i = 1, 1 + t % 16 do
					want[i] = a[16 * t + i - 1]
				end
				table.sort(want)
				for i = 1, 16 do
					if b[16 * t + i - 1] ~= (want[i] or -1) then
						return false, string.format("thread %d: %d at %d", t, b[16 * t + i - 1], i)
					end
				end
			end
			return true
		end)
	end,
}
