-- NVIDIA GeForce RTX 2060 (Turing TU106): rtx2080ti.lua with fewer SMs and channels, and with what was measured on a T4.
-- gpgpusim_rtx2060.lua is GPGPU-Sim's reading of the chip.
--
-- Sources, by the short names used below:
--   Turing    NVIDIA Turing GPU architecture whitepaper and data sheet of the board
--   Jia       Z. Jia et al., "Dissecting the NVidia Turing T4 GPU via microbenchmarking", arXiv 1903.07486
--   AccelWattch  V. Kandiah et al., "AccelWattch: a power modeling framework for modern GPUs", MICRO 2021
-- Not modelled: shared memory and L1 give 64 B a cycle (Jia: 58.8 of L1, 90.9 % of 64 of shared memory); here they do so with
-- 4 B a thread, and with 16 B they give 128. Behind L2 a load takes as long as on an A40; Jia has no latency of DRAM.
-- Keys not listed are as in rtx2080ti.lua (and a6000.lua, a100.lua and gtx480.lua below it).
return {
	base = "rtx2080ti",
	help = "GeForce RTX 2060 (Turing TU106), 30 SMs at 1680 MHz, GDDR6: from published measurements",
	["cuda.name"] = "NVIDIA GeForce RTX 2060", -- the device says so

	["core_clock"] = 1680, -- Turing
	["icnt_clock"] = 1680, -- ours: as the SMs
	["l2_clock"] = 1680, -- ours: as the SMs
	["num_sms"] = 30, -- Turing
	["partitions"] = 12, -- Turing: 192 bits; 3500 MHz x 4 beats x 2 B x 12 channels = 336 GB/s, 3 MB of L2

	["shared.latency"] = 15, -- Jia: 19 from load to use
	["l1d.latency"] = 26, -- Jia: 32 from load to use
	["l2.latency"] = 139, -- fitted to Jia: 188 from load to use

	["energy.board"] = 55.25, -- AccelWattch: 1.7 times Volta's for Turing
}
