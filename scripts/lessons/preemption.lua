--[[ preemption: taking SMs from a kernel that has all of them, in time for another. ]]
local lib = require "lessons.lib"
local missed, first

-- The program whose kernels are asked for SMs.
local function programs()
	return dbg.programs()[1]
end

-- When request 1 was made, from the table that `info preemptions` prints.
local function request()
	return tonumber(dbg.execute("info preemptions"):match("request 1, cycle (%d+)"))
end

return {
	number = 10,
	title = "Preemption",
	minutes = 20,
	program = "blackscholes concurrent/realtime --size small --param first_us=60 --partition spatial --preempt drain" ..
		" --dynamic-idempotence",
	setup = {"view kernels"},
	steps = {
		{text = [[
			BlackScholes has all 15 SMs. Every 60 us a real-time task asks for half of them, and must have them within
			15 us. SMs can be taken in three ways:

			  drain   no new CTAs there; those that are there run to their end
			  switch  the CTAs' registers and shared memory are saved, to go on later
			  flush   the CTAs are dropped and begin again, if they can be repeated

			This machine drains. View 7 shows the kernels and the SMs' preemptions.]]},
		{text = [[
			Stop where the first request is made:

			(wd) break preempt-request
			(wd) continue]],
			task = "stop at preempt-request",
			wait = function(now) return now.reason:find("preempt-request", 1, true) ~= nil and not now.finished end,
			hints = {"`break preempt-request`, then `continue`."}},
		{text = [[
			The request, the estimates of what each technique would cost on each SM, and later what it really took:

			(wd) info preemptions

			In which cycle was request 1 made?]],
			task = "answer: cycle of request 1", within = 0,
			number = request,
			after = function()
				first = request()
			end,
			hints = {"The first line of `info preemptions`: request 1, cycle ..."}},
		{text = [[
			Each SM has a line "drain  all" with an estimate in us, for the slowest of its CTAs, and a line "would have
			cost" with the other techniques.

			Which technique takes least time for an SM, by these estimates?]],
			task = "answer: least time", choice = {"drain", "switch", "flush"},
			right = function()
				local text = dbg.execute("info preemptions")
				local drain = tonumber(text:match("drain%s+all%s+([%d.]+)"))
				local switch, flush = text:match("switch ([%d.]+) us, %d+ lost; flush ([%d.]+) us")
				local least = {{drain, "drain"}, {tonumber(switch), "switch"}, {tonumber(flush), "flush"}}
				table.sort(least, function(a, b) return a[1] < b[1] end)
				return least[1][2]
			end,
			wrong = function(given)
				if given == "drain" then
					return "Draining is the slowest here: it waits for whole CTAs. What does it save, then?"
				end
			end,
			hints = {"Compare the three times: estimated us of `drain all`, and the line \"would have cost\"."},
			after = [[
				But it loses what the CTAs have done so far (the instructions that are "lost"); draining loses none of
				their work, only time of SMs that wait for their last CTA.]]},
		{text = [[
			So it is known beforehand that draining will be late. See how late: delete the breakpoint and run to the
			end.

			(wd) delete
			(wd) continue]],
			task = "delete, run to the end", wait = function(now) return now.finished end,
			hints = {"`delete`, then `continue`."}},
		{text = [[
			How many of the task's deadlines were missed?

			(wd) info programs]],
			task = "answer: missed deadlines", unit = "deadlines", within = 0,
			number = function() return programs().deadlines_missed end,
			wrong = function(given)
				if given == programs().deadlines_met then
					return "So many were met."
				end
			end,
			hints = {"The message at the end has it: `realtime: ... deadlines missed`. Or the log (view 0)."},
			after = function()
				missed = programs().deadlines_missed
			end},
		{text = [[
			Go back to just before the first request, and choose chimera: it takes for each CTA the technique that
			loses least and is still in time. A change in the past makes another future.

			(wd) goto 41999
			(wd) set preempt chimera]],
			task = "goto 41999, set preempt ...", wait = function(now)
				if gpu.conf["preempt"] ~= "drain" and not now.finished then
					if first and gpu.cycle > first then
						return false, "The first request has been made already. `goto 41999` comes before it."
					end
					return true
				end
			end,
			hints = {"`goto 41999`, `set preempt chimera`. `undo` takes it back."}},
		{text = [[
			(wd) tbreak deadline-met
			(wd) continue
			(wd) info preemptions

			Which techniques did it use? CTAs that were nearest to their end were treated otherwise than others.

			Then run to the end, so that no deadline is missed:

			(wd) continue]],
			task = "no deadline missed", wait = function(now)
				if now.finished and programs().deadlines_missed > 0 then
					return false, string.format("%d deadlines were missed with %s.", programs().deadlines_missed, gpu.conf["preempt"])
				end
				return now.finished
			end,
			hints = {"`continue` until the program has finished.", "`goto 41999`, `set preempt chimera`, `continue`."},
			after = function()
				return string.format([[
					No deadline was missed, with %d before. Draining costs nothing but time, flushing takes no time but
					loses work, switching lies between them. Chimera (Park 2015) estimates all of them for each CTA.]], missed or 0)
			end},
	},
}
