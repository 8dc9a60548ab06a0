-- NVIDIA A100 40 GB (Ampere GA100), and what the machines of today's SM have in common: four sub-cores with units of their
-- own, paths to L1 and shared memory, latencies as measured on chips.
--
-- Sources, by the short names used below:
--   A100      NVIDIA A100 whitepaper
--   Guide     NVIDIA CUDA C++ Programming Guide, compute capability 8.0, and its table of arithmetic throughput
--   Sun       W. Sun et al., "Dissecting tensor cores via microbenchmarks", arXiv 2206.02874: measured on an A100
--   Luo       W. Luo et al., "Benchmarking and dissecting the NVIDIA Hopper GPU architecture", arXiv 2402.13499 and 2501.12084
--   Huerta    R. Huerta et al., "Analyzing modern NVIDIA GPU cores", arXiv 2503.20481: measured on an RTX A6000
--   Abd       H. Abdelkhalik et al., "Demystifying the NVIDIA Ampere architecture", arXiv 2208.11174: measured on an A100
--   benches   gpu-benches of RRZE Erlangen (gpu-latency, gpu-cache, gpu-l2-cache, gpu-stream): measured on A100s
--   MMA-Sim   Microsoft's MMA-Sim (arXiv 2511.10909), which agrees with the chip bit for bit
--   H100      measured on an H100 (scripts/hardware/measured/h100.json), for what nobody has published of the A100
--   Jin       Z. Jin et al., "Uncovering real GPU NoC characteristics", MICRO 2024: measured on an A100
--   SM80      the configuration that Accel-Sim 2.0 ships for this chip (SM80_A100)
-- Keys not listed are as in gtx480.lua. src/MODEL.md has what was fitted to which figures, and the figures it was not
-- fitted to.
-- Not modelled: caches of translations. What a footprint of 2 GB costs beside one of 137 MB is 2 cycles (benches).
return {
	base = "gtx480",
	help = "A100 40 GB (Ampere), 108 SMs at 1410 MHz, HBM2: from published measurements",
	["cuda.capability"] = 80, -- Guide
	["isa.threads"] = "splits", -- Guide: 7.x and later
	["cuda.name"] = "NVIDIA A100-SXM4-40GB",

	["core_clock"] = 1410, -- A100
	["icnt_clock"] = 1410, -- ours: as the SMs
	["l2_clock"] = 1410, -- ours: as the SMs
	["dram_clock"] = 1215, -- A100; 1215 MHz x 2 beats x 16 B x 40 channels = 1555 GB/s

	["num_sms"] = 108, -- A100
	["sm.threads"] = 2048, -- Guide
	["sm.ctas"] = 32, -- Guide
	["sm.regs"] = 65536, -- Guide
	["sm.shared"] = 167936, -- Guide: 164 KB
	["sm.shared_system"] = 1024, -- Guide
	["sm.carveouts"] = "0,8,16,32,64,100,132,164", -- Guide
	["sm.reg_unit"] = 256, -- Guide
	["sm.shared_unit"] = 128, -- Guide
	["sm.max_regs_per_thread"] = 255, -- Guide

	["warp-sched"] = "lrr", -- Sun, figure 7: 24 warps with an m16n8k8 each take 25.1 cycles a round (lrr 24.5, gto and gty 38); Huerta found gty
	["sm.schedulers"] = 4, -- A100
	["sm.issue_width"] = 1, -- A100
	["sm.sched_order"] = "strict", -- ours: sub-cores compete for the LSU only, and take turns
	["sm.fetches"] = 4, -- Huerta: each sub-core fetches
	["sm.ibuffer"] = 3, -- Huerta
	["schedule"] = "list", -- a chip runs what an assembler has scheduled

	["sm.unit_sets"] = "scheduler", -- A100: four partitions
	["sm.int_units"] = true, -- A100: 64 integer lanes beside the 64 of f32
	["sm.int_mul_unit"] = "f32", -- Nsight Compute: IMAD is an instruction of the FMA pipe
	["sm.sp_units"] = 4, -- A100: 64 f32 lanes in four groups of 16
	["sm.sfu_units"] = 4, -- A100: four groups of 4
	["sm.dp_units"] = 4, -- A100: 32 f64 lanes in four groups of 8
	["sm.convert_unit"] = "sfu", -- Guide: 16 conversions a cycle and SM
	["sm.read_latency"] = 1, -- ours: with the latencies below, what is measured from issue to issue
	["sm.write_latency"] = 0, -- the same
	["lat.logic"] = 3, -- Abd: 4, as all of integers and f32 but divisions
	["lat.int_add"] = 3, -- the same
	["lat.int_max"] = 3, -- the same
	["lat.int_mul"] = 3, -- the same
	["lat.int_mad"] = 3, -- the same
	["lat.int_div"] = 96, -- H100: 130, of which 34 are the slots that issuing it takes here
	["lat.f32_add"] = 3, -- Abd: 4
	["lat.f32_max"] = 3, -- the same
	["lat.f32_mul"] = 3, -- the same
	["lat.f32_mad"] = 3, -- the same
	["lat.f32_div"] = 24, -- H100: 45, of which 20 are the same
	["lat.sfu"] = 17, -- H100
	["lat.f64_add"] = 7, -- H100: 8
	["lat.f64_max"] = 7, -- the same
	["lat.f64_mul"] = 7, -- the same
	["lat.f64_mad"] = 7, -- the same
	["lat.f64_div"] = 82, -- H100: 112, of which 29 are the same
	["lat.convert"] = 10, -- H100: 23.3 of two
	["lat.shfl"] = 23, -- H100: 24
	["ii.int_add"] = 2, -- A100: 16 lanes for 32 threads
	["ii.int_max"] = 2, -- the same
	["ii.int_mul"] = 2, -- Guide: 64 a cycle and SM
	["ii.int_mad"] = 2, -- Guide
	["ii.int_div"] = 32, -- ours: some 16 instructions of the integer lanes
	["ii.logic"] = 2, -- A100
	["ii.f32_add"] = 2, -- A100: 16 lanes
	["ii.f32_max"] = 2, -- Guide: 64 a cycle and SM
	["ii.f32_mul"] = 2, -- A100
	["ii.f32_mad"] = 2, -- A100
	["ii.f16"] = 1, -- Guide: 256 results a cycle and SM, two a lane
	["ii.f32_div"] = 16, -- ours: two instructions of the SFU
	["ii.sfu"] = 8, -- Guide: 16 a cycle and SM
	["ii.convert"] = 8, -- Guide: 16
	["ii.f64_add"] = 4, -- Guide: 32
	["ii.f64_max"] = 4, -- the same
	["ii.f64_mul"] = 4, -- the same
	["ii.f64_mad"] = 4, -- the same
	["ii.f64_div"] = 64, -- ours: some 16 instructions of the f64 lanes
	["ii.shfl"] = 4, -- Guide: 32 a cycle and SM

	["sm.tensor_units"] = 4, -- A100
	["tensor.rate"] = 256, -- A100: 1024 multiply-adds a cycle and SM; Sun: 1004
	["tensor.rate_f32"] = 256, -- the same
	["tensor.rate_f64"] = 16, -- A100: 64 multiply-adds a cycle and SM
	["tensor.interval"] = 4, -- Sun: of m8n8k16 of s8, too
	["tensor.warp_gap"] = 1, -- Sun, figure 7: see the key
	["tensor.fraction"] = 24, -- MMA-Sim
	["tensor.group"] = 8, -- MMA-Sim
	["tensor.quads"] = "f32", -- Sun: m8n8k4 runs on the f32 units
	["lat.tensor"] = 24, -- Sun: 24.7 of m16n8k16, with the read stage
	["lat.tensor_half"] = 17, -- Sun: 17.7 of m16n8k8, with the read stage

	["lsu.queue"] = 20, -- Huerta: five instructions a sub-core
	["lsu.path"] = 2, -- Sun, table 10 and figure 15
	["lsu.loads"] = 1024, -- ours: more than bandwidth times latency
	["shared.latency"] = 19, -- Sun: a load without conflicts takes 23
	["l1d.latency"] = 28, -- benches, Luo: 33 from load to use
	["coalesce"] = "sector32", -- Guide
	["l1d.sets"] = 8, -- A100: 192 KB = 8 x 192 x 128 B, of which shared memory has what a kernel needs
	["l1d.ways"] = 192, -- the same
	["l1d.line"] = 128, -- Guide
	["l1d.hash"] = "xor", -- ours: not published
	["l1d.mshrs"] = 1024, -- SM80
	["l1d.merges"] = 64, -- ours: not published
	["l1d.miss_queue"] = 64, -- ours: not published
	["l1d.keep_stores"] = false, -- ours: not measured
	["l1i.perfect"] = true, -- Huerta, abstract: a stream buffer, which is not modelled, comes near a perfect cache
	["l1i.sets"] = 64, -- ours: as Jia et al. measured of a V100, 128 KB = 64 x 16 x 128 B; with constants in it (l1c.behind)
	["l1i.ways"] = 16, -- the same
	["l1c.latency"] = 10, -- H100: 14.2 from load to use
	["l1c.sets"] = 16, -- Jia (V100): 2 KB = 16 x 2 x 64 B
	["l1c.behind"] = "l1i", -- Huerta
	["l1c.behind_latency"] = 75, -- Huerta: an operand in constant memory that the nearest cache has not got takes 79
	["l1t.sets"] = 8, -- the same memory as L1D
	["l1t.ways"] = 192, -- the same

	["noc.flit"] = 72, -- ours: 64 B of data and the header a cycle; with the next one, what benches measures of L2 (MODEL.md)
	["noc.head_of_line"] = false, -- the same
	["noc.latency"] = 8, -- ours
	["partitions"] = 40, -- A100: five stacks of eight channels
	["l2.slices"] = 2, -- A100: 80 slices of 512 KB
	["l2.sets"] = 256, -- A100: 40 MB = 80 slices of 256 x 16 x 128 B
	["l2.ways"] = 16, -- the same
	["l2.port"] = 64, -- A100: 5120 B a cycle of 80 slices
	["l2.latency"] = 154, -- fitted to benches and Luo: 200 to 205 from load to use in the near half
	["l2.parts"] = 2, -- A100; Jin, figure 12: SM 0 near to slices 0 to 39, SM 2 to the others
	["l2.far_latency"] = 98, -- Jin, figure 8: some 400 cycles from the far part
	["l2.far_copies"] = true, -- A100; benches: 205 cycles wherever the data lies, up to half of L2
	["l2.mshrs"] = 256, -- ours: not published
	["l2.merges"] = 16, -- ours: not published

	["dram.banks"] = 16, -- SM80
	["dram.bank_groups"] = 4, -- SM80
	["dram.row"] = 1024, -- JESD235: a pseudo channel's row
	["dram.bus"] = 16, -- an HBM2 channel of 128 bits
	["dram.burst"] = 2, -- 64 B a command
	["dram.data_ratio"] = 2, -- HBM2 is double data rate
	["dram.latency"] = 188, -- fitted to benches and Luo: 550 to 566 from load to use, the mean of the near and the far part
	["dram.queue"] = 192, -- fitted to Luo: 1407 GB/s read
	["dram.tCL"] = 17, -- JESD235 in ns, at 1215 MHz: 14
	["dram.tWL"] = 4, -- the same: 3
	["dram.tRP"] = 17, -- the same: 14
	["dram.tRC"] = 57, -- the same: 47
	["dram.tRAS"] = 40, -- the same: 33
	["dram.tRCD"] = 17, -- the same: 14
	["dram.tRRD"] = 4, -- the same: 4 ns, at least 2 cycles
	["dram.tCCD"] = 1, -- the same
	["dram.tCCDL"] = 2, -- the same
	["dram.tWR"] = 19, -- the same: 16
	["dram.tWTR"] = 8, -- the same
	["dram.tRTP"] = 6, -- the same

	["launch.latency"] = 3666, -- benches: kernels follow each other after 2.6 us in a stream

	["energy.node"] = 7, -- A100: TSMC 7 nm
	["energy.voltage"] = 0.85, -- ours: not published
	["energy.dram_bit"] = 3.48, -- O'Connor 2017: HBM2, data on the die and through the interface
	["energy.dram_idle"] = 150, -- ours: an eighth of a stack
}
