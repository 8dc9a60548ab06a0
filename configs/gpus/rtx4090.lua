-- NVIDIA GeForce RTX 4090 (Ada AD102).
--
-- Sources, by the short names used below:
--   Ada       NVIDIA Ada GPU architecture whitepaper
--   Guide     NVIDIA CUDA C++ Programming Guide, compute capability 8.9
--   Luo       W. Luo et al., arXiv 2402.13499 and 2501.12084: measured on this board
--   MMA-Sim   Microsoft's MMA-Sim (arXiv 2511.10909), which agrees with the chip bit for bit
-- Keys not listed are as in a6000.lua (and a100.lua below it).
return {
	base = "a6000",
	help = "RTX 4090 (Ada AD102), 128 SMs at 2520 MHz, GDDR6X: from published measurements",
	["cuda.capability"] = 89, -- Guide
	["cuda.name"] = "NVIDIA GeForce RTX 4090", -- the device says so

	["core_clock"] = 2520, -- Ada
	["icnt_clock"] = 2520, -- ours: as the SMs
	["l2_clock"] = 2520, -- ours: as the SMs
	["dram_clock"] = 5250, -- Ada; 5250 MHz x 4 beats x 2 B x 24 channels = 1008 GB/s
	["num_sms"] = 128, -- Ada
	["sm.ctas"] = 24, -- Guide

	["tensor.fraction_fp8"] = 13, -- MMA-Sim
	["tensor.group_fp8"] = 16, -- MMA-Sim: m16n8k32 is two halves

	["l2.slices"] = 2, -- ours: with the one below, 72 MB
	["l2.sets"] = 1024, -- Ada: 72 MB = 48 slices of 1024 x 12 x 128 B
	["l2.ways"] = 12, -- the same
	["l2.latency"] = 222, -- fitted to Luo: 273 from load to use
	["dram.latency"] = 259, -- fitted to Luo: 571 from load to use

	["energy.node"] = 5, -- Ada: TSMC 4N, of the 5 nm family
}
