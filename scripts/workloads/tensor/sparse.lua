-- C = A B of f16 with f32 sums, where two of each four elements of A's rows are 0 (2:4): the whole A by dense tensor
-- instructions, then half of it by sparse ones. The host leaves the zeros out and writes where the others stood.
local need = require("lib.need")
local halves = require("lib.halves")
local products = require("lib.products")
local steps = require("lib.steps")

local kernels = { "hgemm_swizzled", "sparse_mma" }

-- Makes two random elements of each four 0.
local function prune(cuda, bits, values, n)
	local kept = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } }
	local which = cuda.host("u8", n // 4):rand(1, #kept)
	for four = 0, n - 4, 4 do
		local keep = kept[which[four // 4]]
		for i = 0, 3 do
			if i ~= keep[1] and i ~= keep[2] then
				bits[four + i], values[four + i] = 0, 0
			end
		end
	end
end

-- The two columns of four, from `four` on, that are stored: those that are not 0, and others if they are fewer.
local function stored_of(values, four)
	local first, second
	for i = 0, 3 do
		if values[four + i] ~= 0 then
			if second then
				error(("elements %d to %d: more than two are not 0"):format(four, four + 3), 0)
			end
			first, second = first or i, first and i
		end
	end
	first = first or 0
	second = second or (first < 3 and 3 or 2)
	return math.min(first, second), math.max(first, second)
end

-- The m x k matrix as m x k/2 elements and the words that say where they stand, in the order that sparse.cu names.
local function compress(cuda, bits, values, m, k)
	local stored, where = cuda.host("u16", m * k // 2), cuda.host("u32", m * k // 32)
	for i = 0, m - 1 do
		for j = 0, k - 4, 4 do
			local four = i * k + j
			local first, second = stored_of(values, four)
			stored[four // 2], stored[four // 2 + 1] = bits[four + first], bits[four + second]
			local block = (i // 64 * (k // 64) + j // 64) * 8 + i % 64 // 16 * 2 + j % 64 // 32
			local word = block * 16 + i % 8 * 2 + j % 32 // 16
			where[word] = where[word] | (first | second << 2) << (i % 16 // 8 * 16 + j % 16)
		end
	end
	return stored, where
end

return {
	name = "sparse",
	help = "half-precision matrix multiplication with 2:4 sparsity in two steps: dense, sparse tensor instructions (n x n, n a multiple of 64; step 1 or 2, 0 = both); needs sm_80",
	kernels = "sparse.ptx",
	sizes = {
		small = { n = 128, step = 0 },
		default = { n = 256, step = 0 },
		large = { n = 1024, step = 2 },
	},
	run = function(cuda, p)
		local n = need(p, "n", 64, 8192, 64)
		local dense, sparse = cuda.module("hgemm.ptx"), cuda.module("sparse.ptx")
		local a, va = halves(cuda, n * n)
		local b, vb = halves(cuda, n * n)
		prune(cuda, a, va, n * n)
		local stored, where = compress(cuda, a, va, n, n)
		local c = cuda.host("f32", n * n)
		local da, db, dc = cuda.malloc(2 * n * n, "A"), cuda.malloc(2 * n * n, "B"), cuda.malloc(4 * n * n, "C")
		local dstored, dwhere = cuda.malloc(n * n, "A stored"), cuda.malloc(n * n // 8, "where")
		cuda.copy(da, a)
		cuda.copy(db, b)
		cuda.copy(dstored, stored)
		cuda.copy(dwhere, where)
		local compare = products(cuda, va, vb, n)
		for step, name in steps(p, "step", kernels) do
			cuda.memset(dc, 255, 4 * n * n)
			if step == 1 then
				cuda.launch(dense[name], { n // 64, n // 64 }, 128, { da, db, dc, n, n })
			else
				cuda.launch(sparse[name], { n // 64, n // 64 }, 128, { dstored, db, dwhere, dc, n, n })
			end
			cuda.copy(c, dc)
			cuda.check(function()
				return compare(name, c)
			end)
		end
	end,
}
