#!/bin/sh
# Workloads with commit.delay: the same results in memory, and every figure the same whatever order SMs tick in.
. "$(dirname "$0")/../rig/cli_rig.sh"

figures() { # figures WORKLOAD OPTIONS...: the JSON without what is the host's and the options' own
	"$W" run "$@" --size small --stats - --format json 2>&1 | sed '/^ "config"/,/^ }/d; /^ "host"/,/^ }/d'
}
both() { # both WORKLOAD OPTIONS...
	figures "$@" >"$tmp/now"
	figures "$@" --set commit.delay=8 >"$tmp/late"
	figures "$@" --set commit.delay=8 --set tick.shuffle=11 >"$tmp/shuffled"
	check "$*: passes" grep -q '"check": "pass"' "$tmp/late"
	grep '"result_hash"' "$tmp/now" >"$tmp/hash"
	check "$*: the same memory" grep -qFf "$tmp/hash" "$tmp/late"
	check "$*: later" sh -c "! cmp -s $tmp/now $tmp/late"
	check "$*: shuffled" cmp "$tmp/late" "$tmp/shuffled"
}
# Atomics, textures, several launches, more CTAs than fit, two generations of coalescing.
both bfs
both histogram
both ikra_steal
both heartwall
both srad1 --gpu titanv
both montecarlo --gpu titanv
both vecadd --cta-sched rr --warp-sched ccws --set lsu.replay=newcar
expect 2 "commit.delay: 8 is more than the 6 cycles that an atomic takes at least" \
	run vecadd --size small --set noc.latency=3 --set commit.delay=8
expect 2 "commit.delay is part of the machine" debug vecadd --size small --batch -ex 'set commit.delay 8'
expect 2 "front: there is no front end 'dream' (there is: ptx)" run vecadd --size small --set front=dream
