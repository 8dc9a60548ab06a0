-- CTAs an SM holds: every number that the papers state or imply, beside what ours has by the estimate of registers.
--
-- No publication's experiment: it checks isa.registers=nvcc4 (src/MODEL.md, "Registers per thread"). `before` is what the same
-- machine has with nvcc 13's registers in units of 64 a warp, `after` what it has. Where a publication tells a program's
-- registers and the estimate gives another number of CTAs, the workload sets them (scripts/workloads/lib/published.lua).
local lab = require("lib.lab")
local occupancy = require("lib.occupancy")

local BEFORE = { set = { ["isa.registers"] = "nvcc13", ["sm.reg_unit"] = 64 } }

-- Park 2016, table 4.2, on fermi30. Label, workload, kernel, CTAs of an SM, time to switch them in us, shared memory of a CTA, its
-- threads, up to full warps, as the original has them; params of ours.
local table42 = {
	{ "BS", "blackscholes", "blackscholes", 4, 17.0, 0, 128, params = { regs = 49 }, set = true },
	{ "BT.0", "btree", "find_range_k", 2, 15.9, 0, 256, set = true },
	{ "BT.1", "btree", "find_k", 3, 18.7, 0, 256, set = true },
	{ "BP.0", "backprop", "layer_forward", 6, 12.5, 1088, 256, set = true },
	{ "BP.1", "backprop", "adjust_weights", 5, 19.0, 0, 256, set = true },
	{ "CP", "cp", "cenergy", 8, 10.4, 0, 128 },
	{ "FWT.0", "fwt", "fwt_batch2", 5, 18.2, 0, 256, set = true },
	{ "FWT.1", "fwt", "fwt_batch1", 3, 14.5, 8192, 512, set = true },
	{ "FWT.2", "fwt", "fwt_modulate", 6, 18.7, 0, 256 },
	{ "HW", "heartwall", "heartwall", 2, 23.4, 11888, 512, set = true },
	{ "HS", "hotspot", "hotspot", 3, 19.7, 3072, 256, set = true },
	{ "KM.0", "kmeans", "kmeans_swap", 6, 10.4, 0, 256 },
	{ "KM.1", "kmeans", "kmeans_assign", 6, 12.5, 0, 256 },
	{ "LC.0", "leukocyte", "leukocyte_gicov", 7, 20.9, 0, 192 },
	{ "LC.1", "leukocyte", "leukocyte_dilate", 8, 13.5, 0, 192 },
	{ "LC.2", "leukocyte", "leukocyte_imgvf", 1, 15.2, 14576, 320, set = true },
	{ "LUD.0", "lud", "lud_diagonal", 8, 5.6, 1024, 32 },
	{ "LUD.1", "lud", "lud_perimeter", 8, 8.1, 3072, 32 },
	{ "LUD.2", "lud", "lud_internal", 6, 16.6, 2048, 256 },
	{ "MUM.0", "mummer", "mummer_match", 6, 18.7, 0, 256 },
	{ "MUM.1", "mummer", "mummer_print", 5, 20.8, 0, 256, set = true },
	{ "NW.0", "nw", "nw_upper", 8, 11.1, 2180, 32 },
	{ "NW.1", "nw", "nw_lower", 8, 11.1, 2180, 32 },
	{ "SAD.0", "sad", "sad_4x4", 8, 10.1, 0, 64 },
	{ "SAD.1", "sad", "sad_8", 8, 11.1, 0, 128 },
	{ "SAD.2", "sad", "sad_16", 8, 2.8, 0, 32 },
	{ "ST", "stencil", "stencil", 8, 15.9, 1024, 128 },
}
local BYTES_PER_US = 177400 / 30 -- of an SM: its share of 177.4 GB/s

local function published_registers(k)
	return (k[5] * BYTES_PER_US / k[4] - k[6]) / 4 / k[7]
end

