-- A host program that loads its second module when the first one's kernel has ended.
return {
	name = "two_modules",
	run = function(cuda)
		local n = 4096
		local a, b = cuda.malloc(4 * n, "a"), cuda.malloc(4 * n, "b")
		local first = cuda.module("../../configs/kernels/vecadd.ptx")
		cuda.launch(first.vecadd, 32, 128, { a, a, b, n })
		cuda.sync()
		local second = cuda.module("../../configs/kernels/transpose.ptx")
		cuda.launch(second.transpose_naive, { 2, 2, 1 }, { 32, 8, 1 }, { a, b, 64, 64 })
		cuda.sync()
	end,
}
