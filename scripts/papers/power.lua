-- Power at full load beside what the boards are specified for.
--
-- No publication's experiment: the energy model's (src/MODEL.md, "Energy"). Two programs that leave no SM idle: blackscholes,
-- which computes, and vecadd, which streams. A board's specified power is what its cooling is made for, and no program
-- draws more for long. Nothing is fitted.
local lab = require("lib.lab")

-- Machine, chip, specified board power (W) by its data sheet; the first is all that --quick has.
local boards = {
	{ "gtx480", "GeForce GTX 480", 250 },
	{ "m2090", "Tesla M2090", 225 },
	{ "kepler", "Tesla K40", 235 },
	{ "gtx980", "GeForce GTX 980", 165 },
	{ "v100", "Tesla V100 PCIe", 250 },
	{ "titanv", "TITAN V", 250 },
	{ "rtx2060", "GeForce RTX 2060", 160 },
	{ "h200", "H200 SXM", 700 },
}

local loads = {
	{ workload = "blackscholes", params = { n = 600000, ctas = 2400, iterations = 1 }, set = { ["launch.latency"] = 0 } },
	{ workload = "vecadd", params = { n = 1500000 }, set = { ["launch.latency"] = 0 } },
}

local function chosen(x)
	return x.quick and { boards[1] } or boards
end

local function run_of(board, load)
	return lab.variant(load, { gpu = board[1] })
end

local function runs(x)
	local all = {}
	for _, board in ipairs(chosen(x)) do
		for _, load in ipairs(loads) do
			all[#all + 1] = run_of(board, load)
		end
	end
	return all
end

local function share(r, group)
	return r and 100 * r.energy.groups[group] / r.energy.total
end

local function power(result, x)
	local rows = {}
	for _, board in ipairs(chosen(x)) do
		local busy, stream = result(run_of(board, loads[1])), result(run_of(board, loads[2]))
		local most = busy and stream and math.max(busy.energy.power_w, stream.energy.power_w)
		rows[#rows + 1] = {
			board[1], board[2], busy and busy.energy.power_w or false, stream and stream.energy.power_w or false,
			most and { most, published = board[3] } or false,
		}
	end
	return {
		columns = {
			"machine", "board", { name = "blackscholes", unit = "W", digits = 0, compare = "none" },
			{ name = "vecadd", unit = "W", digits = 0, compare = "none" }, { name = "the higher", unit = "W", digits = 0 },
		},
		rows = rows,
		notes = { "Published: the board's specified power (TDP)." },
	}
end

local function parts(result, x)
	local rows = {}
	for _, board in ipairs(chosen(x)) do
		for _, load in ipairs(loads) do
			local r = result(run_of(board, load))
			local row = { board[1], load.workload }
			for _, group in ipairs({ "core", "shared", "l1", "l2", "network", "dram", "board" }) do
				row[#row + 1] = share(r, group) or false
			end
			row[#row + 1] = r and 100 * r.energy.leakage / r.energy.total or false
			rows[#rows + 1] = row
		end
	end
	local columns = { "machine", "program" }
	for _, name in ipairs({ "SMs", "shared", "L1", "L2", "network", "DRAM", "board", "leakage and idle" }) do
		columns[#columns + 1] = { name = name, unit = "%", digits = 0, compare = "none" }
	end
	return { columns = columns, rows = rows, notes = { "Shares of the energy; the last column goes across the others." } }
end

return {
	help = "the energy model at full load: power beside what boards are specified for",
	source = "NVIDIA's data sheets and board specifications; the energy model is src/conf/energy.def",
	figures = {
		{ name = "board", title = "power at full load", runs = runs, table = power },
		{ name = "parts", title = "what it goes to", runs = runs, table = parts },
	},
}
