-- What limits the CTAs of an SM: Yoon et al., ISCA 2016, section III.
local lab = require("lib.lab")

-- Of the main kernel: CTAs an SM has, shares of each resource that they take, and CTAs of which capacity would be full.
return function(r)
	local k, c = lab.main_kernel(r), r.config
	local threads, n = k.block[1] * k.block[2] * k.block[3], k.occupancy.ctas_per_sm
	local warps = math.ceil(threads / 32)
	local regs = warps * math.ceil(k.regs * 32 / c["sm.reg_unit"]) * c["sm.reg_unit"]
	local shared = math.ceil(k.shared / c["sm.shared_unit"]) * c["sm.shared_unit"]
	local full = math.min(regs > 0 and c["sm.regs"] // regs or math.huge, shared > 0 and c["sm.shared"] // shared or math.huge)
	local by_schedule = math.min(c["sm.ctas"], c["sm.threads"] // (warps * 32))
	return {
		ctas = 100 * n / c["sm.ctas"], threads = 100 * n * warps * 32 / c["sm.threads"],
		regs = 100 * n * regs / c["sm.regs"], shared = 100 * n * shared / c["sm.shared"],
		type = by_schedule < full and "S" or "C", more = full < math.huge and (full / n - 1) * 100 or false,
	}
end
