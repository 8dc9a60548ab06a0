-- A periodic real-time task: every period a job begins that needs `ctas` whole SMs for run_us; what is not done run_us
-- and limit_us after its release gives up (Park 2016, section 4.4: every 1 ms half of the SMs for 200 us; gtx480 has 15).
--
-- Alone it is always in time. Beside a program that fills the machine it depends on how soon SMs are given up:
--   warpdbg run concurrent/pair --param a=concurrent/realtime --param b=kmeans --partition spatial --preempt chimera
-- Into the run's statistics (dbg.figure) go released_us and waited_us, by job; waited -1: it missed its deadline. Beside
-- other programs, as long as these run, also effective_ipc: their warp instructions a cycle in the periods whose job was
-- in time (section 4.4.2: what they gain because a deadline was missed is ignored), without those that a flush has made
-- void. It is that of the task's first run (--again).
local need = require("lib.need")

local function gcd(a, b)
	return b == 0 and a or gcd(b, a % b)
end

-- What the kernels of others have got done, and whether any is still to end: jobs are synthetic and count for nothing.
local function others()
	local work, open = 0, false
	for i = 0, gpu.num_kernels - 1 do
		local k = gpu.kernel[i]
		if k.name ~= "job" then
			work, open = work + k.warp_insts - k.insts_dropped, open or k.state ~= "done"
		end
	end
	return { cycle = gpu.cycle, work = work, open = open }
end

-- Looks at the others when a job is released, and a period after the last. When the run is over, tell(ipc, periods) with
-- what they did a cycle in the periods of which in_time(job) is true, if any, and how many these were; jobs are counted
-- from 0. Of a run in the debugger that begins anew the next one's watch takes the place.
local function watch_others(first, period, jobs, in_time, tell)
	local mhz, at, ids = gpu.conf["core_clock"], {}, {}
	local step = gcd(first, period)
	ids[1] = dbg.sample(math.max(math.floor(step * mhz), 1), function(cycle)
		local job = (cycle / mhz - first) / period
		local nearest = math.floor(job + 0.5)
		if nearest >= 0 and nearest <= jobs and math.abs(job - nearest) * period < step / 2 then
			at[nearest] = others()
		end
	end)
	ids[2] = dbg.at_end(function()
		local work, cycles, periods = 0, 0, 0
		for k = 0, jobs - 1 do
			local from, to = at[k], at[k + 1]
			if in_time(k) and from and to and from.open and to.open then
				work, cycles, periods = work + to.work - from.work, cycles + to.cycle - from.cycle, periods + 1
			end
		end
		if cycles > 0 then
			tell(work / cycles, periods)
		end
	end)
	ids[3] = dbg.at_start(function()
		for _, id in ipairs(ids) do
			dbg.off(id)
		end
	end)
end

return {
	help = "periodic real-time task: every period_us a job of `ctas` SMs (shared_kb: all of their shared memory) and run_us, due limit_us after that; jobs of them, from first_us on",
	sizes = {
		small = { period_us = 60, run_us = 10, limit_us = 15, jobs = 3, first_us = 20, ctas = 7, shared_kb = 48 },
		default = { period_us = 1000, run_us = 200, limit_us = 15, jobs = 5, first_us = 100, ctas = 7, shared_kb = 48 },
		large = { period_us = 1000, run_us = 200, limit_us = 15, jobs = 20, first_us = 100, ctas = 7, shared_kb = 48 },
	},
	run = function(cuda, p)
		local m = cuda.module("realtime.ptx")
		local jobs, period, run = need(p, "jobs", 1, 4096), need(p, "period_us", 1, 1000000), need(p, "run_us", 1, 100000)
		local limit, first = need(p, "limit_us", 0, 100000), need(p, "first_us", 0, 1000000)
		local ctas, shared = need(p, "ctas", 1, 256), 1024 * need(p, "shared_kb", 0, 227)
		local ended = cuda.host("u64", jobs * ctas)
		local results = cuda.malloc(8 * jobs * ctas, "ended")
		local stream = cuda.stream()
		local function release(k)
			return first + k * period
		end
		local missed, worst, released, waited = 0, 0, {}, {}
		if gpu.cycle == 0 then
			watch_others(first, period, jobs, function(k)
				return waited[k + 1] and waited[k + 1] >= 0
			end, function(ipc, periods)
				dbg.figure("effective_ipc", ipc)
				print(("realtime: the others' effective IPC is %.2f, in %d period%s"):format(ipc, periods, periods == 1 and "" or "s"))
			end)
		end
		for k = 0, jobs - 1 do
			-- All of an SM's shared memory: one CTA an SM, and nobody beside it.
			cuda.launch(m.job, ctas, 256, { results + 8 * k * ctas, run * 1000, (release(k) + run + limit) * 1000 }, {
				stream = stream,
				shared = shared,
				start_us = release(k),
			})
		end
		cuda.copy(ended, results)
		for k = 0, jobs - 1 do
			local late, last = false, 0
			for i = k * ctas, (k + 1) * ctas - 1 do
				late = late or ended[i] == 0
				last = math.max(last, ended[i])
			end
			released[k + 1], waited[k + 1] = release(k), -1
			if late then
				missed = missed + 1
			else
				waited[k + 1] = last / 1000 - release(k) - run
				worst = math.max(worst, waited[k + 1])
			end
		end
		dbg.figure("released_us", released)
		dbg.figure("waited_us", waited)
		print(("realtime: %d of %d deadlines missed; jobs in time waited up to %.1f us"):format(missed, jobs, worst))
		cuda.check(function()
			for i = 0, jobs * ctas - 1 do
				local k = i // ctas
				if ended[i] ~= 0 and (ended[i] < (release(k) + run) * 1000 or ended[i] > (release(k) + run + limit) * 1000) then
					return false, ("job %d ended at %d ns"):format(k, ended[i])
				end
			end
			return true
		end)
	end,
}
