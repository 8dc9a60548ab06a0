-- NVIDIA H200 (Hopper GH100 with HBM3e).
--
-- Sources, by the short names used below:
--   H200      NVIDIA H200 datasheet: 141 GB HBM3e, 4.8 TB/s
--   Hopper    NVIDIA H100 (GH100) whitepaper
--   A100      NVIDIA A100 whitepaper
--   MMA-Sim   Microsoft's MMA-Sim (arXiv 2511.10909), which agrees with the chip bit for bit
--   SM90      the configuration that Accel-Sim ships for the H100 (configs/tested-cfgs/SM90_H100); its latencies are what
--             a chain of dependent instructions takes, so that the read stages and the issue are in them
--   Guide     NVIDIA CUDA C Programming Guide, compute capability 9.0
-- Keys not listed are as in gpgpusim_v100.lua (and gtx480.lua below it). As there, f32 and integer instructions share the SP pipes.
-- No chip has been measured for this file (scripts/hardware/README.md): it is put together from what is published.
-- Not modelled: wgmma, the bulk copy engine, clusters, and the L2's two partitions, of which the far one answers
-- later: l2.latency is SM90's for both.
return {
	base = "gpgpusim_v100",
	help = "NVIDIA H200 (Hopper), 132 SMs at 1980 MHz, HBM3e: from published figures",
	["cuda.capability"] = 90, -- CUDA C++ Programming Guide
	["cuda.name"] = "NVIDIA H200",

	["core_clock"] = 1980, -- SM90: the highest SM clock
	["icnt_clock"] = 1980, -- ours: as the SMs
	["l2_clock"] = 1980, -- ours: as the SMs
	["dram_clock"] = 1562.5, -- H200; 1562.5 MHz x 4 beats x 16 B x 48 channels = 4.8 TB/s

	["num_sms"] = 132, -- Hopper: SXM5
	["sm.threads"] = 2048, -- Guide
	["sm.ctas"] = 32, -- Guide
	["sm.regs"] = 65536, -- Guide
	["sm.shared"] = 135168, -- Guide: 132 KB is one of the carve-outs (0 to 228 KB) of 256 KB, the rest is L1
	["l1d.banks"] = 1, -- ours: not published
	["sm.carveouts"] = "", -- ours: that one always; 256 ways, the most, are 128 KB

	["sm.read_latency"] = 1, -- ours: with the latencies below, a dependent f32 instruction issues after SM90's 4 cycles
	["sm.write_latency"] = 0, -- the same
	["schedule"] = "list", -- a chip runs what an assembler has scheduled
	["sm.collectors"] = 0, -- ours: a scheduler chooses among warps whose units are free
	["sm.collector_sets"] = "unit", -- the same
	["sm.fetch_first"] = 0, -- ours: not known
	["l1d.pipe_atomics"] = true, -- ours: not measured, so as other accesses
	["sm.int_units"] = false, -- the same
	["lsu.queue"] = 4, -- the same
	["sm.f64_logic"] = "f64", -- ours: the chip's f64 cores do them
	["sm.tensor_units"] = 4, -- Hopper: four fourth-generation tensor cores
	["tensor.fraction"] = 25, -- measured on an H100 (driver 13.0): mma of f16, bf16 and tf32, bit for bit; MMA-Sim
	["tensor.fraction_fp8"] = 25, -- MMA-Sim: mma of fp8 is computed in f16
	["tensor.group"] = 16, -- measured on an H100; MMA-Sim
	["tensor.quads"] = "f32", -- measured on an H100
	["tensor.rate"] = 342, -- measured on an H100: m16n8k16 every 6 cycles
	["tensor.rate_f32"] = 342, -- the same
	["tensor.rate_f64"] = 32, -- measured on an H100: m16n8k4 every 16 cycles
	["lat.tensor"] = 23, -- measured on an H100: 24 of m16n8k16, with the read stage
	["lat.tensor_half"] = 15, -- measured on an H100: m16n8k8, with the read stage
	["lat.logic"] = 4, -- ours: what int_add is elsewhere
	["lat.int_add"] = 3, -- SM90: 4, all of int 4,4,4,4
	["lat.int_max"] = 3, -- SM90
	["lat.int_mul"] = 3, -- SM90
	["lat.int_mad"] = 3, -- SM90
	["lat.int_div"] = 20, -- SM90: 21
	["lat.f32_add"] = 3, -- SM90: 4, all of fp 4,4,4,4
	["lat.f32_max"] = 3, -- SM90
	["lat.f32_mul"] = 3, -- SM90
	["lat.f32_mad"] = 3, -- SM90
	["lat.f32_div"] = 38, -- SM90: 39
	["lat.sfu"] = 22, -- SM90: 23
	["lat.f64_add"] = 7, -- SM90: 8, all of dp 8,8,8,8
	["lat.f64_max"] = 7, -- SM90
	["lat.f64_mul"] = 7, -- SM90
	["lat.f64_mad"] = 7, -- SM90
	["lat.f64_div"] = 329, -- SM90: 330
	["ii.int_add"] = 2, -- Hopper: 64 integer lanes in four groups of 16
	["ii.int_max"] = 2, -- Hopper
	["ii.int_mul"] = 2, -- Hopper
	["ii.int_mad"] = 2, -- Hopper
	["ii.int_div"] = 2, -- SM90
	["ii.f32_add"] = 1, -- Hopper: 128 f32 lanes in four groups of 32
	["ii.f32_max"] = 1, -- Hopper
	["ii.f32_mul"] = 1, -- Hopper
	["ii.f32_mad"] = 1, -- Hopper
	["ii.f64_add"] = 2, -- Hopper: 64 f64 lanes in four groups of 16; SM90
	["ii.f64_max"] = 2, -- Hopper
	["ii.f64_mul"] = 2, -- Hopper
	["ii.f64_mad"] = 2, -- Hopper

	["shared.atomic_turns"] = true, -- ours: one word is updated once a cycle
	["shared.latency"] = 27, -- SM90: 29 from load to use
	["l1d.latency"] = 39, -- SM90: 41 from load to use
	["l1d.keep_stores"] = false, -- ours: not measured
	["l1i.perfect"] = false, -- ours: a chip has misses
	["l1c.perfect"] = false, -- the same
	["l1c.latency"] = 10, -- ours: as gtx480.lua
	["l1c.behind"] = "l1i", -- ours: as a100.lua, these four
	["l1c.behind_latency"] = 75,
	["l1c.sets"] = 16,
	["l1c.ways"] = 2,
	["l1d.sets"] = 4, -- SM90
	["l1d.ways"] = 248, -- 124 KB = 4 x 248 x 128 B beside 132 KB of shared memory; SM90: 256 KB in all

	["partitions"] = 48, -- Hopper: 12 memory controllers of 512 bits, here as 48 channels of 128 bits
	["l2.slices"] = 2, -- SM90
	["l2.sets"] = 256, -- SM90: 256 x 20 x 128 B a slice; 96 slices have the 60 MB of all twelve controllers (Hopper)
	["l2.ways"] = 20, -- SM90
	["l2.latency"] = 237, -- SM90: l2_rop_latency
	["l2.merges"] = 4, -- ours: as gtx480.lua, these five; the chip's network is not known to be GPGPU-Sim's
	["l2.hash"] = "linear",
	["map.hash"] = "xor",
	["noc.switch"] = "booked",
	["noc.latency"] = 8,
	["l2.mshrs"] = 384, -- SM90
	["l2.port"] = 64, -- A100: 5120 B a cycle of 80 slices

	["dram.banks"] = 16, -- SM90
	["dram.bank_groups"] = 4, -- SM90
	["dram.row"] = 2048, -- ours: as HBM2's
	["dram.bus"] = 16, -- see partitions
	["dram.burst"] = 4, -- ours: 64 B a command
	["dram.data_ratio"] = 4, -- HBM3 (JESD238): data strobes at twice the command clock, both edges
	["dram.latency"] = 194, -- SM90
	["dram.tCL"] = 10, -- SM90: its timings, of 3106 MHz, at half the clock; all of these
	["dram.tWL"] = 3, -- SM90
	["dram.tRP"] = 10, -- SM90
	["dram.tRC"] = 33, -- tRAS and tRP
	["dram.tRAS"] = 23, -- SM90
	["dram.tRCD"] = 10, -- SM90
	["dram.tRRD"] = 3, -- SM90
	["dram.tCCD"] = 1, -- SM90
	["dram.tCCDL"] = 3, -- SM90
	["dram.tWR"] = 11, -- SM90
	["dram.tWTR"] = 4, -- SM90: CDLR
	["dram.tRTP"] = 4, -- SM90: RTPL

	["launch.latency"] = 3000, -- SM90: kernel_launch_latency

	["energy.node"] = 5, -- Hopper: TSMC 4N, of the 5 nm family
	["energy.voltage"] = 0.8, -- ours: not published
}