-- Lee 2014, on fermi28: label, workload, kernel, least and most CTAs of an SM, where it says so; params of ours.
local lee = {
	{ "VADD", "vecadd", "vecadd", 6, 6, "figure 3" },
	{ "LPS", "lps", "laplace3d", 8, 8, "figure 8" },
	{ "MMUL", "matmul", "matmul", 4, 4, "section 5.2" },
	{ "MUM", "mummer", "mummer_match", 4, 4, "57 % of 196 CTAs at once, section 5.1" },
	{ "SRAD", "srad2", "srad_1", 5, 6, "5 beside KMN, table 3" },
	{ "CP", "cp", "cenergy", 3, 8, "3 beside LPS, table 3" },
	{ "MADD", "madd", "madd", 4, 6, "4 beside CP, table 3" },
	{ "RAY", "ray", "trace", 2, 8, "2 beside MMUL, table 3" },
	{ "BLK", "blackscholes", "blackscholes", 5, 8, "4 beside MUM, table 3, and type IV" },
	{ "STN", "stencil", "stencil", 3, 8, "type IV" },
	{ "LBM", "lbm", "lbm_stream_collide", 3, 8, "type IV" },
	{ "KMN", "kmeans", "kmeans_swap", 2, 6, "type III" },
	{ "EIP", "eip", "eip_init", 2, 6, "type III" },
}
-- Awatramani 2015, table II, on m2090: label, workload, kernel, blocks of a core; params of ours.
local awatramani = {
	{ "BP-K1", "backprop", "layer_forward", 6 },
	{ "BP-K2", "backprop", "adjust_weights", 5 },
	{ "B+T-K1", "btree", "find_range_k", 5, params = { regs = 0 } },
	{ "B+T-K2", "btree", "find_k", 6, params = { regs = 0 } },
	{ "Heart", "heartwall", "heartwall", 4 },
	{ "KM", "kmeans", "kmeans_assign", 6 },
	{ "LUD", "lud", "lud_internal", 6 },
	{ "SRAD", "srad2", "srad_1", 6 },
	{ "CFD", "cfd", "compute_flux", 3 },
	{ "DWT", "dwthaar", "haar_decompose", 3 },
	{ "DXTC", "dxtc", "dxtc_compress", 4 },
	{ "FWT", "fwt", "fwt_batch1", 3 },
	{ "HIST", "histogram", "histogram_shared", 6 },
	{ "MCO", "montecarlo", "price_options", 5 },
}
-- Yoon 2016, table II, on gtx480v3: label, workload, type; of the kernel with the most cycles.
local yoon = {
	{ "BP", "backprop", "S" }, { "BF", "bfs", "S" }, { "CP", "cp", "S" }, { "CS", "convsep", "S" }, { "DC", "dct8x8", "S" },
	{ "DW", "dwthaar", "S" }, { "GA", "gaussian", "S" }, { "HI", "histogram64", "S" }, { "ND", "nw", "S" },
	{ "PF", "pathfinder", "S" }, { "RD", "reduction", "S" }, { "SN", "sortnet", "S", params = { short = 3 } }, { "VA", "vecadd", "S" },
	{ "BS", "blackscholes", "C", params = { regs = 49 } }, { "BT", "btree", "C" }, { "HW", "heartwall", "C" }, { "HS", "hotspot", "C" },
	{ "LM", "lavamd", "C" }, { "MM", "matmul", "C" }, { "MUM", "mummer", "C" }, { "SRAD", "srad2", "C" }, { "RAY", "ray", "C" },
	{ "LE", "leukocyte", "C" },
}

local function run_of(gpu, b, more)
	return lab.variant({ workload = b[2], gpu = gpu, size = "small", warp_sched = "gto", params = b.params }, more or {})
end

local papers = { { "fermi30", table42 }, { "fermi28", lee }, { "m2090", awatramani }, { "gtx480v3", yoon } }

