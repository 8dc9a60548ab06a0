#!/bin/sh
# `warpdbg correlate` from outside: its table, figures that can be worked out by hand, formats, and what is wrong in a file.
. "$(dirname "$0")/../rig/cli_rig.sh"

# made UP FILE: three microbenchmarks and one kernel; UP = measured cycles of the second
made() {
	cat <<JSON
{"schema": "warpdbg-hardware", "version": 1, "chip": {"name": "NVIDIA Quadro V100", "sms": 80}, "driver": "12.4",
 "sm_clock_mhz": 1380.0,
 "microbenchmarks": [
  {"name": "one", "group": "latency", "kernel": "chain_f32_add", "timer": "clock", "grid": 1, "block": 32, "n": 64,
   "stride": 0, "seed": 3, "buffer": 0, "steps": 1024, "cycles": 4096, "spread": 0.01},
  {"name": "two", "group": "latency", "kernel": "chain_f64_add", "timer": "clock", "grid": 1, "block": 32, "n": 64,
   "stride": 0, "seed": 3, "buffer": 0, "steps": 1024, "cycles": $1},
  {"name": "three", "group": "latency", "kernel": "chase_shared", "timer": "clock", "grid": 1, "block": 1, "n": 64,
   "stride": 64, "seed": 64, "buffer": 0, "steps": 512, "cycles": 9728}],
 "workloads": [
  {"name": "vecadd", "size": "small", "params": [], "memory": {"words": 100, "different": 0},
   "launches": [{"kernel": "vecadd", "cycles": 3000}]},
  {"name": "hotspot", "size": "small", "left_out": "because"}]}
JSON
}
made 8192 >"$tmp/made.json"

# --- words
expect 2 "usage: warpdbg correlate FILE.json" correlate
expect 2 "did you mean 'correlate'" correlat x
expect 2 "/nonexistent/x" correlate /nonexistent/x
expect 2 "--size does not belong to \`warpdbg correlate\`" correlate x --size small
expect 2 "--svg does not belong to" run vecadd --svg x
expect 2 "no machine 'nix'" correlate "$tmp/made.json" --gpu nix
expect 2 "no such warp policy 'gtx'" correlate "$tmp/made.json" --warp-sched gtx
expect 2 "--svg needs a value" correlate "$tmp/made.json" --svg
expect 2 "/nonexistent/y" correlate "$tmp/made.json" --svg /nonexistent/y
expect 2 "--format: markdown is for" correlate "$tmp/made.json" --format markdown
expect 0 "warpdbg correlate" --help

expect 2 "--record-launches: /nonexistent/z: No such file" run vecadd --size small --record-launches /nonexistent/z
expect 2 "--record-launches does not belong to" debug vecadd --record-launches x
expect 2 "--record-launches: /dev/full: cannot write" run vecadd --size small --record-launches /dev/full
expect 3 "not finished after 50 cycles" run vecadd --size small --max-cycles 50 --record-launches "$tmp/cut"
check "a run that did not finish is left out" sh -c "tail -2 '$tmp/cut' | head -1 | grep -q '^left-out the run did not finish'"

# --- the table: the machine is found by the chip's name; ratios of cycles by hand
expect 0 "measured  NVIDIA Quadro V100, 80 SMs at 1380 MHz, driver 12.4" correlate "$tmp/made.json"
cp "$tmp/out" "$tmp/text"
check "machine by the chip's name" grep -q '^modelled  v100, 80 SMs' "$tmp/text"
check "results in memory are told" grep -q 'vecadd *equal (100 words)' "$tmp/text"
check "the plot has both marks" sh -c "grep -q '|.*o' '$tmp/text' && grep -q '|.*x' '$tmp/text'"
check "ASCII only" sh -c "! LC_ALL=C grep -q '[^ -~]' '$tmp/text'"
expect 0 "chain" correlate "$tmp/made.json" --gpu gtx480 --set machine=chain
"$W" correlate "$tmp/made.json" --format csv --set schedule=list --set lat.f32_add=7 --set lat.f64_add=15 --set shared.latency=34 >"$tmp/csv"
check "a chain of adds is latency and read stages, beside 4, 8 and 19 cycles" awk -F, '
	$3 == "\"one\"" && ($6 < 1.99 || $6 > 2.01) { bad = 1 }
	$3 == "\"two\"" && ($6 < 1.99 || $6 > 2.02) { bad = 1 }
	$3 == "\"three\"" && ($6 < 1.99 || $6 > 2.01) { bad = 1 }
	$1 == "microbenchmarks" { n++ }
	END { exit bad || n != 3 }' "$tmp/csv"
