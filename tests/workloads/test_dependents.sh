#!/bin/sh
# Programmatic dependent launches of a host program in Lua: its option, what console commands show, the trace, going back.
. "$(dirname "$0")/../rig/cli_rig.sh"

k=tests/kernels/dependents.lua
expect 0 "check passed" run $k --gpu h200
expect 0 "check passed" run $k --gpu h200 --param with=0
expect 0 "check passed" run $k --gpu h200 --warp-sched lrr --partition spatial --preempt chimera
expect 2 "needs sm_90, this machine is sm_80" run $k --gpu a100
printf 'return { run = function(c) c.launch(c.module("%s").first, 1, 32, {0, 0}, {programmatic = 1}) end }' \
	"$PWD/tests/kernels/dependents.ptx" >"$tmp/wrong.lua"
expect 2 "launch option programmatic: true or false expected, got number" run "$tmp/wrong.lua" --gpu h200

cycles() { # cycles WITH: from the first kernel's start to the last one's end
	"$W" debug --batch $k --gpu h200 --param "with=$1" -ex c -ex 'print gpu.kernel[3].ended_at - gpu.kernel[0].started_at' | tail -1
}
with=$(cycles 1) without=$(cycles 0)
check "pairs overlap: $with cycles with, $without without" [ "$with" -lt $((without * 9 / 10)) ]

"$W" debug --batch $k --gpu h200 -ex 'info kernels' -ex 'break launch-dependents' -ex c -ex 'why kernel 1' -ex delete -ex 'until 20000' \
	-ex 'info warps 6' -ex 'info kernels' -ex 'info launches' -ex 'goto 100' -ex c -ex 'info launches' >"$tmp/log" 2>&1
check "queued" grep -q "programmatic: it may begin before the kernel before it has ended" "$tmp/log"
check "the event" grep -q "launch-dependents: first#0 (next 2, done 0)" "$tmp/log"
check "a warp that waits" grep -q "fence .*end of kernel 0" "$tmp/log"
check "info kernels" grep -q "programmatic: it began before kernel 0 had ended" "$tmp/log"
check "info launches, while both run" grep -qE "^ *1  second .* running, began before 0 ended" "$tmp/log"
check "and at the end" [ "$(grep -cE "^ *[13]  second .* done, began before [02] ended" "$tmp/log")" -eq 2 ]
check "a launch that overlaps nothing" grep -qE "^ *2  first .* done +cuda.launch" "$tmp/log"

"$W" run $k --gpu h200 --trace "$tmp/trace.json" >"$tmp/log" 2>&1
check "in the trace, once for each pair" [ "$(grep -o '"name":"launch-dependents"' "$tmp/trace.json" | wc -l)" -eq 2 ]

"$W" debug --batch $k --gpu h200 -ex 'until 9000' -ex 'print gpu.hash' -ex 'goto 7000' -ex 'goto 200' -ex 'goto 9000' \
	-ex 'print gpu.hash' -ex c -ex 'print gpu.hash' -ex 'goto 100' -ex c -ex 'print gpu.hash' >"$tmp/hashes" 2>&1
grep -o '^[0-9a-fx-]*$' "$tmp/hashes" >"$tmp/h"
check "going back over it: $(tr '\n' '|' <"$tmp/h")" awk 'NR == 1 { a = $0 } NR == 2 && $0 != a { bad = 1 } NR == 3 { b = $0 }
	NR == 4 && $0 != b { bad = 1 } END { exit bad || NR != 4 || a == b }' "$tmp/h"
