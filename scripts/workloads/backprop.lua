-- One training step of a neural network: forward on the device, output layer and errors on the host, weights on the
-- device.
local need = require("lib.need")
local published = require("lib.published")
local sixteenths = require("lib.sixteenths")

local HIDDEN, PITCH = 16, 17
local ETA, MOMENTUM = 0.3, 0.3 -- as in backprop.cu, in f32 there
local TARGET = 0.1
-- Registers a thread as published (Park 2016, table 4.2). Of layer_forward on every machine: the compiler used here has all
-- addresses in 64 bits and would need twice as many.
local FORWARD_REGISTERS, ADJUST_REGISTERS = 11, 22

local function squash(x)
	return 1 / (1 + math.exp(-x))
end

-- Multiples of scale / 16 within +-scale, scale a power of two.
local function scaled(cuda, n, scale)
	local a = sixteenths(cuda, n)
	for i = 0, n - 1 do
		a[i] = a[i] * scale
	end
	return a
end

-- The network's answer and from it delta[1 .. HIDDEN], the errors of the hidden units.
local function hidden_errors(cuda, sums, out_weights)
	local hidden, answer = {}, out_weights[0]
	for h = 1, HIDDEN do
		hidden[h] = squash(sums[h])
		answer = answer + hidden[h] * out_weights[h]
	end
	answer = squash(answer)
	local out_delta = answer * (1 - answer) * (TARGET - answer)
	local delta = cuda.host("f32", PITCH)
	for h = 1, HIDDEN do
		delta[h] = hidden[h] * (1 - hidden[h]) * out_delta * out_weights[h]
	end
	return delta
end

-- Partial sums of inputs and weights must come out exactly (lib/sixteenths.lua; scaling by powers of two changes
-- nothing).
local function check_forward(partial, input, weights, inputs)
	for block = 0, inputs // 16 - 1 do
		for h = 1, HIDDEN do
			local sum = 0.0
			for row = block * 16 + 1, block * 16 + 16 do
				sum = sum + input[row] * weights[row * PITCH + h]
			end
			local got = partial[block * HIDDEN + h - 1]
			if got ~= sum then
				return false, string.format("partial[%d][%d]: got %.9g, want %.9g", block, h, got, sum)
			end
		end
	end
	return true
end

-- What adjust_weights makes of weights and change, in place.
local function adjust(weights, change, delta, input, inputs)
	for row = 0, inputs do
		local scale = ETA * (row == 0 and 1 or input[row])
		for h = 1, HIDDEN do
			local at = row * PITCH + h
			local now = scale * delta[h] + MOMENTUM * change[at]
			weights[at] = weights[at] + now
			change[at] = now
		end
	end
end

return {
	name = "backprop",
	help = "neural network training step: reduction in shared memory, streaming updates (inputs: a multiple of 16)",
	kernels = "backprop.ptx",
	sizes = {
		small = { inputs = 1664 },
		default = { inputs = 32768 },
		large = { inputs = 196608 },
	},
	run = function(cuda, p)
		local inputs = need(p, "inputs", 16, 1048560, 16)
		local m, n = cuda.module("backprop.ptx"), (inputs + 1) * PITCH
		-- Weights of about 1 / sqrt(inputs), so that the hidden units do not saturate.
		local scale = 2.0 ^ -(math.log(inputs, 2) // 2)
		local input, weights = sixteenths(cuda, inputs + 1), scaled(cuda, n, scale)
		local change, out_weights = scaled(cuda, n, scale), sixteenths(cuda, PITCH)
		local partial = cuda.host("f32", inputs)
		local dinput, dweights = cuda.malloc(4 * (inputs + 1), "inputs"), cuda.malloc(4 * n, "weights")
		local dpartial, ddelta = cuda.malloc(4 * inputs, "partial sums"), cuda.malloc(4 * PITCH, "delta")
		local dchange = cuda.malloc(4 * n, "previous change")
		local grid, block = { 1, inputs // 16, 1 }, { 16, 16, 1 }

		cuda.copy(dinput, input)
		cuda.copy(dweights, weights)
		cuda.launch(m.layer_forward, grid, block, { dinput, dweights, dpartial }, { regs = FORWARD_REGISTERS })
		cuda.copy(partial, dpartial)
		local sums = {}
		for h = 1, HIDDEN do
			sums[h] = weights[h] -- the bias
			for at = h - 1, inputs - 1, HIDDEN do
				sums[h] = sums[h] + partial[at]
			end
		end
		local delta = hidden_errors(cuda, sums, out_weights)
		cuda.copy(dweights, weights)
		cuda.copy(dchange, change)
		cuda.copy(ddelta, delta)
		cuda.launch(m.adjust_weights, grid, block, { ddelta, dinput, dweights, dchange }, published(ADJUST_REGISTERS))

		local got_weights, got_change = cuda.host("f32", n), cuda.host("f32", n)
		cuda.copy(got_weights, dweights)
		cuda.copy(got_change, dchange)
		cuda.check(function()
			return check_forward(partial, input, weights, inputs)
		end)
		cuda.check(function()
			adjust(weights, change, delta, input, inputs)
			-- Three terms within 2 x scale and at most four roundings of 2^-24 each, plus those of 0.3 to f32; a
			-- change that is missing is about scale / 50 at least in nearly all elements.
			local tolerance = 2.0 ^ -20 * math.max(scale, 2.0 ^ -6)
			local ok, message = cuda.compare(got_change, change, 0, tolerance)
			if not ok then
				return false, "change: " .. message
			end
			ok, message = cuda.compare(got_weights, weights, 0, tolerance)
			return ok, message and "weights: " .. message
		end)
	end,
}
