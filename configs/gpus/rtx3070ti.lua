-- NVIDIA RTX 3070 Ti (Ampere GA10x): a6000.lua with fewer SMs and channels.
--
-- Source: GA102, NVIDIA Ampere GA102 GPU architecture whitepaper. Keys not listed are as in a6000.lua.
return {
	base = "a6000",
	help = "RTX 3070 Ti (Ampere GA104), 48 SMs at 1770 MHz, GDDR6X: from published measurements",
	["cuda.name"] = "NVIDIA GeForce RTX 3070 Ti", -- the device says so

	["core_clock"] = 1770, -- NVIDIA, specifications of the board
	["icnt_clock"] = 1770, -- ours: as the SMs
	["l2_clock"] = 1770, -- ours: as the SMs
	["dram_clock"] = 4750, -- NVIDIA, specifications of the board; 4750 MHz x 4 beats x 2 B x 16 channels = 608 GB/s
	["num_sms"] = 48, -- NVIDIA, specifications of the board
	["partitions"] = 16, -- NVIDIA, specifications of the board: 256 bits; 4 MB of L2
}
