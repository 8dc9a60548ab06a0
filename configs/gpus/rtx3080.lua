-- NVIDIA RTX 3080 (Ampere GA10x): a6000.lua with fewer SMs and channels.
--
-- Source: GA102, NVIDIA Ampere GA102 GPU architecture whitepaper. Keys not listed are as in a6000.lua.
return {
	base = "a6000",
	help = "RTX 3080 (Ampere GA102), 68 SMs at 1710 MHz, GDDR6X: from published measurements",
	["cuda.name"] = "NVIDIA GeForce RTX 3080", -- the device says so

	["core_clock"] = 1710, -- GA102
	["icnt_clock"] = 1710, -- ours: as the SMs
	["l2_clock"] = 1710, -- ours: as the SMs
	["dram_clock"] = 4750, -- GA102; 4750 MHz x 4 beats x 2 B x 20 channels = 760 GB/s
	["num_sms"] = 68, -- GA102
	["partitions"] = 20, -- GA102: 320 bits; 5 MB of L2
}
