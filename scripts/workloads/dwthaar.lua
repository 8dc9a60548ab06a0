-- Haar wavelet decomposition of a signal: ten levels a launch.
local need = require("lib.need")

-- Registers a thread with which three CTAs of 512 fit an SM of 32768, as published (Awatramani 2015, table II); by the estimate
-- for that paper's compiler they do.
local THREE_CTAS = 20
local MOST = 10 -- levels of a launch: a CTA of 512 threads takes 1024 elements down to one

return {
	name = "dwthaar",
	help = "Haar wavelet decomposition of a signal: a pyramid in shared memory, barriers (2^log_n elements, levels)",
	kernels = "dwthaar.ptx",
	sizes = {
		small = { log_n = 15, levels = 15 },
		default = { log_n = 20, levels = 20 },
		large = { log_n = 22, levels = 22 },
	},
	run = function(cuda, p)
		local log_n = need(p, "log_n", 1, 26)
		local depth = need(p, "levels", 1, log_n)
		local n = 1 << log_n
		local regs = gpu.conf["isa.registers"] ~= "nvcc4" and THREE_CTAS or nil
		local m = cuda.module("dwthaar.ptx")
		local signal, got = cuda.host("f32", n):rand(-1, 1), cuda.host("f32", n)
		local from, details = cuda.malloc(4 * n, "signal"), cuda.malloc(4 * n, "coefficients")
		cuda.copy(from, signal)
		local done = 0
		while done < depth do
			local left = log_n - done
			local most = math.min(left, MOST) -- that a CTA can do
			local levels, threads, ctas = math.min(depth - done, most), 1 << most - 1, 1 << left - most
			done = done + levels
			local to = done == depth and details or cuda.malloc(4 << left - levels, "averages")
			local arguments = { from, details, to, levels, 1 << left - 1 }
			cuda.launch(m.haar_decompose, ctas, threads, arguments, { shared = 8 * threads, regs = regs })
			from = to
		end
		cuda.copy(got, details)
		cuda.check(function()
			local average, count = {}, n
			for i = 0, n - 1 do
				average[i] = signal[i]
			end
			for level = 1, depth do
				count = count // 2
				-- A level adds 2^-23 of its values (below 8: noise does not grow) to the error and averages errors.
				local slack = 1e-6 * level
				for i = 0, count - 1 do
					local x, y = average[2 * i], average[2 * i + 1]
					local want = (x - y) * 0.5 ^ 0.5
					if not (math.abs(got[count + i] - want) <= slack) then
						local format = "level %d, detail %d: got %.9g, want %.9g"
						return false, string.format(format, level, i, got[count + i], want)
					end
					average[i] = (x + y) * 0.5 ^ 0.5
				end
			end
			for i = 0, count - 1 do
				if not (math.abs(got[i] - average[i]) <= 1e-6 * depth) then
					return false, string.format("average %d: got %.9g, want %.9g", i, got[i], average[i])
				end
			end
			return true
		end)
	end,
}
