--[[ lib: what the rules of `diagnose` share, and the one place where their figures come from (README.md beside it).

`diagnose` calls lib.look() once and lib.scope() for each rule. What is counted is of the part of the run that figures
are of (`scope`): whatever part that is, a rule sees the same fields. ]]
local lib = {}

-- Classes of lost issue slots whose warps wait for a result, and the warp state that goes with each.
local waits_of = {["memory dependency"] = "memory", ["short dependency"] = "short", barrier = "barrier", fence = "fence"}
-- Reasons with which L1D refuses the LSU's head.
lib.refusals = {"l1 no line", "l1 no mshr", "l1 merge full", "l1 queue full"}

-- Groups of counters with a list of instances each.
local groups = {"sm", "l1i", "l1d", "l1c", "l1t", "tensor", "l2", "noc", "dram"}

-- --- looks and scopes ---

-- Everything that a scope is made of, as of now.
function lib.look()
	return {counters = dbg.counters(), lines = dbg.lines("pc"), waits = dbg.waits()}
end

local function copy(v)
	if type(v) ~= "table" then
		return v
	end
	local t = {}
	for k, x in pairs(v) do
		t[k] = copy(x)
	end
	return t
end

local function key(row)
	return row.kernel .. ":" .. row.pc
end

-- What each instruction did, with the samples of the waits that it caused.
local function lines_of(look)
	local rows, by = copy(look.lines), {}
	for _, row in ipairs(rows) do
		row.causes, by[key(row)] = {}, row
	end
	for _, w in ipairs(look.waits and look.waits.code or {}) do
		local row = by[key(w)]
		if row then
			row.causes = copy(w.causes)
		end
	end
	return rows
end

-- Launches that ran in the scope, in order: what was launched, and the kernel's counters.
local function launches_in(s, counters, only)
	local list = {}
	for id = 0, gpu.num_kernels - 1 do
		local c, k = counters.kernel[id], gpu.kernel[id]
		local begun = c and (c.started_at > 0 or c.warp_insts > 0 or c.warp_cycles > 0 or c.ctas_done > 0)
		local ended = c and c.ended_at > 0 and c.ended_at or s.to
		if begun and c.started_at < s.to and ended > s.from and (not only or only == id) then
			list[#list + 1] = {id = id, name = k.name, ctas = k.ctas, warps = k.warps, regs = k.regs,
				shared_bytes = k.shared_bytes, ctas_per_sm = k.ctas_per_sm, limiter = k.limiter, launched_at = c.launched_at,
				from = math.max(s.from, c.started_at), to = math.min(s.to, ended), over = c.ended_at > 0,
				started_at = c.started_at, warp_insts = c.warp_insts, warp_cycles = c.warp_cycles, stream = k.stream}
		end
	end
	return list
end

local function sums(s)
	s.used, s.slots, s.stalls = 0, 0, {}
	for _, sm in pairs(s.slots_of) do
		for _, scheduler in pairs(sm) do
			for reason, n in pairs(scheduler) do
				s.stalls[reason] = (s.stalls[reason] or 0) + n
				s.slots = s.slots + n
			end
		end
	end
	s.used = s.stalls.issued or 0
	s.lost = s.slots - s.used
	s.sum = {}
	for _, g in ipairs(groups) do
		local sum = {}
		for _, instance in pairs(s[g]) do
			for name, n in pairs(instance) do
				sum[name] = (sum[name] or 0) + n
			end
		end
		s.sum[g] = sum
	end
	s.samples = {} -- by warp state: waits that some instruction caused
	for _, row in ipairs(s.lines) do
		for state, n in pairs(row.causes) do
			s.samples[state] = (s.samples[state] or 0) + n
		end
	end
end

-- info: {launch = a launch or nil, finished = has the program ended?}
function lib.scope(look, info)
	local is = look.counters
	local s = {from = is.from, to = is.cycle, launch = info.launch, finished = info.finished}
	s.cycles = s.to - s.from
	for _, g in ipairs(groups) do
		s[g] = copy(is[g])
	end
	s.slots_of = copy(is.slots)
	s.conf = gpu.conf
	s.num_sms, s.schedulers = gpu.num_sms, gpu.conf["sm.schedulers"]
	s.lines = lines_of(look)
	s.launches = launches_in(s, is, info.launch)
	sums(s)
	return s
end

-- --- figures ---

