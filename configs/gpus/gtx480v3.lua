-- GeForce GTX 480 as the papers of 2011 to 2016 simulated it: the chip of gtx480.lua in GPGPU-Sim 3.2.2.
-- The machines of those papers (fermi28, fermi30, m2090, gtx980) are made from this one.
--
-- Sources, by the short names used below:
--   v3        GPGPU-Sim 3.2.2: its configuration of this chip (configs/GTX480), as its builds print it when they start, and
--             its model of an SM
-- The release of October 2013 and its development branch until October 2018 both call themselves 3.2.2. They differ in one
-- option here: the branch has L1D's hashed index since July 2014.
--
-- It executes PTX in the order of the text, one issue slot an instruction, as that simulator does unless it is asked for
-- PTXPlus. What version 4 (2018) brought and version 3 had not: a latency before L1D's tags and one of shared memory (there a
-- load passes the three stages of the load/store pipe, and a hit in L1D is written back in the cycle in which it is
-- looked up), schedulers that take turns at being first, sectored caches, queues of 64 in place of 8 around L2, and stores
-- that take a line of L2 without reading it.
return {
	base = "gtx480",
	help = "GeForce GTX 480 on the pipeline of GPGPU-Sim 3.2.2, the version that the papers of 2011 to 2016 ran",

	["schedule"] = "none", -- v3: gpgpu_ptx_convert_to_ptxplus 0
	["isa.issue_cost"] = "ptx", -- the same
	["isa.registers"] = "nvcc4", -- the compilers of those years; Park, table 4.2: src/MODEL.md has the fit
	["sm.reg_unit"] = 128, -- v3: shader_core_config::max_cta, (regs+3)&~3 a thread; BlackScholes' 49 of Park, table 4.2, then give 4 CTAs
	["sm.dp_units"] = 2, -- v3: f64 runs in the two SP pipes, with intervals of its own
	["lat.logic"] = 1, -- v3: opcodes that its lists of latencies do not name
	["sm.sched_order"] = "fixed", -- v3: shader_core_ctx::issue serves scheduler 0 first
	["sm.write_latency"] = 3, -- v3: the pipeline registers behind execution; an addition's user issues 10 cycles after it
	["sm.collectors"] = 8, -- v3: gpgpu_operand_collector_num_units_sp 6, and the registers before and behind them
	["sm.int_mul_unit"] = "sfu", -- v3: integer products and quotients go to the SFU's pipe
	["shared.latency"] = 4, -- v3: the stages of the load/store pipe behind the access; a user issues 8 cycles after it
	["l1d.pipe"] = false, -- v3: nothing stands between the LD/ST unit's register and the tags
	["l1d.latency"] = 0, -- v3: a hit is written back where it is looked up
	["l1c.latency"] = 1, -- v3: the same
	["l1d.hash"] = "fermi", -- v3, since July 2014: cache:dl1 32:128:4,L:L:m:N:H,A:32:8,8
	["l1i.mshrs"] = 2, -- v3: cache:il1 4:128:4,L:R:f:N,A:2:32,4
	["l2.sets"] = 64, -- v3: cache:dl2 64:128:8,L:B:m:W,A:32:4,4:0,32
	["l2.ways"] = 8, -- v3
	["l2.merges"] = 4, -- v3: cache:dl2 64:128:8,L:B:m:W,A:32:4,4:0,32
	["l2.write_miss"] = "fetch", -- v3: its W, data_cache::wr_miss_wa: the write goes to DRAM, and the line is read
	["l2.miss_queue"] = 12, -- v3: 4 in the cache (the same line), 8 between it and DRAM (dram_partition_queues 8:8:8:8)
	["noc.request_queue"] = 8, -- v3: dram_partition_queues
	["noc.reply_queue"] = 8, -- v3: dram_partition_queues
	["noc.flit"] = 32, -- v3: config_fermi_islip.icnt, flit_size
}
