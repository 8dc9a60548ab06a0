-- The tightly coupled CPU and GPU of M. Huzaifa et al., "Inter-kernel Reuse-aware Thread Block Scheduling", ACM TACO
-- 2020: 15 compute units and a CPU core at the nodes of a 4x4 mesh, with a bank of a shared L2 at each node.
--
-- Sources, by the short names used below:
--   Huzaifa   the paper, table 2 and sections 5.1, 5.2. The paper does not say whose cycles its latencies are: here they are
--             those of a compute unit, at 700 MHz
--   v3        GPGPU-Sim 3.2, which the paper's compute units are, as in gtx480v3.lua and gtx480.lua: keys not listed
--   latency   fitted to the zero-load latencies of table 2. L2 28 to 64 cycles (29 to 61), memory 205 to 254 (197 to 261), a
--             remote L1 36 to 66 (35 to 83; no way from a node to two others and back has more than 12 hops, and 83 is 18):
--             tests/mem/test_apu.c
--   bandwidth fitted to the paper's four microbenchmarks, which run on apu3 with CTAs of one warp: time under steal in % of
--             that under rr, here and (in the paper): GPU-small 37 (32), GPU-medium 69 (69), GPU-large 74 (77),
--             Work-Stealing 77 (74). No application was used
--   GEMS      its memory controller's defaults, as in the copy that gem5 took over; the paper's memory system is GEMS
--   ours      not published; the reason is given
return {
	base = "gtx480v3",
	help = "15 compute units at 700 MHz on a 4x4 mesh with a CPU core, coherence denovo: Huzaifa 2020 table 2",

	["core_clock"] = 700, -- Huzaifa
	["icnt_clock"] = 700, -- bandwidth: 16 B a link and cycle
	["l2_clock"] = 700, -- ours: a bank serves a request a cycle of its compute unit

	["num_sms"] = 15, -- Huzaifa
	["sm.threads"] = 1536, -- Huzaifa: 48 warps
	["sm.ctas"] = 8, -- Huzaifa
	["sm.regs"] = 32768, -- ours, as gtx480: 528 KB of registers, scratchpad, L1 and L2 bank leave 144 KB for the first two
	["sm.shared"] = 16384, -- the same: 16 KB

	["l1d.sets"] = 256, -- Huzaifa: 128 KB, 8-way
	["l1d.ways"] = 8, -- Huzaifa
	["l1d.line"] = 64, -- ours: as the CPU's
	["l1d.hash"] = "linear", -- ours: nothing is said of another one
	["l1d.latency"] = 1, -- Huzaifa: 1 cycle
	["l1d.mshrs"] = 64, -- Huzaifa
	["l1d.stores"] = 64, -- Huzaifa: store buffer
	["l1d.miss_queue"] = 64, -- ours: the store buffer and the MSHRs are the limits
	["l1i.sets"] = 8, -- ours: the sizes of gtx480v3 with lines that an L2 bank has
	["l1i.line"] = 64,
	["l1t.sets"] = 8,
	["l1t.line"] = 64,

	["launch.first"] = "ended", -- Huzaifa, section 2.2: behind the CU that finished last in the kernel before

	["coherence"] = "denovo", -- Huzaifa, section 5.1
	["network"] = "mesh", -- Huzaifa
	["noc.mesh_width"] = 4, -- Huzaifa
	["noc.mesh_nodes"] = "shared", -- Huzaifa: a core and a bank at each node
	["noc.router_latency"] = 2, -- latency: 3 cycles a hop for the 2.67 of (61 - 29) / 12 and (83 - 35) / 18
	["noc.link_latency"] = 1, -- latency
	["noc.flit"] = 16, -- Garnet (N. Agarwal et al., ISPASS 2009): 16 B
	["noc.mesh_buffer"] = 20, -- Garnet: 4 places in each of 4 virtual channels; here one, of four packets with a line

	["partitions"] = 4, -- ours: four channels, a bank in four its own
	["l2.slices"] = 4, -- Huzaifa: 16 banks
	["l2.sets"] = 256, -- Huzaifa: 4 MB
	["l2.ways"] = 16, -- ours
	["l2.line"] = 64, -- ours: as L1
	["l2.latency"] = 19, -- latency; with 18 GPU-small's launches under rr happen to begin where the one before began
	["l2.write_miss"] = "lazy", -- ours: the paper's L2 is GEMS', not gtx480v3's; DeNovo's stores need no line
	["l2.miss_queue"] = 64, -- ours: the network's buffers and the MSHRs are the limits; the three queues below as well
	["noc.request_queue"] = 64,
	["noc.reply_queue"] = 64,
	["noc.message_queue"] = 64, -- the same: questions to the owners of words
	["dram.bus"] = 2, -- GEMS: 7.4 GB/s a channel; a line has the bus for 2 cycles of 10 of the CPU's, 6.4 GB/s
	["dram.latency"] = 159, -- latency
}
