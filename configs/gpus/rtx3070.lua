-- NVIDIA RTX 3070 (Ampere GA10x): a6000.lua with fewer SMs and channels.
--
-- Source: GA102, NVIDIA Ampere GA102 GPU architecture whitepaper. Keys not listed are as in a6000.lua.
return {
	base = "a6000",
	help = "RTX 3070 (Ampere GA104), 46 SMs at 1725 MHz, GDDR6: from published measurements",
	["cuda.name"] = "NVIDIA GeForce RTX 3070", -- the device says so

	["core_clock"] = 1725, -- GA102
	["icnt_clock"] = 1725, -- ours: as the SMs
	["l2_clock"] = 1725, -- ours: as the SMs
	["dram_clock"] = 3500, -- GA102; 3500 MHz x 4 beats x 2 B x 16 channels = 448 GB/s
	["num_sms"] = 46, -- GA102
	["partitions"] = 16, -- GA102: 256 bits; 4 MB of L2
}
