-- The machine of J. J. K. Park's preemption chapter (PhD thesis, University of Michigan 2016, table 4.1, "Park"; also
-- "Chimera", ASPLOS 2015): 30 Fermi SMs with 8 lanes a pipe at 1400 MHz. What the table leaves open is as in
-- gtx480v3.lua. A warp holds an 8-lane pipe for four cycles, so initiation intervals of the lanes are four times those
-- of the 32-lane pipes there; latencies stay in cycles, as they do in GPGPU-Sim when only width and clock are
-- changed.
return {
	base = "gtx480v3",
	help = "30 Fermi SMs with 8 lanes at 1400 MHz: Park 2016 table 4.1",

	["core_clock"] = 1400, -- Park
	["icnt_clock"] = 700, -- not in the table; GPGPU-Sim 3.2.2's configuration for GTX 480
	["l2_clock"] = 700, -- not in the table; the same
	["dram_clock"] = 924, -- Park: 177.4 GB/s = 924 MHz x 4 beats x 8 B x 6 partitions

	["num_sms"] = 30, -- Park
	["sm.ctas"] = 8, -- Park
	["sm.regs"] = 32768, -- Park
	["sm.shared"] = 49152, -- Park: 48 KB
	["partitions"] = 6, -- Park

	["ii.int_add"] = 4, -- Park: 8 lanes, 32 / 8 x 1
	["ii.int_max"] = 8, -- 4 x 2
	["ii.int_mul"] = 8, -- 4 x 2
	["ii.int_mad"] = 4, -- 4 x 1
	["ii.shfl"] = 16, -- 4 x 4
	["ii.f32_add"] = 4, -- 4 x 1
	["ii.f32_max"] = 8, -- 4 x 2
	["ii.f32_mul"] = 4, -- 4 x 1
	["ii.f32_mad"] = 4, -- 4 x 1
	["ii.f64_add"] = 32, -- 4 x 8
	["ii.f64_max"] = 64, -- 4 x 16
	["ii.f64_mul"] = 32, -- 4 x 8
	["ii.f64_mad"] = 32, -- 4 x 8
}
