-- Looks at the programs that share its machine, and launches nothing: what each has got done, every every_us. Into the
-- run's statistics (dbg.figure) go, of each program by its place on the command line, from 0:
--   watch_us      the times of the looks
--   work_PROGRAM  its warp instructions until then, without those that a flush has made void
-- warpdbg run --size small cp concurrent/realtime concurrent/watch --partition spatial --preempt chimera --stats a.json
local need = require("lib.need")

return {
	help = "measures what the other programs have got done every every_us, for the JSON statistics; launches nothing",
	sizes = { small = { every_us = 10 }, default = { every_us = 20 }, large = { every_us = 50 } },
	run = function(cuda, p)
		local mhz = gpu.conf["core_clock"]
		local every, times, work = math.floor(need(p, "every_us", 1, 1000000) * mhz), {}, {}
		local function look(cycle)
			local i = cycle // every
			times[i] = cycle / mhz
			for k = 0, gpu.num_kernels - 1 do
				local launch = gpu.kernel[k]
				local of = work[launch.program] or {}
				of[i] = (of[i] or 0) + launch.warp_insts - launch.insts_dropped
				work[launch.program] = of
			end
		end
		local function forget()
			times, work = {}, {}
		end
		dbg.at_start(forget)
		dbg.sample(every, look)
		dbg.at_end(function()
			dbg.figure("watch_us", times)
			for program, of in pairs(work) do
				for i = 1, #times do
					of[i] = of[i] or 0
				end
				dbg.figure("work_" .. program, of)
			end
		end)
	end,
}
