-- GPU-small: the L1s hold exactly the data of all CTAs: 12 x 8 KB in 3 x 32 KB, 240 x 8 KB in 15 x 128 KB.
return require("lib.ikra")("ikra_small", "reuse between launches: data fit into the L1s", 12, 240, 16)
