--[[ latency_hiding: how many warps it takes to fill the issue slots while loads are under way. ]]
local lib = require "lessons.lib"
local guess

-- Instructions that a warp issues for each load of its loop, and the mean latency of the loads.
local function per_load()
	local load = lib.rows("ld.global")[1]
	local all = 0
	for _, row in ipairs(lib.rows("")) do
		if row.executed > load.executed * 0.9 then -- the branch back is executed once less
			all = all + 1
		end
	end
	return all
end

return {
	number = 4,
	title = "Latency hiding",
	minutes = 15,
	program = "programs/chain.lua --set num_sms=4",
	steps = {
		{text = [[
			A load takes many cycles, and a warp that needs its value waits. The SM issues instructions of other
			warps meanwhile, if it has any. So the question is not how long a load takes but whether there are
			enough warps.

			Here every SM has ONE warp, which follows a chain: the address of each load is the value of the load
			before. The table is one line of L1D, so that nearly all loads hit.]]},
		{text = [[
			Run it:

			(wd) continue]],
			task = "run to the end", wait = function(now) return now.finished end, hints = {"`continue`, or space."}},
		{text = [[
			How long does a load take that hits L1D, from its issue until its value is there?

			(wd) info latency]],
			task = "answer: latency of a hit", unit = "cycles",
			number = function()
				local hits = dbg.latency().by.L1
				return hits.cycles / hits.loads
			end,
			wrong = function(given)
				local by = dbg.latency().by
				if by.DRAM and math.abs(given - by.DRAM.cycles / by.DRAM.loads) < 1 then
					return "That is the mean of the few that came from DRAM. Look at the row L1."
				end
			end,
			hints = {"The row L1, column mean."}},
		{text = [[
			In a round of its loop the warp issues the load and some other instructions. `info code executed` lists
			the instructions: those of the loop were executed most often (the branch back once less).

			How many instructions does a round have?]],
			task = "answer: instructions", unit = "instructions",
			number = per_load,
			hints = {"Count the lines whose `executed` is about 2,000: 500 rounds of 4 warps.",
				"The loop: address (2), load, counter, comparison, branch out, branch back."}},
		{text = [[
			The run had 500 rounds. What share of an SM's cycles had an instruction issued, in percent? That is the
			SM's IPC times 100:

			(wd) print gpu.sm[0].ipc]],
			task = "answer: IPC in percent", unit = "%", within = 0.03,
			number = function() return 100 * gpu.sm[0].ipc end,
			wrong = function(given, right)
				if math.abs(given - right / 100) < 0.01 then
					return "That is the IPC. In percent it is a hundred times as much."
				end
			end,
			hints = {"`print gpu.sm[0].ipc`, times 100."},
			after = "In all other cycles the warp waited, and there was nobody else."},
		{text = [[
			Give each SM 8 warps instead of 1 (--param warps=8), each with a chain of its own.

			Which IPC do you expect of an SM?]],
			task = "answer: IPC you expect",
			predict = function(given)
				if given > 2 then
					return "An SM of this machine has 2 schedulers, each with one instruction a cycle."
				end
				guess = given
			end},
		{text = [[
			(wd) run --param warps=8]],
			task = "run --param warps=8", wait = function(now)
				if now.finished and gpu.kernel[0].warps ~= 8 then
					return false, "That had " .. lib.num(gpu.kernel[0].warps) .. " warps in a CTA; 8 are wanted."
				end
				return now.finished
			end,
			hints = {"Type `run --param warps=8`."},
			after = function()
				return string.format("You expected %.2f; it is %.2f, in the same number of cycles: nobody gets in another's way.",
					guess or 0, gpu.sm[0].ipc)
			end},
		{text = [[
			Now fill the machine: find a number of warps (up to 32) with which an SM's IPC is at least 1.8, of 2
			that are possible. Can you say it before you try?

			(wd) run --param warps=N]],
			task = "IPC of 1.8 or more", wait = function(now)
				if now.finished and gpu.sm[0].ipc < 1.8 then
					return false, string.format("%d warps: IPC %.2f.", gpu.kernel[0].warps, gpu.sm[0].ipc)
				end
				return now.finished and gpu.sm[0].ipc >= 1.8
			end,
			hints = {"Every warp adds the same IPC, as long as there are free slots.",
				"One warp has 0.15. How many make 1.8?"},
			after = function()
				return string.format([[
					%d warps: IPC %.2f. Warps needed = latency of a round x instructions a cycle / instructions of a
					round. That is Little's law: what is under way is throughput times latency.]], gpu.kernel[0].warps,
					gpu.sm[0].ipc)
			end},
	},
}
