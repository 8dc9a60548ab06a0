-- GeForce GTX 980 (Maxwell GM204) as J. J. K. Park simulates it, on GPGPU-Sim 3.2.2.
--
-- Sources, by the short names used below:
--   Park      J. J. K. Park, "Enabling Efficient Resource Utilization on Multitasking Throughput Processors", PhD
--             thesis, University of Michigan 2016, table 5.2 and the text around it
--   Maxwell   NVIDIA GeForce GTX 980 whitepaper
--   Guide     NVIDIA CUDA C Programming Guide, compute capability 5.2, and the CUDA occupancy calculator
--   GTX750Ti  the configuration for a Maxwell that GPGPU-Sim 3.2.2 was given in 2016, the year of the thesis
-- Keys not listed are as in gtx480v3.lua, that version's machine: lines of 128 B without sectors, 32 MSHRs in L1D and in each
-- slice of L2, queues of 8 around L2 and of 16 in front of DRAM, one fetch a cycle, no launch latency.
return {
	base = "gtx480v3",
	help = "GeForce GTX 980 (Maxwell), 16 SMs at 1126 MHz: Park 2016 table 5.2",
	["cuda.capability"] = 52, -- CUDA C++ Programming Guide
	["cuda.name"] = "NVIDIA GeForce GTX 980",

	["core_clock"] = 1126, -- Park
	["icnt_clock"] = 1126, -- GTX750Ti: interconnect and L2 run at the core clock
	["l2_clock"] = 1126, -- GTX750Ti
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
	["sm.issue_width"] = 2, -- GTX750Ti: max_insn_issue_per_warp

	["sm.sp_units"] = 4, -- Maxwell: 128 cores in four groups of 32
	["sm.sfu_units"] = 4, -- Maxwell: 32 SFUs in four groups of 8
	["sm.dp_units"] = 1, -- Guide: f64 throughput 4 results a cycle and SM
	["lat.int_add"] = 6, -- GTX750Ti: opcode_latency_int 6,12,13,13,210 = add, max, mul, mad, div
	["lat.int_max"] = 12, -- GTX750Ti
	["lat.int_mul"] = 13, -- GTX750Ti
	["lat.int_mad"] = 13, -- GTX750Ti
	["lat.int_div"] = 210, -- GTX750Ti
	["lat.f32_add"] = 6, -- GTX750Ti: opcode_latency_fp 6,12,6,6,374
	["lat.f32_max"] = 12, -- GTX750Ti
	["lat.f32_mul"] = 6, -- GTX750Ti
	["lat.f32_mad"] = 6, -- GTX750Ti
	["lat.f32_div"] = 374, -- GTX750Ti
	["ii.int_max"] = 1, -- GTX750Ti: opcode_initiation_int 1,1,1,1,4
	["ii.int_mul"] = 1, -- GTX750Ti
	["ii.int_div"] = 4, -- GTX750Ti
	["ii.f32_max"] = 1, -- GTX750Ti: opcode_initiation_fp 1,1,1,1,4
	["ii.sfu"] = 4, -- Maxwell: 8 SFUs a group, so a warp takes 4 cycles
	["ii.f64_add"] = 8, -- the Guide's 4 results a cycle are 8 cycles a warp
	["ii.f64_max"] = 8, -- the same
	["ii.f64_mul"] = 8, -- the same
	["ii.f64_mad"] = 8, -- the same

	["l1d.sets"] = 64, -- Park: 48 KB = 64 x 6 x 128 B, as 3.2.2's configurations split Fermi's 48 KB
	["l1d.ways"] = 6, -- see l1d.sets
	["l1d.cache_global"] = true, -- Park, section 5.5: global accesses are assumed to be cached in L1D
	["l1i.sets"] = 4, -- Park: 2 KB = 4 x 4 x 128 B
	["l1i.ways"] = 4, -- see l1i.sets

	["partitions"] = 4, -- Park
	["l2.slices"] = 2, -- as gtx480v3
	["l2.sets"] = 128, -- Park: 2 MB; 8 slices of 128 x 16 x 128 B
	["l2.ways"] = 16, -- see l2.sets
	["l2.latency"] = 150, -- GTX750Ti: rop_latency
	["dram.latency"] = 130, -- GTX750Ti: dram_latency
	["dram.bus"] = 8, -- Maxwell: 256 bits over four partitions
	["dram.row"] = 4096, -- two GDDR5 chips of 2 KB pages a partition

	["energy.node"] = 28, -- Maxwell: TSMC 28 nm
	["energy.voltage"] = 1.0, -- ours: not published
}
