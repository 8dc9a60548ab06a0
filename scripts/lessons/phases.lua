--[[ phases: stretches of code between long waits, and a scheduler that knows how long they are. ]]
local lib = require "lessons.lib"
local before

-- The rows of `info phases`: of the kernel that the focus is on.
local function phases()
	local rows = {}
	for line in dbg.execute("info phases"):gmatch("[^\n]+") do
		local number, rest = line:match("^%s*(%d+)%s+(.*)")
		if number then
			local columns = {}
			for word in rest:gmatch("%S+") do
				columns[#columns + 1] = word
			end
			rows[#rows + 1] = {insts = tonumber(columns[4]), long = tonumber(columns[5]), length = tonumber(columns[6])}
		end
	end
	return rows
end

local function longest()
	local most = 0
	for _, row in ipairs(phases()) do
		most = math.max(most, row.length)
	end
	return most
end

return {
	number = 7,
	title = "Phases",
	minutes = 15,
	program = "cfd --size small --set num_sms=4 --warp-sched rr",
	steps = {
		{text = [[
			A kernel's code falls into phases. A phase ends before the instruction that needs the result of a long
			operation: a load from memory, mostly. Within a phase a warp can issue without long waits; at its end it
			waits. Long phases are computation, short ones are memory accesses in a row.

			If all warps go through the phases together, the arithmetic units are idle while all of them wait for
			memory, and memory is idle while all of them compute.]]},
		{text = [[
			Go to cycle 3000 and look at the phases: view 3 has one row for each phase and shows how many warps are
			in it, over time.

			(wd) goto 3000
			(wd) view phases]],
			task = "goto 3000, view 3", wait = function(now) return gpu.cycle >= 2500 and now.view == "phase" end,
			hints = {"`goto 3000`, then the key 3 (or `view phases`)."}},
		{text = [[
			This lists the phases of the kernel, with their instructions, how many of these are long operations, and
			their lengths in cycles:

			(wd) info phases

			How long is the longest phase?]],
			task = "answer: the longest phase", unit = "cycles",
			number = longest,
			wrong = function(given)
				for _, row in ipairs(phases()) do
					if given == row.insts then
						return "That is a number of instructions (column insts). Its column is `length`."
					end
				end
				return nil
			end,
			hints = {"The column `length`: the highest number in it."}},
		{text = [[
			How many phases does the kernel have?]],
			task = "answer: phases", unit = "phases", within = 0,
			number = function() return #phases() end,
			wrong = function(given, right)
				if given == right - 1 then
					return "The last one has that number. They are counted from 0."
				end
			end,
			hints = {"The rows of `info phases`. The first one is phase 0."}},
		{text = [[
			This machine's scheduler is rr: round robin. Each warp has its turn, so that all of them come to the end
			of a phase at about the same time. Run it to the end, with view 3 in sight:

			(wd) continue]],
			task = "run to the end", wait = function(now) return now.finished end, hints = {"`continue`, or space."},
			after = function()
				before = gpu.cycle
				return string.format("%s cycles. IPC goes up and down with the phases.", lib.num(before))
			end},
		{text = [[
			gto stays with a warp as long as it can issue. paws ("phase aware") takes the ready warp that is nearest
			to the end of its phase: it will soon ask memory for something, and then compute while others wait.

			(wd) whatif warp-sched=rr,gto,paws from 0

			Which of the three takes the fewest cycles?]],
			task = "answer: the fastest", choice = {"rr", "gto", "paws"},
			right = function() return lib.fastest("warp-sched", "rr,gto,paws") end,
			hints = {"The row with the star."}},
		{text = [[
			Now see it: run it with that scheduler, and compare the rows of view 3 with what you have seen. The run
			must take at most 90 % of rr's cycles.

			(wd) run --warp-sched NAME]],
			task = "at most 90 % of rr's cycles", wait = function(now)
				if not now.finished or not before or gpu.cycle == before then
					return false
				end
				if gpu.cycle > 0.9 * before then
					return false, string.format("%s cycles, %.1f %% of rr's. There is a better one.", lib.num(gpu.cycle),
						100 * gpu.cycle / before)
				end
				return true
			end,
			hints = {"`whatif` shows the table again.", "`run --warp-sched paws`"},
			after = function()
				return string.format([[
					%s cycles instead of %s: %s as fast. Warps are in different phases at the same time, so that some
					compute while others wait. `why pick` shows how the scheduler ranks its warps at any cycle.]],
					lib.num(gpu.cycle), lib.num(before or gpu.cycle), lib.times(before or gpu.cycle, gpu.cycle))
			end},
	},
}
