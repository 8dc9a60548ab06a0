#!/bin/sh
# make bench: what CTA schedulers, virtual threads and several kernels cost the simulation: bench_cost.sh FILE.json
#
# Cost: instructions of the simulator (callgrind) a simulated warp instruction; what a run costs before its first cycle is left out
# (a run to cycle 1 is subtracted). The same on every host and beside any load, unlike a rate. A table of the rates that follow, in
# percent of those of rr without virtual threads, and of two programs on one machine in percent of what both cost alone, weighted
# with their warp instructions. Exit status 1 when one is below 70 %.
# MACHINE, WORKLOADS, MODES, PAIRS ("a:b ..."), WAYS ("partition/technique ...") and PROGRAM may be set in the environment.
set -u
out=$1
machine=${MACHINE:-gtx480}
workloads=${WORKLOADS:-"hotspot vecadd lps"}
modes=${MODES:-"lcs bcs lcs+bcs dyncta chunk reset flip steal vt mascar max"}
pairs=${PAIRS:-"hotspot:vecadd vecadd:lps hotspot:spmv"}
ways=${WAYS:-"fcfs/none spatial/drain spatial/switch spatial/flush spatial/chimera smk/chimera warped-slicer/chimera maestro/chimera"}
program=${PROGRAM:-./warpdbg}
goal=70
mkdir -p "$(dirname "$out")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

count() { # count OPTIONS...: instructions of the simulator
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" run "$@" >"$tmp/log" 2>&1
	grep -q 'Collected :' "$tmp/log" && sed -n 's/^.*Collected : //p' "$tmp/log"
}

cost() { # cost OPTIONS...: "instructions a warp instruction, warp instructions"
	"$program" run "$@" --gpu "$machine" --stats "$tmp/run.json" >"$tmp/log" 2>&1 || return 1 # its statistics would count
	all=$(count "$@" --gpu "$machine") && begin=$(count "$@" --gpu "$machine" --max-cycles 1) &&
		n=$(sed -n 's/^ "warp_insts": \([0-9]*\),*$/\1/p' "$tmp/run.json") &&
		awk -v a="$all" -v b="$begin" -v n="$n" 'BEGIN { printf "%.1f %d\n", (a - b) / n, n }'
}

mode() { # mode NAME: its options
	case $1 in
	vt | mascar | max) echo --cta-virtual "$1" ;;
	*) echo --cta-sched "$1" ;;
	esac
}

slow=
comma=
status=0
tell() { # tell ROW COLUMN BASE COST
	rate=$(awk -v b="$3" -v c="$4" 'BEGIN { printf "%.0f", 100 * b / c }')
	printf ' %15s' "$rate %"
	[ "$rate" -ge $goal ] || slow="$slow $1/$2"
	printf '%s {"run": "%s", "way": "%s", "cost": %s, "base": %s, "rate_percent": %s}\n' "$comma" "$1" "$2" "$4" "$3" "$rate" >>"$out"
	comma=,
}

failed() {
	printf ' %15s' failed
	tail -1 "$tmp/log" >&2
	status=1
}

echo "rate a warp instruction, rr = 100 % ($machine, small)"
printf '%-16s' ''
printf ' %15s' $modes
echo
echo "[" >"$out"
for w in $workloads; do
	printf '%-16s' "$w"
	base=$(cost "$w" --size small) || { failed; echo; continue; }
	for m in $modes; do
		if mine=$(cost "$w" --size small $(mode "$m")); then tell "$w" "$m" "${base% *}" "${mine% *}"; else failed; fi
	done
	echo
done
echo "two programs on one machine, both alone = 100 %"
printf '%-16s' ''
printf ' %15s' $ways
echo
for p in $pairs; do
	a=${p%:*} b=${p#*:}
	printf '%-16s' "$a+$b"
	one=$(cost "$a" --size small) && other=$(cost "$b" --size small) || { failed; echo; continue; }
	base=$(echo "$one $other" | awk '{ print ($1 * $2 + $3 * $4) / ($2 + $4) }')
	for way in $ways; do
		if mine=$(cost "$a" --size small "$b" --size small --partition "${way%/*}" --preempt "${way#*/}"); then
			tell "$p" "$way" "$base" "${mine% *}"
		else
			failed
		fi
	done
	echo
done
echo "]" >>"$out"
echo "written to $out"
[ -z "$slow" ] || { echo "BELOW $goal %:$slow"; exit 1; }
exit $status
