#!/bin/sh
# make bench: simulation rate per workload and machine: bench.sh FILE.json [WORKLOAD...]
#
# Every pair runs once; rates count the time spent simulating, not the host programs' own references. MACHINES and SIZE may be
# set in the environment. gpgpusim_v100 is the machine that earlier results call v100, so its column stays comparable.
set -u
out=$1
shift
machines=${MACHINES:-"gtx480 gpgpusim_v100"}
size=${SIZE:-default}
workloads=${*:-$(./warpdbg list workloads --format json | sed -n 's/.*"name": "\([^"/]*\)".*/\1/p')}
mkdir -p "$(dirname "$out")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The value of a key of the JSON's last object, `host`, or of its top level.
value() { sed -n "s/^ *\"$1\": \([0-9.eE+-]*\),*$/\1/p" "$tmp/run.json" | tail -1; }
top() { sed -n "s/^ \"$1\": \([0-9.eE+-]*\),*$/\1/p" "$tmp/run.json" | head -1; }

printf '%-10s %-12s %12s %12s %10s %10s %8s %8s\n' machine workload cycles 'warp insts' 'M wi/s' 'M ti/s' 'kcyc/s' 'RSS MB'
echo "[" >"$out"
comma=
failed=0
for m in $machines; do
	for w in $workloads; do
		if ! ./warpdbg run "$w" --gpu "$m" --size "$size" --stats "$tmp/run.json" >"$tmp/log" 2>&1; then
			echo "$m $w: failed: $(tail -1 "$tmp/log")"
			failed=1
			continue
		fi
		cycles=$(top cycles) insts=$(top warp_insts)
		wi=$(value warp_insts_per_s) ti=$(value thread_insts_per_s) cy=$(value cycles_per_s) rss=$(value peak_rss_bytes)
		awk -v m="$m" -v w="$w" -v c="$cycles" -v n="$insts" -v wi="$wi" -v ti="$ti" -v cy="$cy" -v r="$rss" 'BEGIN {
			printf "%-10s %-12s %12d %12d %10.2f %10.1f %8.0f %8.0f\n", m, w, c, n, wi / 1e6, ti / 1e6, cy / 1e3, r / 1e6 }'
		printf '%s {"machine": "%s", "workload": "%s", "size": "%s", "cycles": %s, "warp_insts": %s, "wall_s": %s, ' \
			"$comma" "$m" "$w" "$size" "$cycles" "$insts" "$(value wall_s)" >>"$out"
		printf '"warp_insts_per_s": %s, "thread_insts_per_s": %s, "cycles_per_s": %s, "peak_rss_bytes": %s}\n' \
			"$wi" "$ti" "$cy" "$rss" >>"$out"
		comma=,
	done
done
echo "]" >>"$out"
echo "written to $out"
exit $failed