"$W" correlate "$tmp/made.json" --format json --set schedule=list --set lat.f32_add=7 --set lat.f64_add=15 --set shared.latency=34 >"$tmp/json"
check "mean error of three figures twice too large" grep -qE '"mean_error": (0\.99|1\.00)' "$tmp/json"
check "correlation of a constant ratio is 1" sh -c "grep -A9 '\"microbenchmarks\": {' '$tmp/json' | grep -qE '\"correlation\": (1\.0|0\.9999)'"
check "four rows" sh -c "grep -A3 '\"all\"' '$tmp/json' | grep -q '\"rows\": 4'"
"$W" correlate "$tmp/made.json" --format json --set schedule=list --set lat.f32_add=7 --set lat.f64_add=15 --set shared.latency=34 --svg "$tmp/p.svg" >"$tmp/json2"
check "the same twice" cmp "$tmp/json" "$tmp/json2"
check "the picture has a point a row" sh -c "[ \$(grep -c '<circle.*<title>' '$tmp/p.svg') = 4 ] && tail -1 '$tmp/p.svg' | grep -q '</svg>'"
check "the kernel's cycles are those of run, less an empty kernel's" sh -c "
	'$W' run vecadd --size small --gpu v100 --format json | grep -q '\"cycles\"' &&
	grep '\"vecadd\"' '$tmp/csv' | awk -F, '{ exit !(\$5 > 200 && \$5 < 20000) }'"

# --- files that are wrong
wrong() { # wrong MESSAGE SED-EXPRESSION
	sed "$2" "$tmp/made.json" >"$tmp/bad.json"
	expect 2 "$1" correlate "$tmp/bad.json" --gpu v100
}
wrong "bad.json:1:" 's/{"schema"/{schema/'
wrong "this is not a file of measurements" 's/warpdbg-hardware/other/'
wrong "version: only version 1" 's/"version": 1/"version": 2/'
wrong "chip.name: a text is expected" 's/"name": "NVIDIA Quadro V100"/"name": 3/'
wrong "microbenchmarks[1].cycles: a number is expected" 's/"cycles": 8192/"cycles": "x"/'
wrong "microbenchmarks[1].cycles: -1 is not within" 's/"cycles": 8192/"cycles": -1/'
wrong "microbenchmarks[0].block: 4096 is not within 1..1024" 's/"block": 32, "n": 64,/"block": 4096, "n": 64,/'
wrong "microbenchmarks[0].n: a whole number is expected" 's/"n": 64/"n": 6.5/'
wrong "microbenchmarks[0].timer: \"clock\", \"kernel\" or \"launches\" is expected" 's/"timer": "clock"/"timer": "sun"/'
wrong "microbenchmarks[2].kernel: a text is expected" 's/"kernel": "chase_shared", //'
wrong "workloads[0].launches[0].cycles: a number is expected" 's/"cycles": 3000/"cycles": null/'
wrong "workloads[0].launches: a list is expected" 's/"launches": \[.*\]}/"launches": 3}/'
wrong "workloads[0].size: a text is expected" 's/"size": "small", "params"/"params"/'
wrong "workloads: a list is expected" 's/"workloads": \[/"workloads": 3, "x": [/'
wrong "micro_ptx: measured with another micro.ptx" 's/"version": 1,/"version": 1, "micro_ptx": "00",/'
wrong "duplicate object key" 's/"version": 1,/"version": 1, "version": 1,/'
echo '{"schema": "warpdbg-hardware", "version": 1, "chip": {"name": "NVIDIA X"}}' >"$tmp/bad.json"
expect 2 "there are neither microbenchmarks nor workloads in it" correlate "$tmp/bad.json"
echo '[]' >"$tmp/bad.json"
expect 2 "a JSON object is expected" correlate "$tmp/bad.json"
sed 's/Quadro V100/Nix 9/' "$tmp/made.json" >"$tmp/bad.json"
expect 2 "is named in 'NVIDIA Nix 9': say --gpu" correlate "$tmp/bad.json"

