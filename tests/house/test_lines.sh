#!/bin/sh
# Every bundled kernel names its lines of CUDA, by paths that hold wherever the project lies; a breakpoint on one stops
# there, and line information alone changes nothing of a run.
. "$(dirname "$0")/../rig/cli_rig.sh"

for ptx in configs/kernels/*.ptx; do
	kernel=$(basename "$ptx" .ptx)
	check "$kernel has lines" grep -q '^	\.loc	1 ' "$ptx"
	check "$kernel: its files" [ -z "$(grep '^	\.file' "$ptx" | grep -v '"\./configs/kernels/[a-z0-9_]*\.\(cu\|h\)"')" ]
done
expect 0 "hotspot.cu:24" debug hotspot --size small --batch -ex 'step 1' -ex 'break hotspot.cu:24' -ex continue -ex 'info line'

# The same kernels without directives, and labels that only they need: the same cycles.
figures() { # figures FILE
	"$W" run "$1" --kernel vecadd --grid 64 --block 256 --arg 'f32[16384]=iota' --arg 'f32[16384]=1' --arg 'f32[16384]=zero' \
		--arg u32=16384 --stats - --format json 2>&1 | grep -E '"(cycles|state_hash|result_hash)"'
}
grep -vE '^	\.(loc|file)' configs/kernels/vecadd.ptx >"$tmp/plain.ptx"
awk '{ print } /^\t\.loc/ { print "Ltmp" n++ ":" } /^\tret;/ { print "Lend0:" }' configs/kernels/vecadd.ptx >"$tmp/labels.ptx"
figures "$tmp/labels.ptx" >"$tmp/with"
figures "$tmp/plain.ptx" >"$tmp/without"
check "labels are there" [ "$(grep -c '^L[a-z]*[0-9]*:' "$tmp/labels.ptx")" -gt 5 ]
check "figures" grep -q cycles "$tmp/with"
check "the same without line information: $(diff "$tmp/with" "$tmp/without" | head -3)" cmp -s "$tmp/with" "$tmp/without"
