#!/bin/sh
# `warpdbg compare` from outside: options and their errors, exit status of either side, formats, files, determinism, Ctrl-C.
. "$(dirname "$0")/../rig/cli_rig.sh"

# --- words
expect 2 "usage: warpdbg compare WORKLOAD" compare
expect 2 "--a OPTIONS and --b OPTIONS are missing" compare hotspot
expect 2 "--a needs a value" compare hotspot --a
expect 2 "did you mean 'compare'" compar hotspot
expect 2 "--by: 'x' is not one of cycles, insts, ctas" compare hotspot --a '' --by x
expect 2 "--until: 'x' is not one of end, first-divergence" compare hotspot --a '' --until x
expect 2 "--timeline does not belong to" compare hotspot --a '' --timeline x
expect 2 "--by does not belong to" run hotspot --by cycles
expect 2 "--a: unknown option '--wrp-sched' (did you mean '--warp-sched'?)" compare hotspot --a '--wrp-sched gto'
expect 2 "--b: --stats does not belong to" compare hotspot --b '--stats x'
expect 2 "--b: unexpected word 'bfs'" compare hotspot --b bfs
expect 2 "--b: a quote is not closed" compare hotspot --b "--gpu 'x"
expect 2 "--b: --seed: 'x' is not a whole number" compare hotspot --b '--seed x'
expect 2 "--b: --size and --param belong to a host program" compare configs/kernels/vecadd.ptx --b '--size small'
expect 2 "A: no such warp policy 'gtx' (did you mean 'gto'?)" compare hotspot --a '--warp-sched gtx'
expect 2 "B: no machine 'nix'" compare hotspot --b '--gpu nix'
expect 2 "B: --set: unknown config key 'l1d.wys' (did you mean 'l1d.ways'?)" compare hotspot --b '--set l1d.wys=3'
expect 2 "no parameter 'q'" compare vecadd --b '--param q=3'
expect 2 "--stats: /nonexistent/x" compare hotspot --a '' --stats /nonexistent/x
expect 0 "compare   WORKLOAD... --a OPTIONS --b OPTIONS" --help
expect 2 "--compare: unknown option '--wrp-sched' (did you mean '--warp-sched'?)" debug hotspot --compare '--wrp-sched lrr' --batch
expect 2 "--compare: the second machine's options are expected" debug hotspot --compare '' --batch
expect 2 "--by belongs to --compare" debug hotspot --by insts --batch
expect 2 "--compare does not belong to" run hotspot --compare '--warp-sched lrr'

# --- what it says
S="--size small"
expect 0 "No different decision" compare hotspot $S --a '' --b '--warp-sched gto'
expect 0 "First different decision: SM 0, scheduler 1: different warps" compare hotspot $S --a '' --b '--warp-sched lrr'
expect 0 "only A chose a warp" compare vecadd $S --a '' --b '--set launch.latency=900'
expect 0 "B: finished at cycle" debug hotspot $S --compare '--warp-sched lrr' --batch -ex continue -ex continue
expect 0 "lrr: turn from" debug hotspot $S --compare '--warp-sched lrr' --by insts --batch -ex continue
expect 0 "stopped at the difference" compare hotspot $S --b '--warp-sched lrr' --until first-divergence
expect 0 "in lock step by ctas" compare hotspot $S --b '--set l1d.ways=8' --by ctas
expect 0 "l1d.ways                              4              8" compare hotspot $S --b '--set l1d.ways=8'
expect 0 "A  gtx480  warp lrr" compare hotspot $S --warp-sched lrr --b '--warp-sched gto'
expect 0 "B  v100" compare hotspot $S --b '--gpu v100 --set num_sms=8' --by insts
check "a pipe gets no escapes" sh -c "'$W' compare hotspot $S --b '--warp-sched lrr' | { ! grep -q '\033'; }"
check "ASCII on request" sh -c "LC_ALL=C.UTF-8 '$W' compare hotspot $S --b '--warp-sched lrr' --ascii | { ! LC_ALL=C grep -q '[^ -~]'; }"
check "no line of text is wider than 80 columns" \
	sh -c "'$W' compare hotspot $S --b '--warp-sched lrr' | awk 'length > 80 { bad = 1; print } END { exit bad }'"

