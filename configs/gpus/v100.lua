-- NVIDIA Tesla V100 PCIe 16 GB (Volta GV100), with the SM of today's machines (a100.lua). It is the board that gpu-benches and
-- Jia et al. measured: 1380 MHz, HBM2 at 877 MHz. gpgpusim_v100.lua is GPGPU-Sim's reading of the chip.
--
-- Sources, by the short names used below:
--   Volta     NVIDIA Tesla V100 GPU architecture whitepaper
--   A100      NVIDIA A100 whitepaper, where it compares both chips
--   Guide     NVIDIA CUDA C++ Programming Guide, compute capability 7.0, and its table of arithmetic throughput
--   Jia       Z. Jia et al., "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking", arXiv 1804.06826
--   benches   gpu-benches of RRZE Erlangen (gpu-latency, gpu-cache, gpu-stream, cuda-incore): measured on this board
--   ubench    the microbenchmarks of Accel-Sim's authors on a TITAN V (titanv.lua)
--   Raihan    M. A. Raihan et al., "Modeling deep learning accelerator enabled GPUs", ISPASS 2019: measured on a TITAN V
--   H100      measured on an H100 (scripts/hardware/measured/h100.json), for what nobody has published of this chip
--   QV100     the configuration that GPGPU-Sim 4.x ships for another board of this chip (SM7_QV100)
--   MMA-Sim   Microsoft's MMA-Sim (arXiv 2511.10909), which agrees with the chip bit for bit
-- Keys not listed are as in a100.lua (and gtx480.lua below it). src/MODEL.md has what was fitted to which figures, and the
-- figures it was not fitted to.
-- Not modelled: f16 arithmetic takes two cycles longer than that of f32 (Jia: HFMA2 6), populating counts ten (POPC); the nearest
-- cache of constants answers after 27 (Jia; here as on an H100, with loads of parameters); and the caches of translations.
return {
	base = "a100",
	help = "Tesla V100 PCIe (Volta), 80 SMs at 1380 MHz, HBM2: from published measurements",
	["cuda.capability"] = 70, -- Guide
	["cuda.name"] = "Tesla V100-PCIE-16GB", -- the device says so

	["core_clock"] = 1380, -- benches, Jia
	["icnt_clock"] = 1380, -- ours: as the SMs
	["l2_clock"] = 1380, -- ours: as the SMs
	["dram_clock"] = 877, -- Jia; 877 MHz x 2 beats x 16 B x 32 channels = 898 GB/s

	["num_sms"] = 80, -- Volta
	["sm.shared"] = 98304, -- Guide: 96 KB
	["sm.shared_system"] = 0, -- Guide
	["sm.carveouts"] = "0,8,16,32,64,96", -- Guide
	["sm.shared_unit"] = 256, -- Guide

	["lat.int_mul"] = 4, -- Jia: IMAD 5, with the read stage, as all of these
	["lat.int_mad"] = 4, -- the same
	["lat.f32_max"] = 4, -- Jia: FMNMX 5
	["lat.sfu"] = 13, -- Jia: MUFU 14
	["ii.f16"] = 2, -- Guide: 128 results a cycle and SM, two a lane
	["lat.f64_div"] = 82, -- benches: 112, as an H100
	["ii.f64_div"] = 30, -- benches: one in 7.5 cycles of an SM

	["tensor.rate"] = 128, -- Volta: eight tensor cores of 64 multiply-adds a cycle, two in each sub-core
	["tensor.rate_f32"] = 128, -- the same
	["tensor.interval"] = 1, -- Volta: no shape takes less than 8 cycles
	["tensor.warp_gap"] = 0, -- ours: it was measured on an A100
	["tensor.fraction"] = 23, -- MMA-Sim
	["tensor.group"] = 4, -- MMA-Sim: HMMA.884
	["tensor.quads"] = "tensor", -- Jia: m8n8k4 is the instruction of the chip
	["lat.tensor"] = 37, -- Raihan: 54 of wmma m16n16k16 with f32, two m16n8k16 here (f16: 64)
	["lat.tensor_half"] = 17, -- Raihan: 18 of the four steps of m8n8k4, with the read stage

	["shared.latency"] = 15, -- Jia: 19 from load to use
	["l1d.latency"] = 22, -- benches, Jia: 28 from load to use
	["l1d.sets"] = 4, -- Volta: 128 KB = 4 x 256 x 128 B, of which shared memory has what a kernel needs
	["l1d.ways"] = 256, -- the same
	["l1t.sets"] = 4, -- the same memory
	["l1t.ways"] = 256, -- the same

	["l1i.sets"] = 64, -- Jia: 128 KB = 64 x 16 x 128 B, of instructions and constants
	["l1i.ways"] = 16, -- the same
	["l1c.behind_latency"] = 85, -- Jia: 89 from load to use

	["partitions"] = 32, -- Volta: four stacks of eight channels
	["l2.sets"] = 32, -- QV100: 6 MB = 64 slices of 32 x 24 x 128 B
	["l2.ways"] = 24, -- the same
	["l2.port"] = 32, -- A100: 2048 B a cycle of 64 slices
	["l2.parts"] = 1, -- Volta: one part
	["l2.latency"] = 167, -- fitted to benches: 212 from load to use (Jia: 193)
	["dram.row"] = 2048, -- QV100
	["dram.latency"] = 161, -- fitted to benches: 425 to 434 from load to use
	["dram.tCL"] = 12, -- QV100, at 850 MHz: all of these, which is near enough
	["dram.tWL"] = 2, -- the same
	["dram.tRP"] = 12, -- the same
	["dram.tRC"] = 40, -- the same
	["dram.tRAS"] = 28, -- the same
	["dram.tRCD"] = 12, -- the same
	["dram.tRRD"] = 3, -- the same
	["dram.tWR"] = 10, -- the same
	["dram.tWTR"] = 3, -- the same
	["dram.tRTP"] = 3, -- the same

	["launch.latency"] = 3588, -- ours: the time of an A100's

	["energy.node"] = 12, -- Volta: TSMC 12 nm FFN
	["energy.voltage"] = 0.9, -- ours: not published
}
