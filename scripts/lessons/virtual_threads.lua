--[[ virtual_threads: more CTAs on an SM than it has slots for; those that wait give theirs away. ]]
local lib = require "lessons.lib"
local before, guess

return {
	number = 9,
	title = "Virtual threads",
	minutes = 15,
	program = "programs/chain.lua --set num_sms=4 --param ctas=128 --param rounds=100 --param bits=16",
	steps = {
		{text = [[
			An SM has slots for CTAs and for warps: the state that a scheduler needs to choose among them. It also
			has registers and shared memory. Kernels with small CTAs use up the slots while most of the registers
			are empty.

			This kernel has CTAs of one warp each, which wait for loads nearly all the time. Go to cycle 5000:

			(wd) goto 5000]],
			task = "goto 5000", wait = function() return gpu.cycle >= 4000 end, hints = {"`goto 5000`"}},
		{text = [[
			What keeps an SM from holding more of these CTAs?

			(wd) info kernels]],
			task = "answer: the limit", choice = {"registers", "shared", "threads", "CTAs"},
			right = function() return gpu.kernel[0].limiter end,
			hints = {"`info kernels`: \"... CTAs per SM, limited by ...\". `info sms` shows what is in use."},
			after = function()
				local sm = gpu.sm[0]
				return string.format("Its %d CTA slots are all taken, with %d %% of its registers in use.", sm.max_ctas,
					math.floor(100 * sm.regs_used / sm.regs + 0.5))
			end},
		{text = [[
			And what does it cost? Run to the end, then read what an SM's IPC was.

			(wd) continue
			(wd) print gpu.sm[0].ipc]],
			task = "answer: IPC of SM 0", within = 0.03,
			number = function() return gpu.sm[0].ipc end,
			wrong = function()
				if gpu.kernel[0].state ~= "done" then
					return "The run has not ended yet: `continue`, then `print gpu.sm[0].ipc`."
				end
			end,
			hints = {"`print gpu.sm[0].ipc` when the program has finished."},
			after = function()
				before = lib.cycles()
				return "The kernel took " .. lib.num(before) .. " cycles. 2 instructions a cycle are possible."
			end},
		{text = [[
			Virtual threads (Yoon 2016): an SM holds as many CTAs as its registers and shared memory allow. As many
			as before have slots. If all warps of a CTA wait for memory, it gives its slots to another CTA that is
			ready, and stays on the SM without slots until its data have come. The swap takes some cycles.

			The grid has 128 CTAs, and the machine 4 SMs. How many times as fast may it become at best?]],
			task = "answer: times you expect", unit = "times",
			predict = function(given)
				if given < 1 then
					return "Below 1 means slower. How many times as fast?"
				end
				guess = given
			end,
			hints = {"Before, 8 CTAs of an SM could wait for their loads at the same time. Now?"}},
		{text = [[
			Run it with virtual threads, and go back to the midst of the run:

			(wd) run --cta-virtual vt
			(wd) goto 5000]],
			task = "run --cta-virtual vt, goto", wait = function(now)
				if now.finished and gpu.conf["cta-virtual"] == "none" then
					return false, "This machine has no virtual threads: `run --cta-virtual vt`."
				end
				local k = gpu.kernel[0]
				return gpu.cycle >= 2000 and k.state == "running" and k.kept.inactive > 0
			end,
			hints = {"`run --cta-virtual vt` goes to the end; `goto 5000` then comes back to that cycle."},
			after = "The lanes view (key _) draws the CTAs of an SM over time, with their swaps."},
		{text = [[
			How many CTAs are on SM 0 now, those without slots included?

			(wd) info ctas 0]],
			task = "answer: CTAs on SM 0", unit = "CTAs", within = 0,
			number = function() return gpu.sm[0].ctas + gpu.sm[0].inactive end,
			wrong = function(given)
				if given == gpu.sm[0].ctas then
					return "Those have slots. Others are on the SM without."
				elseif given == gpu.sm[0].inactive then
					return "Those are without slots. Add the ones that have some."
				end
			end,
			hints = {"`print gpu.sm[0].ctas` have slots, `print gpu.sm[0].inactive` do not."}},
		{text = [[
			Choose one that has no slots and ask what it waits for (why cta N). Then go to the end:

			(wd) continue]],
			task = "run to the end", wait = function(now) return now.finished end, hints = {"`continue`, or space."},
			after = function()
				return string.format("You expected %.1f times as fast. %s cycles instead of %s are %s.", guess or 0, lib.num(lib.cycles()),
					lib.num(before or 0), lib.times(before or lib.cycles(), lib.cycles()))
			end},
		{text = [[
			`info swaps 5` has the swaps of the run, and means: for how long the leaving CTA had its slots, how long
			the coming one was away, and for how much of that it was ready, waiting for slots only.

			How many swaps were there?]],
			task = "answer: swaps", unit = "swaps", within = 0.001,
			number = function() return #dbg.swaps() end,
			hints = {"The first number of `info swaps`."},
			after = [[
				`ready` is near 0: a CTA gets slots as soon as its data are there. Slots are no longer what the SM lacks;
				more CTAs or a faster memory would help. ui/SWAPS.md follows one CTA through its swaps.]]},
	},
}
