#!/bin/sh
# malloc, free, new and delete in kernels: results, a full heap, misuse, what is left, going back in time.
. "$(dirname "$0")/../rig/cli_rig.sh"

k=tests/kernels/heap
expect 0 "check passed" run $k.lua
expect 0 "check passed" run $k.lua --warp-sched lrr
expect 0 "check passed" run $k.lua --gpu v100 --schedule none
expect 0 " heap  9,311 blocks from malloc, all freed; at most" run $k.lua
# 25,600 blocks of 1.8 MB in all
expect 0 "check passed" run $k.lua --set mem.malloc_mb=1 --param rounds=400 --param length=1
for bytes in 16 100 1000 65536 1048576; do
	expect 0 "check passed" run $k.lua --set mem.malloc_mb=1 --param exhaust=1 --param bytes=$bytes
done
expect 0 "check passed" run $k.lua --set mem.malloc_mb=2 --param mb=2 --param exhaust=1 --gpu v100 --warp-sched lrr
expect 0 " heap  1,040 blocks from malloc, 1,040 not freed (1,040,000 B); 256 calls gave NULL; at most" \
	run $k.lua --set mem.malloc_mb=1 --param exhaust=1
expect 2 "mem.malloc_mb" run $k.lua --set mem.malloc_mb=0
expect 2 "out of device memory: 8388608 bytes wanted for heap of malloc()" run $k.lua --set mem.heap_mb=8

# misuse HOW PATTERN...: a fault with all of the patterns
misuse() {
	how=$1
	shift
	for pattern; do
		expect 3 "$pattern" run $k.lua --param "misuse=$how"
	done
}
misuse 0 "which is free already (double free)" "in kernel misuse at $k.ptx:" "warp 1 (of the CTA: 1), 1 lane 0x00000020" \
	"first thread (37,0,0)" "malloc gave these bytes, they are free now"
misuse 1 "which is not the start of a block that malloc gave" ", 40 bytes; the address is 16 bytes into it"
misuse 2 "which malloc did not give" "other: "
misuse 3 "st.volatile.u32" "is out of bounds" ", 40 bytes; the address is 40 bytes into it"
misuse 4 "ld.volatile.u32" "uses freed memory"
# The block that the SM used last is no longer its own when it is freed.
expect 3 "uses freed memory" run $k.lua --param misuse=4 --param threads=38
misuse 6 "which is not the start of a block that malloc gave"
# Lane 1 behind lane 0 in the same instruction.
misuse 7 "which is free already (double free)" "warp 0 (of the CTA: 0), 1 lane 0x00000002"
# The debugger stops at the call, with the lane that does it in focus.
expect 3 "SM 0 warp 1, CTA 0 of misuse, lane 5" debug --batch $k.lua --param misuse=0 -ex c
"$W" debug --batch $k.lua --param misuse=0 -ex c >"$tmp/stop" 2>&1
check "stops at the call" grep -q "^$(grep -n 'call.uni' $k.ptx | tail -1 | cut -d: -f1)[[:space:]]*call.uni" "$tmp/stop"
expect 0 " heap  64 blocks from malloc, 1 not freed (40 B); at most" run $k.lua --param misuse=5 # free(NULL)

expect 0 '"blocks_left": 1040' run $k.lua --set mem.malloc_mb=1 --param exhaust=1 --stats - --format json
expect 0 '"device_heap": null' run vecadd --size small --stats - --format json
expect 0 "device_heap.bytes_left,,1040000" run $k.lua --set mem.malloc_mb=1 --param exhaust=1 --stats - --format csv

# same NAME PROGRAM CYCLE: the state in the middle and at the end, before and after going back.
same() {
	"$W" debug --batch "$2" -ex "until $3" -ex 'print gpu.hash' -ex 'goto 1000' -ex 'goto 40' -ex "goto $3" \
		-ex 'print gpu.hash' -ex c -ex 'print gpu.hash' -ex 'goto 30' -ex c -ex 'print gpu.hash' >"$tmp/hashes" 2>&1
	grep -o '^[0-9a-fx-]*$' "$tmp/hashes" >"$tmp/h"
	if awk 'NR == 1 { a = $0 } NR == 2 && $0 != a { bad = 1 } NR == 3 { b = $0 } NR == 4 && $0 != b { bad = 1 }
		END { exit bad || NR != 4 || a == b }' "$tmp/h"; then
		echo "ok going back: $1"
	else
		echo "not ok going back: $1: $(tr '\n' '|' <"$tmp/hashes")"
	fi
}
same "over malloc and free" $k.lua 6000
# The heap is made while the machine runs: before that it is gone again.
cat >"$tmp/late.lua" <<END
return { run = function(cuda)
	local busy = cuda.module("$PWD/tests/kernels/grid_sync.ptx").busy
	local o = cuda.malloc(4096)
	cuda.launch(busy, 1, 32, { o, 200 })
	cuda.sync()
	cuda.launch(cuda.module("$PWD/$k.ptx").make, 1, 64, { o })
end }
END
late=$("$W" run "$tmp/late.lua" --stats - --format csv 2>/dev/null |
	awk -F, '$1 == "kernel.started_at" && $2 == 1 { print $3 + 100 }')
same "behind the heap's making" "$tmp/late.lua" "$late"
# Another history from before it was made: it is made again.
expect 0 "malloc: 64 blocks, 512 B in use" debug --batch "$tmp/late.lua" -ex "until $late" -ex 'goto 40' \
	-ex 'set warp-sched lrr' -ex c -ex 'info allocation'

# info PATTERN ADDRESS
info() {
	expect 0 "$1" debug --batch $k.lua --param misuse=5 -ex c -ex "info allocation $2"
}
info "malloc: 1 block, 40 B in use; 64 given, 63 freed, 0 failed; at most 2560 B" ""
base=$("$W" debug --batch $k.lua --param misuse=5 -ex c -ex 'info allocation' 2>/dev/null | awk '/heap of malloc/ { print $2 }')
at() { printf '0x%09x' $((base + $1)); }
info "malloc gave $(at 1776)           40 B, the address is 8 B into it" "$(at 1784)"
info "no block of malloc holds the address" "$base"

# refused PATTERN DECLARATION
refused() {
	printf '.version 7.0\n.target sm_70\n.address_size 64\n.extern .func %s;\n.visible .entry k()\n{\n.param .b64 p;\n.param .b64 r;\n%s\nret;\n}\n' \
		"$2" "$3" >"$tmp/refused.ptx"
	expect 2 "$1" run "$tmp/refused.ptx" --grid 1 --block 1
}
refused "malloc is declared with other parameters than (.b64) -> .b64" "malloc(.param .b64 a)" "call malloc, (p);"
refused "free is declared with other parameters than (.b64)" "(.param .b64 r) free(.param .b64 a)" "call (r), free, (p);"
