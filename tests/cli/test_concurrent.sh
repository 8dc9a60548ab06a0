#!/bin/sh
# Two workloads at once (concurrent/pair): the checks of both pass, their kernels do run at the same time, and the
# results are the same however kernels share the SMs. What is asked wrongly is said.
. "$(dirname "$0")/../rig/cli_rig.sh"

run() { # run A B [OPTIONS...]: result hash
	a=$1 b=$2
	shift 2
	"$W" run concurrent/pair --size small --param a="$a" --param b="$b" --stats - --format json "$@" |
		grep -o '"result_hash": *"[0-9a-f]*"\|"check": *"[a-z]*"' | tr -d '\n'
}
for pair in "matmul vecadd" "kmeans:n=3000,iterations=2 srad2"; do
	first=
	for how in "--partition fcfs" "--partition cke" "--partition mcke" "--partition mcke --cta-sched dyncta"; do
		got=$(run ${pair% *} ${pair#* } $how)
		check "$pair $how: $got" test "$got" = "${first:=$got}"
	done
	check "$pair: $first" expr "$first" : '.*"pass"'
done
# Launched in the same cycle, each in its stream.
expect 0 "laplace3d running running" debug concurrent/pair --size small --batch -ex 'until gpu.cycle >= 900' \
	-ex 'lua print(gpu.kernel[1].name .. " " .. gpu.kernel[0].state .. " " .. gpu.kernel[1].state)'
expect 0 "same hash" debug concurrent/pair --size small --param a=bfs --batch -ex 'until gpu.cycle >= 9000' -ex 'lua h = gpu.hash' \
	-ex 'goto 3000' -ex 'goto 9000' -ex 'lua print(gpu.hash == h and "same hash" or "another")'
expect 2 "cp has no parameter 'width'" run concurrent/pair --param a=cp:width=3
expect 2 "a and b are WORKLOAD or WORKLOAD:PARAMETER=VALUE" run concurrent/pair --param a=:
expect 2 "module 'workloads.nothing' not found" run concurrent/pair --param b=nothing
expect 2 "no workload 'pair'" run pair