# --- a part of the chip: settings of the file, which those of the command line replace
sed 's/"version": 1,/"version": 1, "set": ["num_sms=7", "warp-sched=gto"],/' "$tmp/made.json" >"$tmp/part.json"
expect 0 "modelled  v100, 7 SMs at 1380 MHz, warp gto" correlate "$tmp/part.json"
"$W" correlate "$tmp/part.json" --format csv | grep '"vecadd"' >"$tmp/part.csv"
"$W" correlate "$tmp/made.json" --format csv --set num_sms=7 --warp-sched gto | grep '"vecadd"' >"$tmp/whole.csv"
check "settings of the file reach workloads" cmp "$tmp/part.csv" "$tmp/whole.csv"
expect 0 "modelled  v100, 5 SMs at 1380 MHz, warp gto" correlate "$tmp/part.json" --set num_sms=5
wrong "bad.json: set: a list of KEY=VALUE is expected" 's/"version": 1,/"version": 1, "set": ["num_sms"],/'
wrong "bad.json: set: a list of KEY=VALUE is expected" 's/"version": 1,/"version": 1, "set": "num_sms=7",/'
wrong "bad.json: set[1]: unknown config key 'nums'" 's/"version": 1,/"version": 1, "set": ["num_sms=7", "nums=1"],/'
wrong "bad.json: set[0]: num_sms: 0 is not within" 's/"version": 1,/"version": 1, "set": ["num_sms=0"],/'
wrong "workloads[0].params: a list of KEY=VALUE is expected" 's/"params": \[\]/"params": {}/'

# --- what cannot be modelled is said, and the rest is
sed 's/chain_f64_add/no_such/; s/"name": "vecadd"/"name": "no_workload"/' "$tmp/made.json" >"$tmp/part.json"
expect 0 "has no kernel no_such" correlate "$tmp/part.json"
cp "$tmp/out" "$tmp/text"
check "the workload that is not there" grep -q "not modelled:.*no workload 'no_workload'" "$tmp/text"
check "two rows are left" grep -q '^all  *2 rows' "$tmp/text"
sed 's/"kernel": "vecadd"/"kernel": "other"/' "$tmp/made.json" >"$tmp/part.json"
expect 0 "another kernel is launched here" correlate "$tmp/part.json"

sed 's/"kernel": "chase_shared", "timer": "clock", "grid": 1, "block": 1,/"kernel": "empty", "timer": "kernel", "grid": 1, "block": 32,/' "$tmp/made.json" >"$tmp/part.json"
expect 0 "it takes no longer than an empty kernel" correlate "$tmp/part.json"

# --- the measured chip: its file goes with micro.ptx; some rows of it, as all take a minute
awk '/"microbenchmarks"/ { print; rows = 1; next }
	rows && /^\{/ { if (/"chain_f(32|64)_(add|mul|fma)"/) { sub(/,$/, ""); printf "%s%s", sep, $0; sep = ",\n" } next }
	rows && /^\]/ { rows = 0; print "\n],\n\"workloads\": []}"; exit }
	{ print }' scripts/hardware/measured/h100.json >"$tmp/h100.json"
"$W" correlate "$tmp/h100.json" --gpu h200 --format csv >"$tmp/csv" 2>"$tmp/err"
check "dependent f32 and f64 instructions take what an H100 takes, within 6 %" awk -F, '
	$1 == "microbenchmarks" { n++; if ($6 < 0.94 || $6 > 1.06) bad = 1 }
	END { exit bad || n != 6 }' "$tmp/csv"

# --- ld.cg passes the L1: the same chase over 8 KB, which L1 holds, takes as long as an access to the L2
sed 's/"kernel": "chase_shared", "timer": "clock", "grid": 1, "block": 1, "n": 64,/"kernel": "chase_l2", "timer": "clock", "grid": 1, "block": 32, "n": 64,/
	s/"stride": 64, "seed": 64, "buffer": 0/"stride": 128, "seed": 64, "buffer": 8192/' "$tmp/made.json" >"$tmp/cg.json"
sed 's/chase_l2/chase_l1/' "$tmp/cg.json" >"$tmp/ca.json"
"$W" correlate "$tmp/cg.json" --format csv >"$tmp/cg"
"$W" correlate "$tmp/ca.json" --format csv >"$tmp/ca"
check "ld.cg goes to the L2" awk -F, '$3 == "\"three\"" { exit !($5 > 150 && $5 < 250) }' "$tmp/cg"
check "ld.ca stays in the L1" awk -F, '$3 == "\"three\"" { exit !($5 > 15 && $5 < 40) }' "$tmp/ca"

