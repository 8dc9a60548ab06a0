-- Looks at the programs that share its machine, and launches nothing: what each has got done, every every_us. Into the
-- run's statistics (dbg.figure) go, of each program by its place on the command line, from 0:
--   watch_us      the times of the looks
--   work_PROGRAM  its warp instructions until then, without those that a flush has made void
-- With partitions = 1, of a partition policy's decisions for two kernels:
--   fragmented    at each look, % of the SMs' registers that CTAs to come could have if what is free were in one piece
--   share_us, share_of, share_threads   when the share of a kernel changed, whose program's, its threads on an SM
--   epochs_spatial, epochs_first, epochs_one, epochs_more   maestro: epochs after which it chose to split the SMs; the
--                 partition it began with when the two kernels first met; one or more CTAs of the trial kernel from that
-- warpdbg run --size small cp concurrent/realtime concurrent/watch --partition spatial --preempt chimera --stats a.json
local need = require("lib.need")

local function threads(launch)
	local block = launch.block
	return block.x * block.y * block.z
end

local function watch_shares()
	local us, of, on_sm
	dbg.at_start(function()
		us, of, on_sm = {}, {}, {}
	end)
	us, of, on_sm = {}, {}, {}
	dbg.on("repartition", function(e)
		local launch = gpu.kernel[e.kernel]
		us[#us + 1] = e.cycle / gpu.conf["core_clock"]
		of[#of + 1] = launch.program
		on_sm[#on_sm + 1] = e.after * threads(launch)
	end)
	dbg.at_end(function()
		dbg.figure("share_us", us)
		dbg.figure("share_of", of)
		dbg.figure("share_threads", on_sm)
	end)
end

-- Of the kernel that loses most by it, mean over the SMs.
local function fragmentation()
	local most = 0
	for k = 0, gpu.num_kernels - 1 do
		local room, lost = gpu.kernel[k].room, 0
		for sm = 0, room and gpu.num_sms - 1 or -1 do
			lost = lost + room[sm].fragmented * room[sm].regs_of_cta
		end
		most = math.max(most, lost)
	end
	return 100 * most / (gpu.num_sms * gpu.conf["sm.regs"])
end

-- An epoch's trials come in one cycle: the followers' first, splitting the SMs (no CTAs) last.
local function watch_epochs()
	local chosen, first, best, ctas, least
	local function forget()
		chosen, first, least = { spatial = 0, first = 0, one = 0, more = 0 }, {}, math.huge
	end
	forget()
	dbg.at_start(forget)
	local function better(a, b)
		if gpu.conf["maestro.objective"] == "stp" then
			return a > b
		end
		return a < b
	end
	dbg.on("trial", function(e)
		local split = e.ctas == 0 and e.others == 0
		local name = gpu.kernel[e.kernel].name
		if not split then
			first[name] = first[name] or e.ctas
		end
		if not best or better(e.objective, best) then
			best, ctas = e.objective, not split and e.ctas or nil
		end
		if split then
			local apart = ctas and math.abs(ctas - (first[name] or ctas))
			local how = not apart and "spatial" or apart == 0 and "first" or apart == 1 and "one" or "more"
			chosen[how] = chosen[how] + 1
			best = nil
		end
	end)
	dbg.at_end(function()
		for how, n in pairs(chosen) do
			dbg.figure("epochs_" .. how, n)
		end
	end)
end

return {
	help = "measures what the other programs have got done every every_us, for the JSON statistics; launches nothing",
	sizes = {
		small = { every_us = 10, partitions = 0 },
		default = { every_us = 20, partitions = 0 },
		large = { every_us = 50, partitions = 0 },
	},
	run = function(cuda, p)
		local mhz = gpu.conf["core_clock"]
		local every, times, work = math.floor(need(p, "every_us", 1, 1000000) * mhz), {}, {}
		if need(p, "partitions", 0, 1) == 1 then
			watch_shares()
			watch_epochs()
		end
		local partitions, fragmented = p.partitions == 1, {}
		local function look(cycle)
			local i = cycle // every
			times[i] = cycle / mhz
			fragmented[i] = partitions and fragmentation() or nil
			for k = 0, gpu.num_kernels - 1 do
				local launch = gpu.kernel[k]
				local of = work[launch.program] or {}
				of[i] = (of[i] or 0) + launch.warp_insts - launch.insts_dropped
				work[launch.program] = of
			end
		end
		local function forget()
			times, work, fragmented = {}, {}, {}
		end
		dbg.at_start(forget)
		dbg.sample(every, look)
		dbg.at_end(function()
			dbg.figure("watch_us", times)
			if partitions then
				dbg.figure("fragmented", fragmented)
			end
			for program, of in pairs(work) do
				for i = 1, #times do
					of[i] = of[i] or 0
				end
				dbg.figure("work_" .. program, of)
			end
		end)
	end,
}