-- The instruction of a row of s.lines: gpu.kernel[K].code(pc), and bytes = of an access, for each lane.
function lib.code(row)
	local c = gpu.kernel[row.kernel].code(row.pc)
	local first = c.text:match("^@[^%s]+%s+(%S+)") or c.text:match("^(%S+)") or ""
	local bits = first:match("%.[busf](%d+)$") or first:match("%.[busf](%d+)[%.;]")
	local vector = first:match("%.v(%d)")
	c.opcode = first
	c.bytes = bits and math.max(1, tonumber(bits) // 8) * (tonumber(vector) or 1) or 4
	return c
end

-- Is it an access of global, local or generic memory?
function lib.is_memory(c)
	local space = c.opcode:match("^ld[%a%.]*%.(shared)") or c.opcode:match("^st[%a%.]*%.(shared)") or c.opcode:match("^[%a]+%.(shared)")
	local const = c.opcode:match("%.const") or c.opcode:match("%.param")
	return not space and not const and c.opcode:match("^[lsar][dte][%a]*") ~= nil and
		(c.opcode:match("^ld") or c.opcode:match("^st%.") or c.opcode:match("^atom") or c.opcode:match("^red")) ~= nil
end

-- Slots of a class of waits that a row's results account for: its share of the samples of such waits. The shares of
-- all rows sum to the class.
function lib.share(s, row, class)
	local state = waits_of[class]
	local all = s.samples[state] or 0
	return all > 0 and (s.stalls[class] or 0) * (row.causes[state] or 0) / all or 0
end

-- All lost slots that a row accounts for: those of warps that were ready while it held their unit, and those of warps
-- that waited for its results. The rows together account for at most what was lost.
function lib.cost(s, row)
	return row.blocked + lib.share(s, row, "memory dependency") + lib.share(s, row, "short dependency")
end

-- The lost slots that a part (0..1) of a row's cycles at the LSU accounts for. Warps that are ready for the LSU lose slots
-- to the row itself. Others wait, in order, for results that come late because of it: at most in as many slots as those
-- cycles have, and at least the row's own share of the waits.
function lib.at_lsu(s, row, part)
	local waits = (s.stalls["memory dependency"] or 0) + (s.stalls["short dependency"] or 0)
	local ready = row.blocked * part
	local own = (lib.cost(s, row) - row.blocked) * part
	return ready + math.max(own, math.min(waits, math.max(0, row.transactions * part * s.schedulers - ready)))
end

-- The part of the active SMs' cycles in which their LSU was taken.
function lib.lsu_use(s)
	local held = 0
	for _, row in ipairs(s.lines) do
		held = held + (row.requests > 0 and row.held or 0)
	end
	return s.sum.sm.active_cycles > 0 and math.min(1, held / s.sum.sm.active_cycles) or 0
end

-- A bound from slots that SMs lost while they had warps: if these SMs had been done earlier, others that had no warp left
-- would have waited less long. The bounds of causes that share no slot sum to at most what was lost.
function lib.bound(s, slots)
	local none = s.stalls["no warp"] or 0
	local gaps = (s.cycles - lib.busy_cycles(s)) * lib.per_cycle(s)
	local active, empty = s.slots - none, math.max(0, none - gaps)
	return active > 0 and math.min(s.lost, slots * (1 + empty / active)) or 0
end

-- Slots of memory waits, weighted with a fraction for each row: lib.memory(s, function(row) return 0..1 end)
function lib.memory(s, fraction)
	local slots = 0
	for _, row in ipairs(s.lines) do
		slots = slots + lib.share(s, row, "memory dependency") * fraction(row)
	end
	return slots
end

-- The part of a row's waits that are for answers from L1D, L2 and DRAM: its transactions from each, weighted with what
-- an answer from there takes without queues, and in DRAM on average.
local function weights(s, row)
	local c = s.conf
	local l1, d = c["l1d.latency"], s.sum.dram
	local l2 = l1 + c["l2.latency"] * c.core_clock / c.l2_clock + 2 * c["noc.latency"] * c.core_clock / c.icnt_clock
	local dram = l2 + c["dram.latency"] + (d.requests > 0 and d.queue_cycles / d.requests or 0)
	return row.l1_hits * l1, row.l2_hits * l2, row.dram * dram
end

-- For lib.memory and lib.below: the part of a row's waits that DRAM answers.
function lib.from_dram(s)
	return function(row)
		local l1, l2, dram = weights(s, row)
		return dram > 0 and dram / (l1 + l2 + dram) or 0
	end
end

-- The same of all that L1D does not answer.
function lib.missed(s)
	return function(row)
		local l1, l2, dram = weights(s, row)
		return l2 + dram > 0 and (l2 + dram) / (l1 + l2 + dram) or 0
	end
end

-- Slots in which L1D refused the LSU's head, for whatever reason.
function lib.refused(s)
	local n = 0
	for _, reason in ipairs(lib.refusals) do
		n = n + (s.stalls[reason] or 0)
	end
	return n
end

-- Slots that a reason of L1D's refusals accounts for: those lost while a warp was ready for the LSU, and of those lost
-- while warps waited for memory at most so many as there are in the cycles of the refusals.
function lib.refusal(s, reason, counter)
	local ready = s.stalls[reason] or 0
	local slots = s.sum.l1d[counter] * s.schedulers
	return ready + math.min(s.stalls["memory dependency"] or 0, math.max(0, slots - ready))
end

-- Slots of loads below L1D, by a fraction for each row: of the waits for memory, and of L1D's refusals of the LSU, which come
-- from misses that are under way for long, the mean fraction of all transactions there.
function lib.below(s, fraction)
	local sum, all = 0, 0
	for _, row in ipairs(s.lines) do
		local n = row.l2_hits + row.dram
		sum, all = sum + n * fraction(row), all + n
	end
	return lib.memory(s, fraction) + (all > 0 and lib.refused(s) * sum / all or 0)
end

-- Of L1D's read misses, the part whose line had been there and had to make room; and the number of read misses.
function lib.thrown_out(s)
	local c = s.sum.l1d
	local misses = c.miss_cold + c.miss_capacity + c.miss_sector + c.miss_invalidated + c.miss_conflict
	return misses > 0 and (c.miss_capacity + c.miss_conflict) / misses or 0, misses
end

-- Of the waits for memory, the part that more warps could hide: neither do they wait because L1D refuses misses, nor for
-- lines that were thrown out too early.
function lib.hideable(s)
	local mem, refused = s.stalls["memory dependency"] or 0, 0
	for reason, counter in pairs{["l1 no line"] = "rf_line", ["l1 no mshr"] = "rf_mshr", ["l1 merge full"] = "rf_merge",
		["l1 queue full"] = "rf_queue"} do
		refused = refused + lib.refusal(s, reason, counter) - (s.stalls[reason] or 0)
	end
	return mem > 0 and math.max(0, 1 - refused / mem) * (1 - lib.thrown_out(s)) or 0
end

-- The row with the highest value, and that value; nil if no value is above 0. Equal ones: the first in the code.
function lib.most(list, value)
	local best, most
	for _, row in ipairs(list) do
		local v = value(row)
		if v > (most or 0) then
			best, most = row, v
		end
	end
	return best, most or 0
end

-- Is it worth a finding: at least so many percent of the scope's slots?
function lib.matters(s, slots, percent)
	return s.slots > 0 and slots >= s.slots * percent / 100
end

-- Cycles of the scope in which at least one launch was under way (from its first CTA's dispatch on).
function lib.busy_cycles(s)
	local order, busy, to = {}, 0, s.from
	for i, k in ipairs(s.launches) do
		order[i] = k
	end
	table.sort(order, function(a, b)
		return a.from < b.from or a.from == b.from and a.id < b.id
	end)
	for _, k in ipairs(order) do
		if k.to > to then
			busy = busy + k.to - math.max(to, k.from)
			to = k.to
		end
	end
	return busy
end

-- Issue slots of one cycle of the machine.
function lib.per_cycle(s)
	return s.num_sms * s.schedulers
end

-- Slots of SMs without any resident warp while a launch ran, by launch: {[id] = slots}. They belong to the launches by
-- their empty places for warps: exact but for rounding where one launch runs at a time.
function lib.empty_slots(s)
	local idle = s.cycles * s.num_sms - s.sum.sm.active_cycles
	local empty = math.max(0, idle - (s.cycles - lib.busy_cycles(s)) * s.num_sms) * s.schedulers
	local weight, all, of = {}, 0, {}
	for _, k in ipairs(s.launches) do
		local places = (k.to - k.from) * s.num_sms * math.max(1, k.ctas_per_sm) * k.warps
		weight[k.id] = math.max(0, places - k.warp_cycles)
		all = all + weight[k.id]
	end
	for _, k in ipairs(s.launches) do
		of[k.id] = all > 0 and empty * weight[k.id] / all or 0
	end
	return of
end

-- --- findings that several rules make ---

-- L1D refuses the LSU for one reason: its slots and line, with what else the rule says. nil: not worth a finding.
function lib.refused_for(s, reason, counter, finding)
	local slots, cycles = lib.bound(s, lib.refusal(s, reason, counter)), s.sum.l1d[counter]
	if not lib.matters(s, slots, 0.5) then
		return nil
	end
	local line, at_line = lib.most(s.lines, function(l)
		return l.refused
	end)
	finding.slots, finding.at = slots, line
	table.insert(finding.evidence, 1, string.format("L1D refused for this reason in %s cycles, summed over the SMs (%s of their cycles).",
		lib.num(cycles), lib.percent(cycles, s.cycles * s.num_sms)))
	table.insert(finding.evidence, string.format("The line was refused in %s cycles, for any reason; more than any other.", lib.num(at_line)))
	finding.uses = {reason, "l1d." .. counter, "line.refused", "memory dependency"}
	return finding
end

-- The line whose loads from DRAM warps wait for most.
function lib.waits_for_dram(s)
	local from_dram = lib.from_dram(s)
	return lib.most(s.lines, function(l)
		return lib.share(s, l, "memory dependency") * from_dram(l)
	end)
end

-- --- words ---

-- 1234567 -> "1,234,567"; 2.345 -> "2.3"
function lib.num(n)
	if n ~= math.floor(n) and math.abs(n) < 1000 then
		return string.format("%.1f", n)
	end
	local text = string.format("%d", math.floor(n + 0.5))
	return (text:reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^(%-?),", "%1"))
end

function lib.percent(part, whole)
	return whole > 0 and string.format("%.1f %%", 100 * part / whole) or "-"
end

-- "1 CTA", "2 CTAs"
function lib.count(n, what)
	return lib.num(n) .. " " .. what .. (n == 1 and "" or "s")
end

-- A test: the run up to where it stands now, with other settings, from its beginning.
function lib.whatif(s, settings)
	return "whatif " .. settings .. " from 0" .. (s.finished and "" or " to " .. gpu.cycle)
end

return lib
