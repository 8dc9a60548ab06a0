-- The machine of the microbenchmarks of Huzaifa 2020: three compute units, a quarter of the L1, a sixteenth of the L2
-- (table 2). Sources as in apu15.lua.
return {
	base = "apu15",
	help = "3 compute units of apu15 with 32 KB L1 and 256 KB L2: microbenchmarks of Huzaifa 2020",

	["num_sms"] = 3, -- Huzaifa
	["l1d.sets"] = 64, -- Huzaifa: 32 KB, 8-way
	["l2.sets"] = 16, -- Huzaifa: 256 KB
}
