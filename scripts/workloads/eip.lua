-- Pi by Monte Carlo: one kernel gives each thread its own sequence of random numbers, one draws the points.
local need = require("lib.need")

local THREADS = 256
local APART = 40 -- sequences are 2^40 numbers apart

local function step(v)
	v = v ~ v << 13
	v = v ~ v >> 7
	return v ~ v << 17
end

-- m[b] is the image of bit b; the image of v is the sum over its bits.
local function apply(m, v)
	local sum, b = 0, 0
	while v ~= 0 do
		if v & 1 == 1 then
			sum = sum ~ m[b]
		end
		v, b = v >> 1, b + 1
	end
	return sum
end

local function squared(m)
	local result = {}
	for b = 0, 63 do
		result[b] = apply(m, m[b])
	end
	return result
end

-- The matrices that skip 2^0, 2^1, .. 2^(digits - 1) sequences.
local function skips(digits)
	local m, all = {}, {}
	for b = 0, 63 do
		m[b] = step(1 << b)
	end
	for _ = 1, APART do
		m = squared(m)
	end
	for d = 0, digits - 1 do
		all[d] = m
		m = squared(m)
	end
	return all
end

return {
	name = "eip",
	help = "pi by Monte Carlo, inline generator: divergent start, small table read by all (ctas, points)",
	kernels = "eip.ptx",
	sizes = {
		small = { ctas = 3, points = 3000 },
		default = { ctas = 98, points = 100000 },
		large = { ctas = 391, points = 400000 },
	},
	run = function(cuda, p)
		local ctas, points = need(p, "ctas", 1, 65535), need(p, "points", 1, 1 << 30)
		local m = cuda.module("eip.ptx")
		local threads, digits = ctas * THREADS, 0
		while threads - 1 >> digits > 0 do
			digits = digits + 1
		end
		local all, table_ = skips(digits), cuda.host("u64", 64 * digits)
		for i = 0, 64 * digits - 1 do
			table_[i] = all[i // 64][i % 64]
		end
		local bits = cuda.host("u32", 2):rand(1, 0xffffffff)
		local seed = bits[0] << 32 | bits[1]
		local dstate, dskip = cuda.malloc(8 * threads, "state"), cuda.malloc(8 * 64 * digits, "skip")
		local dinside = cuda.malloc(4 * ctas, "inside")
		cuda.copy(dskip, table_)
		cuda.memset(dinside, 0xff, 4 * ctas)
		cuda.launch(m.eip_init, { ctas, 1, 1 }, { THREADS, 1, 1 }, { dstate, dskip, cuda.u64(seed) })
		local options = { shared = 4 * THREADS }
		cuda.launch(m.eip_points, { ctas, 1, 1 }, { THREADS, 1, 1 }, { dinside, dstate, points }, options)
		local inside, state = cuda.host("u32", ctas), cuda.host("u64", threads)
		cuda.copy(inside, dinside)
		cuda.copy(state, dstate)
		cuda.check(function()
			local start, within = { [0] = seed }, 0
			for cta = 0, ctas - 1 do
				local least, most = 0, 0
				for t = cta * THREADS, cta * THREADS + THREADS - 1 do
					if t > 0 then -- one sequence is one digit away from another: without its lowest digit
						local lowest, digit = t & -t, 0
						while lowest >> digit > 1 do
							digit = digit + 1
						end
						start[t] = apply(all[digit], start[t - lowest])
					end
					local v = start[t]
					for _ = t, points - 1, threads do
						v = step(v)
						local x, y = (v >> 40) * 2.0 ^ -24, (v >> 16 & 0xffffff) * 2.0 ^ -24
						local beyond = x * x + y * y - 1
						-- The kernel rounds the squares' sum: nearer to the circle than 2^-23, either way.
						least = least + (beyond < -2.0 ^ -23 and 1 or 0)
						most = most + (beyond < 2.0 ^ -23 and 1 or 0)
					end
					if state[t] ~= v then
						return false, string.format("state[%d]: got %#x, want %#x", t, state[t], v)
					end
				end
				if inside[cta] < least or inside[cta] > most then
					local format = "inside[%d]: got %d, want %d to %d"
					return false, string.format(format, cta, inside[cta], least, most)
				end
				within = within + inside[cta]
			end
			-- Five standard deviations of the estimate, 4 * sqrt(q (1 - q) / n) with q = pi / 4.
			local pi, slack = 4 * within / points, 5 * 1.642 / points ^ 0.5
			return math.abs(pi - math.pi) <= slack, string.format("the estimate of pi is %.6f", pi)
		end)
	end,
}
