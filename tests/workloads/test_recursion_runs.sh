#!/bin/sh
# Recursion with local arrays on whole machines: results, where the stack ends, going back in the middle of deep calls.
. "$(dirname "$0")/../rig/cli_rig.sh"

k=tests/kernels/recursion
expect 0 "check passed" run $k.lua
expect 0 "check passed" run $k.lua --gpu v100 --warp-sched lrr --schedule none
expect 0 "check passed" run $k.lua --param deep=100
expect 3 "call stack overflow at depth 17: calling descend, the frames of the warp take" \
	run $k.lua --param deep=100 --set front.frame_kb=64
expect 3 "call stack overflow at depth 264: calling descend, the frames of the warp take 1049600 bytes and exceed front.frame_kb = 1024 KiB" \
	run $k.lua --param deep=300
expect 3 "of local memory and has 3072: front.local_kb = 3 KiB" \
	run $k.lua --param deep=100 --set front.frame_kb=512 --set front.local_kb=3
expect 3 "threads share half of mem.heap_mb = 256 MiB" \
	run $k.lua --param deep=100 --set front.frame_kb=512 --set mem.heap_mb=256
# A kernel that needs more than there is: refused alone.
large="tests/compiled/recursion.ptx --kernel large --grid 1 --block 32 --arg s32[32]=zero --arg s32=5000"
expect 0 "finished" run $large
expect 2 "kernel large: 20000 bytes of local memory per thread, for 23040 threads more than three quarters of mem.heap_mb = 256 MiB" \
	run $large --set mem.heap_mb=256
expect 2 "kernel large: 20000 bytes of local memory per thread, more than front.local_kb = 16 KiB" \
	run $large --set front.local_kb=16
expect 2 "kernel quicksort: 192 bytes of local memory per thread, more than front.local_kb = 0 KiB" \
	run $k.lua --set front.local_kb=0

# In the middle of nested calls, back and forth: the same state; also where frames have grown beyond the 64 KiB that
# every warp has at hand.
back() { # back DEPTH CYCLE...: there, back, there, to the end, back, to the end
"$W" debug --batch $k.lua --param deep="$1" -ex "until $2" -ex 'print gpu.hash' -ex "goto $3" -ex 'goto 200' \
	-ex "goto $2" -ex 'print gpu.hash' -ex c -ex 'print gpu.hash' -ex 'goto 100' -ex c -ex 'print gpu.hash' \
	>"$tmp/hashes" 2>&1
grep -o '^[0-9a-fx-]*$' "$tmp/hashes" >"$tmp/h"
if awk 'NR == 1 { a = $0 } NR == 2 && $0 != a { bad = 1 } NR == 3 { b = $0 } NR == 4 && $0 != b { bad = 1 }
	END { exit bad || NR != 4 || a == b }' "$tmp/h"; then
	echo "ok going back over recursion $1"
else
	echo "not ok going back over recursion $1: $(tr '\n' '|' <"$tmp/hashes")"
fi
}
back 6 16000 3000
back 60 100000 60000