# --- machines put together from published figures
# within SHARE FILE GPU: the mean error over the rows that take seconds; those of the whole chip's bandwidth take a minute
within() {
	grep -vE '"(stream_read|read_l2)"' "scripts/hardware/published/$2.json" | sed -E ':a;N;$!ba;s/,\n\]/\n]/' >"$tmp/$2.json"
	"$W" correlate "$tmp/$2.json" --gpu "$3" --format json >"$tmp/grid"
	check "$3 is within $1 of $2 on average" awk -F'[:,]' -v most="$1" '
		/"all"/ { all = 1 } all && /"mean_error"/ { exit !($2 + 0 < most) }' "$tmp/grid"
}
within 0.04 sun2022-a100 a100
within 0.05 benches-a100 a100
within 0.04 sun2022-rtx3070ti rtx3070ti
within 0.08 sun2022-rtx2080ti rtx2080ti
within 0.05 luo2025-rtx4090 rtx4090
within 0.05 benches-l40 rtx4090
within 0.03 benches-a40 a6000
# group SHARE GROUP FILE GPU: the same over one group's rows, all of them
group() {
	"$W" correlate "scripts/hardware/published/$3.json" --gpu "$4" --format csv >"$tmp/rows"
	check "$4: $2 within $1 of $3 on average" awk -F, -v most="$1" -v group="\"$2\"" '
		$2 == group { n++; sum += $6 > 1 ? $6 - 1 : 1 - $6 } END { exit !(n > 2 && sum / n < most) }' "$tmp/rows"
}
within 0.03 benches-v100 v100
group 0.03 "memory latency" benches-v100 v100
group 0.06 bandwidth benches-v100 v100
group 0.03 "memory latency" titanv titanv
group 0.03 "memory latency" jia2019-t4 rtx2060
within 0.08 sun2022-rtx2080ti rtx2060
"$W" correlate scripts/hardware/published/titanv.json --format json >"$tmp/titanv"
check "titanv by the chip's name" grep -q '"machine": "titanv"' "$tmp/titanv"
check "titanv is what was measured, within 8 % on average" awk -F'[:,]' '/"all"/ { all = 1 } all && /"mean_error"/ { exit !($2 + 0 < 0.08) }' "$tmp/titanv"
sed 's/Quadro V100/H200/' "$tmp/made.json" >"$tmp/h200.json"
"$W" correlate "$tmp/h200.json" --format csv >"$tmp/csv"
check "h200: f32 4, f64 8, shared memory 29 cycles from use to use" awk -F, '
	$3 == "\"one\"" && ($5 < 3.99 || $5 > 4.01) { bad = 1 }
	$3 == "\"two\"" && ($5 < 7.99 || $5 > 8.01) { bad = 1 }
	$3 == "\"three\"" && ($5 < 28.9 || $5 > 29.1) { bad = 1 }
	END { exit bad || NR != 5 }' "$tmp/csv"
check "h200 has 132 SMs" sh -c "'$W' correlate '$tmp/h200.json' | grep -q '^modelled  h200, 132 SMs at 1980 MHz'"

# --- the measuring script where there is no driver, and no compiler
sed 's/libcuda.so.1/libcuda-is-not-here.so/' scripts/hardware/driver.h >"$tmp/driver.h"
cp scripts/hardware/*.[ch] scripts/hardware/measure.sh scripts/hardware/micro.ptx "$tmp/" 2>/dev/null
sed -i 's/libcuda.so.1/libcuda-is-not-here.so/' "$tmp/driver.h"
check "no driver: said, status 2" sh -c "sh '$tmp/measure.sh' '$tmp/x.json' 2>'$tmp/err'; [ \$? = 2 ] && grep -q 'no NVIDIA driver here: libcuda-is-not-here.so' '$tmp/err'"
check "nothing is written then" test ! -e "$tmp/x.json"
mkdir "$tmp/bin"
for t in dirname sh mktemp rm; do ln -s "$(command -v $t)" "$tmp/bin/$t"; done
check "no compiler: said, status 2" sh -c "PATH='$tmp/bin' CC= sh '$tmp/measure.sh' '$tmp/x.json' 2>'$tmp/err'; [ \$? = 2 ] && grep -q 'no C compiler' '$tmp/err'"
check "no file named" sh -c "sh '$tmp/measure.sh' 2>'$tmp/err'; [ \$? = 2 ] && grep -q 'usage: measure.sh FILE.json' '$tmp/err'"
