#!/bin/sh
# run --report and compare --report: the files, and what they do to the run (nothing). A browser reads pages in
# test_report_browser.sh.
. "$(dirname "$0")/../rig/cli_rig.sh"
small="hotspot --size small"

expect 0 "IPC" run $small --report "$tmp/a.html"
expect 0 "IPC" run $small --report "$tmp/b.html" --stats "$tmp/s.json"
check "two runs, the same bytes" cmp "$tmp/a.html" "$tmp/b.html"
expect 0 "" run $small --stats "$tmp/without.json"
same() { grep -vE '"(wall_s|total_s|warp_insts_per_s|thread_insts_per_s|cycles_per_s|peak_rss_bytes)"' "$1" >"$1.x"; }
same "$tmp/s.json"
same "$tmp/without.json"
check "the run's figures are what they are without a report" cmp "$tmp/s.json.x" "$tmp/without.json.x"
check "no host, date or place is in it" sh -c "! grep -qE '$(hostname)[^a-z]|$(date +%Y)-|$tmp' '$tmp/a.html'"
"$W" debug $small --batch -ex continue -ex "report $tmp/d.html" >/dev/null 2>&1
check "the debugger's at the end is the run's" cmp "$tmp/a.html" "$tmp/d.html"

expect 0 "" compare $small --a '' --b '--warp-sched lrr' --report "$tmp/c.html"
check "a comparison's page" grep -q "<h1>hotspot: A against B</h1>" "$tmp/c.html"
expect 0 "" compare $small --a '' --b '--warp-sched lrr' --report "$tmp/c2.html" --stats "$tmp/c.json"
check "two comparisons, the same bytes" cmp "$tmp/c.html" "$tmp/c2.html"

# Files: as other outputs are written (test_outputs.sh).
echo before >"$tmp/old.html"
expect 2 "no workload" run nothing --report "$tmp/old.html"
echo 'return { run = function() error("no run") end }' >"$tmp/fails.lua"
expect 2 "no run" run "$tmp/fails.lua" --report "$tmp/old.html"
check "an old file stays where nothing ran" grep -qx before "$tmp/old.html"
ln -s fails.lua "$tmp/link.html"
expect 2 "is a file that is read" run "$tmp/fails.lua" --report "$tmp/link.html"
expect 2 "--report: $tmp/none/a.html" run $small --report "$tmp/none/a.html"
expect 2 "--report: -: a report is FILE.html" run $small --report -
expect 2 "--report: -: a report is FILE.html" compare $small --a '' --b '' --report -
expect 2 "k.cu: a report is FILE.html" run $small --report k.cu
expect 2 "is the file of --" run $small --report "$tmp/x.html" --stats "$tmp/x.html"
expect 2 "/dev/full" run $small --report /dev/full
expect 2 "/dev/full" compare $small --a '' --b '' --report /dev/full
expect 0 "" run $small --report "$tmp/old.html"
check "nothing else is left" test "$(ls "$tmp" | grep -c part)" -eq 0 -a -s "$tmp/old.html"

# Names that are markup.
mkdir "$tmp/a<b>&c"
cp configs/kernels/vecadd.ptx "$tmp/a<b>&c/k\"q'.ptx"
expect 0 "" run "$tmp/a<b>&c/k\"q'.ptx" --kernel vecadd --grid 1 --block 32 --arg 'f32[32]=iota' --arg 'f32[32]=1' \
	--arg 'f32[32]=zero' --arg u32=32 --report "$tmp/m.html"
check "a name is text" sh -c "! grep -q 'a<b>' '$tmp/m.html' && grep -q '<h1>k&#34;q&#39;</h1>' '$tmp/m.html'"

# A long run of many launches stays small.
expect 0 "" run bfs --report "$tmp/l.html"
check "a page has less than 1 MB" test "$(wc -c <"$tmp/l.html")" -lt 1000000
