--[[ bank_conflicts: lanes that want different words of the same bank of shared memory. ]]
local lib = require "lessons.lib"
local first, slow, guess

local function cycles_an_access()
	return lib.transactions("ld.shared")
end

return {
	number = 5,
	title = "Bank conflicts",
	minutes = 10,
	program = "programs/banks.lua --set num_sms=4",
	steps = {
		{text = [[
			Shared memory has 32 banks. Word w lies in bank w % 32, and a bank gives one word a cycle. If the lanes
			of a warp want words of 32 different banks (or the same word), the access takes one cycle. If n of them
			want different words of one bank, it takes n cycles: an n-way conflict.

			In this kernel lane i reads the word i x stride. The stride is 1.]]},
		{text = [[
			Run it with stride 1:

			(wd) continue]],
			task = "run to the end", wait = function(now) return now.finished end, hints = {"`continue`, or space."},
			after = function()
				first = lib.cycles()
				return "The kernel took " .. lib.num(first) .. " cycles, with no conflict."
			end},
		{text = [[
			Now with stride 8: lane i wants the word 8 x i.

			How many cycles will one access take? Work it out: in which banks do the lanes' words lie?]],
			task = "answer: cycles of an access", unit = "cycles",
			number = function()
				local banks, most = {}, 0
				for lane = 0, 31 do
					local bank = lane * 8 % gpu.conf["shared.banks"]
					banks[bank] = (banks[bank] or 0) + 1
					most = math.max(most, banks[bank])
				end
				return most
			end,
			wrong = function(given)
				if given == 4 then
					return "4 is the number of banks that are used. 32 lanes share them: how many are there for each?"
				elseif given == 32 then
					return "All 32 lanes in one bank? Lane 1 wants word 8, which is bank 8."
				end
			end,
			hints = {"Banks: 0, 8, 16, 24, then 0 again. How many lanes for each?"}},
		{text = [[
			Look whether the machine agrees: run it, and read the column txn/req of ld.shared.

			(wd) run --param stride=8
			(wd) info code transactions]],
			task = "run stride=8, info code", wait = function(now)
				if now.finished and now.command == "info" and now.args:find("^code") then
					return cycles_an_access() > 7.9 and cycles_an_access() < 8.1,
						string.format("An access takes %.1f cycles here. Was that stride 8?", cycles_an_access())
				end
			end,
			hints = {"`run --param stride=8`, and when it has finished `info code transactions`."},
			after = function()
				return string.format("An access took %.0f cycles, and the kernel %s: %s as long as without conflicts.",
					cycles_an_access(), lib.num(lib.cycles()), lib.times(lib.cycles(), first or lib.cycles()))
			end},
		{text = [[
			Eight times the cycles of an access did not make the kernel eight times as slow: before, shared memory
			was idle most of the time, while the warps issued other instructions. A conflict costs nothing until
			shared memory is what everybody waits for.

			With stride 32 all lanes want one bank. How many times as long as with stride 1 will the kernel take?]],
			task = "answer: times you expect", unit = "times",
			predict = function(given)
				if given < 1 then
					return "Less than with stride 1? How many times as long, please."
				end
				guess = given
			end},
		{text = [[
			(wd) run --param stride=32]],
			task = "run --param stride=32", wait = function(now)
				if now.finished and cycles_an_access() < 31 then
					return false, string.format("An access took %.0f cycles: this was not stride 32.", cycles_an_access())
				end
				return now.finished
			end,
			hints = {"Type `run --param stride=32`."},
			after = function()
				slow = lib.cycles()
				return string.format("You expected %.1f times; it is %s. An access takes %.0f cycles.", guess or 0,
					lib.times(slow, first or slow), cycles_an_access())
			end},
		{text = [[
			A tile of 32 x 32 words, read by columns, has exactly this stride. The remedy is one word more for each
			row, which nobody uses. Find the stride, larger than 32, that is nearest to 32 and has no conflicts,
			and run it.]],
			task = "a stride > 32, no conflicts", wait = function(now)
				if not now.finished then
					return false
				end
				local each = cycles_an_access()
				if each > 1.01 then
					return false, each < 31 and string.format("An access takes %.0f cycles: still conflicts.", each) or nil
				end
				local row = lib.rows("ld.shared")[1]
				if row.shared_conflicts == 0 and slow and lib.cycles() > slow * 0.5 then
					return false, "No conflicts, but not faster?"
				end
				return true
			end,
			hints = {"Lane i wants word i x stride. For which stride do its banks go up one by one?",
				"33 = 32 + 1: lane i has bank i."},
			after = function()
				return string.format([[
					%s cycles: %s as fast as with stride 32. Any odd stride would do: it has no common factor with
					32. That is why one sees tile[32][33] in kernels.]], lib.num(lib.cycles()),
					lib.times(slow or lib.cycles(), lib.cycles()))
			end},
	},
}
