-- GeForce GTX 480 (Fermi GF100) as the Fermi papers simulate it.
--
-- Sources, by the short names used below:
--   Park      J. J. K. Park, "Enabling Efficient Resource Utilization on Multitasking Throughput Processors", PhD
--             thesis, University of Michigan 2016, table 3.1
--   Yoon      M. K. Yoon et al., "Virtual Thread: Maximizing Thread-Level Parallelism beyond GPU Scheduling Limit",
--             ISCA 2016, table I
--   GPGPU-Sim the configuration that GPGPU-Sim 4.x ships for this chip (configs/tested-cfgs/SM2_GTX480)
--   v3        the same file of GPGPU-Sim 3.2.2, the version the papers used
--   Guide     NVIDIA CUDA C Programming Guide, compute capability 2.x, and the CUDA occupancy calculator
--   Fermi     NVIDIA Fermi whitepaper
--   ours      not published; the reason is given
--
-- Unit: Park and Yoon write 1400 MHz with 16 lanes a pipe (a warp takes two cycles), GPGPU-Sim 700 MHz with 32 lanes.
-- The throughput is the same; this file uses GPGPU-Sim's unit, so a cycle here is two of the papers' cycles.
-- gpgpusim480.lua has GPGPU-Sim's own sizes where the papers' differ. Keys not listed keep their defaults: no
-- publication gives them.
return {
	help = "GeForce GTX 480 (Fermi), 15 SMs at 700 MHz: sizes of Park 2016 table 3.1 and Yoon 2016 table I",

	["core_clock"] = 700, -- Park and Yoon: 1400 MHz x 16 lanes = GPGPU-Sim: 700 MHz x 32 lanes
	["icnt_clock"] = 700, -- GPGPU-Sim
	["l2_clock"] = 700, -- GPGPU-Sim
	["dram_clock"] = 924, -- GPGPU-Sim; 924 MHz x 4 beats x 8 B x 6 channels = 177.4 GB/s, as in Park

	["num_sms"] = 15, -- Park, Yoon
	["sm.threads"] = 1536, -- Park, Yoon
	["sm.ctas"] = 8, -- Park, Yoon
	["sm.regs"] = 32768, -- Park, Yoon
	["sm.shared"] = 49152, -- Park, Yoon: 48 KB
	["sm.reg_unit"] = 64, -- Guide: registers go to warps in units of 64
	["sm.shared_unit"] = 128, -- Guide
	["sm.max_regs_per_thread"] = 63, -- Guide

	["sm.schedulers"] = 2, -- Yoon
	["sm.issue_width"] = 1, -- GPGPU-Sim: max_insn_issue_per_warp
	["sm.sched_order"] = "rotate", -- ours: as fair as GPGPU-Sim (strict) means to be (v3: fixed)
	["sm.issue_period"] = 1, -- GPGPU-Sim: each scheduler issues every cycle of 700 MHz
	["sm.ibuffer"] = 2, -- GPGPU-Sim manual, section on fetch and decode: two entries a warp
	["sm.fetch_width"] = 2, -- GPGPU-Sim manual: two consecutive instructions a fetch
	["sm.fetches"] = 1, -- GPGPU-Sim: inst_fetch_throughput, not set, 1
	["sm.fetch_latency"] = 2, -- GPGPU-Sim, v3: fetch, decode, issue
	["sm.fetch_fallthrough"] = true, -- GPGPU-Sim, v3: flushed at a control hazard
	["sm.fetch_refused"] = "next", -- GPGPU-Sim, v3: shader_core_ctx::fetch goes on with the next warp

	["sm.sp_units"] = 2, -- GPGPU-Sim; Fermi: two groups of 16 cores
	["sm.sfu_units"] = 1, -- GPGPU-Sim; Fermi: 4 SFUs
	["sm.dp_units"] = 1, -- ours: GPGPU-Sim runs f64 in the SFU pipe; here it has its own, with the same intervals
	["sm.reg_banks"] = 16, -- GPGPU-Sim
	["lat.int_add"] = 4, -- GPGPU-Sim: opcode_latency_int 4,13,4,5,145,32 = add, max, mul, mad, div, shuffle
	["lat.int_max"] = 13, -- GPGPU-Sim
	["lat.int_mul"] = 4, -- GPGPU-Sim
	["lat.int_mad"] = 5, -- GPGPU-Sim
	["lat.int_div"] = 145, -- GPGPU-Sim
	["lat.shfl"] = 32, -- GPGPU-Sim
	["lat.f32_add"] = 4, -- GPGPU-Sim: opcode_latency_fp 4,13,4,5,39
	["lat.f32_max"] = 13, -- GPGPU-Sim
	["lat.f32_mul"] = 4, -- GPGPU-Sim
	["lat.f32_mad"] = 5, -- GPGPU-Sim
	["lat.f32_div"] = 39, -- GPGPU-Sim
	["lat.sfu"] = 8, -- GPGPU-Sim: default of opcode_latency_sfu, which the file does not set
	["lat.f64_add"] = 8, -- GPGPU-Sim: opcode_latency_dp 8,19,8,8,330
	["lat.f64_max"] = 19, -- GPGPU-Sim
	["lat.f64_mul"] = 8, -- GPGPU-Sim
	["lat.f64_mad"] = 8, -- GPGPU-Sim
	["lat.f64_div"] = 330, -- GPGPU-Sim
	["ii.int_add"] = 1, -- GPGPU-Sim: opcode_initiation_int 1,2,2,1,8,4
	["ii.int_max"] = 2, -- GPGPU-Sim
	["ii.int_mul"] = 2, -- GPGPU-Sim
	["ii.int_mad"] = 1, -- GPGPU-Sim
	["ii.int_div"] = 8, -- GPGPU-Sim
	["ii.shfl"] = 4, -- GPGPU-Sim
	["ii.f32_add"] = 1, -- GPGPU-Sim: opcode_initiation_fp 1,2,1,1,4
	["ii.f32_max"] = 2, -- GPGPU-Sim
	["ii.f32_mul"] = 1, -- GPGPU-Sim
	["ii.f32_mad"] = 1, -- GPGPU-Sim
	["ii.f32_div"] = 4, -- GPGPU-Sim
	["ii.sfu"] = 8, -- Fermi: 4 SFUs, so a warp takes 8 cycles; also GPGPU-Sim's default of opcode_initiation_sfu
	["ii.f64_add"] = 8, -- GPGPU-Sim: opcode_initiation_dp 8,16,8,8,130
	["ii.f64_max"] = 16, -- GPGPU-Sim
	["ii.f64_mul"] = 8, -- GPGPU-Sim
	["ii.f64_mad"] = 8, -- GPGPU-Sim
	["ii.f64_div"] = 130, -- GPGPU-Sim

	["shared.latency"] = 26, -- GPGPU-Sim: smem_latency
	["shared.banks"] = 32, -- GPGPU-Sim; Guide
	["shared.bank_bytes"] = 4, -- Guide
	["lsu.queue"] = 4, -- GPGPU-Sim: one register after issue, two collector units, one before the LD/ST unit
	["lsu.answers"] = 1, -- GPGPU-Sim: the LD/ST unit writes one response back a cycle
	["coalesce"] = "line128", -- Guide: cached global accesses move lines of 128 B

	["l1d.sets"] = 32, -- Park, Yoon: 16 KB = 32 x 4 x 128 B
	["l1d.ways"] = 4, -- Park
	["l1d.line"] = 128, -- Park
	["l1d.latency"] = 35, -- GPGPU-Sim: l1_latency
	["l1d.pipe"] = true, -- GPGPU-Sim: l1_latency_queue stands in front of the tags
	["l1d.mshrs"] = 32, -- Park (Yoon and GPGPU-Sim: 64)
	["l1d.merges"] = 8, -- GPGPU-Sim
	["l1d.miss_queue"] = 8, -- GPGPU-Sim
	["l1d.miss_queue_free"] = 2, -- GPGPU-Sim: a read miss might need two requests
	["l1d.hash"] = "fermi", -- GPGPU-Sim: set index function H
	["l1d.cache_global"] = true, -- GPGPU-Sim: gmem_skip_L1D 0
	["l1i.sets"] = 4, -- Park: 2 KB = 4 x 4 x 128 B
	["l1i.ways"] = 4, -- Park
	["l1i.line"] = 128, -- Park
	["l1i.mshrs"] = 8, -- Park (GPGPU-Sim: 2)
	["l1i.merges"] = 32, -- GPGPU-Sim
	["l1c.sets"] = 64, -- GPGPU-Sim: 8 KB = 64 x 2 x 64 B
	["l1c.ways"] = 2, -- GPGPU-Sim
	["l1c.line"] = 64, -- GPGPU-Sim
	["l1c.mshrs"] = 2, -- GPGPU-Sim
	["l1c.merges"] = 32, -- GPGPU-Sim
	["l1t.sets"] = 4, -- GPGPU-Sim: 12 KB = 4 x 24 x 128 B
	["l1t.ways"] = 24, -- GPGPU-Sim
	["l1t.line"] = 128, -- GPGPU-Sim
	["l1t.mshrs"] = 128, -- GPGPU-Sim
	["l1t.merges"] = 4, -- GPGPU-Sim

	["noc.flit"] = 40, -- GPGPU-Sim: icnt_flit_size
	["noc.head_of_line"] = true, -- GPGPU-Sim: one virtual channel, a FIFO at each input of the switch

	["partitions"] = 6, -- Park
	["l2.slices"] = 2, -- GPGPU-Sim: two sub-partitions a channel; v3 too
	["l2.sets"] = 32, -- Park: 768 KB, 16-way, 128 B lines; 12 slices of 32 x 16 x 128 B
	["l2.ways"] = 16, -- Park (GPGPU-Sim: 64 sets x 8 ways, the same size)
	["l2.line"] = 128, -- Park
	["l2.latency"] = 120, -- GPGPU-Sim: l2_rop_latency
	["l2.mshrs"] = 32, -- Park: "32 MSHRs per L2 partition", read as v3's sub-partition, which has 32 (GPGPU-Sim: 256)
	["l2.merges"] = 4, -- GPGPU-Sim
	["l2.miss_queue"] = 64, -- GPGPU-Sim: dram_partition_queues, L2 to DRAM
	["noc.request_queue"] = 64, -- GPGPU-Sim: dram_partition_queues, interconnect to L2
	["noc.reply_queue"] = 64, -- GPGPU-Sim: dram_partition_queues, L2 to interconnect
	["l2.port"] = 32, -- GPGPU-Sim: data port width 32 B

	["dram.sched"] = "frfcfs", -- Park
	["dram.queue"] = 16, -- v3: frfcfs_dram_sched_queue_size
	["dram.banks"] = 16, -- GPGPU-Sim: nbk
	["dram.bank_groups"] = 4, -- GPGPU-Sim: nbkgrp
	-- GPGPU-Sim's address map: 64 columns x 64 B; Hynix H5GQ1H24AFR data sheet: 2 KB pages, two chips a channel
	["dram.row"] = 4096,
	["dram.bus"] = 8, -- GPGPU-Sim: 4 B x 2 chips
	["dram.burst"] = 8, -- GPGPU-Sim; GDDR5
	["dram.data_ratio"] = 4, -- GPGPU-Sim; GDDR5
	["dram.latency"] = 100, -- GPGPU-Sim: dram_latency
	["dram.tCL"] = 12, -- GPGPU-Sim: timing of the Hynix H5GQ1H24AFR at 924 MHz, all of these
	["dram.tWL"] = 4, -- GPGPU-Sim
	["dram.tRP"] = 12, -- GPGPU-Sim
	["dram.tRC"] = 40, -- GPGPU-Sim
	["dram.tRAS"] = 28, -- GPGPU-Sim
	["dram.tRCD"] = 12, -- GPGPU-Sim
	["dram.tRRD"] = 6, -- GPGPU-Sim
	["dram.tCCD"] = 2, -- GPGPU-Sim
	["dram.tCCDL"] = 3, -- GPGPU-Sim
	["dram.tWR"] = 12, -- GPGPU-Sim
	["dram.tWTR"] = 5, -- GPGPU-Sim: CDLR
	["dram.tRTP"] = 2, -- GPGPU-Sim: RTPL

	["launch.latency"] = 0, -- GPGPU-Sim: the file sets none

	["energy.node"] = 40, -- GF100: TSMC 40 nm
	["energy.voltage"] = 1.0, -- ours: about what the boards are set to; not published
}
