-- What publications say of the benchmarks that the bundled workloads are modelled after, by workload and kernel of ours.
--
--   lee      M. Lee et al., "Improving GPGPU resource utilization through alternative thread block scheduling", HPCA
--            2014, table 2: { abbreviation, CTAs, CTA dimensions, type }
--   phases   M. Awatramani et al., "Phase aware warp scheduling", PACT 2015, table II: { abbreviation, blocks, threads
--            per block, blocks per core, phases, longest, shortest phase }
--   points   J. J. K. Park, PhD thesis, University of Michigan 2016, table 3.2: { label, kernel, program points before
--            merging }
--   preempt  the same, table 4.2: { label, kernel, context of a thread block in kB, thread blocks per SM, idempotent,
--            idempotent region in % (100 when idempotent), drain time in us, switch time in us }
--
-- Kernels are paired by what they do. Table II's B+T-K1 and -K2 are taken for findRangeK and findK, the order in which
-- Rodinia's example input launches them; the first has more phases there and more loads in table 3.2. Its HIST is
-- the CUDA SDK's program, of which ours is a relative. Its DXTC has CTAs of 256 threads where the SDK's has 64.
local P = {}

local function kernel(workload, name)
	P[workload] = P[workload] or {}
	P[workload][name] = P[workload][name] or {}
	return P[workload][name]
end

local function lee(workload, name, ...)
	kernel(workload, name).lee = { ... }
end
local function phases(workload, name, ...)
	kernel(workload, name).phases = { ... }
end
local function points(workload, name, ...)
	kernel(workload, name).points = { ... }
end
local function preempt(workload, name, ...)
	kernel(workload, name).preempt = { ... }
end

lee("convsep", "convolve_rows", "CONV", 18432, "16x8", "I")
lee("matmul", "matmul", "MMUL", 864, "16x16", "I")
lee("backprop", "layer_forward", "BP", 65536, "16x16", "II")
lee("backprop", "adjust_weights", "BP", 65536, "16x16", "II")
lee("bfs", "bfs_expand", "BFS", 1954, "512", "II")
lee("bfs", "bfs_advance", "BFS", 1954, "512", "II")
lee("cp", "cenergy", "CP", 1024, "16x8", "II")
lee("ray", "trace", "RAY", 8192, "16x8", "II")
lee("srad2", "srad_1", "SRAD", 16384, "16x16", "II")
lee("madd", "madd", "MADD", 1024, "16x16", "II")
lee("transpose", "transpose_tiled", "TRAN", 4096, "16x16", "II")
lee("vecadd", "vecadd", "VADD", 8182, "256", "II")
lee("fdtd3d", "finite_differences", "FDTD", 576, "16x16", "II")
lee("kmeans", "kmeans_swap", "KMN", 1936, "256", "III")
lee("mummer", "mummer_match", "MUM", 196, "256", "III")
lee("eip", "eip_init", "EIP", 391, "256", "III")
lee("eip", "eip_points", "EIP", 391, "256", "III")
lee("blackscholes", "blackscholes", "BLK", 8192, "128", "IV")
lee("stencil", "stencil", "STN", 1024, "32x4", "IV")
lee("lbm", "lbm_stream_collide", "LBM", 13000, "100", "IV")
lee("lps", "laplace3d", "LPS", 2048, "16x8", "IV")

phases("backprop", "layer_forward", "BP-K1", 65535, 256, 6, 5, 206, 26)
phases("backprop", "adjust_weights", "BP-K2", 65535, 256, 5, 5, 99, 14)
phases("btree", "find_range_k", "B+T-K1", 65535, 256, 5, 16, 40, 5)
phases("btree", "find_k", "B+T-K2", 65535, 256, 6, 11, 32, 3)
phases("heartwall", "heartwall", "Heart", 56, 256, 4, 45, 212, 41)
phases("kmeans", "kmeans_assign", "KM", 841, 256, 6, 2, 48, 14)
phases("lud", "lud_internal", "LUD", 16129, 256, 6, 3, 150, 7)
phases("srad2", "srad_1", "SRAD", 16384, 256, 6, 4, 218, 31)
phases("cfd", "compute_flux", "CFD", 1817, 192, 3, 9, 985, 86)

