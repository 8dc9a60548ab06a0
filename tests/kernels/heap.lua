-- malloc, free, new and delete in kernels. p.misuse: one way of going wrong, see heap.cu.
local function words(cuda, addr, n)
	local h = cuda.host("u32", n)
	cuda.copy(h, addr)
	return h
end

local function lists(cuda, m, p)
	local n, length = 8 * 64, p.length
	local out, h = cuda.malloc(8 * n, "sums"), cuda.host("u64", n)
	cuda.launch(m.lists, 8, 64, { out, length })
	cuda.copy(h, out)
	cuda.check(function()
		for id = 0, n - 1 do
			local k = length + id % 3
			local want = id * 1000 * k + k * (k - 1) // 2
			if h[id] ~= want then
				return false, string.format("thread %d adds up to %d, not %d", id, h[id], want)
			end
		end
		return true
	end)
end

local function churn(cuda, m, p)
	local out = cuda.malloc(4 * 32, "failed")
	cuda.launch(m.churn, 1, 32, { out, p.rounds })
	local failed = words(cuda, out, 32)
	cuda.check(function()
		for i = 0, 31 do
			if failed[i] ~= 0 then
				return false, string.format("thread %d: %d rounds without memory", i, failed[i])
			end
		end
		return true
	end)
end

-- Over two launches: what the first leaves is there in the second.
local function objects(cuda, m)
	local all, area = cuda.malloc(8 * 48, "objects"), cuda.malloc(4 * 48, "area")
	cuda.launch(m.make, 1, 48, { all })
	cuda.launch(m.take, 1, 48, { all, area })
	local h = words(cuda, area, 48)
	cuda.check(function()
		for i = 0, 47 do
			if h[i] ~= 2 * i * i then
				return false, string.format("object %d has %d", i, h[i])
			end
		end
		return true
	end)
end

-- Until nothing is left: all of the heap was given, each byte once.
local function exhaust(cuda, m, p)
	local n = 4 * 64
	local had, wrong = cuda.malloc(4 * n, "had"), cuda.malloc(4 * n, "wrong")
	cuda.launch(m.exhaust, 4, 64, { had, wrong, p.bytes })
	local h, w = words(cuda, had, n), words(cuda, wrong, n)
	local fits = p.mb * 1048576 // ((p.bytes + 15) // 16 * 16)
	cuda.check(function()
		local sum = 0
		for i = 0, n - 1 do
			sum = sum + h[i]
			if w[i] ~= 0 then
				return false, string.format("thread %d: %d of its blocks are not its own", i, w[i])
			end
		end
		return sum == fits, string.format("%d blocks given, %d fit", sum, fits)
	end)
end

return {
	name = "heap",
	sizes = { default = { misuse = -1, threads = 64, exhaust = 0, length = 12, rounds = 40, bytes = 1000, mb = 1 } },
	run = function(cuda, p)
		local m = cuda.module("heap.ptx")
		if p.misuse >= 0 then
			cuda.launch(m.misuse, 1, p.threads, { p.misuse, cuda.malloc(256, "other") })
			return
		end
		if p.exhaust == 1 then
			exhaust(cuda, m, p)
			return
		end
		lists(cuda, m, p)
		churn(cuda, m, p)
		objects(cuda, m)
	end,
}
