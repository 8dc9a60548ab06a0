-- Options of a launch whose program is published with its registers: those of its compilers (isa.registers=nvcc4), where the
-- estimate would give an SM another number of CTAs than they did. Machines of other compilers have the estimate.
--
-- Park 2016, table 4.2, gives them to a tenth: a thread's registers are ((switching time x 177.4 GB/s / 30) / CTAs of an SM -
-- shared memory) / 4 / threads, and every row comes out at a whole number.
return function(regs)
	return gpu.conf["isa.registers"] == "nvcc4" and { regs = regs } or nil
end
