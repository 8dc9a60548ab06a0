-- European call options by Monte Carlo simulation: normally distributed samples, then a CTA an option over all of them.
local need = require("lib.need")
local sample = require("lib.sample")

local RATE, VOLATILITY = 0.06, 0.10
local SAMPLES_CHECKED = 16384
local PAYOFFS_CHECKED = 600000 -- by the reference, of options at random; all options are checked against the formula
-- Registers a thread with which five CTAs fit an SM of 32768, as published (Awatramani 2015, table II).
local FIVE_CTAS = { regs = 24 }

-- Quantiles of the standard normal distribution by bisection of the distribution function; erfc by its continued
-- fraction beyond 2, by its series before.
local function upper_tail(x)
	if x > 2 then
		local f = x
		for k = 60, 1, -1 do
			f = x + k / f
		end
		return math.exp(-x * x / 2) / (2 * math.pi) ^ 0.5 / f
	end
	local term, sum = x, x
	for k = 1, 60 do
		term = term * x * x / (2 * k + 1)
		sum = sum + term
	end
	return 0.5 - sum * math.exp(-x * x / 2) / (2 * math.pi) ^ 0.5
end

local function cumulative_normal(x)
	return x < 0 and upper_tail(-x) or 1 - upper_tail(x)
end

-- Mean and variance of an option's payoff, without discounting.
local function expected(o)
	local d, spread = (math.log(o.stock / o.strike) + o.drift) / o.spread, o.spread
	local paid = cumulative_normal(d) -- the probability that it pays, the mean price then, that of the price's square
	local price = o.stock * math.exp(o.drift + spread * spread / 2) * cumulative_normal(d + spread)
	local square = (o.stock * math.exp(o.drift + spread * spread)) ^ 2 * cumulative_normal(d + 2 * spread)
	local mean = price - o.strike * paid
	return mean, math.max(square - 2 * o.strike * price + o.strike ^ 2 * paid - mean ^ 2, 0)
end

local function random_options(cuda, n)
	local stock, strike = cuda.host("f32", n):rand(5, 50), cuda.host("f32", n):rand(10, 25)
	local years, packed, options = cuda.host("f32", n):rand(1, 5), cuda.host("f32", 4 * n), {}
	for i = 0, n - 1 do
		packed[4 * i], packed[4 * i + 1] = stock[i], strike[i]
		packed[4 * i + 2] = (RATE - 0.5 * VOLATILITY * VOLATILITY) * years[i]
		packed[4 * i + 3] = VOLATILITY * years[i] ^ 0.5
		options[i] = { stock = stock[i], strike = strike[i], drift = packed[4 * i + 2], spread = packed[4 * i + 3] }
	end
	return packed, options
end

-- A sample is right if the distribution function takes it back to its number. Where that is flat, in the tails, it is
-- the tail that must agree, relatively.
local function check_samples(got, uniform, at)
	for i in at do
		local u, x = uniform[i], got[i]
		local lower = u >= 0x80000000 and 0xffffffff - u or u
		local want, p = (lower + 0.5) / 2 ^ 32, upper_tail(math.abs(x))
		-- A relative error of x of a few 2^-24 is x^2 times as large in the tail.
		local right = math.abs(p - want) <= want * (1e-6 + 1e-6 * x * x)
		if not right or (x > 0) ~= (u >= 0x80000000) and math.abs(x) > 1e-6 then
			return false, string.format("sample %d: got %.9g, whose tail is %.9g, want %.9g", i, x, p, want)
		end
	end
	return true
end

-- The sums of an option over the device's own samples.
local function check_sums(o, i, got, samples, paths)
	local sum, squares, most = 0.0, 0.0, 0.0
	for k = 0, paths - 1 do
		local price = o.stock * math.exp(o.drift + o.spread * samples[k])
		local payoff = price > o.strike and price - o.strike or 0
		sum, squares, most = sum + payoff, squares + payoff * payoff, most + price
	end
	-- A price's relative error is below 2^-20 (ex2.approx of an exponent below 2), a square's twice that and relative
	-- to price * payoff; what adding up in f32 loses is less.
	local slack, slack_squares = 1e-6 * most, 4e-6 * (most * most / paths + squares)
	if not (math.abs(got[2 * i] - sum) <= slack and math.abs(got[2 * i + 1] - squares) <= slack_squares) then
		local format = "option %d: got sums %.9g, %.9g, want %.9g, %.9g"
		return false, string.format(format, i, got[2 * i], got[2 * i + 1], sum, squares)
	end
	return true
end

-- The mean payoff of every option against the formula: within six standard errors, and what Bernstein's inequality adds
-- where few samples pay (up to what five standard deviations bring).
local function check_means(options, got, paths)
	for i = 0, #options do
		local o, mean = options[i], got[2 * i] / paths
		local want, variance = expected(o)
		local most = math.max(o.stock * math.exp(o.drift + 5 * o.spread) - o.strike, 0)
		local slack = 6 * (variance / paths) ^ 0.5 + 12 * most / paths + 1e-6 * o.stock
		if not (math.abs(mean - want) <= slack) then
			local format = "option %d: got a mean payoff of %.9g, want %.9g +- %.3g"
			return false, string.format(format, i, mean, want, slack)
		end
	end
	return true
end

return {
	name = "montecarlo",
	help = "Monte Carlo option pricing: a CTA an option over the same samples, special functions (options, paths)",
	kernels = "montecarlo.ptx",
	sizes = {
		small = { options = 60, paths = 2048 },
		default = { options = 600, paths = 8192 },
		large = { options = 2048, paths = 16384 },
	},
	run = function(cuda, p)
		local n, paths = need(p, "options", 1, 2048), need(p, "paths", 256, 1 << 24)
		local m = cuda.module("montecarlo.ptx")
		local uniform = cuda.host("u32", paths):rand(0, 0xffffffff)
		local packed, options = random_options(cuda, n)
		local samples, sums = cuda.host("f32", paths), cuda.host("f32", 2 * n)
		local duniform, dsamples = cuda.malloc(4 * paths, "uniform"), cuda.malloc(4 * paths, "samples")
		local dsums = cuda.malloc(8 * n, "sums")
		cuda.copy(duniform, uniform)
		cuda.copy(cuda.symbol(m, "options"), packed)
		cuda.launch(m.inverse_normal, math.min((paths + 127) // 128, 128), 128, { duniform, dsamples, paths })
		cuda.launch(m.price_options, n, 256, { dsamples, dsums, paths }, FIVE_CTAS)
		cuda.copy(samples, dsamples)
		cuda.copy(sums, dsums)
		local few_samples = sample(cuda, paths, SAMPLES_CHECKED)
		local few_options = sample(cuda, n, math.max(1, PAYOFFS_CHECKED // paths))
		cuda.check(function()
			return check_samples(samples, uniform, few_samples)
		end)
		cuda.check(function()
			for i in few_options do
				local ok, message = check_sums(options[i], i, sums, samples, paths)
				if not ok then
					return ok, message
				end
			end
			return true
		end)
		cuda.check(function()
			return check_means(options, sums, paths)
		end)
	end,
}
