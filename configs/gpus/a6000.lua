-- NVIDIA RTX A6000 (Ampere GA102), and what the chips GA10x have in common.
--
-- Sources, by the short names used below:
--   GA102     NVIDIA Ampere GA102 GPU architecture whitepaper
--   Guide     NVIDIA CUDA C++ Programming Guide, compute capability 8.6, and its table of arithmetic throughput
--   Huerta    R. Huerta et al., "Analyzing modern NVIDIA GPU cores", arXiv 2503.20481: measured on this board
--   Sun       W. Sun et al., "Dissecting tensor cores via microbenchmarks", arXiv 2206.02874: measured on an RTX 3070 Ti
--   benches   gpu-benches of RRZE Erlangen (gpu-latency): measured on an A40, the same chip
--   RTX2060   the configuration that GPGPU-Sim 4.x ships for another board with GDDR6 (SM75_RTX2060)
-- Keys not listed are as in a100.lua (and gtx480.lua below it).
return {
	base = "a100",
	help = "RTX A6000 (Ampere GA102), 84 SMs at 1800 MHz, GDDR6: from published measurements",
	["cuda.capability"] = 86, -- Guide
	["cuda.name"] = "NVIDIA RTX A6000",

	["core_clock"] = 1800, -- GA102
	["icnt_clock"] = 1800, -- ours: as the SMs
	["l2_clock"] = 1800, -- ours: as the SMs
	["dram_clock"] = 4000, -- GA102; 4000 MHz x 4 beats x 2 B x 24 channels = 768 GB/s

	["num_sms"] = 84, -- GA102
	["sm.threads"] = 1536, -- Guide
	["sm.ctas"] = 16, -- Guide
	["sm.shared"] = 102400, -- Guide: 100 KB
	["sm.carveouts"] = "0,8,16,32,64,100", -- Guide

	["sm.f32_on_int"] = true, -- GA102: 64 of the 128 f32 lanes are those of integers
	["sm.dp_units"] = 1, -- GA102: two f64 lanes an SM
	["ii.f16"] = 2, -- Guide: as f32's 128, on the lanes of one datapath with two results each
	["ii.f64_add"] = 16, -- GA102: two lanes
	["ii.f64_max"] = 16, -- the same
	["ii.f64_mul"] = 16, -- the same
	["ii.f64_mad"] = 16, -- the same
	["ii.f64_div"] = 256, -- ours: some 16 instructions of them

	["tensor.rate"] = 128, -- GA102: 512 multiply-adds a cycle and SM; Sun: 509
	["tensor.rate_f32"] = 64, -- Sun: 253, half of it
	["tensor.rate_f64"] = 8, -- ours: the least there is; by f64 units on the chip
	["tensor.interval"] = 1, -- Sun: m8n8k16 of s8 has the full rate
	["tensor.warp_gap"] = 0, -- Sun: intervals of 8 cycles and more
	["lat.tensor"] = 23, -- Sun: 24.0 of m16n8k16 of f16 with f16, with the read stage
	["lat.tensor_half"] = 17, -- Sun: 17.7 of m16n8k8 of f16 with f16, with the read stage

	["lsu.interval"] = 2, -- Huerta, section 5.4: the shared unit takes one every two cycles
	["l1d.sets"] = 4, -- GA102: 128 KB = 4 x 256 x 128 B
	["l1d.ways"] = 256, -- the same
	["l1d.latency"] = 28, -- benches: 33 from load to use (Huerta: 32)
	["l1t.sets"] = 4, -- the same memory
	["l1t.ways"] = 256, -- the same

	["partitions"] = 24, -- GA102: twelve controllers of 32 bits, each two channels of 16
	["l2.slices"] = 1, -- GA102: 512 KB a controller
	["l2.sets"] = 128, -- GA102: 6 MB = 24 slices of 128 x 16 x 128 B
	["l2.parts"] = 1, -- GA102: one part
	["l2.latency"] = 199, -- fitted to benches: 250 from load to use
	["dram.bank_groups"] = 4, -- RTX2060
	["dram.row"] = 2048, -- RTX2060
	["dram.bus"] = 2, -- a GDDR6 channel of 16 bits
	["dram.burst"] = 16, -- GDDR6
	["dram.data_ratio"] = 4, -- GDDR6
	["dram.latency"] = 263, -- fitted to benches: 547 to 556 from load to use
	["dram.tCL"] = 24, -- RTX2060, at 3500 MHz: the next ones are cycles of that clock, which is near enough
	["dram.tWL"] = 8, -- the same
	["dram.tRP"] = 24, -- the same
	["dram.tRC"] = 78, -- the same
	["dram.tRAS"] = 55, -- the same
	["dram.tRCD"] = 24, -- the same
	["dram.tRRD"] = 12, -- the same
	["dram.tCCD"] = 4, -- the same
	["dram.tCCDL"] = 6, -- the same
	["dram.tWR"] = 24, -- the same
	["dram.tWTR"] = 10, -- the same
	["dram.tRTP"] = 4, -- the same

	["launch.latency"] = 3600, -- benches: kernels follow each other after 2.0 us in a stream on an A40

	["energy.node"] = 8, -- GA102: Samsung 8 nm
	["energy.dram_bit"] = 7, -- ours: GDDR6, half of GDDR5
	["energy.dram_idle"] = 350, -- ours: one chip of two channels
}
