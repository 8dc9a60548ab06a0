-- GeForce GTX 980 (Maxwell GM204) as J. J. K. Park simulates it.
--
-- Sources, by the short names used below:
--   Park      J. J. K. Park, "Enabling Efficient Resource Utilization on Multitasking Throughput Processors", PhD
--             thesis, University of Michigan 2016, table 5.2 and the text around it
--   Maxwell   NVIDIA GeForce GTX 980 whitepaper
--   Guide     NVIDIA CUDA C Programming Guide, compute capability 5.2, and the CUDA occupancy calculator
--   TITANX    the configuration that GPGPU-Sim 4.x ships for the TITAN X (SM6_TITANX), the nearest to Maxwell it has
--   TITAN     its configuration for the Kepler TITAN (SM3_KEPLER_TITAN): GDDR5 at a similar clock
-- Keys not listed are as in gtx480v3.lua, whose load/store pipe and order of schedulers the thesis simulated.
return {
	base = "gtx480v3",
	help = "GeForce GTX 980 (Maxwell), 16 SMs at 1126 MHz: Park 2016 table 5.2",

	["core_clock"] = 1126, -- Park
	["icnt_clock"] = 1126, -- TITANX: interconnect and L2 run at the core clock
	["l2_clock"] = 1126, -- TITANX
	["dram_clock"] = 1753, -- Maxwell: 7 Gb/s a pin; 1753 MHz x 4 beats x 8 B x 4 = 224.4 GB/s (Park: 224)

	["num_sms"] = 16, -- Park
	["sm.threads"] = 2048, -- Park
	["sm.ctas"] = 32, -- Park
	["sm.regs"] = 65536, -- Park
	["sm.shared"] = 98304, -- Park: 96 KB
	["sm.reg_unit"] = 256, -- Guide
	["sm.shared_unit"] = 256, -- Guide
	["sm.max_regs_per_thread"] = 255, -- Guide

	["sm.schedulers"] = 4, -- Park
	["sm.issue_width"] = 2, -- TITANX: two instructions to different units
	["sm.fetches"] = 8, -- TITANX: inst_fetch_throughput

	["sm.sp_units"] = 4, -- Maxwell: 128 cores in four groups of 32
	["sm.sfu_units"] = 4, -- Maxwell: 32 SFUs in four groups of 8
	["sm.dp_units"] = 1, -- Guide: f64 throughput 4 results a cycle and SM
	["lat.f32_mad"] = 4, -- TITANX
	["lat.sfu"] = 20, -- TITANX
	["ii.int_max"] = 1, -- TITANX: opcode_initiation_int 1,1,1,1,4,4
	["ii.int_mul"] = 1, -- TITANX
	["ii.int_div"] = 4, -- TITANX
	["ii.sfu"] = 4, -- TITANX; Maxwell: 8 SFUs a group, so a warp takes 4 cycles
	["ii.f64_add"] = 8, -- TITANX; the Guide's 4 results a cycle are 8 cycles a warp
	["ii.f64_max"] = 8, -- TITANX
	["ii.f64_mul"] = 8, -- TITANX
	["ii.f64_mad"] = 8, -- TITANX

	["coalesce"] = "sector32", -- Guide: 32 B sectors
	["l1d.sets"] = 4, -- Park: 48 KB; organised as in TITANX, 4 x 96 x 128 B
	["l1d.ways"] = 96, -- see l1d.sets
	["l1d.mshrs"] = 256, -- TITANX
	["l1d.merges"] = 8, -- TITANX
	["l1d.miss_queue"] = 16, -- TITANX
	["l1d.hash"] = "linear", -- TITANX: linear set index
	["l1d.cache_global"] = true, -- Park, section 5.5: global accesses are assumed to be cached in L1D
	["l1i.sets"] = 4, -- Park: 2 KB = 4 x 4 x 128 B
	["l1i.ways"] = 4, -- see l1i.sets
	["l1i.mshrs"] = 2, -- TITANX
	["l1i.merges"] = 48, -- TITANX
	["l1c.sets"] = 128, -- TITANX: 16 KB = 128 x 2 x 64 B
	["l1c.merges"] = 64, -- TITANX
	["l1t.sets"] = 16, -- TITANX: 48 KB = 16 x 24 x 128 B

	["partitions"] = 4, -- Park
	["l2.slices"] = 2, -- TITANX
	["l2.sets"] = 128, -- Park: 2 MB; 8 slices of 128 x 16 x 128 B
	["l2.ways"] = 16, -- TITANX
	["l2.latency"] = 120, -- TITANX
	["l2.mshrs"] = 256, -- TITANX
	["l2.merges"] = 64, -- TITANX
	["l2.miss_queue"] = 32, -- TITANX: dram_partition_queues
	["noc.request_queue"] = 32, -- TITANX
	["noc.reply_queue"] = 32, -- TITANX

	["dram.queue"] = 64, -- TITANX
	["dram.bus"] = 8, -- Maxwell: 256 bits over four partitions
	["dram.row"] = 4096, -- two GDDR5 chips of 2 KB pages a partition
	["dram.tCL"] = 16, -- TITAN, all timings: GDDR5 at 1502 MHz, the nearest published set
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

	["launch.latency"] = 5000, -- TITANX: kernel_launch_latency

	["energy.node"] = 28, -- Maxwell: TSMC 28 nm
	["energy.voltage"] = 1.0, -- ours: not published
}
