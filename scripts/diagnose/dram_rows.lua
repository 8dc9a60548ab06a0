--[[ dram_rows: DRAM has to open another row for most accesses.

A bank keeps one row open. An access to another row waits until the old row is closed and the new one is open. The bound
is the slots in which warps waited for loads that DRAM answered, or L1D refused the LSU meanwhile, times the part of the accesses that had to open a row,
times the part that this takes of the mean time of a request in DRAM. ]]
local lib = require "diagnose.lib"

return function(s)
	local d, c = s.sum.dram, s.conf
	local accesses = d.row_hits + d.row_misses
	local opening = (c["dram.tRP"] + c["dram.tRCD"]) * c.core_clock / c.dram_clock
	local latency = d.requests > 0 and d.queue_cycles / d.requests or 0
	local part = accesses > 0 and d.row_misses / accesses or 0
	local slots = latency > 0 and lib.bound(s, lib.below(s, lib.from_dram(s)) * part * math.min(1, opening / latency)) or 0
	if part < 0.4 or not lib.matters(s, slots, 1) then
		return
	end
	local line = lib.waits_for_dram(s)
	return {
		title = "DRAM rows: most accesses have to open a row",
		slots = slots,
		at = line,
		evidence = {
			string.format("%s of %s accesses had to open a row (%s hits).", lib.percent(d.row_misses, accesses), lib.num(accesses),
				lib.num(d.row_hits)),
			string.format("Closing and opening takes %s cycles of the core; a request takes %s on average.", lib.num(opening),
				lib.num(latency)),
			string.format("A row holds %d B, and a channel has %d banks.", c["dram.row"], c["dram.banks"]),
		},
		remedy = "Let accesses that are under way together fall into the same rows: neighbouring CTAs on neighbouring data, whole lines" ..
			" instead of sectors. The test gives each channel more banks, which keep more rows open.",
		test = lib.whatif(s, "dram.banks=" .. (c["dram.banks"] < 64 and 2 * c["dram.banks"] or 32)),
		uses = {"dram.row_hits", "dram.row_misses", "dram.queue_cycles", "line.dram", "memory dependency"},
	}
end
