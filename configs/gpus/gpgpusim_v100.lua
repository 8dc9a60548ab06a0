-- GPGPU-Sim 4.x's reading of a Quadro GV100 (Volta): the chip as that simulator's configuration SM7_QV100 describes it, with
-- its pipeline, its network and its rules, for comparing with that simulator. v100.lua is the chip by what was measured on it.
--
-- Sources, by the short names used below:
--   QV100     the configuration that GPGPU-Sim 4.x / Accel-Sim ship for this board (configs/tested-cfgs/SM7_QV100)
--   Volta     NVIDIA Tesla V100 whitepaper
--   Jia       Z. Jia et al., "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking", 2018
--   Guide     NVIDIA CUDA C Programming Guide, compute capability 7.0, and the CUDA occupancy calculator
--   MMA-Sim   Microsoft's MMA-Sim (arXiv 2511.10909), which agrees with the chip bit for bit
-- Keys not listed are as in gtx480.lua.
return {
	base = "gtx480",
	help = "Quadro GV100 (Volta) as GPGPU-Sim 4.x and Accel-Sim configure it; v100 is the chip",
	["cuda.capability"] = 70, -- CUDA C++ Programming Guide
	["cuda.name"] = "Quadro GV100",

	["core_clock"] = 1132, -- QV100
	["icnt_clock"] = 1132, -- QV100
	["l2_clock"] = 1132, -- QV100
	["dram_clock"] = 850, -- QV100; 850 MHz x 2 beats x 16 B x 32 channels = 870 GB/s

	["num_sms"] = 80, -- QV100; Volta
	["sm.threads"] = 2048, -- QV100; Volta
	["sm.ctas"] = 32, -- QV100; Volta
	["sm.regs"] = 65536, -- QV100; Volta
	["sm.shared"] = 98304, -- QV100; Guide: 96 KB at most of the 128 KB, the rest is L1
	["sm.carveouts"] = "0,8,16,32,64,96", -- QV100: adaptive_cache_config, shmem_option; Guide
	["sm.reg_unit"] = 256, -- Guide
	["sm.shared_unit"] = 256, -- Guide
	["sm.max_regs_per_thread"] = 255, -- Guide

	["sm.schedulers"] = 4, -- QV100; Volta
	["sm.sched_order"] = "strict", -- GPGPU-Sim 4.x
	["sm.issue_width"] = 1, -- QV100; Volta
	["sm.fetches"] = 4, -- QV100: inst_fetch_throughput
	["sm.fetch_first"] = 1, -- GPGPU-Sim: shader_core_ctx::fetch, m_last_warp_fetched
	["schedule"] = "none", -- QV100 executes PTX in the order of the text
	["isa.threads"] = "splits", -- Volta, Guide: independent thread scheduling

	["sm.sp_units"] = 4, -- QV100; Volta: 64 f32 cores in four groups of 16
	["sm.sfu_units"] = 4, -- QV100
	["sm.dp_units"] = 4, -- QV100; Volta: 32 f64 cores in four groups of 8
	-- measured with QV100: a lone warp's dependent instruction issues after its latency + 5, the user of a load that L1D
	-- or shared memory answers after theirs (20) + 4
	["sm.read_latency"] = 3,
	["sm.write_latency"] = 2,
	["sm.collectors"] = 8, -- QV100: operand_collector_num_units_gen
	["sm.collector_sets"] = "scheduler", -- QV100: sub_core_model, enable_specialized_operand_collector 0
	-- QV100: pipeline_widths: for each of 4 schedulers a register on each side of its two collector units
	["lsu.queue"] = 16,
	["sm.reg_reads"] = 2, -- QV100: gpgpu_reg_file_port_throughput
	["sm.unit_results"] = "one", -- GPGPU-Sim 4.x: simd_function_unit, occupied
	["sm.int_units"] = true, -- QV100: gpgpu_num_int_units 4
	["sm.f64_logic"] = "sp", -- GPGPU-Sim 4.x: opcodes that opcode_latency_dp does not name
	["lat.logic"] = 1, -- GPGPU-Sim 4.x: opcodes that opcode_latency_int and _fp do not name
	["lat.int_add"] = 4, -- QV100: opcode_latency_int 4,13,4,5,145,21; Jia: 4
	["lat.int_max"] = 13, -- QV100
	["lat.int_mul"] = 4, -- QV100
	["lat.int_mad"] = 5, -- QV100; Jia: IMAD 5
	["lat.int_div"] = 145, -- QV100
	["sm.tensor_units"] = 4, -- Volta: eight tensor cores, two in each group
	["tensor.rate"] = 128, -- Volta: 64 multiply-adds a cycle of each core
	["tensor.rate_f32"] = 128, -- the same
	["tensor.fraction"] = 23, -- MMA-Sim
	["tensor.group"] = 4, -- MMA-Sim: HMMA.884
	["lat.tensor"] = 64, -- QV100: ptx_opcode_latency_tesnor 64
	["lat.tensor_half"] = 64, -- the same
	["lat.shfl"] = 21, -- QV100
	["lat.f32_add"] = 4, -- QV100: opcode_latency_fp 4,13,4,5,39; Jia: 4
	["lat.f32_max"] = 13, -- QV100
	["lat.f32_mul"] = 4, -- QV100; Jia: 4
	["lat.f32_mad"] = 5, -- QV100
	["lat.f32_div"] = 39, -- QV100
	["lat.sfu"] = 100, -- QV100: opcode_latency_sfu
	["lat.f64_add"] = 8, -- QV100: opcode_latency_dp 8,19,8,8,330; Jia: 8
	["lat.f64_max"] = 19, -- QV100
	["lat.f64_mul"] = 8, -- QV100
	["lat.f64_mad"] = 8, -- QV100
	["lat.f64_div"] = 330, -- QV100
	["ii.int_add"] = 2, -- QV100: opcode_initiation_int 2,2,2,2,8,4; 16 lanes, so a warp takes two cycles
	["ii.int_max"] = 2, -- QV100
	["ii.int_mul"] = 2, -- QV100
	["ii.int_mad"] = 2, -- QV100
	["ii.int_div"] = 8, -- QV100
	["ii.shfl"] = 4, -- QV100
	["ii.f32_add"] = 2, -- QV100: opcode_initiation_fp 2,2,2,2,4
	["ii.f32_max"] = 2, -- QV100
	["ii.f32_mul"] = 2, -- QV100
	["ii.f32_mad"] = 2, -- QV100
	["ii.f32_div"] = 4, -- QV100
	["ii.sfu"] = 8, -- QV100: opcode_initiation_sfu
	["ii.f64_add"] = 4, -- QV100: opcode_initiation_dp 4,4,4,4,130
	["ii.f64_max"] = 4, -- QV100
	["ii.f64_mul"] = 4, -- QV100
	["ii.f64_mad"] = 4, -- QV100
	["ii.f64_div"] = 130, -- QV100

	["shared.latency"] = 20, -- QV100: smem_latency
	["shared.atomic_turns"] = false, -- measured with QV100: an atomic of all lanes on one word is a cycle slower than a load
	["coalesce"] = "sector32", -- QV100: coalesce_arch 70, sectored caches
	["l1d.sets"] = 4, -- QV100
	["l1d.ways"] = 256, -- QV100: 128 KB = 4 x 256 x 128 B, of which shared memory has what a kernel needs
	["l1d.line"] = 128, -- QV100
	["l1d.latency"] = 20, -- QV100: l1_latency; with issue, operand read and write-back Jia's 28 cycles load to use
	["l1d.banks"] = 4, -- QV100: l1_banks
	["l1d.keep_stores"] = true, -- QV100: cache:dl1 ...,L:T:m:L
	["l1d.pipe_atomics"] = false, -- GPGPU-Sim 4.x: ldst_unit::memory_cycle, bypassL1D
	["l1d.mshrs"] = 512, -- QV100
	["l1d.merges"] = 32, -- QV100: 8 of each sector
	["l1d.miss_queue"] = 16, -- QV100
	["l1d.hash"] = "linear", -- QV100: linear set index
	["l1i.sets"] = 64, -- QV100: 128 KB = 64 x 16 x 128 B
	["l1i.ways"] = 16, -- QV100
	["l1i.mshrs"] = 2, -- QV100
	["l1i.merges"] = 48, -- QV100
	["l1i.perfect"] = true, -- QV100: perfect_inst_const_cache 1
	["l1c.sets"] = 128, -- QV100: 64 KB = 128 x 8 x 64 B
	["l1c.ways"] = 8, -- QV100
	["l1c.merges"] = 64, -- QV100
	["l1c.perfect"] = true, -- QV100: perfect_inst_const_cache 1
	["l1c.latency"] = 1, -- the same: a constant is there in the cycle in which the LD/ST unit looks
	["l1t.sets"] = 4, -- QV100: 128 KB = 4 x 256 x 128 B
	["l1t.ways"] = 256, -- QV100
	["l1t.mshrs"] = 512, -- QV100
	["l1t.merges"] = 8, -- QV100

	["noc.flit"] = 40, -- QV100
	["noc.switch"] = "islip", -- QV100: network_mode 2, icnt_arbiter_algo 1, icnt_in_buffer_limit 512
	["noc.latency"] = 2, -- measured with QV100: a chain of loads that L2 answers (its switch takes two cycles each way)

	["partitions"] = 32, -- QV100
	["l2.slices"] = 2, -- QV100
	["l2.sets"] = 32, -- QV100: 6 MB = 64 slices of 32 x 24 x 128 B
	["l2.ways"] = 24, -- QV100
	["l2.latency"] = 160, -- QV100: l2_rop_latency; with the way there and back Jia's 193 cycles
	["l2.mshrs"] = 192, -- QV100
	["l2.merges"] = 16, -- QV100: 4 of each sector
	["l2.hash"] = "ipoly", -- QV100: cache:dl2 ...:P
	["map.hash"] = "ipoly", -- QV100: memory_partition_indexing 2
	["l2.miss_queue"] = 64, -- QV100: dram_partition_queues
	["l2.sector_acks"] = true, -- QV100: sectored caches, a request moves one sector
	["l2.copies"] = true, -- QV100: perf_sim_memcpy 1

	["dram.queue"] = 64, -- QV100
	["dram.banks"] = 16, -- QV100
	["dram.bank_groups"] = 4, -- QV100
	["dram.row"] = 2048, -- QV100's address map: 64 columns x 32 B
	["dram.bus"] = 16, -- QV100: an HBM2 channel of 128 bits
	["dram.burst"] = 2, -- QV100
	["dram.data_ratio"] = 2, -- QV100: HBM2 is double data rate
	["dram.latency"] = 100, -- QV100
	["dram.tCL"] = 12, -- QV100: HBM timing (JESD235) at 850 MHz, all of these
	["dram.tWL"] = 2, -- QV100
	["dram.tRP"] = 12, -- QV100
	["dram.tRC"] = 40, -- QV100
	["dram.tRAS"] = 28, -- QV100
	["dram.tRCD"] = 12, -- QV100
	["dram.tRRD"] = 3, -- QV100
	["dram.tCCD"] = 1, -- QV100
	["dram.tCCDL"] = 2, -- QV100
	["dram.tWR"] = 10, -- QV100
	["dram.tWTR"] = 3, -- QV100: CDLR
	["dram.tRTP"] = 3, -- QV100: RTPL

	["launch.latency"] = 5000, -- QV100: kernel_launch_latency

	["energy.node"] = 12, -- Volta: TSMC 12 nm FFN
	["energy.voltage"] = 0.9, -- ours: not published
	["energy.dram_bit"] = 3.48, -- O'Connor 2017: HBM2, data on the die and through the interface
	["energy.dram_idle"] = 150, -- ours: an eighth of a stack
}
