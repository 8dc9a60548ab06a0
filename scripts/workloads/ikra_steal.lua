-- Work-Stealing: the data of GPU-large, 1 to 64 operations a CTA. How they are spread over the grid is not published.
return require("lib.ikra")("ikra_steal", "reuse between launches: uneven work", 69, 1380, 3, true)