# --- exit status of either side
cat >"$tmp/fault.lua" <<'LUA'
return { name = "fault", sizes = { default = { n = 1000, ok = 1 } }, run = function(cuda, p)
	local m, d = cuda.module("vecadd.ptx"), cuda.malloc(4000)
	print("n is " .. p.n)
	cuda.launch(m.vecadd, 64, 256, {d, d, d, p.n})
	cuda.sync()
	if p.ok == 2 then error("the host program says no") end
	cuda.check(function() return p.ok == 1, "not ok" end)
end }
LUA
expect 0 "check passed" compare "$tmp/fault.lua" --a '' --b ''
expect 3 "warpdbg: B: " compare "$tmp/fault.lua" --b '--param n=16000'
expect 3 "warpdbg: A: " compare "$tmp/fault.lua" --a '--param n=16000'
expect 1 "CHECK FAILED" compare "$tmp/fault.lua" --b '--param ok=0'
expect 2 "the host program says no" compare "$tmp/fault.lua" --b '--param ok=2'
expect 3 "B: not finished after 300 cycles" compare "$tmp/fault.lua" --b '' --max-cycles 300
"$W" compare "$tmp/fault.lua" --b '' >"$tmp/text" 2>&1
check "the same output is printed once" sh -c "[ \$(grep -c 'n is 1000' '$tmp/text') = 1 ]"
"$W" compare "$tmp/fault.lua" --b '--param n=999' >"$tmp/text" 2>&1
check "different outputs name their side" sh -c "head -4 '$tmp/text' | tr '\n' '|' | grep -q 'printed by A|n is 1000|--- printed by B|n is 999|'"

# --- files and formats
for i in 1 2; do
	"$W" compare hotspot $S --b '--warp-sched lrr' --format json >"$tmp/j$i"
	"$W" compare hotspot $S --b '--warp-sched lrr' --by insts --stats "$tmp/s$i.csv" >"$tmp/t$i"
done
check "JSON is the same twice" cmp "$tmp/j1" "$tmp/j2"
check "CSV is the same twice" cmp "$tmp/s1.csv" "$tmp/s2.csv"
check "text is the same twice" cmp "$tmp/t1" "$tmp/t2"
check "JSON names itself" grep -q '"schema": "warpdbg-compare"' "$tmp/j1"
check "--stats FILE.csv has five columns" awk -F, 'NF != 5 { bad = 1; print } END { exit bad || NR < 200 }' "$tmp/s1.csv"
"$W" run hotspot $S --warp-sched lrr --format csv | awk -F, '$2 == "sum" && $1 !~ /tflops/ && $3 ~ /^[0-9]+$/ { print $1 "," $3 }' | sort >"$tmp/run" # rates are no counters
awk -F, '$3 ~ /^[0-9]+$/ { print $1 "," $3 }' "$tmp/s1.csv" | sort >"$tmp/compared"
check "every counter of B is that of a run alone" sh -c "[ \$(wc -l <'$tmp/run') -gt 150 ] && [ -z \"\$(comm -23 '$tmp/run' '$tmp/compared')\" ]"

# --- Ctrl-C, kill
hears() { # until the process has a handler for SIGTERM, the last it sets up
	i=0
	while [ $i -lt 300 ] && [ $((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' /proc/$1/status) >> 14 & 1)) -eq 0 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	sleep 0.2
}
printf '.version 6.3\n.target sm_70\n.address_size 64\n%s\n' \
	'.visible .entry count() { .reg .b64 %rd1; L: add.u64 %rd1, %rd1, 1; bra L; } // no livelock: its state does not repeat' \
	>"$tmp/count.ptx"
for by in cycles insts ctas; do
	"$W" compare "$tmp/count.ptx" --kernel count --grid 4 --block 256 --b '--set launch.latency=900' --by $by --format json >"$tmp/int.json" 2>"$tmp/err" &
	pid=$!
	hears $pid
	kill -INT $pid
	wait $pid
	check "Ctrl-C ends with 130 by $by" [ $? -eq 130 ]
	check "Ctrl-C still reports by $by" grep -q '"stop": "interrupted"' "$tmp/int.json"
done
"$W" compare "$tmp/count.ptx" --kernel count --grid 4 --block 256 --b '--set launch.latency=900' --format json >"$tmp/int.json" 2>"$tmp/err" &
pid=$!
hears $pid
kill -TERM $pid
wait $pid 2>/dev/null
check "SIGTERM ends a comparison with 143" [ $? -eq 143 ]
check "SIGTERM: it reports" grep -q '"stop": "interrupted"' "$tmp/int.json"