local function runs_of(list)
	return function()
		local runs = {}
		for _, p in ipairs(list) do
			for _, b in ipairs(p[2]) do
				runs[#runs + 1], runs[#runs + 2] = run_of(p[1], b), run_of(p[1], b, BEFORE)
			end
		end
		return runs
	end
end

-- --- registers -------------------------------------------------------------------------------------------------------

local function median(t)
	table.sort(t)
	return t[(#t + 1) // 2]
end

local function registers(result)
	local rows, ratios = {}, { {}, {} }
	for i, k in ipairs(table42) do
		local want, row = published_registers(k), { k[1] }
		for n, more in ipairs({ BEFORE, {} }) do
			local r = result(run_of("fermi30", k, more))
			local launch = r and lab.launch(r, k[3])
			row[n + 1] = launch and { launch.regs, published = want } or false
			if launch and not k.set then
				table.insert(ratios[n], launch.regs / want)
			end
		end
		row[4] = k.set and "set" or ""
		rows[i] = row
	end
	local function column(name)
		return { name = name, digits = 1 }
	end
	return {
		columns = { "kernel", column("before"), column("after"), "" },
		rows = rows,
		notes = {
			"Registers a thread. Published: from the time to switch an SM's CTAs, their number and their shared memory. set: by the",
			"workload, from this table or another one.",
			("Median of ours over the published, without those that are set: before %.2f, after %.2f."):format(median(ratios[1]) or 0, median(ratios[2]) or 0),
		},
	}
end

-- --- CTAs ------------------------------------------------------------------------------------------------------------

local function ctas_of(r, kernel)
	local k = r and lab.launch(r, kernel)
	return k and k.occupancy.ctas_per_sm
end

local function range(low, high)
	return low == high and tostring(low) or ("%d to %d"):format(low, high)
end

local function ctas(result)
	local rows, agree = {}, { 0, 0 }
	local function add(gpu, paper, b, kernel, low, high, scale, where)
		local row = { paper .. " " .. b[1], range(low, high), false, false, where or "" }
		for n, more in ipairs({ BEFORE, {} }) do
			local c = ctas_of(result(run_of(gpu, b, more)), kernel)
			row[n + 2] = c and c // scale
			agree[n] = agree[n] + (c and c // scale >= low and c // scale <= high and 1 or 0)
		end
		rows[#rows + 1] = row
	end
	for _, b in ipairs(table42) do
		add("fermi30", "Park", b, b[3], b[4], b[4], b[1] == "HW" and 2 or 1, "table 4.2")
	end
	for _, b in ipairs(lee) do
		add("fermi28", "Lee", b, b[3], b[4], b[5], 1, b[6])
	end
	for _, b in ipairs(awatramani) do
		add("m2090", "Awatramani", b, b[3], b[4], b[4], 1, "table II")
	end
	local function column(name)
		return { name = name, digits = 0, compare = "none" }
	end
	return {
		columns = { "kernel", "published", column("before"), column("after"), "where" },
		rows = rows,
		notes = {
			("CTAs of an SM; published before %d and after %d of %d times."):format(agree[1], agree[2], #rows),
			"Park's HW has CTAs of 512 threads: two of ours. Lee's MMUL and MUM are held at four in its experiments.",
		},
	}
end

local function types(result)
	local rows, agree = {}, { 0, 0 }
	for i, b in ipairs(yoon) do
		rows[i] = { b[1], b[3], false, false }
		for n, more in ipairs({ BEFORE, {} }) do
			local r = result(run_of("gtx480v3", b, more))
			local own = r and occupancy(r).type
			rows[i][n + 2] = own or false
			agree[n] = agree[n] + (own == b[3] and 1 or 0)
		end
	end
	return {
		columns = { "benchmark", "published", "before", "after" },
		rows = rows,
		notes = { ("Types of Yoon 2016, table II; before %d and after %d of %d agree."):format(agree[1], agree[2], #rows) },
	}
end

return {
	help = "CTAs an SM holds: all that the papers state, beside the estimate of registers",
	source = "ours; the figures are those of the papers above",
	figures = {
		{ name = "registers", title = "registers a thread: Park 2016, table 4.2", runs = runs_of({ papers[1] }), table = registers },
		{ name = "ctas", title = "CTAs of an SM", runs = runs_of({ papers[1], papers[2], papers[3] }), table = ctas },
		{ name = "types", title = "types of Yoon 2016, table II", runs = runs_of({ papers[4] }), table = types },
	},
}
