-- NVIDIA TITAN V (Volta GV100 with three HBM2 stacks), set to what was measured on the chip.
--
-- Sources, by the short names used below:
--   ubench    what the authors of Accel-Sim measured on a TITAN V with their microbenchmarks
--             (util/tuner/GPU_Microbenchmark/output.file); scripts/hardware/published/titanv.json has the figures, and
--             `warpdbg correlate` sets them beside this machine
-- Keys not listed are as in v100.lua (and gtx480.lua below it). That one is the simulator's configuration for a board with
-- the same SMs; the latencies there have the read stages on top, which the chip's latencies contain.
return {
	base = "v100",
	help = "TITAN V (Volta), 80 SMs at 1200 MHz: v100 with latencies as measured on the chip",
	["cuda.name"] = "NVIDIA TITAN V",

	["core_clock"] = 1200, -- ubench
	["icnt_clock"] = 1200, -- ubench
	["l2_clock"] = 1200, -- ubench
	["dram_clock"] = 850, -- ubench

	["sm.read_latency"] = 0, -- ubench: a dependent instruction issues after 4 cycles, all told
	["sm.write_latency"] = 0, -- the same
	["schedule"] = "list", -- the chip runs what an assembler has scheduled
	["sm.collectors"] = 0, -- ours: read latency 0, a scheduler chooses among warps whose units are free
	["sm.collector_sets"] = "unit", -- the same
	["sm.fetch_first"] = 0, -- ours: not known
	["l1d.pipe_atomics"] = true, -- ours: not measured, so as other accesses
	["sm.int_units"] = false, -- the same
	["lsu.queue"] = 4, -- the same
	["sm.f64_logic"] = "f64", -- ours: the chip's f64 cores do them
	["lat.logic"] = 4, -- ours: as int_add
	["lat.int_mad"] = 4, -- ubench: 4.3 with the loop
	["lat.f32_mad"] = 4, -- ubench: 4.1
	["lat.int_max"] = 4, -- ubench: opcode_latency_int 4,4,4,4,21
	["lat.f32_max"] = 4, -- ubench: opcode_latency_fp 4,4,4,4,39
	["lat.int_div"] = 21, -- ubench
	["lat.f64_max"] = 8, -- ubench: opcode_latency_dp 8,8,8,8,330
	["lat.sfu"] = 20, -- ubench: 21.1 for a sine, of which the range reduction is 1 here
	["l1d.keep_stores"] = false, -- ours: not measured
	["l1i.perfect"] = false, -- the chip has misses
	["l1c.perfect"] = false, -- the same
	["l1c.latency"] = 10, -- ours: as gtx480.lua
	["shared.atomic_turns"] = true, -- ours: one word is updated once a cycle
	["shared.latency"] = 26, -- ubench: 27.0 from load to use
	["l1d.latency"] = 33, -- ubench: 33.7
	["l2.latency"] = 160, -- ubench: 211 from load to use
	["l2.merges"] = 4, -- ours: as gtx480.lua, these five; the chip's network is not known to be GPGPU-Sim's
	["l2.hash"] = "linear",
	["map.hash"] = "xor",
	["noc.switch"] = "booked",
	["noc.latency"] = 8,
	["partitions"] = 24, -- ubench
	["l2.ways"] = 24, -- ubench: 32 sets x 24 ways x 128 B of 48 slices, 4.5 MB
	["dram.latency"] = 50, -- ubench: 313 from load to use, L2's 211 in it

	["launch.latency"] = 7085, -- ubench: 7258 from launch to launch
}