phases("dwthaar", "haar_decompose", "DWT", 4096, 512, 3, 2, 144, 44)
phases("dxtc", "dxtc_compress", "DXTC", 4096, 256, 4, 3, 1159, 24)
phases("fwt", "fwt_batch1", "FWT", 4096, 512, 3, 2, 174, 45)
phases("histogram", "histogram_shared", "HIST", 256, 192, 6, 2, 44, 24)
phases("montecarlo", "price_options", "MCO", 2048, 256, 5, 2, 284, 38)

points("bfs", "bfs_expand", "BFS", "Kernel", 9)
points("bfs", "bfs_advance", "BFS", "Kernel2", 1)
points("backprop", "layer_forward", "BP", "bpnn_layerforward", 2)
points("backprop", "adjust_weights", "BP", "bpnn_adjust_weights", 12)
points("blackscholes", "blackscholes", "BS", "BlackScholesGPU", 4)
points("btree", "find_range_k", "BT", "findRangeK", 22)
points("btree", "find_k", "BT", "findK", 13)
points("cp", "cenergy", "CP", "cenergy", 3)
points("fdtd3d", "finite_differences", "FDTD", "FiniteDifferences", 60)
points("histogram", "histogram_shared", "HIST", "main_kernel", 15)
points("hotspot", "hotspot", "HS", "calculate_temp", 2)
points("heartwall", "heartwall", "HW", "kernel", 94)
points("kmeans", "kmeans_swap", "KM", "invert_mapping", 2)
points("kmeans", "kmeans_assign", "KM", "kmeansPoint", 3)
points("lbm", "lbm_stream_collide", "LBM", "performStrideCollide", 20)
points("leukocyte", "leukocyte_gicov", "LC", "GICOV_kernel", 4)
points("leukocyte", "leukocyte_dilate", "LC", "dilate_kernel", 3)
points("leukocyte", "leukocyte_imgvf", "LC", "IMGVF_kernel", 10)
points("lavamd", "lavamd", "LMD", "kernel_gpu_cuda", 23)
points("lps", "laplace3d", "LPS", "GPU_laplace3d", 5)
points("lud", "lud_diagonal", "LUD", "lud_diagonal", 16)
points("lud", "lud_perimeter", "LUD", "lud_perimeter", 48)
points("lud", "lud_internal", "LUD", "lud_internal", 3)
points("mriq", "mriq_phi_mag", "MRIQ", "ComputePhiMag", 2)
points("mriq", "mriq_q", "MRIQ", "ComputeQ", 5)
points("mummer", "mummer_match", "MUM", "mummergpuKernel", 9)
points("mummer", "mummer_print", "MUM", "printKernel", 12)
points("nw", "nw_upper", "NW", "needle_cuda_shared_1", 19)
points("nw", "nw_lower", "NW", "needle_cuda_shared_2", 19)
points("particlefilter", "pf_likelihood", "PF", "likelihood", 22)
points("particlefilter", "pf_sum", "PF", "sum", 2)
points("particlefilter", "pf_normalize", "PF", "normalize_weight", 8)
points("particlefilter", "pf_find_index", "PF", "find_index", 5)
points("radixsort", "sort_blocks", "RS", "radixSortBlocks", 2)
points("radixsort", "find_offsets", "RS", "findRadixOffsets", 1)
points("radixsort", "reorder", "RS", "reorderData", 4)
points("sgemm", "sgemm_nt", "SGEMM", "mysgemmNT", 20)
points("srad2", "srad_1", "SRAD", "srad_cuda_1", 9)
points("srad2", "srad_2", "SRAD", "srad_cuda_2", 10)
points("stencil", "stencil", "ST", "hybrid_coarsen_x", 13)
points("spmv", "spmv_scalar", "Spmv", "spmv_jds", 11)
points("tpacf", "tpacf_histograms", "TPACF", "gen_hists", 8)

