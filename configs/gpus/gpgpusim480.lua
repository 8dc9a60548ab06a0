-- GeForce GTX 480 exactly as GPGPU-Sim 4.x configures it (configs/tested-cfgs/SM2_GTX480), for comparing with that
-- simulator. It differs from gtx480.lua only where the papers' tables differ from that file.
return {
	base = "gtx480",
	help = "GeForce GTX 480 exactly as GPGPU-Sim 4.x configures it",

	["sm.sched_order"] = "strict", -- shader_core_ctx::issue
	-- measured on it: a lone warp's dependent instruction issues after its latency + 6; 24 warps of integer divisions keep
	-- the SFU busy (8 collector units, SP: 6, and registers before and behind them)
	["sm.read_latency"] = 4,
	["sm.write_latency"] = 2,
	["sm.collectors"] = 8,
	["sm.unit_results"] = "one", -- simd_function_unit::can_issue: occupied
	["sm.fetch_first"] = 1, -- shader_core_ctx::fetch: m_last_warp_fetched
	["sm.result_buses"] = 2, -- gpgpu_pipeline_widths: EX_WB 2
	["sm.f64_unit"] = "sfu", -- gpgpu_num_dp_units 0: scheduler_unit::cycle issues f64 to the SFU
	["sm.f64_logic"] = "sp", -- cuda-sim.cc: opcodes that opcode_latency_dp does not name
	["shared.latency"] = 27, -- measured on it: an add issues 32 cycles after the load it needs (and 40 after one that L1D has)
	["shared.atomic_turns"] = false, -- measured on it: an atomic of all lanes on one word takes as long as a load
	["l1d.pipe_atomics"] = false, -- GPGPU-Sim 4.x: ldst_unit::memory_cycle, bypassL1D
	["l1d.mshrs"] = 64, -- cache:dl1 N:32:128:4,...,S:64:8,8
	["l1i.mshrs"] = 2, -- cache:il1 N:4:128:4,...,S:2:32,4
	["l1c.params"] = true, -- ldst_unit::constant_cycle: kernel parameters, too
	["l1c.latency"] = 1, -- measured on it: four loads and their adds take 36 cycles
	["l2.sets"] = 64, -- cache:dl2 S:64:128:8,...,A:256:4,4
	["l2.ways"] = 8, -- the same
	["l2.mshrs"] = 256, -- the same
	["l2.sector_reads"] = true, -- the same: S is a sectored cache; l2cache.cc splits requests into sectors
	["l2.sector_acks"] = true, -- the same: each sector request of a write has its own acknowledgement
	["l2.copies"] = true, -- gpgpu_perf_sim_memcpy 1
	-- measured on it: a load that L2 answers takes 142 cycles more than one that L1D does; 140 with 8 each way
	["noc.latency"] = 9,
	["noc.sector_replies"] = true, -- l2cache.cc: breakdown_request_to_sector_requests; each is answered with a packet
	["dram.queue"] = 64, -- frfcfs_dram_sched_queue_size
	["lat.logic"] = 1, -- cuda-sim.cc: opcodes that opcode_latency_int and _fp do not name
	["schedule"] = "none", -- it executes PTX in the order of the text
}
