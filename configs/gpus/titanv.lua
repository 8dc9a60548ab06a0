-- NVIDIA TITAN V (Volta GV100 with three HBM2 stacks), set to what was measured on the board.
--
-- Sources, by the short names used below:
--   Volta     NVIDIA TITAN V data sheet
--   ubench    what the authors of Accel-Sim measured on a TITAN V with their microbenchmarks
--             (util/tuner/GPU_Microbenchmark/output.file); scripts/hardware/published/titanv.json has the figures, and
--             `warpdbg correlate` sets them beside this machine
-- Keys not listed are as in v100.lua (and a100.lua and gtx480.lua below it). The latencies of L1 and shared memory are those of
-- ubench's loops, which contain more than the load: Jia and gpu-benches measured 28 and 19 on the same chip.
return {
	base = "v100",
	help = "TITAN V (Volta), 80 SMs at 1200 MHz, HBM2: v100 with latencies as measured on this board",
	["cuda.name"] = "NVIDIA TITAN V",

	["core_clock"] = 1200, -- ubench
	["icnt_clock"] = 1200, -- ubench
	["l2_clock"] = 1200, -- ubench
	["dram_clock"] = 850, -- ubench; 850 MHz x 2 beats x 16 B x 24 channels = 653 GB/s

	["lat.int_mul"] = 3, -- ubench, as the next one
	["lat.int_mad"] = 3, -- ubench: 4.3 with the loop, and the read stage
	["lat.sfu"] = 19, -- ubench: 21.1 for a sine, of which the range reduction is 1 here
	["shared.latency"] = 23, -- ubench: 27.0 from load to use
	["l1d.latency"] = 28, -- ubench: 33.7 from load to use
	["partitions"] = 24, -- Volta: three stacks; 4.5 MB of L2
	["l2.latency"] = 160, -- fitted to ubench: 211 from load to use
	["dram.latency"] = 49, -- fitted to ubench: 313 from load to use

	["launch.latency"] = 7085, -- ubench: 7258 from launch to launch
}
