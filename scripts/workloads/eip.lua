-- Pi by Monte Carlo: one kernel gives each thread its own sequence of random numbers, one draws the points.
local need = require("lib.need")

local THREADS, WORDS, STATE = 256, 5, 10 -- words of a thread's state, of which the last four are not used
local BITS = 32 * WORDS
local APART = 40 -- sequences are 2^40 numbers apart: a multiple of the Weyl sequence's 2^32
local WEYL = 362437

-- One step of the linear part of Marsaglia's xorwow; five words, the oldest first.
local function step(a, b, c, d, e)
	local old = a ~ a >> 2
	return b, c, d, e, (e ~ e << 4 ~ old ~ old << 1) & 0xffffffff
end

-- m[b] is the image of bit b, as WORDS words; the image of a state is the sum over its bits.
local function apply(m, v)
	local s1, s2, s3, s4, s5 = 0, 0, 0, 0, 0
	for word = 1, WORDS do
		local bits, b = v[word], 32 * (word - 1)
		while bits ~= 0 do
			if bits & 1 == 1 then
				local image = m[b]
				s1, s2, s3, s4, s5 = s1 ~ image[1], s2 ~ image[2], s3 ~ image[3], s4 ~ image[4], s5 ~ image[5]
			end
			bits, b = bits >> 1, b + 1
		end
	end
	return { s1, s2, s3, s4, s5 }
end

local function squared(m)
	local result = {}
	for b = 0, BITS - 1 do
		result[b] = apply(m, m[b])
	end
	return result
end

-- The matrices that skip 2^0, 2^1, .. 2^(digits - 1) sequences.
local function skips(digits)
	local m, all = {}, {}
	for b = 0, BITS - 1 do
		local v = { 0, 0, 0, 0, 0 }
		v[1 + b // 32] = 1 << b % 32
		m[b] = { step(table.unpack(v)) }
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
	help = "pi by Monte Carlo, inline generator: divergent start, a table and local arrays that fill L1D (ctas, points)",
	kernels = "eip.ptx",
	sizes = {
		small = { ctas = 3, points = 3000 },
		default = { ctas = 45, points = 100000 },
		large = { ctas = 196, points = 200000 },
	},
	run = function(cuda, p)
		local ctas, points = need(p, "ctas", 1, 65535), need(p, "points", 1, 1 << 30)
		local m = cuda.module("eip.ptx")
		local threads, digits = ctas * THREADS, 0
		while threads - 1 >> digits > 0 do
			digits = digits + 1
		end
		local all, words = skips(digits), cuda.host("u32", math.max(1, BITS * WORDS * digits))
		for i = 0, BITS * WORDS * digits - 1 do
			words[i] = all[i // (BITS * WORDS)][i // WORDS % BITS][1 + i % WORDS]
		end
		local seed = cuda.host("u32", WORDS + 1):rand(1, 0xffffffff)
		local dstate, dskip = cuda.malloc(4 * STATE * threads, "state"), cuda.malloc(4 * #words, "skip")
		local dseed = cuda.malloc(4 * #seed, "seed")
		local dinside = cuda.malloc(4 * ctas, "inside")
		cuda.copy(dskip, words)
		cuda.copy(dseed, seed)
		cuda.memset(dinside, 0xff, 4 * ctas)
		cuda.launch(m.eip_init, { ctas, 1, 1 }, { THREADS, 1, 1 }, { dstate, dskip, dseed })
		local options = { shared = 4 * THREADS }
		cuda.launch(m.eip_points, { ctas, 1, 1 }, { THREADS, 1, 1 }, { dinside, dstate, points }, options)
		local inside, state = cuda.host("u32", ctas), cuda.host("u32", STATE * threads)
		cuda.copy(inside, dinside)
		cuda.copy(state, dstate)
		cuda.check(function()
			local start, within = { [0] = { seed[0], seed[1], seed[2], seed[3], seed[4] } }, 0
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
					local v1, v2, v3, v4, v5 = table.unpack(start[t])
					local weyl = seed[WORDS]
					for _ = t, points - 1, threads do
						v1, v2, v3, v4, v5 = step(v1, v2, v3, v4, v5)
						local x = (v5 + weyl + WEYL & 0xffffffff) >> 8
						v1, v2, v3, v4, v5 = step(v1, v2, v3, v4, v5)
						weyl = weyl + 2 * WEYL & 0xffffffff
						local y = (v5 + weyl & 0xffffffff) >> 8
						local beyond = (x * 2.0 ^ -24) ^ 2 + (y * 2.0 ^ -24) ^ 2 - 1
						-- The kernel rounds the squares' sum: nearer to the circle than 2^-23, either way.
						least = least + (beyond < -2.0 ^ -23 and 1 or 0)
						most = most + (beyond < 2.0 ^ -23 and 1 or 0)
					end
					for k, want in ipairs({ v1, v2, v3, v4, v5, weyl }) do
						local got = state[STATE * t + k - 1]
						if got ~= want then
							return false, string.format("state[%d], word %d: got %#x, want %#x", t, k - 1, got, want)
						end
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
