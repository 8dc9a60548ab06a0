--[[ coalescing: what a warp's 32 addresses cost. A matrix is transposed, first with stores by columns. ]]
local lib = require "lessons.lib"
local reasons = {"lsu busy", "l1 queue full", "memory dependency", "no warp"}
local naive, guess -- cycles of the first run; what the learner expects of the second

return {
	number = 1,
	title = "Coalescing",
	minutes = 10,
	program = "transpose --param tiled=0 --param width=512 --param height=256",
	setup = {"view source"},
	steps = {
		{text = [[
			The 32 lanes of a warp execute a load or store together, each with an address of its own. The LSU turns
			these addresses into transactions: one for each line of 128 bytes that any lane touches. If the lanes'
			addresses are side by side, 32 words of 4 bytes are one line, and one transaction serves them all. That
			is called coalesced.

			This program transposes a matrix of floats: out[x][y] = in[y][x]. Lane i has column x + i. The source view
			(key 8) shows its loads (ld.global) and its stores (st.global).]]},
		{text = [[
			Run it to its end. Space does that, or:

			(wd) continue]],
			task = "run to the end", wait = function(now) return now.finished end,
			hints = {"`continue` (or c) runs until a breakpoint or the end. There is no breakpoint."},
			after = function()
				naive = lib.cycles()
				return "The kernel took " .. lib.num(naive) .. " cycles. Keep that in mind."
			end},
		{text = [[
			What did each access cost? This lists the lines of code, most transactions first; the column txn/req is
			transactions for each request (a request is one warp's access):

			(wd) info code transactions

			How many transactions does one LOAD of a warp take?]],
			task = "answer: of a load", unit = "transactions",
			number = function() return lib.transactions("ld.global") end,
			wrong = function(given, right)
				if math.abs(given - lib.transactions("st.global")) < 0.5 then
					return "That is what the stores take. The loads are the lines with ld.global."
				end
			end,
			hints = {"Look at the lines with ld.global, column txn/req.",
				"Lane i reads in[y][x + i]. The words of one row are side by side, and 32 of them have 128 bytes."}},
		{text = "And how many transactions does one STORE of a warp take?",
			task = "answer: of a store", unit = "transactions",
			number = function() return lib.transactions("st.global") end,
			wrong = function(given, right)
				if given == 1 then
					return "One is what a load takes: its lanes are side by side. Where does lane i store?"
				elseif given < right then
					return "More. Lanes i and i + 1 store to different rows of the result: can they share a line?"
				end
			end,
			hints = {"Look at the lines with st.global, column txn/req.",
				"Lane i stores to out[x + i][y]: one row further on for each lane, which is a line of its own."},
			after = [[
				Each lane touches a line of its own: 128 bytes are moved for 4 that are wanted. The LSU presents one
				transaction a cycle, and everybody behind it waits.]]},
		{text = [[
			The lost issue slots show the same. View 4 (stalls) has what each SM's slots were lost to.

			Which reason took the most slots?

			(wd) info stalls]],
			task = "answer: lost to most", choice = reasons,
			right = function()
				local most = reasons[1]
				for _, reason in ipairs(reasons) do
					if gpu.stalls()[reason] > gpu.stalls()[most] then
						most = reason
					end
				end
				return most
			end,
			hints = {"`info stalls` lists the reasons with their shares of the slots; `issued` is no loss."},
			after = function()
				return string.format("%.0f %% of the slots. L1D hands misses and stores to the network through the miss queue; it is full.",
					lib.lost("l1 queue full"))
			end},
		{text = [[
			The remedy: the CTA reads a tile of 32 x 32 into shared memory, and stores the tile's columns as rows.
			Then the lanes of a store are side by side, too. The kernel executes more instructions.

			Which cycle count do you expect? A rough guess will do; you will see how good it was.]],
			task = "answer: cycles you expect", unit = "cycles",
			predict = function(given)
				if given < 100 then
					return "The matrix alone has 4096 warps' worth of elements. Guess higher."
				end
				guess = given
			end},
		{text = [[
			Now run the tiled kernel:

			(wd) run --param tiled=1]],
			task = "run --param tiled=1", wait = function(now)
				if now.finished and gpu.kernel[0].name ~= "transpose_tiled" then
					return false, "This was " .. gpu.kernel[0].name .. ". `run --param tiled=1` takes the other kernel."
				end
				return now.finished
			end,
			hints = {"Type `run --param tiled=1`. It begins again from cycle 0 with that parameter."},
			after = function()
				local now = lib.cycles()
				return "You expected " .. lib.num(guess or now) .. " cycles. It took " .. lib.num(now) .. " instead of " ..
					lib.num(naive or now) .. ": " .. lib.times(naive or now, now) .. " as fast."
			end},
		{text = [[
			How many transactions does a store to global memory take now?]],
			task = "answer: of a store now", unit = "transactions",
			number = function() return lib.transactions("st.global") end,
			hints = {"`info code transactions` again; st.shared is a store to shared memory."},
			after = [[
				The rule: neighbouring lanes, neighbouring words. Where the algorithm wants another order, go
				through shared memory. `diagnose` finds such lines by itself (the finding "strided").]]},
	},
}
