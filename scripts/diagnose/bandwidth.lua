--[[ bandwidth: DRAM moves nearly as many bytes as it can.

At the peak of the data bus, waits are queueing: neither more warps nor another order makes it faster, only fewer bytes.
The bound is the slots in which warps waited for loads that DRAM answered, or L1D refused the LSU meanwhile. ]]
local lib = require "diagnose.lib"

return function(s)
	local d, c = s.sum.dram, s.conf
	local channels = 0
	for _ in pairs(s.dram) do
		channels = channels + 1
	end
	local cycles = s.cycles * c.dram_clock / c.core_clock * channels
	local share = cycles > 0 and d.busy / cycles or 0
	local slots = lib.bound(s, lib.below(s, lib.from_dram(s)))
	if share < 0.6 then
		return
	end
	local line = lib.most(s.lines, function(l)
		return l.dram
	end)
	return {
		title = string.format("bandwidth of DRAM: its bus is busy in %s of the cycles", lib.percent(d.busy, cycles)),
		slots = slots,
		note = true,
		at = line,
		evidence = {
			string.format("%s bytes were moved in %s cycles: %s B a cycle.", lib.num(d.bytes), lib.num(s.cycles), lib.num(d.bytes / s.cycles)),
			string.format("A request takes %s cycles in DRAM on average.", lib.num(d.queue_cycles / math.max(1, d.requests))),
		},
		remedy = "Fewer bytes: whole lines used, smaller types, data reused from shared memory or L2, kernels fused. There is nothing to" ..
			" mend in the order of accesses. The test doubles DRAM's clock.",
		test = lib.whatif(s, "dram_clock=" .. math.min(10000, 2 * c.dram_clock)),
		uses = {"dram.busy", "dram.bytes", "dram.bandwidth_share", "line.dram", "memory dependency"},
	}
end