preempt("blackscholes", "blackscholes", "BS", "BlackScholesGPU", 24, 4, true, 100, 60.9, 17.0)
preempt("btree", "find_range_k", "BT.0", "findRangeK", 46, 2, false, 47, 3.5, 15.9)
preempt("btree", "find_k", "BT.1", "findK", 36, 3, false, 46, 2.8, 18.7)
preempt("backprop", "layer_forward", "BP.0", "bpnn_layerforward", 12, 6, false, 89, 3.1, 12.5)
preempt("backprop", "adjust_weights", "BP.1", "bpnn_adjust_weights", 22, 5, false, 52, 1.8, 19.0)
preempt("cp", "cenergy", "CP", "cenergy", 7, 8, false, 63, 746.9, 10.4)
preempt("fwt", "fwt_batch2", "FWT.0", "fwBatch2Kernel", 21, 5, false, 52, 2.3, 18.2)
preempt("fwt", "fwt_batch1", "FWT.1", "fwBatch1Kernel", 28, 3, false, 90, 7.2, 14.5)
preempt("fwt", "fwt_modulate", "FWT.2", "modulateKernel", 18, 6, true, 100, 321.8, 18.7)
preempt("heartwall", "heartwall", "HW", "kernel", 67, 2, false, 90, 5.2, 23.4)
preempt("hotspot", "hotspot", "HS", "calculate_temp", 38, 3, true, 100, 4.5, 19.7)
preempt("kmeans", "kmeans_swap", "KM.0", "invert_mapping", 10, 6, true, 100, 424.3, 10.4)
preempt("kmeans", "kmeans_assign", "KM.1", "kmeansPoint", 12, 6, true, 100, 118.8, 12.5)
preempt("leukocyte", "leukocyte_gicov", "LC.0", "GICOV_kernel", 17, 7, true, 100, 1162.0, 20.9)
preempt("leukocyte", "leukocyte_dilate", "LC.1", "dilate_kernel", 9, 8, true, 100, 391.7, 13.5)
preempt("leukocyte", "leukocyte_imgvf", "LC.2", "IMGVF_kernel", 87, 1, false, 99, 10173.2, 15.2)
preempt("lud", "lud_diagonal", "LUD.0", "lud_diagonal", 4, 8, false, 97, 17.4, 5.6)
preempt("lud", "lud_perimeter", "LUD.1", "lud_perimeter", 5, 8, false, 94, 26.2, 8.1)
preempt("lud", "lud_internal", "LUD.2", "lud_internal", 16, 6, false, 80, 3.5, 16.6)
preempt("mummer", "mummer_match", "MUM.0", "mummergpuKernel", 18, 6, true, 100, 10212.8, 18.7)
preempt("mummer", "mummer_print", "MUM.1", "printKernel", 24, 5, true, 100, 76.4, 20.8)
preempt("nw", "nw_upper", "NW.0", "needle_cuda_shared_1", 8, 8, false, 96, 18.2, 11.1)
preempt("nw", "nw_lower", "NW.1", "needle_cuda_shared_2", 8, 8, false, 96, 18.7, 11.1)
preempt("sad", "sad_4x4", "SAD.0", "mb_sad_calc", 7, 8, true, 100, 42.3, 10.1)
preempt("sad", "sad_8", "SAD.1", "larger_sad_calc_8", 8, 8, true, 100, 82.9, 11.1)
preempt("sad", "sad_16", "SAD.2", "larger_sad_calc_16", 2, 8, true, 100, 19.7, 2.8)
preempt("stencil", "stencil", "ST", "block2D_hybrid_coarsen_x", 11, 8, true, 100, 122.3, 15.9)

return P
