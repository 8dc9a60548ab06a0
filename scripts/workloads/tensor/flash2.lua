-- Attention forward as FlashAttention-2 computes it (configs/kernels/flash2.cu).
local need = require("lib.need")
local attention = require("lib.attention")
local elements = require("lib.elements")
local f16 = require("lib.f16")

return {
	name = "flash2",
	help = "FlashAttention-2 forward, f16: tensor cores, cp.async, online softmax (n rows a head, a multiple of 64; heads; d: 64 or 128; causal 0 or 1; ahead: 1 = a block is fetched before it is due); needs sm_80",
	kernels = "flash2.ptx",
	sizes = {
		small = { n = 128, heads = 2, d = 64, causal = 0, ahead = 1 },
		default = { n = 256, heads = 4, d = 64, causal = 0, ahead = 1 },
		large = { n = 1024, heads = 16, d = 128, causal = 1, ahead = 1 },
	},
	run = function(cuda, p)
		local n, heads, d = need(p, "n", 64, 16384, 64), need(p, "heads", 1, 1024), need(p, "d", 64, 128, 64)
		local causal, ahead = need(p, "causal", 0, 1), need(p, "ahead", 0, 1)
		local all = elements("n, heads and d", n * heads * d)
		local m, scale = cuda.module("flash2.ptx"), 1 / math.sqrt(d)
		local q, vq = f16.random(cuda, all, 4) -- with scores up to some +-6: weights differ by far
		local k, vk = f16.random(cuda, all, 1)
		local v, vv = f16.random(cuda, all, 1)
		local dq, dk, dv = cuda.malloc(2 * all, "Q"), cuda.malloc(2 * all, "K"), cuda.malloc(2 * all, "V")
		local got, dout = cuda.host("u16", all), cuda.malloc(2 * all, "O")
		cuda.copy(dq, q)
		cuda.copy(dk, k)
		cuda.copy(dv, v)
		cuda.memset(dout, 255, 2 * all)
		cuda.launch(m["flash2_" .. d], { n // 64, heads }, 128, { dq, dk, dv, dout, n, scale, causal, ahead })
		cuda.copy(got, dout)
		-- Of large inputs every so many rows are checked, each tile's among them.
		local every = math.max(1, n * heads // 1024)
		every = every + 1 - every % 2
		cuda.check(function()
			local want = {}
			for row = 0, n * heads - 1, every do
				local head = row // n * n * d
				attention(vq, row * d, vk, vv, function(i)
					return head + i * d
				end, causal == 1 and row % n + 1 or n, d, scale, want, 0)
				for j = 0, d - 1 do
					local o = f16.value(got[row * d + j])
					-- Weights are rounded to f16 before they meet V, and so is the result: 2^-11 of numbers up to 1.
					if not (math.abs(o - want[j]) <= 2.0 ^ -11) then
						return false, ("head %d, row %d, column %d: %g, not %g"):format(row // n, row % n, j, o, want[j])
					end
				end
			end
			return true
		end)
	end,
}
