-- NVIDIA T4 (Turing TU104): rtx2080ti.lua with fewer SMs and channels.
--
-- Source: Turing, NVIDIA Turing GPU architecture whitepaper. Keys not listed are as in rtx2080ti.lua.
return {
	base = "rtx2080ti",
	help = "T4 (Turing TU104), 40 SMs at 1590 MHz, GDDR6: from published measurements",
	["cuda.name"] = "Tesla T4", -- the device says so

	["core_clock"] = 1590, -- Turing
	["icnt_clock"] = 1590, -- ours: as the SMs
	["l2_clock"] = 1590, -- ours: as the SMs
	["dram_clock"] = 2500, -- Turing; 2500 MHz x 4 beats x 2 B x 16 channels = 320 GB/s
	["num_sms"] = 40, -- Turing
	["partitions"] = 16, -- Turing: 256 bits; 4 MB of L2
	["tensor.rate_f32"] = 128, -- Turing: T4 has the full rate
}
