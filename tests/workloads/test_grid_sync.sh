#!/bin/sh
# Cooperative launches: barriers of the whole grid, as nvcc compiles them; how many CTAs fit; other streams; going back.
. "$(dirname "$0")/../rig/cli_rig.sh"

k=tests/kernels/grid_sync
expect 0 "check passed" run $k.lua
expect 0 "check passed" run $k.lua --param ctas=45 # all that fit: with any other CTA on the machine it would hang
expect 0 "check passed" run $k.lua --param ctas=45 --warp-sched lrr
expect 0 "check passed" run $k.lua --gpu v100 --param ctas=400 --param threads=64
expect 2 "reduce: a cooperative launch of 46 CTAs, at most 45 are resident at once (3 on each of 15 SMs, by registers)" \
	run $k.lua --param ctas=46
expect 2 "at most 15 are resident at once (1 on each of 15 SMs, by max_ctas_per_sm)" run $k.lua --set max_ctas_per_sm=1
expect 3 "trap executed (a grid can synchronise only when it was launched cooperatively)" \
	run $k.lua --param cooperative=0

args="--kernel reduce --grid 15 --block 64 --arg u32[100]=iota --arg u32[15]=zero --arg u32[1]=zero --arg s32=100 --arg s32=1"
expect 0 "4950" run $k.ptx --cooperative $args --print 2
expect 3 "trap executed" run $k.ptx $args
expect 2 "at most 120 are resident" run $k.ptx --cooperative $args --grid 121
expect 2 "belong to a PTX file" run hotspot --cooperative
printf 'return { run = function(c) c.launch(c.module("%s").busy, 1, 32, {0, 0}, {cooperative = 1}) end }' \
	"$PWD/$k.ptx" >"$tmp/wrong.lua"
expect 2 "launch option cooperative: true or false expected, got number" run "$tmp/wrong.lua"

# Two of them, each of which fits only alone: the second waits for the first one's end, while a plain kernel comes in
# beside a grid that is there with all its CTAs. swap: which has the large CTAs.
two() { # swap EXPRESSION...: runs to the end, and they are true
	swap=$1
	shift
	"$W" run tests/kernels/grid_two.lua --param "swap=$swap" --max-cycles 300000 | grep "check passed" || return 1
	for e in "$@"; do
		"$W" debug --batch tests/kernels/grid_two.lua --param "swap=$swap" -ex c -ex "print $e" | tail -1 | grep -x true || return 1
	done
}
check "two grids, the large CTAs first" two 0 'gpu.kernel[0].started_at < 10' \
	'gpu.kernel[1].launched_at < 10 and gpu.kernel[1].started_at >= gpu.kernel[0].ended_at'
# eight CTAs for each SM come in, one a cycle
check "a plain kernel waits until they are all there" two 0 'gpu.kernel[2].started_at >= gpu.kernel[1].started_at + 7' \
	'gpu.kernel[2].started_at < gpu.kernel[1].started_at + 20'
check "two grids, the small CTAs first" two 1 'gpu.kernel[1].started_at >= gpu.kernel[0].ended_at'
check "a plain kernel beside a grid that is all there" two 1 \
	'gpu.kernel[2].started_at < gpu.kernel[1].ended_at and gpu.kernel[2].started_at >= gpu.kernel[1].started_at'

# In the middle of a barrier, back and forth: the same state.
"$W" debug --batch $k.lua -ex 'until 9000' -ex 'print gpu.hash' -ex 'goto 3000' -ex 'goto 200' -ex 'goto 9000' \
	-ex 'print gpu.hash' -ex c -ex 'print gpu.hash' -ex 'goto 100' -ex c -ex 'print gpu.hash' >"$tmp/hashes" 2>&1
grep -o '^[0-9a-fx-]*$' "$tmp/hashes" >"$tmp/h"
if awk 'NR == 1 { a = $0 } NR == 2 && $0 != a { bad = 1 } NR == 3 { b = $0 } NR == 4 && $0 != b { bad = 1 }
	END { exit bad || NR != 4 || a == b }' "$tmp/h"; then
	echo "ok going back over grid barriers"
else
	echo "not ok going back over grid barriers: $(tr '\n' '|' <"$tmp/hashes")"
fi
