-- NVIDIA GeForce RTX 2080 Ti (Turing TU102), with the SM of today's machines (a100.lua).
--
-- Sources, by the short names used below:
--   Turing    NVIDIA Turing GPU architecture whitepaper
--   Guide     NVIDIA CUDA C++ Programming Guide, compute capability 7.5, and its table of arithmetic throughput
--   Sun       W. Sun et al., "Dissecting tensor cores via microbenchmarks", arXiv 2206.02874: measured on an RTX 2080 Ti
--   Jia       Z. Jia et al., "Dissecting the NVidia Turing T4 GPU via microbenchmarking", arXiv 1903.07486
--   MMA-Sim   Microsoft's MMA-Sim (arXiv 2511.10909), which agrees with the chip bit for bit
-- Keys not listed are as in a6000.lua (and a100.lua below it).
return {
	base = "a6000",
	help = "RTX 2080 Ti (Turing TU102), 68 SMs at 1545 MHz, GDDR6: from published measurements",
	["cuda.capability"] = 75, -- Guide
	["cuda.name"] = "NVIDIA GeForce RTX 2080 Ti", -- the device says so

	["core_clock"] = 1545, -- Turing
	["icnt_clock"] = 1545, -- ours: as the SMs
	["l2_clock"] = 1545, -- ours: as the SMs
	["dram_clock"] = 3500, -- Turing; 3500 MHz x 4 beats x 2 B x 22 channels = 616 GB/s
	["num_sms"] = 68, -- Turing
	["sm.threads"] = 1024, -- Guide
	["sm.ctas"] = 16, -- Guide
	["sm.shared"] = 65536, -- Guide: 64 KB
	["sm.shared_system"] = 0, -- Guide
	["sm.carveouts"] = "32,64", -- Guide

	["sm.f32_on_int"] = false, -- Turing: 64 lanes of f32 and 64 of integers
	["ii.f16"] = 1, -- Guide: 128 results a cycle and SM

	["tensor.rate"] = 128, -- Sun: 509 multiply-adds a cycle and SM
	["tensor.rate_f32"] = 64, -- Sun: 255, half of it
	["tensor.group"] = 8, -- MMA-Sim: m16n8k8
	["lat.tensor"] = 13, -- Sun: as the next one; the larger shapes do not exist
	["lat.tensor_half"] = 13, -- Sun: 14.7 of m16n8k8 of f16 with f16, with the read stage

	["l1d.sets"] = 4, -- Turing: 96 KB = 4 x 192 x 128 B
	["l1d.ways"] = 192, -- the same
	["l1t.sets"] = 4, -- the same memory
	["l1t.ways"] = 192, -- the same
	["l1i.sets"] = 32, -- Jia: 46 KB, here 48 KB = 32 x 12 x 128 B
	["l1i.ways"] = 12, -- the same
	["lsu.interval"] = 2, -- ours: as a6000's
	["partitions"] = 22, -- Turing: 352 bits; 5.5 MB of L2

	["energy.node"] = 12, -- Turing: TSMC 12 nm FFN
}
