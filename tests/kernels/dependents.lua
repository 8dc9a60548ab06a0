-- A programmatic dependent launch (with = 1) behind a kernel that signals at once; rounds pairs of them.
return {
	name = "dependents",
	sizes = { default = { with = 1, ctas = 6, threads = 64, turns = 3000, before = 1000, rounds = 2 } },
	run = function(cuda, p)
		local m = cuda.module("dependents.ptx")
		local n = p.ctas * p.threads
		local a, b, out = cuda.malloc(4 * n, "a"), cuda.malloc(4 * n, "b"), cuda.host("u32", n)
		for _ = 1, p.rounds do
			cuda.launch(m.first, p.ctas, p.threads, { a, p.turns })
			cuda.launch(m.second, p.ctas, p.threads, { a, b, p.before }, { programmatic = p.with == 1 })
		end
		cuda.copy(out, b)
		cuda.check(function()
			for i = 0, n - 1 do
				local want = 3 * (n - 1 - i) + 6
				if out[i] ~= want then
					return false, string.format("word %d: %d, not %d", i, out[i], want)
				end
			end
			return true
		end)
	end,
}
