-- Tesla M2090 as M. Awatramani et al. configure it in "Phase aware warp scheduling: mitigating effects of phase
-- behavior in GPGPU applications", PACT 2015, table I ("Awatramani"). What the table leaves open is as in gtx480v3.lua;
-- latencies stay in cycles, as they do in GPGPU-Sim when only width and clock are changed. The table's ready queue of
-- 6 warps belongs to that paper's two-level scheduler, not to the machine.
return {
	base = "gtx480v3",
	help = "Tesla M2090 (Fermi), 16 SMs at 1300 MHz, one issue in two cycles: Awatramani 2015 table I",
	["cuda.name"] = "NVIDIA Tesla M2090",

	["core_clock"] = 1300, -- Awatramani
	["icnt_clock"] = 650, -- Tesla M2090 board specification: graphics clock 650 MHz, half the shader clock
	["l2_clock"] = 650, -- the same
	["dram_clock"] = 925, -- Awatramani: 1850 MHz, which is GDDR5's write clock; commands run at half of it

	["schedule"] = "list", -- Awatramani, section V: PTXPlus, that is machine code in the assembler's order
	["isa.issue_cost"] = "sass", -- the same

	["num_sms"] = 16, -- Awatramani
	["sm.ctas"] = 8, -- Awatramani
	["sm.threads"] = 1536, -- Awatramani: 48 warps

	["sm.schedulers"] = 2, -- Awatramani
	["sm.issue_period"] = 2, -- Awatramani: one instruction every two cycles and scheduler
	["sm.sp_units"] = 2, -- Awatramani: 32 ALUs, as two groups of 16 (NVIDIA Fermi whitepaper)
	["sm.sfu_units"] = 1, -- Awatramani: 4 SFUs

	["ii.int_add"] = 2, -- 16 lanes: a warp takes two cycles; GPGPU-Sim's 32-lane interval 1, doubled
	["ii.int_max"] = 4, -- 2 x 2
	["ii.int_mul"] = 4, -- 2 x 2
	["ii.int_mad"] = 2, -- 2 x 1
	["ii.shfl"] = 8, -- 2 x 4
	["ii.f32_add"] = 2, -- 2 x 1
	["ii.f32_max"] = 4, -- 2 x 2
	["ii.f32_mul"] = 2, -- 2 x 1
	["ii.f32_mad"] = 2, -- 2 x 1
	["ii.sfu"] = 8, -- Awatramani: 4 SFUs, so a warp takes 8 cycles
	["ii.f64_add"] = 2, -- Awatramani: 650 GFLOPS, half the f32 rate: 16 results a cycle from one f64 pipe
	["ii.f64_max"] = 4, -- twice the interval of add, as in gtx480v3.lua
	["ii.f64_mul"] = 2, -- see ii.f64_add
	["ii.f64_mad"] = 2, -- see ii.f64_add

	-- Tesla M2090 board specification: 384 bits; 925 MHz x 4 beats x 8 B x 6 = 177.6 GB/s (Awatramani: 177)
	["partitions"] = 6,
}
