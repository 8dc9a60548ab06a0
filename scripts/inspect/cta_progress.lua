--[[ cta_progress: instructions of each CTA of an SM while the first ones of a kernel run, until one of them ends (Lee 2014, figure 8).

    warpdbg run lps --inspect cta_progress        report at the end of the run
    (wd) inspect cta_progress                     the report so far

Settings (globals, set before the script is loaded): CTA_PROGRESS_PERIOD = cycles between two looks at the SMs; CTA_PROGRESS_ROWS = rows
shown of each launch; CTA_PROGRESS_TOP = launches shown.
Of each launch the SM where a CTA ends first. A column is a CTA, in the order of their ids; share = its instructions over the
most of a CTA: with a greedy scheduler the later ones stay behind, unless all wait for memory. Their sum is what lcs rounds.
Into the run's statistics (figures) go all looks of each launch shown: cta_progress_LAUNCH_cycle, the cycles of the looks and of the end,
and cta_progress_LAUNCH_cta_ID, the CTA's instructions until then. ]]
local lib = require "inspect.lib"
lib.settings("CTA_PROGRESS", {CTA_PROGRESS_PERIOD = 500, CTA_PROGRESS_ROWS = 12, CTA_PROGRESS_TOP = 4})
local period, most = lib.setting("CTA_PROGRESS_PERIOD", 500), lib.setting("CTA_PROGRESS_ROWS", 12)
local top = lib.setting("CTA_PROGRESS_TOP", 4)
local live, ended, latest -- launches by id: name, looks by SM; those of which a CTA has ended, in that order, and by id

local function reset()
	live, ended, latest = {}, {}, {}
end

-- Instructions of a launch's CTAs on an SM, by id.
local function look(sm, launch)
	local row = {cycle = gpu.cycle}
	for slot = 0, #gpu.sm[sm].cta - 1 do
		local c = gpu.sm[sm].cta[slot]
		if c.kernel == launch and c.started_at < gpu.cycle then
			row[c.cta] = c.insts
		end
	end
	return row
end

local function ids_of(k)
	local ids = {}
	for id in pairs(k.last) do
		if id ~= "cycle" then
			ids[#ids + 1] = id
		end
	end
	table.sort(ids)
	return ids
end

-- All looks of a launch at the SM where a CTA ended first, and that end.
local function record(k)
	local of_sm = k.looks[k.sm] or {}
	local looks = table.move(of_sm, 1, #of_sm, 1, {})
	looks[#looks + 1] = k.last
	local name = "cta_progress_" .. k.launch .. "_"
	local function column(title, key)
		local values = {}
		for i, look in ipairs(looks) do
			values[i] = look[key] or 0
		end
		dbg.figure(name .. title, values)
	end
	column("cycle", "cycle")
	for _, id in ipairs(ids_of(k)) do
		column("cta_" .. id, id)
	end
end

local function show(k)
	local ids, head, rows, share, sum = ids_of(k), {"cycle"}, {}, {"share"}, 0
	local all = 0 -- the most of a CTA, which lcs divides by
	for _, id in ipairs(ids) do
		all = math.max(all, k.last[id])
	end
	for _, id in ipairs(ids) do
		head[#head + 1] = "CTA " .. id
		share[#share + 1] = string.format("%.2f", k.last[id] / all)
		sum = sum + k.last[id]
	end
	local looks = k.looks[k.sm] or {}
	for i = 1, math.min(#looks, most) do
		local look = looks[math.max(1, i * #looks // math.min(#looks, most))]
		local row = {look.cycle}
		for _, id in ipairs(ids) do
			row[#row + 1] = look[id] or 0
		end
		rows[#rows + 1] = row
	end
	local row = {k.last.cycle}
	for _, id in ipairs(ids) do
		row[#row + 1] = k.last[id]
	end
	rows[#rows + 1], rows[#rows + 2] = row, share
	print(string.format("%s (launch %d), SM %d: CTA %d ends first, in cycle %d; all together %.2f times the most of a CTA",
		k.name, k.launch, k.sm, k.cta, k.last.cycle, sum / all))
	lib.table(head, rows)
end

lib.inspection("cta_progress", reset, function()
	if #ended == 0 then
		print("no CTA has finished")
	end
	for i = 1, math.min(#ended, top) do
		show(ended[i])
	end
end)

lib.on("cta_progress", "kernel-start", function(e)
	live[e.kernel] = {name = e.kernel_name, launch = e.kernel, looks = {}}
end)

lib.sample("cta_progress", period, function()
	for launch, k in pairs(live) do
		for sm = 0, #gpu.sm - 1 do
			k.looks[sm] = k.looks[sm] or {}
			table.insert(k.looks[sm], look(sm, launch))
		end
	end
end)

lib.on("cta_progress", "cta-done", function(e)
	local k = live[e.kernel]
	if k then
		k.sm, k.cta, k.last = e.sm, e.cta, look(e.sm, e.kernel)
		live[e.kernel] = nil
		ended[#ended + 1] = k
		k.number = #ended
		latest[e.kernel] = k
	else -- another CTA of the SM, which ended in the same cycle and is no longer there to be looked at
		k = latest[e.kernel]
		if not k or k.sm ~= e.sm or k.last.cycle ~= gpu.cycle then
			return
		end
	end
	k.last[e.cta] = e.insts
	if k.number <= top then
		record(k)
	end
end)
