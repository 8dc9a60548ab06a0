--[[ occupancy: how many warps an SM holds, what limits that, and what more of them bring. ]]
local lib = require "lessons.lib"
local limits = {"registers", "shared", "threads", "CTAs"}
local tried -- cycles by the number of CTAs that an SM may hold

local function occupancy()
	local k = gpu.kernel[0]
	return 100 * k.ctas_per_sm * k.warps / gpu.warps_per_sm
end

-- The cycles of the run with so many CTAs on an SM at most.
local function with_ctas(n)
	tried = tried or lib.whatif("sm.ctas", "1,2,3,4,5")
	return tried[tostring(n)]
end

return {
	number = 2,
	title = "Occupancy",
	minutes = 10,
	program = "matmul --set num_sms=4 --param n=128",
	steps = {
		{text = [[
			An SM holds as many CTAs of a kernel as its registers, its shared memory, its warp (thread) places and
			its CTA slots allow; the scarcest of them limits. Occupancy is the number of resident warps divided by
			the number that an SM can hold.

			The kernel is a matrix multiplication with CTAs of 16 x 16 threads, on an SM of a GTX 480: 32,768
			registers, 48 KB of shared memory, 48 warps, 8 CTA slots.]]},
		{text = [[
			Let the SMs fill:

			(wd) goto 500]],
			task = "goto 500", wait = function() return gpu.cycle >= 400 end,
			hints = {"`goto 500` runs to cycle 500."},
			after = "View 1 shows the warps of each SM, view 2 one SM with the blocks of registers of its CTAs."},
		{text = [[
			This has registers, shared memory and threads of the kernel:

			(wd) info kernels

			How many CTAs of it are resident on an SM?]],
			task = "answer: CTAs on an SM", unit = "CTAs",
			number = function() return gpu.kernel[0].ctas_per_sm end,
			wrong = function(given)
				if given == gpu.conf["sm.ctas"] then
					return "That is the number of CTA slots. Something else runs out before."
				elseif given == gpu.kernel[0].ctas then
					return "That is the whole grid. How many of them are on one SM?"
				end
			end,
			hints = {"`info sms` has the CTAs of each SM; `print gpu.kernel[0].ctas_per_sm` is the number asked for."}},
		{text = [[
			What keeps the SM from holding one more?

			(wd) info room]],
			task = "answer: the limit", choice = limits,
			right = function() return gpu.kernel[0].limiter end,
			wrong = function(given)
				local k = gpu.kernel[0]
				if given == "shared" then
					return string.format("%d CTAs have %s bytes of shared memory each: room for more.", k.ctas_per_sm,
						lib.num(k.shared_bytes))
				elseif given == "threads" then
					return string.format("%d CTAs are %d warps; the SM has places for %d.", k.ctas_per_sm,
						k.ctas_per_sm * k.warps, gpu.warps_per_sm)
				end
			end,
			hints = {"Registers of a CTA: those of a thread times 256. How often does that fit into 32,768?",
				"`print gpu.kernel[0].limiter`"}},
		{text = [[
			A CTA has 8 warps. What is the occupancy, in percent, while the SM is full?]],
			task = "answer: occupancy in %", unit = "%", within = 0.01,
			number = occupancy,
			wrong = function(given, right)
				if math.abs(given - right / 100) < 0.02 then
					return "As a share that is right; in percent it is a hundred times as much."
				elseif given == gpu.kernel[0].ctas_per_sm * gpu.kernel[0].warps then
					return "That is the number of resident warps. The SM can hold " .. gpu.warps_per_sm .. "."
				end
			end,
			hints = {"Resident warps: CTAs on the SM times 8. The SM can hold 48."}},
		{text = [[
			Does more occupancy make it faster? This runs the program with 1 to 5 CTAs on an SM at most, each in a
			process of its own, and shows one table:

			(wd) whatif sm.ctas=1,2,3,4,5 from 0]],
			task = "whatif sm.ctas=1,2,3,4,5 ...", wait = function(now)
				return now.command == "whatif" and now.args:find("sm.ctas=1,2", 1, true) ~= nil
			end,
			hints = {"Type the line as it stands; the up arrow brings it back."},
			after = "`speed` is relative to the machine as it is (row 0)."},
		{text = [[
			How many times as fast is it with 2 CTAs on an SM as with 1? (cycles with 1 / cycles with 2)]],
			task = "answer: 2 CTAs against 1", unit = "times", within = 0.03,
			number = function() return with_ctas(1) / with_ctas(2) end,
			wrong = function(given, right)
				if math.abs(given - 1 / right) < 0.02 then
					return "That is the quotient the other way round."
				end
			end,
			hints = {"`whatif` without arguments shows the table again. Divide the cycles of the row with 1 by those with 2."}},
		{text = [[
			And with 5 as with 4?]],
			task = "answer: 5 CTAs against 4", unit = "times", within = 0.01,
			number = function() return with_ctas(4) / with_ctas(5) end,
			hints = {"`whatif` shows the table again: cycles with 4 divided by cycles with 5."},
			after = [[
				The first CTAs hide each other's latencies. Once the issue slots or the LSU are busy, more warps only
				wait. Occupancy is a means: enough is enough. The next lessons show what "enough" is.]]},
	},
}
