-- Programs that share a machine, by what they have got done at each look of concurrent/watch: how much slower than
-- alone, and the metrics of sharing.
local T = {}

-- The program that looks, every so many us; more: its other parameters.
function T.watch(look_us, more)
	local params = { every_us = look_us }
	for k, v in pairs(more or {}) do
		params[k] = v
	end
	return { workload = "concurrent/watch", params = params }
end

-- When so much is done alone, by the work at each look; asked for ever more.
function T.alone_time(work, look_us)
	local at = 1
	return function(w)
		while at < #work and work[at] < w do
			at = at + 1
		end
		local before = at > 1 and work[at - 1] or 0
		return look_us * (at - 1 + (work[at] > before and math.min((w - before) / (work[at] - before), 1) or 0))
	end
end

-- Park 2016, equations 4.1 and 4.2, of two programs: the mean of how many times slower each is than alone, and the sum
-- of the inverses. A program executes the same instructions alone and in company, so CPIs are as times.
function T.metrics_of(slower)
	return { antt = (slower[1] + slower[2]) / 2, stp = 1 / slower[1] + 1 / slower[2] }
end

-- How much slower two programs were while both ran, until one ended: how long what each got done takes alone. r: their
-- run's result; alone: those of each by itself.
function T.slower(r, alone, mhz, look_us)
	local us = math.floor(math.min(r.programs[1]["end"], r.programs[2]["end"]) / mhz) // look_us * look_us
	local slower = {}
	for i = 1, 2 do
		slower[i] = us / T.alone_time(alone[i].figures.work_0, look_us)(r.figures["work_" .. i - 1][us // look_us])
	end
	return slower, us
end

return T
