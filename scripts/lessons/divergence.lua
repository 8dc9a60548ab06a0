--[[ divergence: lanes that go two ways cost the instructions of both. ]]
local lib = require "lessons.lib"
local before, guess

-- Lanes that are on at the multiply-adds, in the mean.
local function lanes()
	local rows = lib.rows("fma")
	return lib.sum(rows, "lanes") / lib.sum(rows, "executed")
end

return {
	number = 3,
	title = "Divergence",
	minutes = 10,
	program = "programs/branches.lua --set num_sms=4",
	steps = {
		{text = [[
			A warp has one program counter for all of its active lanes. If a branch sends some lanes one way and
			some another, the warp goes both ways, one after the other, each time with the other lanes switched off.
			Where the ways meet again, all lanes go on together.

			This kernel has an if. Threads with an even index go through one loop, odd ones through another that is
			just as long: neighbours never agree.]]},
		{text = [[
			Stop where a warp diverges for the first time:

			(wd) tbreak branch-diverge
			(wd) continue]],
			task = "stop at branch-diverge",
			wait = function(now) return now.reason:find("branch-diverge", 1, true) ~= nil and not now.finished end,
			hints = {"The event is called branch-diverge: `tbreak branch-diverge`, then `c`."}},
		{text = [[
			The stop says which lanes took the branch (taken) and which did not, as masks. The warp's SIMT stack has
			an entry for each way, and one for the place where they meet. The top is what executes now:

			(wd) backtrace

			How many of its 32 lanes are active now?]],
			task = "answer: active lanes", unit = "lanes",
			number = function()
				local f, n = dbg.focus(), 0
				local mask = gpu.sm[f.sm].warp[f.warp].mask or 0
				while mask > 0 do
					n, mask = n + (mask & 1), mask >> 1
				end
				return n
			end,
			wrong = function(given)
				if given == 32 then
					return "32 is the whole warp. The mask of the entry #0 has a bit for each lane that is active."
				end
			end,
			hints = {"`info lanes` lists the lanes: active or not.", "Every second thread took this way."}},
		{text = [[
			Run to the end:

			(wd) continue]],
			task = "run to the end", wait = function(now) return now.finished end,
			hints = {"`continue`. If a breakpoint stops it on the way: `delete`, then `c`."},
			after = function()
				before = lib.cycles()
				return "The kernel took " .. lib.num(before) .. " cycles."
			end},
		{text = [[
			`info code executed` has a column `lanes`: how many lanes were on when the instruction executed, in the
			mean.

			How many is that for the multiply-adds (fma) in the loops?]],
			task = "answer: lanes of an fma", unit = "lanes",
			number = lanes,
			hints = {"`info code executed`, the lines with fma.rn.f32, column lanes."}},
		{text = [[
			So half of the lanes' places were empty. With --param run=32, 32 neighbours go the same way: all threads
			of a warp agree, and half of the warps go one way, half the other. The work of each thread is the same.

			How many cycles do you expect?]],
			task = "answer: cycles you expect", unit = "cycles",
			predict = function(given)
				if before and given > before then
					return "More than before (" .. lib.num(before) .. ")? No thread does more than before."
				end
				guess = given
			end},
		{text = [[
			(wd) run --param run=32]],
			task = "run --param run=32", wait = function(now)
				if now.finished and lanes() < 31 then
					return false, string.format("Only %.1f lanes are on at an fma: warps still diverge.", lanes())
				end
				return now.finished
			end,
			hints = {"Type `run --param run=32`."},
			after = function()
				local now = lib.cycles()
				return string.format("You expected %s cycles, it took %s: %s as fast.", lib.num(guess or now), lib.num(now),
					lib.times(before or now, now))
			end},
		{text = [[
			Now find the smallest `run` for which no warp diverges any more. Try as many as you like
			(run --param run=8, ...), then answer.]],
			task = "answer: the smallest run", unit = "threads",
			number = function() return gpu.kernel[0].block.x // gpu.kernel[0].warps end, -- as long as a warp is wide
			wrong = function(given)
				if given < 32 then
					return "With " .. lib.num(given) .. ", a warp of 32 lanes has lanes of both kinds."
				end
				return "Does a smaller one do as well?"
			end,
			hints = {"A warp has 32 lanes. What must all of them have in common?"},
			after = [[
				What matters is not that threads differ but that lanes of one warp do. Sort the work, or choose the
				way by the warp, and the same if costs nothing. `inspect divergence` lists a program's branches.]]},
	},
}
