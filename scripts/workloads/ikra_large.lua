-- GPU-large: more than L1s and L2 together. 69 x 8 KB against 96 + 256 KB: of a launch's data the L1s hold 17 %, which
-- is the share of L1 hits published for it. 1380 x 8 KB against 1.9 + 4 MB.
return require("lib.ikra")("ikra_large", "reuse between launches: data split between L2 and memory", 69, 1380, 3)
