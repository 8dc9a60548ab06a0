--[[ thrashing: warps that push each other's lines out of L1D, and a scheduler that lets fewer of them load. ]]
local lib = require "lessons.lib"
local before, hits

return {
	number = 6,
	title = "Thrashing and throttling",
	minutes = 15,
	program = "kmeans --size small --set num_sms=4",
	steps = {
		{text = [[
			A line that L1D holds is used again, if it is still there by then. If more lines are in use at the same
			time than L1D has, each is thrown out before it is used again: the cache thrashes.

			The kernel kmeans_swap transposes the points. Each lane of a warp walks along a row of its own, so each
			load of a warp touches 32 lines. It comes back to the same lines with its next load: 32 floats are a
			line.]]},
		{text = [[
			How many lines does the L1D of an SM have? `show l1d` has its sets, ways and the size of a line.]],
			task = "answer: lines of L1D", unit = "lines",
			number = function() return gpu.conf["l1d.sets"] * gpu.conf["l1d.ways"] end,
			wrong = function(given, right)
				if given == right * gpu.conf["l1d.line"] then
					return "Those are its bytes. A line has " .. gpu.conf["l1d.line"] .. "."
				elseif given == gpu.conf["l1d.sets"] then
					return "That is the number of sets. Each has several ways."
				end
			end,
			hints = {"Sets times ways."}},
		{text = [[
			A warp has 32 lines in use. How many warps fit into L1D before their lines push each other out?]],
			task = "answer: warps that fit", unit = "warps",
			number = function() return gpu.conf["l1d.sets"] * gpu.conf["l1d.ways"] // 32 end,
			hints = {"Lines of L1D divided by 32."},
			after = "An SM holds 48 of this kernel's warps, and has at least 16 here."},
		{text = [[
			Run it to the end, and look at the caches (view 5):

			(wd) continue
			(wd) view caches]],
			task = "run to the end, view 5", wait = function(now) return now.finished and now.view == "cache" end,
			hints = {"`continue`, then the key 5 or `view caches`."},
			after = function()
				before, hits = gpu.cycle, gpu.l1d.hit_rate
				return "The run took " .. lib.num(before) .. " cycles."
			end},
		{text = [[
			What is the hit rate of L1D, over all SMs, in percent?

			(wd) print gpu.l1d.hit_rate]],
			task = "answer: hit rate in %", unit = "%", within = 0.03,
			number = function() return 100 * gpu.l1d.hit_rate end,
			wrong = function(given, right)
				if math.abs(given - right / 100) < 0.01 then
					return "As a share that is right; in percent it is a hundred times as much."
				end
			end,
			hints = {"`print gpu.l1d.hit_rate`, times 100."}},
		{text = [[
			The simulator knows why each read missed. Why did most of them? View 5 shows it, as do gpu.l1d.cold_rate,
			conflict_rate and capacity_rate (shares of all accesses).

			cold: nobody has read the line before. conflict: with more ways it would have been there. capacity: with
			as many ways as lines it would not have been there either.]],
			task = "answer: why reads missed", choice = {"cold", "conflict", "capacity"},
			right = function()
				local most, rate = "cold", gpu.l1d.cold_rate
				for _, name in ipairs{"conflict", "capacity"} do
					if gpu.l1d[name .. "_rate"] > rate then
						most, rate = name, gpu.l1d[name .. "_rate"]
					end
				end
				return most
			end,
			hints = {"`print gpu.l1d.cold_rate`, and the same for conflict_rate and capacity_rate. Which is highest?"},
			after = "The lines had been there, and were thrown out: L1D is too small for so many warps at a time."},
		{text = [[
			A larger cache is not to be had. But does everybody have to load at the same time? Schedulers with
			throttling let fewer warps load while lines are being lost:

			(wd) whatif warp-sched=gto,lrr,ccws from 0 print l1d.hit_rate

			Which of them is the fastest?]],
			task = "answer: the fastest", choice = {"gto", "lrr", "ccws"},
			right = function() return lib.fastest("warp-sched", "gto,lrr,ccws") end,
			hints = {"The row with the star. `explain ccws` says what it does."}},
		{text = [[
			Run the program with a scheduler that takes at most three quarters of the cycles:

			(wd) run --warp-sched NAME]],
			task = "3/4 of the cycles or less", wait = function(now)
				if now.finished and before and gpu.cycle > 0.75 * before and gpu.cycle ~= before then
					return false, string.format("%s: %s cycles, %.0f %% of %s.", gpu.conf["warp-sched"], lib.num(gpu.cycle),
						100 * gpu.cycle / before, lib.num(before))
				end
				return now.finished and before and gpu.cycle <= 0.75 * before
			end,
			hints = {"`whatif` shows the table again.", "`run --warp-sched ccws`"},
			after = function()
				return string.format([[
					%s cycles instead of %s, and L1D's hit rate is %.0f %% instead of %.0f %%. Fewer warps load at a
					time, and what they load is still there when they come back. `inspect l1_thrash` says whose
					lines are thrown out by whom.]], lib.num(gpu.cycle), lib.num(before or gpu.cycle), 100 * gpu.l1d.hit_rate,
					100 * (hits or 0))
			end},
	},
}
