-- The machine of M. Lee et al., "Improving GPGPU resource utilization through alternative thread block scheduling",
-- HPCA 2014, table 1 ("Lee"): GPGPU-Sim 3 with 28 Fermi-like SMs. What the table leaves open is as in gtx480v3.lua;
-- latencies stay in cycles, as they do in GPGPU-Sim when only a clock is changed.
return {
	base = "gtx480v3",
	help = "28 Fermi-like SMs at 1400 MHz, 8 channels: Lee 2014 table 1",

	["core_clock"] = 1400, -- Lee: core / ICNT / memory clock 1400 / 1400 / 924 MHz
	["icnt_clock"] = 1400, -- Lee
	["l2_clock"] = 1400, -- not in the table; GPGPU-Sim 3 clocks L2 with the interconnect
	["dram_clock"] = 924, -- Lee

	["num_sms"] = 28, -- Lee
	["sm.threads"] = 1536, -- Lee
	-- Not in the table. Two schedulers that issue in every cycle of 1400 MHz would be two warps a cycle for an SM with 32
	-- lanes: what Fermi issues is one. With two, types and T_new are far from the paper's (scripts/papers/RESULTS.md).
	["sm.schedulers"] = 1,
	["sm.ctas"] = 8, -- Lee, section 3: the sweep ends at 8 CTAs, the hardware limit
	["sm.regs"] = 32768, -- Lee
	["sm.shared"] = 49152, -- Lee: 48 KB

	["l1d.sets"] = 32, -- Lee: 32 KB, 8-way, 128 B lines
	["l1d.ways"] = 8, -- Lee
	["l1d.line"] = 128, -- Lee
	-- The paper is of February 2014. GPGPU-Sim got its hashed index in July 2014, from a paper of the same conference
	-- (Nugteren et al., HPCA 2014).
	["l1d.hash"] = "linear",
	["l1d.mshrs"] = 32, -- not in the table; v3: cache:dl1 32:128:4,L:L:m:N,A:32:8,8
	["l1c.sets"] = 64, -- Lee: 8 KB; lines of 64 B and 2 ways as GPGPU-Sim has them
	["l1c.ways"] = 2, -- see l1c.sets
	["l1c.line"] = 64, -- see l1c.sets
	["l1t.sets"] = 32, -- Lee: 32 KB, 16-way, 64 B lines
	["l1t.ways"] = 16, -- Lee
	["l1t.line"] = 64, -- Lee

	["noc.flit"] = 32, -- Lee: crossbar with 32 B channels

	["partitions"] = 8, -- Lee: 8 memory controllers
	["l2.slices"] = 1, -- Lee: 128 KB per memory channel, in one slice
	["l2.sets"] = 64, -- Lee: 128 KB = 64 x 8 x 256 B
	["l2.ways"] = 8, -- Lee
	["l2.line"] = 256, -- Lee

	["dram.sched"] = "frfcfs", -- Lee
	["dram.banks"] = 16, -- Lee
	["dram.tCL"] = 12, -- Lee
	["dram.tRP"] = 12, -- Lee
	["dram.tRC"] = 40, -- Lee
	["dram.tRAS"] = 28, -- Lee
	["dram.tRCD"] = 12, -- Lee
	["dram.tRRD"] = 6, -- Lee

	["energy.node"] = 45, -- Lee, section 3: GPUWattch, 45 nm
	["energy.gate_registers"] = true, -- Lee, section 5.3: also in the baseline
	["energy.gate_shared"] = true, -- the same
}
