--[[ tail_effect: SMs that have nothing left to do while the last CTAs run. ]]
local lib = require "lessons.lib"
local before, guess
local small, tiny -- cycles with CTAs of 256 and of 32 threads

local function at_once()
	return gpu.conf["num_sms"] * gpu.kernel[0].ctas_per_sm
end

return {
	number = 8,
	title = "The tail effect",
	minutes = 10,
	program = "programs/waves.lua --set num_sms=4 --param threads=5120 --param block=1024",
	steps = {
		{text = [[
			CTAs are not divided. If a machine runs n CTAs at a time and the grid has n + 1 that are equally long, it
			takes twice the time: in the second round one CTA runs, and all other SMs have nothing to do. That is
			the tail effect.

			Here a machine of 4 SMs has 5,120 threads to run, which all do the same. A CTA has 1,024 of them.]]},
		{text = [[
			Look at the kernel before it has begun:

			(wd) info kernels

			How many of its CTAs run at the same time, on all SMs together?]],
			task = "answer: CTAs at a time", unit = "CTAs", within = 0,
			number = at_once,
			wrong = function(given)
				if given == gpu.kernel[0].ctas then
					return "That is the grid. How many does an SM hold at a time, and how many SMs are there?"
				elseif given == gpu.kernel[0].ctas_per_sm then
					return "That many are on ONE SM. There are " .. gpu.conf["num_sms"] .. "."
				end
			end,
			hints = {"CTAs on an SM times SMs. The first is in `info kernels`."}},
		{text = [[
			So how many rounds (waves) of CTAs does it take?]],
			task = "answer: waves", unit = "waves", within = 0,
			number = function() return math.ceil(gpu.kernel[0].ctas / at_once()) end,
			wrong = function(given)
				if given > 1 and given < 2 then
					return "The work would be that many; but CTAs are whole. Round it up."
				end
			end,
			hints = {"The grid has 5 CTAs. 5 divided by what runs at a time, rounded up."}},
		{text = [[
			Run to the end. View 1 shows each SM's warps: watch who still has some.

			(wd) continue]],
			task = "run to the end", wait = function(now) return now.finished end, hints = {"`continue`, or space."},
			after = function()
				before = lib.cycles()
				return "The kernel took " .. lib.num(before) .. " cycles."
			end},
		{text = [[
			The SMs without a CTA lose their issue slots to the reason "no warp".

			(wd) info stalls

			How many percent of all issue slots is that?]],
			task = "answer: lost, in %", unit = "%", within = 0.03,
			number = function() return lib.lost("no warp") end,
			hints = {"`info stalls`, the row `no warp`, in percent.",
				"Three of four SMs, for half of the time: that would be 37.5 %."},
			after = "Nearly what one expects: 3 of 4 SMs for one of 2 waves, 3/8 of all slots."},
		{text = [[
			The same 5,120 threads can be cut into smaller CTAs. With --param block=256 there are 20, and each of the
			4 SMs gets 5 of them.

			How many cycles will that take, if nothing but the tail goes away?]],
			task = "answer: cycles you expect", unit = "cycles",
			predict = function(given)
				if before and given >= before then
					return "That would be no gain at all: the kernel took " .. lib.num(before) .. " cycles."
				end
				guess = given
			end,
			hints = {"Each SM had the work of up to 2 CTAs of 1,024; now it has the work of 1.25."}},
		{text = [[
			(wd) run --param block=256]],
			task = "run --param block=256", wait = function(now)
				local block = gpu.kernel[0].block.x
				if now.finished and block ~= 256 then
					return false, "That were CTAs of " .. lib.num(block) .. " threads."
				end
				return now.finished
			end,
			hints = {"Type `run --param block=256`."},
			after = function()
				small = lib.cycles()
				return string.format("You expected %s cycles, it took %s: %s as fast. Lost to `no warp`: %.1f %%.",
					lib.num(guess or 0), lib.num(lib.cycles()), lib.times(before or lib.cycles(), lib.cycles()), lib.lost("no warp"))
			end},
		{text = [[
			Are smaller CTAs always better? Try one warp in each:

			(wd) run --param block=32]],
			task = "run --param block=32", wait = function(now)
				local block = gpu.kernel[0].block.x
				if now.finished and block ~= 32 then
					return false, "That were CTAs of " .. lib.num(block) .. " threads."
				end
				return now.finished
			end,
			hints = {"Type `run --param block=32`."},
			after = function()
				tiny = lib.cycles()
				return lib.num(tiny) .. " cycles."
			end},
		{text = [[
			Compared with CTAs of 256 threads, is it faster or slower? If it is slower, think of what an SM can hold.]],
			task = "answer: faster or slower", choice = {"faster", "slower", "equal"},
			right = function()
				if not tiny or not small then
					return "slower"
				end
				return tiny < small and "faster" or tiny > small and "slower" or "equal"
			end,
			hints = {"The log (view 0) has the ends of all runs."},
			after = function()
				return string.format([[
					An SM has %d CTA slots. With one warp in each CTA, these are %d warps at most, not %d: fewer to hide
					latencies. Small CTAs make a short tail, large ones fill the SM. `diagnose` says what a tail costs.]],
					gpu.conf["sm.ctas"], gpu.conf["sm.ctas"] * gpu.kernel[0].warps, gpu.warps_per_sm)
			end},
	},
}
