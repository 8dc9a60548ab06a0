#!/bin/sh
# Issue by control words (sm.dependences=counters) on whole programs: right, the same each time and after going back, no
# warp held by what the words had forgotten while its lanes are together; what the console says of it.
. "$(dirname "$0")/../rig/cli_rig.sh"
words="--gpu a6000 --set sm.dependences=counters --set sm.read_ports=true --set sm.reuse_cache=true"

figure() { # figure FILE KEY
	sed -n "s/.*\"$2\": \"*\([0-9a-fx]*\).*/\1/p" "$tmp/$1.json" | head -n 1
}
for w in sgemm "sortnet" "lavamd" "tensor/hgemm --param n=128 --param step=5"; do
	expect 0 "check passed" run $w --size small $words --stats "$tmp/a.json"
	expect 0 "check passed" run $w --size small $words --stats "$tmp/b.json"
	check "$w: the same state twice" [ "$(figure a result_hash)" = "$(figure b result_hash)" ]
	check "$w: the same cycles twice" [ "$(figure a cycles)" = "$(figure b cycles)" ]
	check "$w: no hazard" [ "$(figure a hazard_holds)" = 0 ]
done

# Going back to a cycle and on gives the state again; CTAs that are taken off, dropped or made inactive keep their counters.
at() {
	"$W" debug hotspot --size small --set num_sms=4 --dynamic-idempotence $words "$@" 2>&1
}
at --batch -ex "break kernel-start" -ex continue -ex "step 1500" -ex "print gpu.hash" >"$tmp/once"
at --batch -ex "break kernel-start" -ex continue -ex "step 1500" -ex "rs 700" -ex "step 700" -ex "print gpu.hash" >"$tmp/again"
check "a hash" grep -Eq '^[0-9a-f]{16}$' "$tmp/once"
check "the same state after going back" [ "$(tail -n 1 "$tmp/once")" = "$(tail -n 1 "$tmp/again")" ]
for how in switch flush drain; do
	at --batch -ex "break kernel-start" -ex continue -ex "step 900" -ex "preempt sms 2 within 5 by $how" -ex "step 2000" \
		-ex continue -ex continue -ex continue -ex continue >"$tmp/preempted"
	check "$how: right" grep -q "check passed" "$tmp/preempted"
done
expect 0 "check passed" run hotspot --size small --set num_sms=4 $words --cta-virtual vt

expect 0 "control words" debug sgemm --size small $words --batch -ex "break kernel-start" -ex continue -ex "info control"
expect 0 "bank0  bank1  reused" debug sgemm --size small $words --batch -ex "break kernel-start" -ex continue -ex "info control"
expect 2 "sm.dependences=counters needs sm.unit_sets=scheduler" run vecadd --size small --set sm.dependences=counters
expect 2 "sm.read_ports needs sm.dependences=counters" run vecadd --size small --gpu a6000 --set sm.read_ports=true
