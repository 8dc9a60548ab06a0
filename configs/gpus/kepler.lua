-- Kepler GK110 with all 15 SMX, the newer machine of M. K. Yoon et al., "Virtual Thread", ISCA 2016,
-- sections II and III.
--
-- Sources, by the short names used below:
--   Yoon      the paper's text (it gives the residency limits only)
--   GK110     NVIDIA Kepler GK110 whitepaper
--   K40       NVIDIA Tesla K40 board specification, the product with 15 SMX
--   Guide     NVIDIA CUDA C Programming Guide, compute capability 3.5, and the CUDA occupancy calculator
--   TITAN     the configuration that GPGPU-Sim 4.x ships for the Kepler TITAN (SM3_KEPLER_TITAN)
-- Keys not listed are as in gtx480.lua: the paper takes only limits from this chip, its experiments run on gtx480v3.
return {
	base = "gtx480",
	help = "Kepler GK110, 15 SMX at 745 MHz: Yoon 2016 sections II and III",
	["cuda.capability"] = 35, -- CUDA C++ Programming Guide
	["cuda.name"] = "NVIDIA GeForce GTX TITAN",

	["core_clock"] = 745, -- K40
	["icnt_clock"] = 745, -- TITAN: interconnect and L2 run at the core clock
	["l2_clock"] = 745, -- TITAN
	["dram_clock"] = 1502, -- TITAN and K40: 6 Gb/s a pin; 1502 MHz x 4 beats x 4 B x 12 = 288 GB/s

	["num_sms"] = 15, -- Yoon
	["sm.threads"] = 2048, -- Yoon
	["sm.ctas"] = 16, -- Yoon
	["sm.regs"] = 65536, -- Yoon
	["sm.shared"] = 49152, -- Yoon: 48 KB
	["isa.registers"] = "nvcc4", -- the programs of that paper's other machine, gtx480v3
	["sm.reg_unit"] = 256, -- Guide
	["sm.shared_unit"] = 256, -- Guide
	["sm.max_regs_per_thread"] = 255, -- Guide

	["sm.schedulers"] = 4, -- GK110
	["sm.issue_width"] = 2, -- GK110: two dispatch units a scheduler
	["sm.fetches"] = 8, -- TITAN: inst_fetch_throughput

	["sm.sp_units"] = 6, -- GK110: 192 cores = six groups of 32
	["sm.sfu_units"] = 2, -- TITAN
	["sm.dp_units"] = 4, -- TITAN
	["lat.sfu"] = 200, -- TITAN
	["ii.int_max"] = 1, -- TITAN: opcode_initiation_int 1,1,1,1,4,4
	["ii.int_mul"] = 1, -- TITAN
	["ii.int_div"] = 4, -- TITAN
	["ii.sfu"] = 2, -- TITAN; GK110: 32 SFUs, so two units at an interval of 2 take one warp a cycle
	["ii.f64_add"] = 2, -- TITAN: opcode_initiation_dp 2,8,8,8,130
	["ii.f64_max"] = 8, -- TITAN
	["ii.f64_mul"] = 8, -- TITAN
	["ii.f64_mad"] = 8, -- TITAN

	["shared.latency"] = 24, -- TITAN
	["coalesce"] = "sector32", -- Guide: accesses that bypass L1 move 32 B sectors
	["l1d.sets"] = 4, -- TITAN: 16 KB = 4 x 32 x 128 B
	["l1d.ways"] = 32, -- TITAN
	["l1d.latency"] = 82, -- TITAN
	["l1d.mshrs"] = 256, -- TITAN
	["l1d.merges"] = 8, -- TITAN
	["l1d.miss_queue"] = 16, -- TITAN
	["l1d.hash"] = "linear", -- TITAN: linear set index
	["l1d.cache_global"] = false, -- TITAN: gmem_skip_L1D 1; Guide: L1 caches local accesses only
	["l1i.sets"] = 8, -- TITAN: 4 KB = 8 x 4 x 128 B
	["l1i.mshrs"] = 2, -- TITAN
	["l1i.merges"] = 48, -- TITAN
	["l1c.sets"] = 128, -- TITAN: 16 KB = 128 x 2 x 64 B
	["l1c.merges"] = 64, -- TITAN
	["l1t.sets"] = 16, -- TITAN: 48 KB = 16 x 24 x 128 B

	["partitions"] = 12, -- TITAN
	["l2.slices"] = 2, -- TITAN
	["l2.sets"] = 32, -- GK110: 1.5 MB; TITAN: 24 slices of 32 x 16 x 128 B
	["l2.ways"] = 16, -- TITAN
	["l2.latency"] = 120, -- TITAN
	["l2.mshrs"] = 256, -- TITAN
	["l2.merges"] = 64, -- TITAN
	["l2.miss_queue"] = 32, -- TITAN: dram_partition_queues
	["noc.request_queue"] = 32, -- TITAN
	["noc.reply_queue"] = 32, -- TITAN

	["dram.queue"] = 64, -- TITAN
	["dram.bus"] = 4, -- TITAN: one chip a partition
	["dram.row"] = 2048, -- TITAN's address map: 64 columns x 32 B; the page of one GDDR5 chip
	["dram.tCL"] = 16, -- TITAN
	["dram.tWL"] = 6, -- TITAN
	["dram.tRP"] = 16, -- TITAN
	["dram.tRC"] = 52, -- TITAN
	["dram.tRAS"] = 37, -- TITAN
	["dram.tRCD"] = 16, -- TITAN
	["dram.tRRD"] = 8, -- TITAN
	["dram.tCCD"] = 2, -- TITAN
	["dram.tCCDL"] = 4, -- TITAN
	["dram.tWR"] = 16, -- TITAN
	["dram.tWTR"] = 7, -- TITAN: CDLR
	["dram.tRTP"] = 3, -- TITAN: RTPL

	["energy.node"] = 28, -- GK110: TSMC 28 nm
	["energy.voltage"] = 1.0, -- ours: not published
}
