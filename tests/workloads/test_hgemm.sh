#!/bin/sh
# The ladder of half-precision matrix multiplications (tensor/hgemm): each step is right, on Ampere and Ada, and takes less
# time than the one before; machines without its instructions refuse it by name.
. "$(dirname "$0")/../rig/cli_rig.sh"

"$W" run tensor/hgemm --gpu a100 --param n=256 --param step=2 --stats "$tmp/2.json" >"$tmp/out" 2>&1
"$W" run tensor/hgemm --gpu a100 --param n=256 --param step=3 --stats "$tmp/3.json" >>"$tmp/out" 2>&1
"$W" run tensor/hgemm --gpu a100 --param n=256 --param step=4 --stats "$tmp/4.json" >>"$tmp/out" 2>&1
"$W" run tensor/hgemm --gpu a100 --param n=256 --param step=5 --stats "$tmp/5.json" >>"$tmp/out" 2>&1
check "four steps are right" [ "$(grep -c 'finished, check passed' "$tmp/out")" = 4 ]
cycles() {
	sed -n 's/^ "cycles": \([0-9]*\),/\1/p' "$tmp/$1.json"
}
check "ldmatrix is faster than loads of 4 B" [ "$(cycles 3)" -lt "$(cycles 2)" ]
check "asynchronous copies take less than half of that" [ "$((2 * ($(cycles 4) - 3700)))" -lt "$(cycles 3)" ]
check "swizzled is faster still" [ "$(cycles 5)" -lt "$(cycles 4)" ]
expect 0 "finished, check passed" run tensor/hgemm --gpu a100 --param n=64
expect 0 "finished, check passed" run tensor/hgemm --gpu rtx4090 --param n=64
expect 2 "is of sm_80 and needs tensor cores, this machine has none" run tensor/hgemm --size small
expect 2 "needs sm_80, this machine is sm_75" run tensor/hgemm --size small --gpu rtx2080ti
expect 2 "n = 100 is not a multiple of 64" run tensor/hgemm --gpu a100 --param n=100
