#!/bin/sh
# make bench: what every warp scheduler costs the simulation: bench_sched.sh FILE.json [SCHEDULER...]
#
# A table scheduler x workload of simulation rates (warp instructions per second of simulating) as a ratio to gto's. Each figure is
# a pair of runs one right after the other, so that what else the host does touches both; a ratio under 0.6 or over 1.6 is measured
# three times and the middle one taken. Exit status 1 when one is below 0.5: no scheduler may halve the rate. A scheduler runs with the
# configuration that its name implies. MACHINE, SIZE, WORKLOADS and PROGRAM may be set in the environment.
set -u
out=$1
shift
machine=${MACHINE:-gtx480}
size=${SIZE:-default}
workloads=${WORKLOADS:-"hotspot bfs sgemm spmv lud"}
program=${PROGRAM:-./warpdbg}
mkdir -p "$(dirname "$out")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The values of `list policies`, whose kind comes before its name.
all() {
	"$program" list policies --format json | awk -F'"' '$2 == "kind" { kind = $4 } $2 == "name" && kind == "warp" { print $4 }'
}
schedulers=${*:-$(all)}

rate() { # rate SCHEDULER WORKLOAD: warp instructions per second, or nothing
	"$program" run "$2" --gpu "$machine" --size "$size" --warp-sched "$1" --stats "$tmp/run.json" >"$tmp/log" 2>&1 || return 1
	sed -n 's/^ *"warp_insts_per_s": \([0-9.eE+-]*\),*$/\1/p' "$tmp/run.json" | tail -1
}

pair() { # pair SCHEDULER WORKLOAD: gto's rate and the scheduler's
	base=$(rate gto "$2") && mine=$(rate "$1" "$2") && echo "$base $mine"
}

ratio() { # ratio SCHEDULER WORKLOAD: a row "gto's rate, its rate, the ratio": the middle one of as many as it took
	pair "$@" >"$tmp/pairs" || return 1
	if awk '{ exit !($2 < 0.6 * $1 || $2 > 1.6 * $1) }' "$tmp/pairs"; then
		pair "$@" >>"$tmp/pairs" && pair "$@" >>"$tmp/pairs" || return 1
	fi
	awk '{ print $1, $2, $2 / $1 }' "$tmp/pairs" | sort -g -k3 | awk '{ row[NR] = $0 } END { print row[int((NR + 1) / 2)] }'
}

echo "simulation rate under each warp scheduler, gto = 1 ($machine, size $size)"
printf '%-14s' scheduler
printf ' %10s' $workloads
echo
echo "[" >"$out"
comma=
slow=
status=0
for s in $schedulers; do
	[ "$s" = gto ] && continue
	printf '%-14s' "$s"
	for w in $workloads; do
		if ! r=$(ratio "$s" "$w"); then
			printf ' %10s' failed
			echo "$s $w: $(tail -1 "$tmp/log")" >>"$tmp/failed"
			status=1
			continue
		fi
		mark=$(echo "$r" | awk '{ print $3 < 0.5 ? "*" : " " }')
		[ "$mark" = "*" ] && slow="$slow $s/$w"
		printf ' %9.2f%s' "${r##* }" "$mark"
		echo "$w ${r%% *}" >>"$tmp/base"
		echo "$r" | awk -v c="$comma" -v m="$machine" -v z="$size" -v s="$s" -v w="$w" '{
			printf "%s {\"machine\": \"%s\", \"workload\": \"%s\", \"size\": \"%s\", \"warp_sched\": \"%s\", ", c, m, w, z, s
			printf "\"warp_insts_per_s\": %s, \"gto_warp_insts_per_s\": %s, \"ratio\": %.3f}\n", $2, $1, $3 }' >>"$out"
		comma=,
	done
	echo
done
echo "]" >>"$out"
printf '%-14s' 'gto, M wi/s'
for w in $workloads; do
	awk -v w="$w" '$1 == w { sum += $2; n++ } END { printf " %9.2f ", n ? sum / n / 1e6 : 0 }' "$tmp/base"
done
echo
[ -f "$tmp/failed" ] && cat "$tmp/failed"
if [ -n "$slow" ]; then
	echo "* BELOW HALF of gto's rate:$slow"
	status=1
fi
echo "written to $out"
exit $status
