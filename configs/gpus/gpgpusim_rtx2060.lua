-- GPGPU-Sim 4.x's reading of a GeForce RTX 2060 (Turing TU106): the chip as that simulator's configuration SM75_RTX2060
-- describes it, for comparing with that simulator. rtx2060.lua is the chip by what was measured on others of its kind.
--
-- Sources, by the short names used below:
--   RTX2060   the configuration that GPGPU-Sim 4.x / Accel-Sim ship for this board (configs/tested-cfgs/SM75_RTX2060)
--   Turing    NVIDIA Turing whitepaper
--   Guide     NVIDIA CUDA C Programming Guide, compute capability 7.5, and the CUDA occupancy calculator
--   MMA-Sim   Microsoft's MMA-Sim (arXiv 2511.10909), which agrees with the chip bit for bit
--   Sun       Sun et al., "Dissecting tensor cores via microbenchmarks", arXiv 2206.02874: RTX 2080 Ti
-- Keys not listed are as in gpgpusim_v100.lua (and gtx480.lua below it).
return {
	base = "gpgpusim_v100",
	help = "GeForce RTX 2060 (Turing) as GPGPU-Sim 4.x and Accel-Sim configure it; rtx2060 is the chip",
	["cuda.capability"] = 75, -- CUDA C++ Programming Guide
	["cuda.name"] = "NVIDIA GeForce RTX 2060",

	["core_clock"] = 1365, -- RTX2060
	["icnt_clock"] = 1365, -- RTX2060
	["l2_clock"] = 1365, -- RTX2060
	["dram_clock"] = 3500.5, -- RTX2060; 3500.5 MHz x 4 beats x 2 B x 12 channels = 336 GB/s

	["tensor.rate"] = 128, -- Sun: 509 multiply-adds a cycle and SM
	["tensor.rate_f32"] = 64, -- Sun: 255, half of it on GeForce
	["tensor.fraction"] = 24, -- MMA-Sim
	["tensor.group"] = 8, -- MMA-Sim: m16n8k8
	["lat.tensor"] = 12, -- Sun: 17.3 of m16n8k8, with the read and write-back stages
	["lat.tensor_half"] = 12, -- the same

	["num_sms"] = 30, -- RTX2060
	["sm.threads"] = 1024, -- RTX2060; Guide
	["sm.ctas"] = 16, -- RTX2060; Guide
	["sm.regs"] = 65536, -- RTX2060
	["sm.shared"] = 65536, -- RTX2060: 64 KB at most of the 96 KB, the rest is L1
	["sm.carveouts"] = "32,64", -- RTX2060: adaptive_cache_config, shmem_option; Guide

	["lat.int_max"] = 4, -- RTX2060: opcode_latency_int 4,4,4,4,21
	["lat.int_mad"] = 4, -- RTX2060
	["lat.int_div"] = 21, -- RTX2060
	["lat.f32_max"] = 4, -- RTX2060: opcode_latency_fp 4,4,4,4,39
	["lat.f32_mad"] = 4, -- RTX2060
	["lat.sfu"] = 21, -- RTX2060: opcode_latency_sfu
	["lat.f64_add"] = 64, -- RTX2060: opcode_latency_dp 64,64,64,64,330
	["lat.f64_max"] = 64, -- RTX2060
	["lat.f64_mul"] = 64, -- RTX2060
	["lat.f64_mad"] = 64, -- RTX2060
	["ii.int_div"] = 2, -- RTX2060: opcode_initiation_int 2,2,2,2,2
	["ii.f64_add"] = 64, -- RTX2060: opcode_initiation_dp 64,64,64,64,130
	["ii.f64_max"] = 64, -- RTX2060
	["ii.f64_mul"] = 64, -- RTX2060
	["ii.f64_mad"] = 64, -- RTX2060

	["shared.latency"] = 30, -- RTX2060: smem_latency
	["l1d.sets"] = 4, -- RTX2060
	["l1d.ways"] = 192, -- RTX2060: 96 KB = 4 x 192 x 128 B, of which shared memory has what a kernel needs
	["l1d.latency"] = 32, -- RTX2060: l1_latency
	["l1d.mshrs"] = 256, -- RTX2060
	["l1d.merges"] = 128, -- RTX2060: 32 of each sector

	["partitions"] = 12, -- RTX2060
	["l2.sets"] = 64, -- RTX2060: 3 MB = 24 slices of 64 x 16 x 128 B
	["l2.ways"] = 16, -- RTX2060
	["l2.latency"] = 194, -- RTX2060: l2_rop_latency
	["map.hash"] = "none", -- RTX2060: memory_partition_indexing 0
	["map.slice_lines"] = true, -- RTX2060: the lowest bank bit is address bit 7

	["sm.reg_banks"] = 8, -- RTX2060

	["dram.row"] = 2048, -- RTX2060's address map: 64 columns x 32 B
	["dram.bus"] = 2, -- RTX2060: a GDDR6 channel of 16 bits
	["dram.burst"] = 16, -- RTX2060; GDDR6
	["dram.data_ratio"] = 4, -- RTX2060
	["dram.latency"] = 96, -- RTX2060
	["dram.tCL"] = 24, -- RTX2060
	["dram.tWL"] = 8, -- RTX2060
	["dram.tRP"] = 24, -- RTX2060
	["dram.tRC"] = 78, -- RTX2060
	["dram.tRAS"] = 55, -- RTX2060
	["dram.tRCD"] = 24, -- RTX2060
	["dram.tRRD"] = 12, -- RTX2060
	["dram.tCCD"] = 4, -- RTX2060
	["dram.tCCDL"] = 6, -- RTX2060
	["dram.tWR"] = 24, -- RTX2060
	["dram.tWTR"] = 10, -- RTX2060: CDLR
	["dram.tRTP"] = 4, -- RTX2060: RTPL

	["launch.latency"] = 5000, -- RTX2060: kernel_launch_latency

	["energy.dram_bit"] = 7, -- ours: GDDR6, half of GDDR5
	["energy.dram_idle"] = 350, -- ours: one chip of two channels
	["energy.board"] = 55.25, -- AccelWattch: 1.7 times Volta's for Turing
}
