-- GPU-medium: twice what the L1s hold, all of it in the L2: 24 x 8 KB; 480 x 8 KB.
return require("lib.ikra")("ikra_medium", "reuse between launches: data split between L1s and L2", 24, 480, 8)
