-- European option prices by the Black-Scholes formula: streaming, special functions.
local need = require("lib.need")
local sample = require("lib.sample")

local RATE, VOLATILITY = 0.02, 0.30
local MOST_CHECKED = 60000 -- options the reference prices; more are sampled

local function cumulative_normal(d)
	local k = 1 / (1 + 0.2316419 * math.abs(d))
	local poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
	local tail = 0.39894228 * math.exp(-0.5 * d * d) * poly
	return d > 0 and 1 - tail or tail
end

local function price(s, x, t)
	local spread = VOLATILITY * t ^ 0.5
	local d1 = (math.log(s / x) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * t) / spread
	local n1, n2 = cumulative_normal(d1), cumulative_normal(d1 - spread)
	local discounted = x * math.exp(-RATE * t)
	return s * n1 - discounted * n2, discounted * (1 - n2) - s * (1 - n1)
end

return {
	name = "blackscholes",
	help = "Black-Scholes option pricing: streaming, special functions (n options, CTAs, iterations over all, regs: registers a thread, 0 = the estimate)",
	kernels = "blackscholes.ptx",
	sizes = {
		small = { n = 32000, ctas = 120, iterations = 1, regs = 0 },
		default = { n = 400000, ctas = 480, iterations = 2, regs = 0 },
		large = { n = 1600000, ctas = 480, iterations = 3, regs = 0 },
	},
	run = function(cuda, p)
		local n, iterations = need(p, "n", 1, 1 << 26), need(p, "iterations", 1, 1000)
		local ctas = need(p, "ctas", 1, 65535) -- each thread prices every (128 * ctas)-th option
		local regs = need(p, "regs", 0, 255)
		local options = regs > 0 and { regs = regs } or nil
		local m = cuda.module("blackscholes.ptx")
		local stock, strike = cuda.host("f32", n):rand(5, 30), cuda.host("f32", n):rand(1, 100)
		local years = cuda.host("f32", n):rand(0.25, 10)
		local dstock, dstrike = cuda.malloc(4 * n, "stock"), cuda.malloc(4 * n, "strike")
		local dyears = cuda.malloc(4 * n, "years")
		local dcall, dput = cuda.malloc(4 * n, "call"), cuda.malloc(4 * n, "put")
		cuda.copy(dstock, stock)
		cuda.copy(dstrike, strike)
		cuda.copy(dyears, years)
		for _ = 1, iterations do
			cuda.launch(m.blackscholes, ctas, 128, {
				dcall, dput, dstock, dstrike, dyears, cuda.f32(RATE), cuda.f32(VOLATILITY), n,
			}, options)
		end
		local call, put = cuda.host("f32", n), cuda.host("f32", n)
		cuda.copy(call, dcall)
		cuda.copy(put, dput)
		local at = sample(cuda, n, MOST_CHECKED)
		cuda.check(function()
			for i in at do
				local s, x = stock[i], strike[i]
				local want_call, want_put = price(s, x, years[i])
				-- Prices are differences of terms as large as s and x. d1's error, from lg2.approx (2^-22) and a few
				-- roundings over a spread of 0.15 at least, moves a probability by under 3e-6 * 0.4; the polynomial
				-- amplifies roundings by its alternating terms to about 1e-6.
				local slack = 3e-6 * (s + x)
				if not (math.abs(call[i] - want_call) <= slack and math.abs(put[i] - want_put) <= slack) then
					local format = "option %d: got call %.9g, put %.9g, want %.9g, %.9g"
					return false, string.format(format, i, call[i], put[i], want_call, want_put)
				end
			end
			return true
		end)
	end,
}
